#include "tenon/compiler/buffer_assignment/kernel_cache.h"

#include "mlir/IR/OperationSupport.h"

namespace tenon::compiler {
namespace {

size_t Hash(ir::FusionOp fusion) {
  llvm::hash_code hash = llvm::hash_value(fusion.getKind());
  for (mlir::Operation& op : fusion.getBody().front()) {
    hash = llvm::hash_combine(hash, op.getName(), op.getDiscardableAttrDictionary(),
                              op.hashProperties());
    for (mlir::Type type : op.getOperandTypes()) hash = llvm::hash_combine(hash, type);
    for (mlir::Type type : op.getResultTypes()) hash = llvm::hash_combine(hash, type);
  }
  return hash;
}

bool SameFusion(ir::FusionOp a, ir::FusionOp b) {
  return a.getKind() == b.getKind() && a->getAttrDictionary() == b->getAttrDictionary() &&
         a.getInputs().getTypes() == b.getInputs().getTypes() &&
         mlir::OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(),
             mlir::OperationEquivalence::Flags::IgnoreLocations);
}

}  // namespace

StatusOr<const BuiltKernel*> KernelCache::Get(ir::FusionOp fusion) {
  size_t hash = Hash(fusion);
  auto& bucket = kernels_[hash];
  for (auto& [known, kernel] : bucket)
    if (SameFusion(known, fusion)) return &*kernel;
  std::string name = fusion.getKind().str() + "." + std::to_string(next_++);
  TENON_ASSIGN_OR_RETURN(BuiltKernel kernel, BuildKernel(fusion, name, target_, b_));
  bucket.emplace_back(fusion, std::make_unique<BuiltKernel>(std::move(kernel)));
  return &*bucket.back().second;
}

}  // namespace tenon::compiler
