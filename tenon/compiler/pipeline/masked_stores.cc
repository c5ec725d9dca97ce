#include "tenon/compiler/pipeline/masked_stores.h"

#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tenon::compiler {
namespace {

// Returns the only active lane of a constant mask, or nullopt.
std::optional<unsigned> SingleLane(llvm::Value* mask) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type) return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    auto* bit =
        llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
    if (!bit || (bit->isOne() && found)) return std::nullopt;
    if (bit->isOne()) found = lane;
  }
  return found;
}

}  // namespace

void StoreSingleLanes(llvm::Function& function) {
  llvm::SmallVector<llvm::IntrinsicInst*> stores;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : block)
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == llvm::Intrinsic::masked_store)
        stores.push_back(call);
  for (llvm::IntrinsicInst* store : stores) {
    llvm::Value *value = store->getArgOperand(0), *pointer = store->getArgOperand(1);
    std::optional<unsigned> lane =
        SingleLane(store->getArgOperand(store->arg_size() - 1));
    llvm::Type* element = value->getType()->getScalarType();
    if (!lane || element->getPrimitiveSizeInBits() % 8 != 0) continue;
    llvm::IRBuilder<> b(store);
    uint64_t bytes = element->getPrimitiveSizeInBits() / 8;
    llvm::Align align =
        llvm::commonAlignment(store->getParamAlign(1).valueOrOne(), *lane * bytes);
    b.CreateAlignedStore(b.CreateExtractElement(value, *lane),
                         b.CreateConstInBoundsGEP1_64(element, pointer, *lane), align);
    store->eraseFromParent();
  }
}

}  // namespace tenon::compiler
