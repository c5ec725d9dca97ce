// NVIDIA's instructions for pairs of bf16, and approximations, as the PTX ISA describes
// them.
#ifndef TESTS_GPU_FLOATS_H_
#define TESTS_GPU_FLOATS_H_

#include <cstdint>

namespace tenon::gpu_test {

// The first element is the lower half. NaNs are the one with all bits set but the sign.
uint32_t FmaBf16x2(uint32_t a, uint32_t b, uint32_t c);
uint32_t MaxBf16x2(uint32_t a, uint32_t b);  // -0 < +0; NaN if either is NaN
uint32_t MinBf16x2(uint32_t a, uint32_t b);
uint32_t NarrowBf16x2(float upper, float lower);

// Denormals are zero, as operands and as results.
float Exp2Approx(float x);
float RcpApprox(float x);
float DivFull(float x, float y);
float FmaRm(float x, float y, float z);  // rounded down

}  // namespace tenon::gpu_test

#endif  // TESTS_GPU_FLOATS_H_
