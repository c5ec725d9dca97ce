// Copies between panels and matrices: row by row if rows are contiguous, else by
// transpose blocks that are transposed in registers.
#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/ir/interleave.h"
#include "tenon/compiler/codegen/ir/transpose_tile.h"
#include "tenon/compiler/codegen/linalg/panel.h"

namespace tenon::codegen {
namespace {

// A single column counts as contiguous.
bool ByRows(const MatrixShape& shape) {
  return shape.column_stride == 1 || shape.columns == 1;
}

}  // namespace

Status PanelEmitter::Read(llvm::Value* matrix, const MatrixShape& shape,
                          llvm::Value* column, llvm::Value* rows, llvm::Value* panel) {
  return ByRows(shape) ? ReadRows(matrix, shape, column, rows, panel)
                       : ReadAcross(matrix, shape, column, rows, panel);
}

Status PanelEmitter::Write(llvm::Value* panel, llvm::Value* matrix,
                           const MatrixShape& shape, llvm::Value* column,
                           llvm::Value* rows) {
  return ByRows(shape) ? WriteRows(panel, matrix, shape, column, rows)
                       : WriteAcross(panel, matrix, shape, column, rows);
}

Number PanelEmitter::Split(llvm::Value* low, llvm::Value* high) {
  auto [re, im] = Deinterleave(b_, low, high, lanes_);
  return {re, im};
}

llvm::Value* PanelEmitter::Pairs(Number value, int first, int count) {
  return Interleave(b_, value.re, value.im, first, count);
}

llvm::Value* PanelEmitter::ColumnMask(const MatrixShape& shape, llvm::Value* column) {
  return Mask(shape, column, 0, 1);
}

// A bit for each of the `parts` of the numbers in a vector of the panel; null: all exist.
llvm::Value* PanelEmitter::Mask(const MatrixShape& shape, llvm::Value* column, int vector,
                                int64_t parts) {
  if (shape.columns % plan_.width() == 0) return nullptr;
  llvm::SmallVector<llvm::Constant*> numbers;
  for (int64_t i = 0; i < parts * lanes_; ++i)
    numbers.push_back(b_.getInt32(i / parts + vector * lanes_));
  llvm::Value* left =
      b_.CreateTrunc(b_.CreateSub(b_.getInt64(shape.columns), column), b_.getInt32Ty());
  return b_.CreateICmpSLT(llvm::ConstantVector::get(numbers),
                          b_.CreateVectorSplat(parts * lanes_, left));
}

// Calls `body` for each vector of the panel's rows, with its address in the matrix and a
// mask, null if all its columns exist. Only the last panel has masks: a masked store
// takes longer than the arithmetic.
Status PanelEmitter::ForEachVector(
    llvm::Value* matrix, const MatrixShape& shape, llvm::Value* column, llvm::Value* rows,
    llvm::function_ref<void(llvm::Value* row, int vector, llvm::Value* address,
                            llvm::Value* mask)>
        body) {
  llvm::Value* first = OffsetPointer(b_, matrix, column, element_bytes());
  auto emit = [&](bool masked) {
    IrValues masks(plan_.vectors, nullptr);
    for (int v = 0; masked && v < plan_.vectors; ++v)
      masks[v] = Mask(shape, column, v, parts_);
    return EmitLoop(b_, b_.getInt64(0), rows, 1, [&](llvm::Value* row) {
      llvm::Value* offset = MulI(b_, row, shape.row_stride);
      for (int v = 0; v < plan_.vectors; ++v)
        body(row, v,
             OffsetPointer(b_, first, AddI(b_, offset, v * lanes_), element_bytes()),
             masks[v]);
      return OkStatus();
    });
  };
  if (shape.columns % plan_.width() == 0) return emit(/*masked=*/false);
  if (shape.columns < plan_.width()) return emit(/*masked=*/true);
  llvm::Value* last = b_.getInt64(shape.columns - plan_.width());
  return EmitIfElse(
      b_, b_.CreateICmpSLE(column, last), [&] { return emit(/*masked=*/false); },
      [&] { return emit(/*masked=*/true); });
}

Status PanelEmitter::ReadRows(llvm::Value* matrix, const MatrixShape& shape,
                              llvm::Value* column, llvm::Value* rows,
                              llvm::Value* panel) {
  auto* memory = llvm::FixedVectorType::get(real_, parts_ * lanes_);
  const llvm::Align align(bytes_);
  return ForEachVector(
      matrix, shape, column, rows,
      [&](llvm::Value* row, int vector, llvm::Value* from, llvm::Value* mask) {
        llvm::Value* loaded;
        if (mask)
          loaded = b_.CreateMaskedLoad(memory, from, align, mask,
                                       llvm::Constant::getNullValue(memory));
        else
          loaded = b_.CreateAlignedLoad(memory, from, align);
        Store(is_complex() ? Split(loaded, nullptr) : Number{loaded}, panel, row, vector);
      });
}

Status PanelEmitter::WriteRows(llvm::Value* panel, llvm::Value* matrix,
                               const MatrixShape& shape, llvm::Value* column,
                               llvm::Value* rows) {
  const llvm::Align align(bytes_);
  return ForEachVector(
      matrix, shape, column, rows,
      [&](llvm::Value* row, int vector, llvm::Value* to, llvm::Value* mask) {
        Number value = Load(panel, row, vector);
        llvm::Value* stored = is_complex() ? Pairs(value, 0, lanes_) : value.re;
        if (mask)
          b_.CreateMaskedStore(stored, to, align, mask);
        else
          b_.CreateAlignedStore(stored, to, align);
      });
}

Status PanelEmitter::ReadAcross(llvm::Value* matrix, const MatrixShape& shape,
                                llvm::Value* column, llvm::Value* rows,
                                llvm::Value* panel) {
  // Transpose tiles of complex numbers have half the rows, because a vector holds half as
  // many numbers.
  int height = lanes_ / static_cast<int>(parts_);
  bool whole = shape.columns % plan_.width() == 0;
  auto address = [&](int lane, llvm::Value* row) {
    llvm::Value* matrix_column = AddI(b_, column, lane);
    if (!whole) matrix_column = MinI(b_, matrix_column, b_.getInt64(shape.columns - 1));
    return Element(matrix, shape, row, matrix_column);
  };
  llvm::Value* main = b_.CreateAnd(rows, b_.getInt64(-height));
  TENON_RETURN_IF_ERROR(EmitLoop(b_, b_.getInt64(0), main, height, [&](llvm::Value* row) {
    for (int v = 0; v < plan_.vectors; ++v) {
      llvm::SmallVector<llvm::Value*> tiles[2];
      for (int lane = 0; lane < lanes_; ++lane)
        tiles[lane / height].push_back(b_.CreateAlignedLoad(
            vector_, address(v * lanes_ + lane, row), llvm::Align(bytes_)));
      for (int i = 0; i < parts_; ++i)
        TransposeTile(b_, tiles[i], static_cast<int>(parts_));
      for (int i = 0; i < height; ++i) {
        Number value{tiles[0][i]};
        if (is_complex()) value = Split(tiles[0][i], tiles[1][i]);
        Store(value, panel, AddI(b_, row, i), v);
      }
    }
    return OkStatus();
  }));
  return EmitLoop(b_, main, rows, 1, [&](llvm::Value* row) {
    for (int v = 0; v < plan_.vectors; ++v) {
      llvm::Value* poison = llvm::PoisonValue::get(vector_);
      Number value{poison, is_complex() ? poison : nullptr};
      for (int lane = 0; lane < lanes_; ++lane) {
        Number one = LoadElement(address(v * lanes_ + lane, row));
        value.re = b_.CreateInsertElement(value.re, one.re, uint64_t(lane));
        if (one.im) value.im = b_.CreateInsertElement(value.im, one.im, uint64_t(lane));
      }
      Store(value, panel, row, v);
    }
    return OkStatus();
  });
}

Status PanelEmitter::WriteAcross(llvm::Value* panel, llvm::Value* matrix,
                                 const MatrixShape& shape, llvm::Value* column,
                                 llvm::Value* rows) {
  int height = lanes_ / static_cast<int>(parts_);
  bool whole = shape.columns % plan_.width() == 0;
  auto if_column = [&](int lane, auto body) {
    llvm::Value* matrix_column = AddI(b_, column, lane);
    if (whole) return body(matrix_column);
    return EmitIfElse(b_, b_.CreateICmpSLT(matrix_column, b_.getInt64(shape.columns)),
                      [&] { return body(matrix_column); });
  };
  llvm::Value* main = b_.CreateAnd(rows, b_.getInt64(-height));
  TENON_RETURN_IF_ERROR(
      EmitLoop(b_, b_.getInt64(0), main, height, [&](llvm::Value* row) -> Status {
        for (int v = 0; v < plan_.vectors; ++v) {
          llvm::SmallVector<llvm::Value*> tiles[2];
          for (int i = 0; i < height; ++i) {
            Number value = Load(panel, AddI(b_, row, i), v);
            for (int part = 0; part < parts_; ++part)
              tiles[part].push_back(is_complex() ? Pairs(value, part * height, height)
                                                 : value.re);
          }
          for (int i = 0; i < parts_; ++i)
            TransposeTile(b_, tiles[i], static_cast<int>(parts_));
          for (int lane = 0; lane < lanes_; ++lane) {
            TENON_RETURN_IF_ERROR(
                if_column(v * lanes_ + lane, [&](llvm::Value* matrix_column) -> Status {
                  b_.CreateAlignedStore(tiles[lane / height][lane % height],
                                        Element(matrix, shape, row, matrix_column),
                                        llvm::Align(bytes_));
                  return OkStatus();
                }));
          }
        }
        return OkStatus();
      }));
  return EmitLoop(b_, main, rows, 1, [&](llvm::Value* row) -> Status {
    for (int v = 0; v < plan_.vectors; ++v) {
      Number value = Load(panel, row, v);
      for (int lane = 0; lane < lanes_; ++lane) {
        TENON_RETURN_IF_ERROR(
            if_column(v * lanes_ + lane, [&](llvm::Value* matrix_column) -> Status {
              Number one{b_.CreateExtractElement(value.re, uint64_t(lane))};
              if (value.im) one.im = b_.CreateExtractElement(value.im, uint64_t(lane));
              StoreElement(one, Element(matrix, shape, row, matrix_column));
              return OkStatus();
            }));
      }
    }
    return OkStatus();
  });
}

}  // namespace tenon::codegen
