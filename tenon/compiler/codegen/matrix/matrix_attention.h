// Attention with a device's matrix instructions, by blocks of keys. A group of items has
// the sums of a few rows in registers. It goes through the keys: products with the
// queries, exponentials, and the product of those with the values, while the next block
// of keys and values is copied. Scores never leave registers.
//
// The weights of a row need its maximum, which is known only after the last key. So
// exponentials use the maximum of the keys so far, and what was summed before is
// multiplied by exp(maximum before - maximum now). That gives the same sums because
// exp(s - m) = exp(s - m') exp(m' - m) and both sums are linear in the exponentials; the
// factor is at most 1, so nothing overflows. Where it does not hold:
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

#include "tenon/compiler/codegen/matrix/matrix_product.h"

namespace tenon::codegen {

// See tenon.attention. Indices are i64 and in range, scores and results f32.
struct MatrixAttention {
  int64_t rows = 0, keys = 0, depth = 0, columns = 0;
  ElementType operand = ElementType::kInvalid;
  MatrixOperand query_operand;  // lhs of a product: sides are rows
  MatrixOperand key_operand;    // rhs: sides are keys
  MatrixOperand value_operand;  // rhs: sides are columns of the result, along the keys
  std::function<StatusOr<llvm::Value*>(llvm::Value* row, llvm::Value* key,
                                       llvm::Value* sum)>
      score;
  // Consumes results of consecutive columns, as MatrixProduct::store.
  std::function<Status(llvm::Value* row, llvm::Value* column,
                       llvm::ArrayRef<llvm::Value*> results)>
      store;
  // Consumes the maximum of a row and the sum of its exponentials. May be null.
  std::function<Status(llvm::Value* row, llvm::Value* maximum, llvm::Value* sum)>
      store_row;
};

struct AttentionTile {
  static constexpr int kStages = 2;  // blocks of keys and values in local memory

  const FragmentProduct* product = nullptr;
  int subgroups = 0;           // each has product->rows rows
  int keys = 0;                // of a block
  int depth = 0, columns = 0;  // of queries and values: powers of two
  int rows() const { return subgroups * product->rows; }
  int64_t stage_bytes() const { return int64_t{2} * keys * (depth + columns); }
  // The queries are in the memory of the stages, before these.
  int64_t local_bytes() const {
    return std::max(kStages * stage_bytes(), int64_t{2} * rows() * depth);
  }
};

// The tile for an attention, or nothing if the device cannot run it.
std::optional<AttentionTile> ChooseAttentionTile(const MatrixAttention& attention,
                                                 const MatrixInstructions& instructions,
                                                 const TileLimits& limits);

// As EmitMatrixProduct. group.tile_column is not used.
Status EmitMatrixAttention(llvm::IRBuilder<>& b, const MatrixAttention& attention,
                           const MatrixInstructions& instructions,
                           const AttentionTile& tile, const MatrixGroup& group);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_MATRIX_MATRIX_ATTENTION_H_
