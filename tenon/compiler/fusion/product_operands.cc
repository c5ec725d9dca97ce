#include "tenon/compiler/fusion/product_operands.h"

#include <map>

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/fusion/op_roles.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler {
namespace {

constexpr int64_t kMinElements = 1 << 10;         // of an array of indices
constexpr int64_t kMinProductElements = 1 << 16;  // as many as attention's scores have
constexpr size_t kMaxCopied = 16;                 // ops

class IndexValues {
 public:
  // Whether `op` depends on nothing, and takes few cheap ops.
  bool Contains(mlir::Operation* op) {
    if (!op) return false;
    auto [found, is_new] = known_.try_emplace(op, false);
    if (!is_new) return found->second;
    const bool contains = Decide(op);
    return known_[op] = contains;
  }

  void CopyForUsers(mlir::Operation* op) {
    if (op->getNumOperands() == 0 || !Contains(op) ||
        ElementCountOf(op->getResult(0)) < kMinElements)
      return;
    llvm::SmallSetVector<mlir::Operation*, 4> users;
    for (mlir::Operation* user : op->getUsers())
      if (user->getBlock() == op->getBlock() && !Contains(user)) users.insert(user);
    if (users.size() < 2) return;
    for (mlir::Operation* user : llvm::drop_begin(users)) {
      mlir::IRMapping copies;
      Copy(op, user, copies);
      user->replaceUsesOfWith(op->getResult(0), copies.lookup(op->getResult(0)));
    }
  }

 private:
  bool Decide(mlir::Operation* op) {
    if (llvm::isa<stablehlo::IotaOp>(op) || IsSplatConstant(op)) return true;
    const bool is_cheap =
        llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op) ||
        (IsElementwise(op) && IsCheap(op));
    if (!is_cheap || op->getNumResults() != 1 || op->getNumOperands() == 0 ||
        !llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
          mlir::Operation* def = operand.getDefiningOp();
          return def && def->getBlock() == op->getBlock() && Contains(def);
        }))
      return false;
    llvm::SmallSetVector<mlir::Operation*, 16> ops;
    ops.insert(op);
    for (size_t i = 0; i < ops.size() && ops.size() <= kMaxCopied; ++i)
      for (mlir::Value operand : ops[i]->getOperands())
        ops.insert(operand.getDefiningOp());
    return ops.size() <= kMaxCopied;
  }

  void Copy(mlir::Operation* op, mlir::Operation* before, mlir::IRMapping& copies) {
    if (IsSplatConstant(op) || copies.contains(op->getResult(0))) return;
    for (mlir::Value operand : op->getOperands())
      Copy(operand.getDefiningOp(), before, copies);
    known_[mlir::OpBuilder(before).clone(*op, copies)] = true;
  }

  llvm::DenseMap<mlir::Operation*, bool> known_;
};

// An array as a permutation of another one: the size of each dimension, and the stride in
// the other array. Strides are 0 if the size is 1.
struct Permuted {
  mlir::Value source;
  llvm::SmallVector<std::pair<int64_t, int64_t>> dims;

  bool operator<(const Permuted& other) const {
    return std::pair(source.getAsOpaquePointer(), std::vector(dims.begin(), dims.end())) <
           std::pair(other.source.getAsOpaquePointer(),
                     std::vector(other.dims.begin(), other.dims.end()));
  }
};

bool IsRowMajor(const Permuted& permuted) {
  int64_t stride = 1;
  for (auto [size, at] : llvm::reverse(permuted.dims)) {
    if (size == 1) continue;
    if (at != stride) return false;
    stride *= size;
  }
  return true;
}

class TransposeSharing {
 public:
  void Visit(stablehlo::DotGeneralOp dot) {
    const auto batch_rank = static_cast<int64_t>(
        dot.getDotDimensionNumbers().getLhsBatchingDimensions().size());
    if (batch_rank == 0 || ElementCountOf(dot.getResult()) < kMinProductElements) return;
    for (unsigned number : {0u, 1u}) Visit(dot, number, batch_rank);
  }

