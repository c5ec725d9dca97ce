// Joins small collectives.
#include <vector>

#include "llvm/ADT/BitVector.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/compiler/partition/clean_collectives.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/stablehlo/process_groups.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler::partition {
namespace {

// Dependences are kept as sets of collectives for every op of a block.
constexpr size_t kMaxBuckets = 256;

int64_t BytesOf(mlir::Value value) {
  mlir::RankedTensorType type = TypeOf(value);
  mlir::Type element = type.getElementType();
  unsigned bits = 8;
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  } else if (element.isIntOrFloat()) {
    bits = element.getIntOrFloatBitWidth();
  }
  return type.getNumElements() * static_cast<int64_t>((bits + 7) / 8);
}

bool MayCombine(mlir::Operation& op) {
  return llvm::isa<stablehlo::AllReduceOp, stablehlo::AllGatherOp>(op) &&
         op.getNumOperands() == 1;
}

mlir::Type ElementOf(mlir::Operation* op) {
  return TypeOf(op->getOperand(0)).getElementType();
}

// Whether both are the same but for their operand.
bool AreAlike(mlir::Operation* a, mlir::Operation* b) {
  using mlir::OperationEquivalence;
  return a->getName() == b->getName() && ElementOf(a) == ElementOf(b) &&
         ElementOf(a) == TypeOf(a->getResult(0)).getElementType() &&
         ElementOf(b) == TypeOf(b->getResult(0)).getElementType() &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         llvm::all_of(llvm::zip_equal(a->getRegions(), b->getRegions()), [](auto pair) {
           auto [x, y] = pair;
           return OperationEquivalence::isRegionEquivalentTo(
               &x, &y, OperationEquivalence::IgnoreLocations);
         });
}

// Collectives that become one op, and all buckets on which they depend.
struct Bucket {
  std::vector<mlir::Operation*> members;
  int64_t bytes = 0;
  llvm::BitVector needs{kMaxBuckets};
};

// Combines in a range of ops that may be reordered.
class Combiner {
 public:
  // Returns the first op that it did not look at, or the op at `end`.
  mlir::Operation* Run(mlir::Block& block, mlir::Operation* begin, mlir::Operation* end) {
    mlir::Operation* op = begin;
    for (; op != end; op = op->getNextNode()) {
      llvm::BitVector needs = NeedsOf(*op, block);
      if (MayCombine(*op) && !Place(*op, needs)) break;
      needs_[op] = std::move(needs);
    }
    bool changed = false;
    for (Bucket& bucket : buckets_) {
      if (bucket.members.size() < 2) continue;
      Merge(bucket);
      changed = true;
    }
    // Users of a collective that came to a later place follow it.
    if (changed) {
      mlir::sortTopologically(&block, llvm::make_range(block.begin(), op->getIterator()));
    }
    return op;
  }

 private:
  // The buckets on which the op depends, those of its nested ops included.
  llvm::BitVector NeedsOf(mlir::Operation& op, mlir::Block& block) {
    llvm::BitVector needs(kMaxBuckets);
    op.walk([&](mlir::Operation* inner) {
      for (mlir::Value operand : inner->getOperands()) {
        mlir::Operation* source = operand.getDefiningOp();
        if (!source || source->getBlock() != &block) continue;
        auto known = needs_.find(source);
        if (known != needs_.end()) needs |= known->second;
      }
    });
    return needs;
  }

  // Adds what the buckets of `needs` depend on, which may be more than when `needs` was
  // computed, because buckets got members.
  void Complete(llvm::BitVector& needs) const {
    const llvm::BitVector direct = needs;
    for (unsigned number : direct.set_bits()) needs |= buckets_[number].needs;
  }

  // Puts the op into a bucket on which it does not depend, and adds the bucket to
  // `needs`. False if there are too many.
  bool Place(mlir::Operation& op, llvm::BitVector& needs) {
    const int64_t bytes = BytesOf(op.getOperand(0)) + BytesOf(op.getResult(0));
    Complete(needs);
    for (auto [number, bucket] : llvm::enumerate(buckets_)) {
      if (bucket.bytes + bytes > kMaxCombinedBytes) continue;
      const auto own = static_cast<unsigned>(number);
      if (needs.test(own) || !AreAlike(bucket.members.front(), &op)) continue;
      bucket.members.push_back(&op);
      bucket.bytes += bytes;
      bucket.needs |= needs;
      for (Bucket& other : buckets_) {
        if (other.needs.test(own)) other.needs |= bucket.needs;
      }
      needs.set(own);
      return true;
    }
    if (buckets_.size() == kMaxBuckets) return false;
    buckets_.push_back({{&op}, bytes, needs});
    needs.set(static_cast<unsigned>(buckets_.size() - 1));
    return true;
  }

  // Replaces the members by one op, where the last of them is.
  static void Merge(Bucket& bucket) {
    mlir::Operation* last = bucket.members.back();
    llvm::SmallVector<mlir::Location> locations;
    for (mlir::Operation* op : bucket.members) locations.push_back(op->getLoc());
    mlir::OperationState state(mlir::FusedLoc::get(last->getContext(), locations),
                               last->getName());
    for (mlir::Operation* op : bucket.members) {
      state.addOperands(op->getOperand(0));
      state.addTypes(op->getResult(0).getType());
    }
    state.addAttributes(last->getAttrs());
    for (mlir::Region& region : last->getRegions()) state.addRegion()->takeBody(region);
    mlir::Operation* combined = mlir::OpBuilder(last).create(state);
    for (auto [op, result] : llvm::zip_equal(bucket.members, combined->getResults())) {
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }

  std::vector<Bucket> buckets_;
  llvm::DenseMap<mlir::Operation*, llvm::BitVector> needs_;
};

void CombineInBlock(mlir::Block& block) {
  if (llvm::count_if(block, MayCombine) < 2) return;
  // Ops with side effects stay between those around them, but all devices run collectives
  // in the same order, whichever it is.
  llvm::SmallVector<mlir::Operation*> fences;
  for (mlir::Operation& op : block) {
    const bool moves = mlir::isMemoryEffectFree(&op) || stablehlo::IsCollective(&op);
    if (!moves || &op == &block.back()) fences.push_back(&op);
  }
  mlir::Operation* begin = &block.front();
  for (mlir::Operation* fence : fences) {
    while (begin != fence) begin = Combiner().Run(block, begin, fence);
    begin = fence->getNextNode();
  }
}

}  // namespace

void CombineCollectives(mlir::func::FuncOp function) {
  llvm::SmallVector<mlir::Block*> blocks;
  function.walk([&](mlir::Block* block) { blocks.push_back(block); });
  for (mlir::Block* block : blocks) CombineInBlock(*block);
}

}  // namespace tenon::compiler::partition
