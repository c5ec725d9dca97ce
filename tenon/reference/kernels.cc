#include "tenon/reference/kernels.h"

#include <complex>

namespace tenon::reference {
namespace {

// T is any type of the element's width; only its bytes are moved.
template <typename T>
void Select(const KernelParams&, const void* const* inputs, void* output, int64_t count) {
  const auto* pred = static_cast<const uint64_t*>(inputs[0]);
  const auto* on_true = static_cast<const T*>(inputs[1]);
  const auto* on_false = static_cast<const T*>(inputs[2]);
  auto* out = static_cast<T*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = pred[i] ? on_true[i] : on_false[i];
}

Kernel FindSelectKernel(ComputeKind kind) {
  switch (ComputeBytes(kind)) {
    case 4:
      return Select<float>;
    case 8:
      return Select<uint64_t>;
    default:
      return Select<std::complex<double>>;
  }
}

}  // namespace

Kernel FindKernel(ElementOp op, const KernelParams& params) {
  if (op == ElementOp::kConvert)
    return FindConvertKernel(params.operand_type, params.result_type);
  const ComputeKind kind = ComputeKindOf(params.operand_type);
  if (op == ElementOp::kSelect) return FindSelectKernel(kind);
  if (params.operand_type == ElementType::kPred)
    if (Kernel kernel = FindPredKernel(op)) return kernel;
  switch (kind) {
    case ComputeKind::kSigned:
    case ComputeKind::kUnsigned:
      return FindIntegerKernel(op, kind);
    case ComputeKind::kF32:
    case ComputeKind::kF64:
      return FindFloatKernel(op, params);
    case ComputeKind::kC64:
    case ComputeKind::kC128:
      return FindComplexKernel(op, kind);
  }
  return nullptr;
}

}  // namespace tenon::reference
