// Matrix instructions of devices: products by the lanes of a subgroup, each lane holding
// fragments of the matrices, and how fragments get from memory to registers. The
// counterpart of KGroupProduct and MatrixUnit in traits.h. Plain values; any thread.
#ifndef TENON_COMPILER_TARGETS_MATRIX_INSTRUCTIONS_H_
#define TENON_COMPILER_TARGETS_MATRIX_INSTRUCTIONS_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

using LaneValues = llvm::SmallVector<llvm::Value*, 8>;

// sums[rows x columns] += lhs[rows x depth] rhs[depth x columns], by one subgroup. Lanes
// form rows of kDepthLanes: lane l is at (side, step) = (l / kDepthLanes,
// l % kDepthLanes). Its fragment of an operand starts at row (rhs: column) `side` and
// depth `step * packed`; that of the sums at row `side` and column `step * 2`.
struct FragmentProduct {
  static constexpr int kDepthLanes = 4;
  static constexpr int kSideLanes = 8;
  // Where a register is, relative to the start of the lane's fragment.
  struct Place {
    int side = 0;   // row; of rhs: column
    int depth = 0;  // of sums: column
  };

  ElementType operand = ElementType::kInvalid;
  ElementType sum = ElementType::kInvalid;
  int rows = 0, columns = 0, depth = 0;
  int packed = 1;  // elements of an operand's register, consecutive along the depth
  llvm::ArrayRef<Place> lhs, rhs;  // of each register
  llvm::ArrayRef<Place> sums;      // of each sum
  // Operands are rounded to a narrower type than `operand`: a program must allow that.
  bool rounds_operands = false;
  // Registers are i32, or f64 if the operands are. `sum_values` are replaced.
  void (*multiply)(llvm::IRBuilderBase& b, llvm::MutableArrayRef<llvm::Value*> sum_values,
                   llvm::ArrayRef<llvm::Value*> lhs_registers,
                   llvm::ArrayRef<llvm::Value*> rhs_registers) = nullptr;
  // Rounds the elements of a register. Null: they stay as they are.
  llvm::Value* (*round)(llvm::IRBuilderBase& b, llvm::Value* reg) = nullptr;
};

// Products of `rows` rows by several subgroups (subgroup i of them has rows
// 16 i to 16 i + 15), which read both operands from local memory. The sums of a lane are
// as in a FragmentProduct of 16 rows and 8 columns, one after the other along the
// columns.
//
// An operand is in rows of 128 bytes, which are swizzled: the 16 bytes number c of row r
// are at c ^ (r % 8). If it is contiguous along the depth, a row is 64 elements of the
// depth, at one row (column) of the matrix. Otherwise a row is 64 elements of the side at
// one depth, and further sides are `slab_bytes` apart. Tiles are aligned to 1024 bytes.
struct WideProduct {
  struct Operand {
    llvm::Value* pointer = nullptr;  // to local memory
    bool along_depth = true;
    int slab_bytes = 0;
  };

  int subgroups = 0;  // 0: the target has no such instruction
  int rows = 0;
  int max_columns = 0;  // a multiple of 8
  // Makes copies to local memory that this lane waited for visible to the instruction.
  // Before the barrier that precedes it.
  void (*publish)(llvm::IRBuilderBase& b) = nullptr;
  // Starts to add products along `depth` elements, a multiple of 16 and at most 64. The
  // number of sums gives the number of columns. `sums` are replaced by values that only
  // `multiply` and `wait` may use.
  void (*multiply)(llvm::IRBuilderBase& b, ElementType operand, int depth,
                   llvm::MutableArrayRef<llvm::Value*> sums, const Operand& lhs,
                   const Operand& rhs) = nullptr;
  // Waits until at most `pending` calls of `multiply` are under way. After the others the
  // operands are not read any more. `sums` are replaced; if none are pending, by the
  // sums.
  void (*wait)(llvm::IRBuilderBase& b, int pending,
               llvm::MutableArrayRef<llvm::Value*> sums) = nullptr;
};

