#include "tenon/compiler/codegen/kernel/reduce_emitter.h"

#include "tenon/compiler/codegen/kernel/reduction.h"
#include "tenon/compiler/codegen/kernel/vector_width.h"
#include "tenon/dialects/stablehlo/combiner.h"

namespace tenon::codegen {
namespace {

// Shorter rows are left folds, as in XLA's CPU backend.
constexpr int64_t kMinOrderedRow = 32;

// Emits the points of a loop nest one after another, without loops.
Values EmitUnrolled(llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes, Values carried,
                    llvm::SmallVector<IndexValue>& indices, NestBody body) {
  if (sizes.empty()) return body(indices, carried);
  for (int64_t i = 0; i < sizes.front(); ++i) {
    indices.push_back({b.getInt64(i), 0, i});
    carried = EmitUnrolled(b, sizes.drop_front(), carried, indices, body);
    indices.pop_back();
  }
  return carried;
}

// Whether to unroll the window of a pooling. LLVM does not unroll it, because its points
// are masked at the edge of the image.
bool UnrollsPoints(ir::ReduceOp reduce) {
  constexpr int64_t kMaxPoints = 9;
  constexpr size_t kMaxOps = 24;
  int64_t points = 1;
  for (int64_t size : reduce.getSizes()) points *= size;
  return points <= kMaxPoints && CountOps(reduce.getBody().front()) <= kMaxOps;
}

// A left fold with one accumulator, in scalar code or in each lane of the loop around it.
class SequentialReduction : Reduction {
 public:
  using Reduction::Reduction;

  Status Emit() {
    llvm::SmallVector<ElementValue> inits;
    for (mlir::Value init : reduce_.getInits())
      inits.push_back(points_.Broadcast(points_.Scalar(init)));
    Status status;
    llvm::SmallVector<IndexValue> indices;
    bool unrolls = points_.lanes().width > 1 && UnrollsPoints(reduce_);
    auto nest = unrolls ? EmitUnrolled : EmitLoopNest;
    Values results = nest(
        b_, reduce_.getSizes(), FlattenParts(inits), indices,
        [&](llvm::ArrayRef<IndexValue> point, llvm::ArrayRef<llvm::Value*> accumulators) {
          if (!status.ok()) return Values(accumulators);
          auto next = Accumulate(point, accumulators);
          if (next.ok()) return *next;
          status = next.status();
          return Values(accumulators);
        });
    TENON_RETURN_IF_ERROR(status);
    SetResults(results);
    return OkStatus();
  }
};

}  // namespace

Status EmitReduce(BodyEmitter& body, ir::ReduceOp reduce) {
  SequentialReduction sequential(body, reduce);
  if (body.points().lanes().width > 1 || reduce.getSizes().empty())
    return sequential.Emit();
  int width = ChooseWidth(reduce.getBody().front(), body.target());
  while (width > 1 && reduce.getSizes().back() < width) width /= 2;
  if (width < 2) return sequential.Emit();
  bool any_order = stablehlo::IsReorderable(reduce.getCombiner().front());
  if (any_order || reduce.getPositionOperand())
    return EmitVectorReduce(body, reduce, width);
  if (reduce.getSizes().back() < kMinOrderedRow) return sequential.Emit();
  return EmitOrderedReduce(body, reduce, width);
}

}  // namespace tenon::codegen
