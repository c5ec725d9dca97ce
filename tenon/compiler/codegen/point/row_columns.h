// Loads and stores of the columns of short rows that are contiguous in memory: lane r of
// a column is the element of row r. No state.
#ifndef TENON_COMPILER_CODEGEN_POINT_ROW_COLUMNS_H_
#define TENON_COMPILER_CODEGEN_POINT_ROW_COLUMNS_H_

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

using Columns = llvm::SmallVector<llvm::Value*, 16>;

// Returns the columns of `width` rows of `columns` elements of `type`. The first row
// starts at `first`. Reads these rows and nothing else. `width` is a power of two greater
// than one.
Columns LoadColumns(llvm::IRBuilderBase& b, llvm::Value* first, llvm::Type* type,
                    int64_t width, int64_t columns);

// Stores as many rows as the columns have lanes, and nothing else.
void StoreColumns(llvm::IRBuilderBase& b, llvm::Value* first,
                  llvm::ArrayRef<llvm::Value*> columns);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_ROW_COLUMNS_H_
