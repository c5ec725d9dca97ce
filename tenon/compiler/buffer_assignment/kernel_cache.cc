#include "tenon/compiler/buffer_assignment/kernel_cache.h"

#include "tenon/compiler/analysis/fusion_equality.h"

namespace tenon::compiler {

StatusOr<const BuiltKernel*> KernelCache::Get(ir::FusionOp fusion) {
  auto& bucket = kernels_[HashOfFusion(fusion, SplatValues::kCompared)];
  for (auto& [known, kernel] : bucket)
    if (EqualFusions(known, fusion, SplatValues::kCompared)) return &*kernel;
  std::string name =
      ir::stringifyFusionKind(fusion.getKind()).str() + "." + std::to_string(next_++);
  TENON_ASSIGN_OR_RETURN(BuiltKernel kernel, BuildKernel(fusion, name, target_, b_));
  bucket.emplace_back(fusion, std::make_unique<BuiltKernel>(std::move(kernel)));
  return &*bucket.back().second;
}

}  // namespace tenon::compiler
