// The columns of short rows that lie one behind the other in memory, a register of rows
// at a time: lane r of a column is the element of row r. No state.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_ROW_COLUMNS_H_
#define TENON_COMPILER_CODEGEN_EMITTER_ROW_COLUMNS_H_

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

using Columns = llvm::SmallVector<llvm::Value*, 16>;

// The columns of `width` rows of `columns` elements of `type`, the first of which is at
// `first`. Reads these rows and nothing else. `width` is a power of two, more than one.
Columns LoadColumns(llvm::IRBuilderBase& b, llvm::Value* first, llvm::Type* type,
                    int64_t width, int64_t columns);

// Writes all elements of as many rows as the columns have lanes, and nothing else.
void StoreColumns(llvm::IRBuilderBase& b, llvm::Value* first,
                  llvm::ArrayRef<llvm::Value*> columns);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_ROW_COLUMNS_H_
