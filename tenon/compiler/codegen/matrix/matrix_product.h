// Matrix products with a device's matrix instructions. A group of items computes a tile
// of the result: it copies blocks of both operands to local memory some steps ahead,
// while its subgroups multiply earlier blocks. Used by the thread that owns the builder's
// LLVMContext.
#ifndef TENON_COMPILER_CODEGEN_MATRIX_MATRIX_PRODUCT_H_
#define TENON_COMPILER_CODEGEN_MATRIX_MATRIX_PRODUCT_H_

#include <functional>
#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "tenon/base/status.h"
#include "tenon/compiler/targets/matrix_instructions.h"

namespace tenon::codegen {

using compiler::FragmentProduct;
using compiler::MatrixInstructions;

// An operand in global memory, or computed by `load`. `side` is the row of lhs, and the
// column of rhs.
struct MatrixOperand {
  // If there is no `load`: element (side, k) is at pointer + side * side_stride +
  // k * depth_stride, in elements. One of the strides is 1; the other stride and the
  // pointer (to address space 1) are aligned to MatrixInstructions::kCopyBytes.
  llvm::Value* pointer = nullptr;
  int64_t side_stride = 0;
  int64_t depth_stride = 0;
  // If set, the unit of MatrixInstructions::kCopyBytes that begins at (side, k), both
  // i64, is `offset` elements (i64) from the pointer, and zero if `exists` (i1) is false;
  // null: it exists. One of the strides is 1, and the other not used. What is returned
  // for positions beyond the operand does not matter.
  struct UnitPlace {
    llvm::Value* offset = nullptr;
    llvm::Value* exists = nullptr;
  };
  std::function<UnitPlace(llvm::Value* side, llvm::Value* k)> place;
  // Returns element (side, k), both i64 and in range, in the type of the operand.
  std::function<StatusOr<llvm::Value*>(llvm::Value* side, llvm::Value* k)> load;
  // Of a loaded operand: whether consecutive items should load elements along the depth.
  bool loads_along_depth = true;

  bool along_depth() const { return load ? loads_along_depth : depth_stride == 1; }
};

// result[row, column] = sum over k of lhs[row, k] rhs[k, column].
struct MatrixProduct {
  int64_t rows = 0, columns = 0, depth = 0;
  ElementType operand = ElementType::kInvalid;
  ElementType sum = ElementType::kInvalid;
  MatrixOperand lhs, rhs;
  // Consumes sums of consecutive columns from `column` on; row and column are i64.
  // Called once for each place in the code, inside a branch where a tile exceeds the
  // result.
  std::function<Status(llvm::Value* row, llvm::Value* column,
                       llvm::ArrayRef<llvm::Value*> sums)>
      store;
  // Whether `store` should get units of kStoreUnit sums where the result has whole ones,
  // at columns that are multiples of it. Otherwise it gets at most 2.
  static constexpr int kStoreUnit = 8;
  bool stores_units = false;
};

struct MatrixTile {
  const FragmentProduct* product = nullptr;     // null: the wide product
  int rows = 0, columns = 0, depth = 0;         // of the block
  int subgroup_rows = 0, subgroup_columns = 0;  // of a subgroup's part
  int stages = 0;                               // blocks in local memory

  int subgroups() const { return rows / subgroup_rows * (columns / subgroup_columns); }
  // Bytes of local memory for operands with elements of that many bytes. It must be
  // aligned to kAlignment.
  static constexpr int kAlignment = 1024;
  int64_t stage_bytes(int64_t element_bytes) const {
    return element_bytes * depth * (rows + columns);
  }
  int64_t local_bytes(int64_t element_bytes) const {
    return stages * stage_bytes(element_bytes);
  }
};

struct TileLimits {
  int64_t local_bytes = 0;          // that a group may use
  int64_t dynamic_local_bytes = 0;  // the same if the launch adds it; 0: it cannot
  int max_items = 0;                // of a group
  int processors = 0;               // that groups are distributed to; 0: not known
  int64_t batch = 1;                // products of this size
  // If groups add up parts of the depth, which begin at multiples of this: a multiple of
  // the tile's depth. 0: they do not.
  int64_t part_depth = 0;
  bool copies = true;      // both operands are copied
  bool may_round = false;  // operands may be rounded to the instruction's type
};

// Tiles for a product: first what the cost model proposes, then tiles of half and twice
// its sides. None if the instructions do not have the product's types.
std::vector<MatrixTile> CandidateTiles(const MatrixProduct& product,
                                       const MatrixInstructions& instructions,
                                       const TileLimits& limits);

// Where the code runs. All values are i32.
struct MatrixGroup {
  llvm::Value* item = nullptr;      // of the tile's subgroups() * lanes items
  llvm::Value* tile_row = nullptr;  // number of the tile among those of the result
  llvm::Value* tile_column = nullptr;
  // The depths that the group adds up (i64), if they are not all: `begin` is a multiple
  // of the tile's depth.
  llvm::Value *begin = nullptr, *end = nullptr;
  llvm::Value* local = nullptr;  // pointer to local memory, of address space 3
  void (*barrier)(llvm::IRBuilderBase& b) = nullptr;
};

// Emits the work of a group at the builder's insertion point. Afterwards the builder is
// at the end of a block without terminator. All items of the group must run the code.
Status EmitMatrixProduct(llvm::IRBuilder<>& b, const MatrixProduct& product,
                         const MatrixInstructions& instructions, const MatrixTile& tile,
                         const MatrixGroup& group);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_MATRIX_MATRIX_PRODUCT_H_
