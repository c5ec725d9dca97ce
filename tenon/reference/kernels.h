// Kernels: one elementwise operation over arrays in computing form (compute.h).
// Pure functions, callable from any thread.
#ifndef TENON_REFERENCE_KERNELS_H_
#define TENON_REFERENCE_KERNELS_H_

#include <cstdint>

#include "tenon/reference/compute.h"
#include "tenon/types/element_type.h"

namespace tenon::reference {

enum class ElementOp {
#define X(name, text, operands, flushes) name,
#include "tenon/reference/element_op.inc"
#undef X
};

// In the order of stablehlo::ComparisonDirection.
enum class Relation { kEq, kNe, kGe, kGt, kLe, kLt };

// A kernel's parameters other than its arrays.
struct KernelParams {
  ElementType operand_type = ElementType::kInvalid;  // type of the last operand
  ElementType result_type = ElementType::kInvalid;
  Relation relation = Relation::kEq;  // compare
  bool total_order = false;           // compare
  int exponent_bits = 0;              // reduce_precision
  int mantissa_bits = 0;              // reduce_precision
};

// Computes `count` elements of `output` from as many of each input. The caller must still
// bring the result into its type's range (WrapElements). `output` may be an input of the
// same width.
using Kernel = void (*)(const KernelParams& params, const void* const* inputs,
                        void* output, int64_t count);

// Returns the kernel of `op`; null if the operation is not defined on the types.
Kernel FindKernel(ElementOp op, const KernelParams& params);

// The kernels of each computing form, for FindKernel.
Kernel FindIntegerKernel(ElementOp op, ComputeKind kind);
Kernel FindPredKernel(ElementOp op);
Kernel FindFloatKernel(ElementOp op, const KernelParams& params);
Kernel FindComplexKernel(ElementOp op, ComputeKind kind);
Kernel FindConvertKernel(ElementType from, ElementType to);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_KERNELS_H_