 private:
  // Follows transposes, reshapes that add or drop unit dimensions, and conversions to a
  // wider type and back.
  static std::optional<Permuted> Trace(mlir::Value value) {
    const mlir::Type type = ElementOf(value);
    llvm::SmallVector<mlir::Operation*> ops;
    mlir::Value source = value;
    for (mlir::Operation* op = source.getDefiningOp(); op; op = source.getDefiningOp()) {
      if (!llvm::isa<stablehlo::TransposeOp, stablehlo::ReshapeOp>(op) &&
          !(llvm::isa<stablehlo::ConvertOp>(op) && IsExact(op, type)))
        break;
      ops.push_back(op);
      source = op->getOperand(0);
    }
    if (ElementOf(source) != type ||
        llvm::none_of(ops, llvm::IsaPred<stablehlo::TransposeOp>))
      return std::nullopt;
    Permuted permuted{source, {}};
    for (auto [size, stride] :
         llvm::zip_equal(ShapeOf(source), RowMajorStrides(ShapeOf(source))))
      permuted.dims.emplace_back(size, size == 1 ? 0 : stride);
    for (mlir::Operation* op : llvm::reverse(ops)) {
      auto before = std::exchange(permuted.dims, {});
      if (auto transpose = llvm::dyn_cast<stablehlo::TransposeOp>(op)) {
        for (int64_t dim : transpose.getPermutation())
          permuted.dims.push_back(before[dim]);
        continue;
      }
      llvm::erase_if(before, [](auto dim) { return dim.first == 1; });
      size_t next = 0;
      for (int64_t size : ShapeOf(op->getResult(0))) {
        if (size == 1) {
          permuted.dims.emplace_back(1, 0);
        } else if (next < before.size() && before[next].first == size) {
          permuted.dims.push_back(before[next++]);
        } else {
          return std::nullopt;
        }
      }
    }
    return permuted;
  }

  // Whether a conversion on the way from and to `type` changes no value.
  static bool IsExact(mlir::Operation* convert, mlir::Type type) {
    auto keeps = [&](mlir::Type other) {
      return other == type || ((type.isF16() || type.isBF16()) && other.isF32());
    };
    return keeps(ElementOf(convert->getOperand(0))) &&
           keeps(ElementOf(convert->getResult(0)));
  }

  void Visit(stablehlo::DotGeneralOp dot, unsigned number, int64_t batch_rank) {
    auto permuted = Trace(dot->getOperand(number));
    if (!permuted || static_cast<int64_t>(permuted->dims.size()) != batch_rank + 2 ||
        llvm::any_of(permuted->dims, [](auto dim) { return dim.first == 1; }))
      return;
    auto numbers = dot.getDotDimensionNumbers();
    auto batch = number == 0 ? numbers.getLhsBatchingDimensions()
                             : numbers.getRhsBatchingDimensions();
    auto sum = number == 0 ? numbers.getLhsContractingDimensions()
                           : numbers.getRhsContractingDimensions();
    if (sum.size() != 1 || !llvm::equal(batch, llvm::seq<int64_t>(0, batch_rank))) return;
    // The order of the last two dimensions is free: one is summed over.
    auto& last = permuted->dims;
    const bool is_swapped = last[batch_rank].second < last[batch_rank + 1].second;
    if (is_swapped) std::swap(last[batch_rank], last[batch_rank + 1]);
    mlir::Value& shared = shared_[*permuted];
    if (!shared) {
      shared = is_swapped || llvm::isa<stablehlo::ConvertOp>(
                                 dot->getOperand(number).getDefiningOp())
                   ? Build(dot, *permuted)
                   : dot->getOperand(number);
    }
    dot->setOperand(number, shared);
    if (!is_swapped) return;
    const int64_t summed = 2 * batch_rank + 1 - sum[0];
    auto with = [&](unsigned of, llvm::ArrayRef<int64_t> dims) {
      return of == number ? llvm::ArrayRef(summed) : dims;
    };
    dot.setDotDimensionNumbersAttr(stablehlo::DotDimensionNumbersAttr::get(
        dot.getContext(), numbers.getLhsBatchingDimensions(),
        numbers.getRhsBatchingDimensions(),
        with(0, numbers.getLhsContractingDimensions()),
        with(1, numbers.getRhsContractingDimensions())));
  }

