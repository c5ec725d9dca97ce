// Builds the code of one point of a fusion: the value of any tensor of it at given
// indices. Every op is either a function of its operands' elements or moves elements
// about, so the value of a whole chain of ops is built by asking backwards from its end.
#ifndef TENON_COMPILER_KERNELS_POINT_BUILDER_H_
#define TENON_COMPILER_KERNELS_POINT_BUILDER_H_

#include <map>

#include "mlir/IR/Operation.h"
#include "tenon/base/status.h"
#include "tenon/compiler/kernels/index_builder.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

class PointBuilder {
 public:
  explicit PointBuilder(LevelStack& levels) : levels_(levels), indices_(levels) {}

  // Where the elements of a tensor lie: a view of the kernel, or (rank 0) a value.
  void Bind(mlir::Value tensor, mlir::Value view_or_scalar) {
    bindings_[tensor] = view_or_scalar;
  }
  // The value of `tensor` at any indices, for ops with loops of their own.
  void BindPoint(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices,
                 mlir::Value scalar);

  // From here on, reductions and products are chains of ops instead of loops: what they
  // combine may be known at constant indices only.
  void UnrollReductions() { unroll_reductions_ = true; }

  // The value of `tensor` at `indices`. Where `mask` (i1, null = true) is false nothing
  // is accessed and the value means nothing.
  StatusOr<mlir::Value> At(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices,
                           mlir::Value mask);

  // The results of a region of rank-0 computations for the given arguments.
  StatusOr<llvm::SmallVector<mlir::Value>> InlineRegion(
      mlir::Region& region, llvm::ArrayRef<mlir::Value> arguments);

  // The index of a scatter or gather row in the indexed dimension, not clamped:
  // At(indices tensor) as it stands.
  StatusOr<mlir::Value> StartIndexScalar(mlir::Value tensor,
                                         llvm::ArrayRef<mlir::Value> batch,
                                         int64_t index_vector_dim, int64_t component,
                                         mlir::Value mask);

  // An integer scalar clamped to [0, last], as an index.
  mlir::Value ClampedIndex(mlir::Value scalar, int64_t last);
  // A constant of a rank-0 tensor type.
  mlir::Value IntegerConstant(mlir::Type scalar_type, int64_t value);
  mlir::Value Select(mlir::Value pred, mlir::Value on_true, mlir::Value on_false);
  // An i1 (null = true) as a rank-0 tensor.
  mlir::Value PredValue(mlir::Value pred);
  // Clones an elementwise op for the given operands.
  mlir::Value Elementwise(mlir::Operation* op, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value Load(mlir::Value view, llvm::ArrayRef<mlir::Value> indices,
                   mlir::Value mask);

  // Builds a tenon.reduce over `sizes`: `combine` maps (accumulators, values) to
  // accumulators, `point` the indices to values. Placed at `level` (everything the body
  // may depend on).
  using RegionBuilder = llvm::function_ref<StatusOr<llvm::SmallVector<mlir::Value>>(
      llvm::ArrayRef<mlir::Value>)>;
  StatusOr<llvm::SmallVector<mlir::Value>> Reduce(llvm::ArrayRef<int64_t> sizes,
                                                  llvm::ArrayRef<mlir::Value> inits,
                                                  RegionBuilder combine, size_t level,
                                                  RegionBuilder point);

  LevelStack& levels() { return levels_; }
  IndexBuilder& index() { return indices_; }

 private:
  using Indices = llvm::ArrayRef<mlir::Value>;
  StatusOr<mlir::Value> Build(mlir::OpResult result, Indices indices, mlir::Value mask);
  // An element, at constant indices, of a constant.
  StatusOr<mlir::Value> BuildElement(stablehlo::ConstantOp op, Indices);
  StatusOr<mlir::Value> BuildReshape(stablehlo::ReshapeOp op, Indices, mlir::Value mask);
  StatusOr<mlir::Value> BuildPad(stablehlo::PadOp op, Indices, mlir::Value mask);
  // The element of a roll's source (see IsRoll).
  StatusOr<mlir::Value> BuildRolled(stablehlo::ConcatenateOp op, Indices,
                                    mlir::Value mask);
  StatusOr<mlir::Value> BuildConcatenate(stablehlo::ConcatenateOp op, Indices,
                                         mlir::Value mask);
  StatusOr<mlir::Value> BuildDynamicSlice(stablehlo::DynamicSliceOp op, Indices,
                                          mlir::Value mask);
  StatusOr<mlir::Value> BuildDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op,
                                                Indices, mlir::Value mask);
  StatusOr<mlir::Value> BuildGather(stablehlo::GatherOp op, Indices, mlir::Value mask);
  StatusOr<mlir::Value> BuildBitcast(stablehlo::BitcastConvertOp op, Indices,
                                     mlir::Value mask);
  StatusOr<mlir::Value> BuildReduce(stablehlo::ReduceOp op, unsigned number, Indices,
                                    mlir::Value mask);
  StatusOr<mlir::Value> BuildDot(stablehlo::DotGeneralOp op, Indices, mlir::Value mask);
  StatusOr<mlir::Value> BuildReduceWindow(stablehlo::ReduceWindowOp op, unsigned number,
                                          Indices, mlir::Value mask);

  // The index of the element at `index` of an array of `size` elements that stand `step`
  // apart; `inside` becomes false where there is none.
  mlir::Value Undilated(mlir::Value index, int64_t size, int64_t step,
                        mlir::Value& inside);
  // All values of an index space combined with `inits`, one by one, or two by two before
  // that.
  StatusOr<llvm::SmallVector<mlir::Value>> ReduceInPlace(
      llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<mlir::Value> inits,
      mlir::Region& combiner, bool as_tree,
      llvm::function_ref<StatusOr<llvm::SmallVector<mlir::Value>>(Indices)> point);
  // Of a reduction; `level` becomes deep enough for them.
  StatusOr<llvm::SmallVector<mlir::Value>> InitialValues(mlir::ValueRange scalars,
                                                         size_t& level);

  struct Key {
    mlir::Value tensor;
    llvm::SmallVector<mlir::Value, 4> indices;
    mlir::Value mask;
    bool operator<(const Key& other) const;
  };

  LevelStack& levels_;
  IndexBuilder indices_;
  llvm::DenseMap<mlir::Value, mlir::Value> bindings_;
  std::map<Key, mlir::Value> known_;
  bool unroll_reductions_ = false;
  llvm::DenseSet<mlir::Operation*> filled_;  // loads that a select gave their other value
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_POINT_BUILDER_H_
