// Gathers from, scatters to and updates of tensors that are split along indexed
// dimensions.
#ifndef TENON_COMPILER_PARTITION_LOCALIZE_INDICES_H_
#define TENON_COMPILER_PARTITION_LOCALIZE_INDICES_H_

#include "tenon/compiler/partition/localizer.h"
#include "tenon/compiler/partition/rule.h"

namespace tenon::compiler::partition {

// Whether a gather can take its slices from a table that is split along `factor`: of each
// slice, one device has the element, by an index that is clamped to the whole table. The
// others give zero bits, and `or` of all bits is the slice: exact for every type.
bool MaySplitGather(stablehlo::GatherOp op, const Rule& rule, int32_t factor);

// Lets a dynamic_slice of one element of a dimension read an operand that is split there,
// as gathers do: changes its rule, which asks for the whole dimension. Not in a loop that
// reads the operand of an outer region: that is moved once, before the loop.
void AllowPartialSlices(stablehlo::DynamicSliceOp op, Rule& rule);

// Whether a scatter can be split along a dimension of its inputs that indices select: a
// device drops updates outside of its part, as the op does outside of the whole.
bool MaySplitScatterInput(stablehlo::ScatterOp op, const Rule& rule, int32_t factor);

// Whether the updates of a scatter can be split: each device applies its own, all but the
// first to the identity of the combiner, and the results are combined. Not for floats
// narrower than 32 bits, whose sums would be rounded more often.
bool MaySplitUpdates(stablehlo::ScatterOp op, const Rule& rule, int32_t factor);

// Whether a dynamic_update_slice can write to dimension `dim` of an operand that is split
// there: a device writes what overlaps its part.
bool MaySplitUpdated(stablehlo::DynamicUpdateSliceOp op, int64_t dim);
// Whether `op` writes to a split dimension of which the update is only a part.
bool UpdatesSplitDim(stablehlo::DynamicUpdateSliceOp op, const Sharding& operand);
// The part of the result of such an update. `operands` are the parts of the operands.
mlir::Value UpdatePart(stablehlo::DynamicUpdateSliceOp op, const Sharding& operand,
                       mlir::ValueRange operands, MeshCode& code, mlir::OpBuilder& b);

// Corrects a gather, slice or scatter of parts after it was emitted. `whole` is the
// op on whole tensors, and `operands` are the shardings of its operands.
PartialResult SetPartialGather(stablehlo::GatherOp part, stablehlo::GatherOp whole,
                               llvm::ArrayRef<Sharding> operands, MeshCode& code,
                               mlir::OpBuilder& b);
PartialResult SetPartialSlice(stablehlo::DynamicSliceOp part,
                              stablehlo::DynamicSliceOp whole, const Sharding& operand,
                              MeshCode& code, mlir::OpBuilder& b);
void ShiftScatter(stablehlo::ScatterOp part, stablehlo::ScatterOp whole,
                  llvm::ArrayRef<Sharding> operands, MeshCode& code, mlir::OpBuilder& b);
// `axes` are those along which the results are partial.
llvm::SmallVector<PartialResult> SetPartialScatter(stablehlo::ScatterOp part,
                                                   AxesRef axes, MeshCode& code,
                                                   mlir::OpBuilder& b);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOCALIZE_INDICES_H_
