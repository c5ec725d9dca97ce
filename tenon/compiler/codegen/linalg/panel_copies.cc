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

// Calls `body` with a mask for each vector of the panel, null where all columns exist.
// Only the last panel has masks: a masked store takes longer than the arithmetic.
Status PanelEmitter::WithMasks(
    const MatrixShape& shape, llvm::Value* column,
    llvm::function_ref<Status(llvm::ArrayRef<llvm::Value*> masks)> body) {
  const IrValues none(plan_.vectors, nullptr);
  if (shape.columns % plan_.width() == 0) return body(none);
  auto masked = [&] {
    IrValues masks;
    for (int v = 0; v < plan_.vectors; ++v)
      masks.push_back(Mask(shape, column, v, parts_));
    return body(masks);
  };
  if (shape.columns < plan_.width()) return masked();
  llvm::Value* last = b_.getInt64(shape.columns - plan_.width());
  return EmitIfElse(
      b_, b_.CreateICmpSLE(column, last), [&] { return body(none); }, masked);
}

Status PanelEmitter::ReadRows(llvm::Value* matrix, const MatrixShape& shape,
                              llvm::Value* column, llvm::Value* rows,
                              llvm::Value* panel) {
  auto* memory = llvm::FixedVectorType::get(real_, parts_ * lanes_);
  llvm::Align align(bytes_);
  llvm::Value* source = OffsetPointer(b_, matrix, column, element_bytes());
  return WithMasks(shape, column, [&](llvm::ArrayRef<llvm::Value*> masks) {
    return EmitLoop(b_, b_.getInt64(0), rows, 1, [&](llvm::Value* row) {
      for (int v = 0; v < plan_.vectors; ++v) {
        llvm::Value* from = OffsetPointer(
            b_, source, AddI(b_, MulI(b_, row, shape.row_stride), v * lanes_),
            element_bytes());
        llvm::Value* loaded = masks[v] ? static_cast<llvm::Value*>(b_.CreateMaskedLoad(
                                             memory, from, align, masks[v],
                                             llvm::Constant::getNullValue(memory)))
                                       : b_.CreateAlignedLoad(memory, from, align);
        Number value{loaded};
        if (is_complex()) value = Split(loaded, nullptr);
        Store(value, panel, row, v);
      }
      return OkStatus();
    });
  });
}

Status PanelEmitter::WriteRows(llvm::Value* panel, llvm::Value* matrix,
                               const MatrixShape& shape, llvm::Value* column,
                               llvm::Value* rows) {
  llvm::Align align(bytes_);
  llvm::Value* target = OffsetPointer(b_, matrix, column, element_bytes());
  return WithMasks(shape, column, [&](llvm::ArrayRef<llvm::Value*> masks) {
    return EmitLoop(b_, b_.getInt64(0), rows, 1, [&](llvm::Value* row) {
      for (int v = 0; v < plan_.vectors; ++v) {
        llvm::Value* to = OffsetPointer(
            b_, target, AddI(b_, MulI(b_, row, shape.row_stride), v * lanes_),
            element_bytes());
        Number value = Load(panel, row, v);
        llvm::Value* stored = is_complex() ? Pairs(value, 0, lanes_) : value.re;
        if (masks[v])
          b_.CreateMaskedStore(stored, to, align, masks[v]);
        else
          b_.CreateAlignedStore(stored, to, align);
      }
      return OkStatus();
    });
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
