// Builds the kernel of a scatter. A row is the window of the array at the position given
// by one scatter index.
#ifndef TENON_COMPILER_KERNELS_SCATTER_BUILDER_H_
#define TENON_COMPILER_KERNELS_SCATTER_BUILDER_H_

#include <functional>
#include <optional>

#include "tenon/compiler/kernels/kernel_frame.h"

namespace tenon::compiler {

class ScatterBuilder {
 public:
  ScatterBuilder(KernelFrame& frame, stablehlo::ScatterOp scatter);

  Status Build();

 private:
  using Indices = llvm::ArrayRef<mlir::Value>;
  struct Access {
    mlir::Value view;
    llvm::SmallVector<mlir::Value> indices;
  };
  // The storage of the element at indices `target` of operand `number`.
  using AccessOf = std::function<Access(size_t number, Indices target)>;
  // A condition on a row's start indices in the array; null if there is none.
  using Condition = llvm::function_ref<mlir::Value(Indices start)>;
  // Where the window of a row starts, for the dimensions that indices determine, and
  // whether all of it is inside the array, as in XLA's CPU backend (null = true).
  struct Start {
    llvm::SmallVector<mlir::Value> indices;
    mlir::Value inside;
  };

  AccessOf InPlace();
  // The row dimension that corresponds to dimension `indices_dim` of the indices.
  int64_t RowDimension(int64_t indices_dim);
  StatusOr<Start> StartOf(PointBuilder& points, Indices row);
  // The position in the updates of element `window` of row `row`.
  llvm::SmallVector<mlir::Value> UpdateIndices(Indices row, Indices window);
  // The position in the array of element `window` of a row that starts at `start`.
  llvm::SmallVector<mlir::Value> TargetIndices(PointBuilder& points, Indices start,
                                               Indices window);
  // The updates of all operands at `indices`; unspecified where `mask` is false.
  StatusOr<llvm::SmallVector<mlir::Value>> Updates(PointBuilder& points, Indices indices,
                                                   mlir::Value mask);

  // Parallel over batches, whose targets are disjoint.
  Status BuildBatches();
  // Returns the first indexed dimension if it pays to split it into parts, one per
  // thread, each of which visits all indices; else -1.
  int64_t SplitDimension();
  // Parallel over parts of the array. The updates of each part keep their order.
  Status BuildParts(int64_t split);
  // The number of copies of the array, itself included, that threads update in parallel.
  // 1 if copies would cost too much, or if the combiner has no identity to fill them
  // with.
  int64_t Copies();
  // The first part of the updates goes to the array itself, every other part to a copy.
  Status BuildCopies(int64_t copies);
  // Updates the window of row `row` if `condition` holds and the window lies completely
  // inside the array. If `element` is not null, updates only this element of the window.
  Status UpdateRow(PointBuilder& points, Indices row, const AccessOf& access_of,
                   Condition condition, const Indices* element = nullptr);
  // Visits the elements of a window. Cuts short rows into pieces of whole registers. The
  // reason is store forwarding: a masked store of an earlier update cannot be forwarded
  // to a load of the same row, and the load stalls; a whole register can be forwarded.
  Status EachOfWindow(PointBuilder& points, llvm::function_ref<Status(Indices)> point);
  Status UpdateElement(PointBuilder& points, Indices row, Indices start, Indices window,
                       const AccessOf& access_of);

  // In device_scatter.cc.
  struct SortedRows;
  struct Chunk;
  Status BuildOnDevice();
  // One item for each element of the updates: no two have the same target.
  Status BuildUniqueItems();
  // Whether each operand is combined by an operation that is exact in any order, and that
  // the device can do atomically.
  bool IsAtomic();
  // The same, with such operations.
  Status BuildAtomicItems();
  // One item for each element of the window and each part of the array. An item goes
  // through all indices, so that the updates of each target keep their order.
  Status BuildOrderedItems();
  // Sorts the rows by their targets. Then the updates of a target follow each other, in
  // their order.
  Status BuildSortedRows(SortedRows& rows);
  Status BuildKeys(const SortedRows& rows);
  Status SortKeys(const SortedRows& rows);
  Status BuildLastUpdates(const SortedRows& rows);
  Status BuildRuns(const SortedRows& rows);
  StatusOr<llvm::SmallVector<mlir::Value>> AddRows(PointBuilder& points,
                                                   const SortedRows& rows,
                                                   const Chunk& chunk, Indices rest,
                                                   mlir::Value block,
                                                   llvm::ArrayRef<mlir::Value> carried);
  Status AddHeads(const SortedRows& rows);
  llvm::SmallVector<mlir::Value> TargetOf(PointBuilder& points, const SortedRows& rows,
                                          mlir::Value key, Indices rest);
  StatusOr<llvm::SmallVector<mlir::Value>> SortedUpdates(PointBuilder& points,
                                                         const SortedRows& rows,
                                                         mlir::Value position,
                                                         Indices rest, mlir::Value mask);
  StatusOr<mlir::Value> EndOfRun(PointBuilder& points, const SortedRows& rows,
                                 mlir::Value key, mlir::Value first, int64_t step,
                                 int64_t count);

  KernelFrame& frame_;
  stablehlo::ScatterOp scatter_;
  stablehlo::ScatterDimensionNumbersAttr numbers_;
  llvm::ArrayRef<int64_t> shape_, update_shape_;
  // The update dimensions that number the rows, and their sizes; the sizes of the window,
  // and the array dimensions that it covers.
  llvm::SmallVector<int64_t> row_dims_, row_sizes_, window_sizes_, window_dims_;
  double row_ns_ = 0;
  std::optional<mlir::DenseElementsAttr> identity_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_SCATTER_BUILDER_H_