struct MatrixInstructions {
  static constexpr int kCopyBytes = 16;

  int lanes = 32;  // of a subgroup
  llvm::ArrayRef<FragmentProduct> products;

  // Loads `count` (1, 2 or 4) matrices of 8 rows of 16 bytes from local memory; lane l
  // passes the address of row l % 8 of matrix l / 8. Register i of lane l gets the 4
  // bytes number l % 4 of row l / 4 of matrix i. `transposed`: of elements of 2 bytes,
  // gets the elements of column l / 4 in rows 2 (l % 4) and the next.
  LaneValues (*load_matrices)(llvm::IRBuilderBase& b, llvm::Value* pointer, int count,
                              bool transposed) = nullptr;

  // Starts to copy `bytes` (i32, up to kCopyBytes) from global to local memory; zeros
  // follow them there. Both pointers are aligned to kCopyBytes, and need their address
  // spaces.
  void (*copy)(llvm::IRBuilderBase& b, llvm::Value* local, llvm::Value* global,
               llvm::Value* bytes) = nullptr;
  // Ends a set of copies by this lane.
  void (*commit_copies)(llvm::IRBuilderBase& b) = nullptr;
  // Waits until at most `pending` sets of this lane's copies are under way.
  void (*wait_copies)(llvm::IRBuilderBase& b, int pending) = nullptr;

  // The value (f32) of the lane whose number differs in the bits of `distance`, a power
  // of two less than `lanes`.
  llvm::Value* (*exchange)(llvm::IRBuilderBase& b, llvm::Value* value,
                           int distance) = nullptr;
  // 2 to the power of `x` (f32), within 2 ulp; results below the normal numbers may be 0.
  llvm::Value* (*exp2)(llvm::IRBuilderBase& b, llvm::Value* x) = nullptr;
  // x / y (f32), within 2 ulp for all x and y.
  llvm::Value* (*divide)(llvm::IRBuilderBase& b, llvm::Value* x,
                         llvm::Value* y) = nullptr;

  WideProduct wide;
};

// A product whose sums, rounded to the type of the operands, are lhs of another product
// without an exchange between lanes. Null if there is none.
//
// Of each 8 columns, lane l has sums at 2 (l % 4) and the next, of rows l / 4 and
// l / 4 + 8. Elements of 16 bits of lhs are at the same rows and depths. Of elements of
// 32 bits they are at depths l % 4 and l % 4 + 4. But the order of depths is free, if it
// is that of rhs, too: see OperandBlock::Load.
inline const FragmentProduct* ChainedProduct(const MatrixInstructions& instructions,
                                             ElementType operand) {
  for (const FragmentProduct& product : instructions.products) {
    const int depth_step = product.packed == 2 ? product.columns : product.columns / 2;
    auto has_both = [&](const FragmentProduct::Place& place) {
      return place.side % (product.rows / 2) == 0 && place.depth % depth_step == 0;
    };
    if (product.operand == operand && product.sum == ElementType::kF32 &&
        product.packed * ElementBytes(operand) == 4 && product.rows == 16 &&
        product.columns == 8 && product.depth == 2 * depth_step &&
        product.sums.size() == 4 && llvm::all_of(product.lhs, has_both))
      return &product;
  }
  return nullptr;
}

// Whether attention with these sizes can be computed by blocks of keys: a lane has the
// queries, and the sums of all columns, in registers. f32 is rounded to what the
// instructions take.
inline bool CanStreamAttention(const MatrixInstructions& instructions,
                               ElementType operand, int64_t depth, int64_t columns) {
  const int64_t most = ElementBytes(operand) == 2 ? 128 : 64;
  return ChainedProduct(instructions, operand) && instructions.exchange &&
         instructions.exp2 && instructions.divide && depth <= most && columns <= most &&
         columns % 2 == 0;
}

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_MATRIX_INSTRUCTIONS_H_
