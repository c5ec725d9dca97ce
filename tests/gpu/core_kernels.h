// The kernels that are planned by hand, for tests: each is emitted for the host, where an
// emulation of the instructions runs it, and as PTX, which ptxas assembles.
#ifndef TESTS_GPU_CORE_KERNELS_H_
#define TESTS_GPU_CORE_KERNELS_H_

#include <string>
#include <vector>

#include "llvm/IR/Module.h"
#include "tenon/compiler/codegen/matrix/matrix_product.h"

namespace tenon::gpu_test {

// result = lhs rhs, each dense apart from rows that are padded to 16 bytes. The result
// has row length `columns`.
struct ProductSpec {
  std::string name;
  ElementType operand = ElementType::kBF16;
  int64_t rows = 0, columns = 0, depth = 0;
  bool lhs_along_depth = true, rhs_along_depth = false;
  bool copies = true;          // otherwise elements are loaded one by one
  bool bias_relu = false;      // result = max(lhs rhs + bias[column], 0), f32
  bool narrow_result = false;  // in the type of the operands
  std::string processor = "sm_80";
  bool wide = false;  // with products of several subgroups, if the processor has them
  int64_t dynamic_local_bytes = 0;  // that the launch may add
  int max_items = 256;
  int processors = 0;

  // The distance of rows or columns in memory, in elements.
  int64_t lhs_stride() const;
  int64_t rhs_stride() const;
};

struct ProductKernel {
  codegen::MatrixTile tile;
  int items = 0;  // of a group
  int64_t groups = 0;
  int64_t local_bytes = 0;
  int64_t dynamic_local_bytes = 0;  // the part of it that the launch adds
};

// Adds kernel `spec.name` (lhs, rhs, bias, result) to the module.
StatusOr<ProductKernel> AddProduct(llvm::Module& module, const ProductSpec& spec);

// The kernels of docs/gpu_kernels.md.
std::vector<ProductSpec> CoreProducts(const std::string& processor);

}  // namespace tenon::gpu_test

#endif  // TESTS_GPU_CORE_KERNELS_H_