  static mlir::Value Build(stablehlo::DotGeneralOp dot, const Permuted& permuted) {
    mlir::OpBuilder b(dot);
    if (IsRowMajor(permuted)) return Reshape(b, dot.getLoc(), permuted.source, permuted);
    // The source's dimensions in their order, and where each is in the result.
    Permuted ordered = permuted;
    llvm::sort(ordered.dims, [](auto x, auto y) { return x.second > y.second; });
    llvm::SmallVector<int64_t> permutation, shape;
    for (auto dim : permuted.dims) {
      permutation.push_back(llvm::find(ordered.dims, dim) - ordered.dims.begin());
      shape.push_back(dim.first);
    }
    mlir::Value source = Reshape(b, dot.getLoc(), permuted.source, ordered);
    return stablehlo::TransposeOp::create(b, dot.getLoc(), TypeOf(source).clone(shape),
                                          source, permutation);
  }
  static mlir::Value Reshape(mlir::OpBuilder& b, mlir::Location loc, mlir::Value source,
                             const Permuted& permuted) {
    llvm::SmallVector<int64_t> shape;
    for (auto [size, stride] : permuted.dims) shape.push_back(size);
    if (ShapeOf(source) == llvm::ArrayRef(shape)) return source;
    return stablehlo::ReshapeOp::create(b, loc, TypeOf(source).clone(shape), source);
  }

  std::map<Permuted, mlir::Value> shared_;
};

// Exchanges the factors if the rows of the result become its last dimension.
void OrderResult(stablehlo::DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  const auto batch_rank = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
  const int64_t rank = TypeOf(dot.getResult()).getRank();
  if (batch_rank == 0 || rank != batch_rank + 2 || dot.getAlgorithm() ||
      TypeOf(dot.getLhs()).getRank() != rank || TypeOf(dot.getRhs()).getRank() != rank ||
      ElementCountOf(dot.getResult()) < kMinProductElements || !dot->hasOneUse())
    return;
  auto transpose = llvm::dyn_cast<stablehlo::TransposeOp>(*dot->getUsers().begin());
  if (!transpose || transpose.getPermutation().back() != rank - 2) return;
  mlir::OpBuilder b(dot);
  auto exchanged = llvm::cast<stablehlo::DotGeneralOp>(b.clone(*dot));
  exchanged->setOperands({dot.getRhs(), dot.getLhs()});
  exchanged.setDotDimensionNumbersAttr(stablehlo::DotDimensionNumbersAttr::get(
      dot.getContext(), numbers.getRhsBatchingDimensions(),
      numbers.getLhsBatchingDimensions(), numbers.getRhsContractingDimensions(),
      numbers.getLhsContractingDimensions()));
  if (auto precision = dot.getPrecisionConfigAttr())
    exchanged.setPrecisionConfigAttr(
        b.getArrayAttr(llvm::to_vector(llvm::reverse(precision))));
  auto shape = llvm::to_vector(ShapeOf(dot.getResult()));
  std::swap(shape[rank - 2], shape[rank - 1]);
  exchanged.getResult().setType(TypeOf(dot.getResult()).clone(shape));
  auto permutation = llvm::to_vector(transpose.getPermutation());
  for (int64_t& dim : permutation)
    if (dim >= rank - 2) dim = 2 * rank - 3 - dim;
  transpose.setPermutation(permutation);
  transpose->setOperand(0, exchanged.getResult());
  dot.erase();
}

}  // namespace

void OrderResults(mlir::Block& block) {
  for (auto dot : llvm::make_early_inc_range(block.getOps<stablehlo::DotGeneralOp>()))
    OrderResult(dot);
}

void CopyIndexValues(mlir::Block& block) {
  IndexValues values;
  for (mlir::Operation& op : llvm::make_early_inc_range(block)) values.CopyForUsers(&op);
}

void ShareTransposes(mlir::Block& block) {
  TransposeSharing sharing;
  for (auto dot : llvm::make_early_inc_range(block.getOps<stablehlo::DotGeneralOp>()))
    sharing.Visit(dot);
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op)) op.erase();
}

}  // namespace tenon::compiler
