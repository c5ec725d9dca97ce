// Numbers that differ between the processes of a program, in code that they share.
#ifndef TENON_COMPILER_LEGALIZE_PROCESS_TABLE_H_
#define TENON_COMPILER_LEGALIZE_PROCESS_TABLE_H_

#include <cstdint>

#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/dialects/stablehlo/process_groups.h"

namespace tenon::compiler {

// The attribute of groups of process numbers, which may have several sizes.
mlir::DenseIntElementsAttr GroupsAttr(mlir::OpBuilder& b,
                                      llvm::ArrayRef<stablehlo::ProcessGroup> groups);

// The element of `numbers` for the process that runs the program, a scalar.
mlir::Value NumberOfProcess(GraphBuilder& g, const stablehlo::ProcessGrid& grid,
                            llvm::ArrayRef<int32_t> numbers);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_LEGALIZE_PROCESS_TABLE_H_
