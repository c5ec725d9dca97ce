// Loads and stores of short rows, one row per lane: all columns of the rows are loaded,
// or stored, at once by vectors (row_columns.h). One ShortRows belongs to one LLVM
// function; not shared.
#ifndef TENON_COMPILER_CODEGEN_POINT_SHORT_ROWS_H_
#define TENON_COMPILER_CODEGEN_POINT_SHORT_ROWS_H_

#include <vector>

#include "tenon/compiler/codegen/point/point_values.h"
#include "tenon/compiler/codegen/point/row_columns.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

class ShortRows {
 public:
  explicit ShortRows(PointValues& values) : values_(values), b_(values.builder()) {}

  // Returns the column that `load` reads, if all columns of its rows can be loaded at
  // once. Else returns null. `offset` is the offset of the access, `type` the type in
  // memory.
  llvm::Value* Load(ir::LoadOp load, const IndexValue& offset, llvm::Type* type);
  // Returns true if `store` is handled here: it is deferred until all columns of its rows
  // are known, and the last one stores them all.
  bool Store(ir::StoreOp store, const IndexValue& offset, llvm::Value* value);
  // Must be called when the lanes change, and when another store may overwrite the rows.
  void ForgetLoads() { loaded_.clear(); }

 private:
  const Lanes& lanes() const { return values_.lanes(); }
  // The columns of the rows of all lanes that were loaded, or are still to be stored.
  struct Rows {
    mlir::Value view;
    llvm::SmallVector<IndexValue> leading;  // the indices of the row
    llvm::BasicBlock* block = nullptr;
    Columns columns;
  };

  void StoreRows(llvm::ArrayRef<llvm::Value*> columns, llvm::Value* first);
  llvm::SmallVector<IndexValue> ValuesOf(llvm::ArrayRef<mlir::Value> indices) const;

  PointValues& values_;
  llvm::IRBuilderBase& b_;
  std::vector<Rows> loaded_;
  std::vector<Rows> stored_;  // waiting for their remaining columns
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_SHORT_ROWS_H_
