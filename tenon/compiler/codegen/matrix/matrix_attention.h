// Attention and its gradients with a device's matrix instructions, by blocks of keys. A
// group of items has the sums of a few rows in registers. It goes through the keys:
// products with its rows, elements computed from them, and the products of those with
// other matrices, while the next block is copied. Elements never leave registers.
//
// The weights of a softmax need the maximum of their row, which is known only after the
// last key. So exponentials use the maximum of the keys so far, and what was summed
// before is multiplied by exp(maximum before - maximum now). That gives the same sums
// because exp(s - m) = exp(s - m') exp(m' - m) and both sums are linear in the
// exponentials; the factor is at most 1, so nothing overflows. Where it does not hold:
//  - While all keys have the score -inf, m is -inf and s - m is NaN, though the weights
//    of these keys are 0 if a larger score follows. So 0 takes the place of such an m.
//    If none follows, the weights are NaN: 0 divided by the sum, which is 0.
//  - A score of +inf or NaN makes the whole row NaN, which the sum stays.
// Sums of weights that are divided at the end can be larger than the result by the number
// of keys, and overflow where the result does not. So exponentials have a factor of a
// power of two, which cancels in the division.
#ifndef TENON_COMPILER_CODEGEN_MATRIX_MATRIX_ATTENTION_H_
#define TENON_COMPILER_CODEGEN_MATRIX_MATRIX_ATTENTION_H_

#include <algorithm>

#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/matrix/matrix_product.h"

namespace tenon::codegen {

// Indices are i64 and in range; products, elements and results are f32.
struct MatrixAttention {
  // products[row, key] = sum over depth of lhs[row, .] rhs[., key].
  struct Product {
    int64_t depth = 0;
    MatrixOperand lhs, rhs;
  };
  // results[row, column] = sum over keys of elements[row, key] factor[key, column].
  struct Result {
    size_t element = 0;
    int64_t columns = 0;
    MatrixOperand factor;
    // The product whose rhs is the same matrix, or -1. (It is copied once.)
    int same_as = -1;
    // Consumes results of consecutive columns, as MatrixProduct::store.
    std::function<Status(llvm::Value* row, llvm::Value* column,
                         llvm::ArrayRef<llvm::Value*> results)>
        store;
  };
  enum class Fold { kSum, kMaximum };

  int64_t rows = 0, keys = 0;
  ElementType operand = ElementType::kInvalid;
  llvm::SmallVector<Product, 2> products;
  llvm::SmallVector<Result, 2> results;
  // The last elements are not rounded and multiplied, but folded along each row.
  llvm::SmallVector<Fold, 2> folds;
  // There is one element, a score, and its softmax is multiplied.
  bool softmax = false;
  // Computes the elements at (row, key) from the products.
  std::function<StatusOr<IrValues>(llvm::Value* row, llvm::Value* key,
                                   llvm::ArrayRef<llvm::Value*> products)>
      elements;
  // Consumes the folds of a row; of a softmax its maximum, and the sum of exponentials.
  // May be null.
  std::function<Status(llvm::Value* row, llvm::ArrayRef<llvm::Value*> values)> store_row;

  size_t element_count() const {
    size_t count = softmax ? 1 : 0;
    for (const Result& result : results) count = std::max(count, result.element + 1);
    return count + folds.size();
  }
};

struct AttentionTile {
  static constexpr int kStages = 2;  // blocks of keys in local memory

  const FragmentProduct* product = nullptr;
  int subgroups = 0;  // each has product->rows rows
  int keys = 0;       // of a block
  int64_t stage_bytes = 0, local_bytes = 0;
  int rows() const { return subgroups * product->rows; }
};

// The tile for an attention, or nothing if the device cannot run it. Operands and stores
// are not looked at.
std::optional<AttentionTile> ChooseAttentionTile(const MatrixAttention& attention,
                                                 const MatrixInstructions& instructions,
                                                 const TileLimits& limits);

// As EmitMatrixProduct. group.tile_column is not used.
Status EmitMatrixAttention(llvm::IRBuilder<>& b, const MatrixAttention& attention,
                           const MatrixInstructions& instructions,
                           const AttentionTile& tile, const MatrixGroup& group);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_MATRIX_MATRIX_ATTENTION_H_
