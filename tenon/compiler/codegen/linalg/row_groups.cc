#include "tenon/compiler/codegen/linalg/row_groups.h"

namespace tenon::codegen {
namespace {

llvm::SmallVector<Number> LoadRows(PanelEmitter& p, const RowGroup& group) {
  llvm::SmallVector<Number> rows;
  for (int r = 0; r < group.rows; ++r) {
    llvm::Value* row = group.PanelRow(p.b(), AddI(p.b(), group.first, r));
    for (int v = 0; v < group.vectors(); ++v)
      rows.push_back(p.Load(group.panel, row, group.first_vector + v));
  }
  return rows;
}

}  // namespace

Status EmitGroup(PanelEmitter& p, const RowGroup& group, llvm::Value* begin,
                 llvm::Value* end, Factor factor, GroupBody body) {
  IrBuilder& b = p.b();
  int vectors = group.vectors();
  constexpr int64_t kBlock = kGroupBlock;
  TENON_RETURN_IF_ERROR(
      EmitLoop(b, begin, end, kBlock, [&](llvm::Value* block) -> Status {
        IrValues sums;
        for (int i = 0; i < group.rows * vectors; ++i)
          PanelEmitter::Append(p.Zero(), sums);
        llvm::Value* block_end = MinI(b, AddI(b, block, kBlock), end);
        TENON_RETURN_IF_ERROR(EmitLoop(
            b, block, block_end, 1, sums, [&](llvm::Value* other, IrValues& parts) {
              llvm::SmallVector<Number> x;
              llvm::Value* row = group.PanelRow(b, other);
              for (int v = 0; v < vectors; ++v)
                x.push_back(p.Load(group.panel, row, group.first_vector + v));
              IrValues next;
              for (int r = 0; r < group.rows; ++r) {
                Number by = p.Splat(factor(other, r));
                for (int v = 0; v < vectors; ++v)
                  PanelEmitter::Append(
                      p.MulSub(p.Take(parts, r * vectors + v), by, x[v], group.conjugate),
                      next);
              }
              parts = next;
              return OkStatus();
            }));
        llvm::SmallVector<Number> rows = LoadRows(p, group);
        for (auto [i, x] : llvm::enumerate(rows)) x = p.Add(x, p.Take(sums, i));
        for (int r = 0; r < group.rows; ++r) StoreRow(p, group, rows, r);
        return OkStatus();
      }));
  llvm::SmallVector<Number> rows = LoadRows(p, group);
  return body(rows);
}

void SubtractEarlier(PanelEmitter& p, const RowGroup& group,
                     llvm::MutableArrayRef<Number> rows, int row, Factor factor) {
  int vectors = group.vectors();
  for (int other = 0; other < row; ++other) {
    Number by = p.Splat(factor(AddI(p.b(), group.first, other), row));
    for (int v = 0; v < vectors; ++v) {
      Number& x = rows[row * vectors + v];
      x = p.MulSub(x, by, rows[other * vectors + v], group.conjugate);
    }
  }
}

void StoreRow(PanelEmitter& p, const RowGroup& group, llvm::ArrayRef<Number> rows,
              int row) {
  IrBuilder& b = p.b();
  llvm::Value* panel_row = group.PanelRow(b, AddI(b, group.first, row));
  for (int v = 0; v < group.vectors(); ++v)
    p.Store(rows[row * group.vectors() + v], group.panel, panel_row,
            group.first_vector + v);
}

}  // namespace tenon::codegen
