// A block of an operand in local memory: its layout, the copies that fill it, and the
// loads of fragments from it.
//
// A block is in rows of at most 128 bytes along the dimension that is contiguous in
// memory; longer rows are cut into slabs, one after the other. Within a row the units of
// 16 bytes are exchanged in a pattern that depends on the row, so that 8 rows of one unit
// lie in different banks (and, for rows of 128 bytes, as WideProduct wants them).
#ifndef TENON_COMPILER_CODEGEN_MATRIX_OPERAND_BLOCK_H_
#define TENON_COMPILER_CODEGEN_MATRIX_OPERAND_BLOCK_H_

#include "tenon/compiler/codegen/matrix/matrix_product.h"

namespace tenon::codegen {

class OperandBlock {
 public:
  // `sides` x `depth` elements of the operand, which has `size` sides and `total_depth`.
  OperandBlock(llvm::IRBuilder<>& b, const MatrixOperand& operand,
               const MatrixInstructions& instructions, ElementType type, int sides,
               int depth, int64_t size, int64_t total_depth);

  int bytes() const { return sides_ * depth_ * element_bytes_; }
  int slab_bytes() const { return rows_ * row_bytes_; }
  bool along_depth() const { return along_depth_; }

  // Which lane this is, and which of `items` items; i32.
  void SetItem(llvm::Value* item, llvm::Value* lane, int items);
  // Starts to fill the block at `local` with sides from `first_side` and depths from
  // `first_depth` on (i64), which are in the operand. Elements beyond it become 0.
  Status Fill(llvm::Value* local, llvm::Value* first_side, llvm::Value* first_depth);

  // Loads the registers of fragments at the given places. `side` (i32) and `depth` are
  // positions in the block, multiples of 8 and of the fragment's depth.
  // `in_pairs`: of fragments of elements of 32 bits, lane l has the depths 2 (l % 4) and
  // the next instead of l % 4 and l % 4 + 4, as of sums.
  compiler::LaneValues Load(llvm::Value* local, llvm::Value* side, int depth,
                            llvm::ArrayRef<FragmentProduct::Place> places,
                            const FragmentProduct& product, bool in_pairs = false);

 private:
  // The address of a byte: `row` and `byte` are i32, a multiple of the element.
  llvm::Value* Address(llvm::Value* local, llvm::Value* row, llvm::Value* byte);
  Status FillByCopies(llvm::Value* local, llvm::Value* first_side,
                      llvm::Value* first_depth);
  Status FillByLoads(llvm::Value* local, llvm::Value* first_side,
                     llvm::Value* first_depth);
  llvm::Value* LoadElements(llvm::Value* local, llvm::Value* side, llvm::Value* depth,
                            int packed);
  compiler::LaneValues LoadMatrices(llvm::Value* local, llvm::Value* side, int depth,
                                    llvm::ArrayRef<FragmentProduct::Place> places);
  bool LoadsMatrices(const FragmentProduct& product) const;
  llvm::Value* Number(int64_t value) { return b_.getInt32(static_cast<uint32_t>(value)); }
  llvm::Value* Wide(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  llvm::IRBuilder<>& b_;
  const MatrixOperand& operand_;
  const MatrixInstructions& instructions_;
  const int element_bytes_;
  const int sides_, depth_;
  const int64_t size_, total_depth_;
  const bool along_depth_;
  int rows_ = 0;       // of a slab
  int row_bytes_ = 0;  // of a slab
  int row_elements_ = 0, slabs_ = 0;
  llvm::Type* type_ = nullptr;
  llvm::Value *item_ = nullptr, *lane_ = nullptr;
  int items_ = 0;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_MATRIX_OPERAND_BLOCK_H_
