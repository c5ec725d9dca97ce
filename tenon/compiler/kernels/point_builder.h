// Builds the code of one point of a fusion: the value of any of its tensors at given
// indices. Every op is a function of its operands' elements, or moves elements. So the
// value of a chain of ops is built on demand, from its end backwards.
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

  // Binds a tensor to its storage: a view of the kernel, or a scalar value (rank 0).
  void Bind(mlir::Value tensor, mlir::Value view_or_scalar) {
    bindings_[tensor] = view_or_scalar;
  }
  // Binds the element of `tensor` at `indices` to a value. For ops with their own loops.
  void BindPoint(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices,
                 mlir::Value scalar);

  // From now on, reductions and products are unrolled instead of loops. Their operands
  // may require constant indices.
  void UnrollReductions() { unroll_reductions_ = true; }

  // The value of `tensor` at `indices`. Where `mask` (i1, null = true) is false, nothing
  // is accessed and the value is unspecified.
  StatusOr<mlir::Value> At(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices,
                           mlir::Value mask);

  // The results of a region of rank-0 computations for the given arguments.
  StatusOr<llvm::SmallVector<mlir::Value>> InlineRegion(
      mlir::Region& region, llvm::ArrayRef<mlir::Value> arguments);

  // A component of the start index of a scatter or gather row, not clamped: an element of
  // the indices tensor.
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
  // accumulators, and `point` maps indices to values. Placed at `level`, at which all
  // values that the body uses must be available.
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
  mlir::Value BuildSplat(stablehlo::ConstantOp op);
  StatusOr<mlir::Value> BuildElementwise(mlir::Operation* op, Indices, mlir::Value mask);
  StatusOr<mlir::Value> BuildMap(stablehlo::MapOp op, Indices, mlir::Value mask);
  // An element of a constant, at constant indices.
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

  // The index of the element at position `index` of an array of `size` elements with a
  // stride of `step`. Conjoins to `inside` whether there is such an element.
  mlir::Value Undilated(mlir::Value index, int64_t size, int64_t step,
                        mlir::Value& inside);
  // Combines all values of an index space with `inits`: one by one, or pairwise as a tree
  // first.
  StatusOr<llvm::SmallVector<mlir::Value>> ReduceInPlace(
      llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<mlir::Value> inits,
      mlir::Region& combiner, bool as_tree,
      llvm::function_ref<StatusOr<llvm::SmallVector<mlir::Value>>(Indices)> point);
  // The initial values of a reduction. Raises `level` to where they are available.
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
  llvm::DenseSet<mlir::Operation*> filled_;  // loads whose masked value a select has set
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_POINT_BUILDER_H_
