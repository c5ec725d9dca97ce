// The parts that all ways to emit a tenon.reduce share. One Reduction emits one op; not
// shared.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_REDUCTION_H_
#define TENON_COMPILER_CODEGEN_KERNEL_REDUCTION_H_

#include <functional>

#include "tenon/compiler/codegen/kernel/body_emitter.h"
#include "tenon/compiler/codegen/point/value_parts.h"

namespace tenon::codegen {

class Reduction {
 public:
  Reduction(BodyEmitter& body, ir::ReduceOp reduce)
      : body_(body),
        points_(body.points()),
        b_(body.builder()),
        reduce_(reduce),
        combiner_(reduce.getCombiner().front()) {}

 protected:
  // Emits one point and returns its values in all lanes, as parts.
  StatusOr<Values> PointValues(llvm::ArrayRef<IndexValue> indices);
  // Emits one point and combines it into `accumulators`.
  StatusOr<Values> Accumulate(llvm::ArrayRef<IndexValue> indices,
                              llvm::ArrayRef<llvm::Value*> accumulators);
  StatusOr<Values> Combine(llvm::ArrayRef<llvm::Value*> x,
                           llvm::ArrayRef<llvm::Value*> y) {
    return body_.Combine(combiner_, x, y);
  }
  // Returns combiner(x, y), where x and y are partial results over any points. A
  // selection by position gets the one with the smaller position first.
  StatusOr<Values> CombinePartial(llvm::ArrayRef<llvm::Value*> x,
                                  llvm::ArrayRef<llvm::Value*> y);
  // Combines the `width` lanes of partial results into scalars, by halves.
  StatusOr<Values> CombineLanes(Values lanes, int width);
  void SetResults(llvm::ArrayRef<llvm::Value*> parts) {
    SetScalars(points_, reduce_.getResults(), reduce_.getResultTypes(), parts);
  }

  BodyEmitter& body_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  ir::ReduceOp reduce_;
  mlir::Block& combiner_;
};

// The body of a loop nest: returns the next carried values.
using NestBody =
    llvm::function_ref<Values(llvm::ArrayRef<IndexValue>, llvm::ArrayRef<llvm::Value*>)>;

// Emits loops over all of `sizes`, the last dimension innermost. `indices` are those of
// the loops around them. Returns the final carried values.
Values EmitLoopNest(llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes, Values carried,
                    llvm::SmallVector<IndexValue>& indices, NestBody body);

// The sums of blocks of points: each starts from `starts`, the combiner's identity, so
// that its rounding errors are those of a small sum. `add` combines values with those of
// later points.
struct SumBlocks {
  llvm::ArrayRef<llvm::Value*> starts;
  std::function<Values(llvm::ArrayRef<llvm::Value*>, llvm::ArrayRef<llvm::Value*>)> add;
};
inline constexpr int64_t kBlockSteps = 64;  // fewer steps are no blocks
// How many of `steps` steps make a block: about as many as there are blocks, but at least
// `min`.
int64_t StepsOfBlock(int64_t steps, int64_t min = kBlockSteps);

// What the blocks of a sum of floats start from, in the lanes of `inits`, the parts of
// `operands` operands. Empty if the combiner is no such sum: its blocks may not be
// joined.
Values SumStarts(mlir::Block& combiner, llvm::ArrayRef<llvm::Value*> inits,
                 size_t operands);
// Emits a loop from `lower` to `upper`, whose blocks have `block` iterations. `body`
// emits the iterations from `begin` up to `end`, after those whose totals are `before`,
// and returns their sums.
Values EmitBlocks(llvm::IRBuilderBase& b, llvm::Value* lower, llvm::Value* upper,
                  int64_t block, llvm::ArrayRef<llvm::Value*> carried,
                  const SumBlocks& blocks,
                  llvm::function_ref<Values(llvm::Value* begin, llvm::Value* end,
                                            llvm::ArrayRef<llvm::Value*> before)>
                      body);
// As EmitLoopNest, with blocks along the longest dimension if there are many steps, of
// which `body` has `steps`.
Values EmitNestInBlocks(llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes,
                        int64_t steps, Values carried, const SumBlocks& blocks,
                        llvm::SmallVector<IndexValue>& indices, NestBody body);

// Emits a reduction by several vectors of partial results of `width` lanes. The combiner
// must be reorderable, or select by position.
Status EmitVectorReduce(BodyEmitter& body, ir::ReduceOp reduce, int width);

// Emits a reduction by trees that keep the order of the points.
Status EmitOrderedReduce(BodyEmitter& body, ir::ReduceOp reduce, int width);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_REDUCTION_H_
