// Verifiers of the ops that read or write parts of tensors.
#include "tenon/dialects/stablehlo/indexing_ops.h"
#include "tenon/dialects/stablehlo/verify_util.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::cast;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::success;
using mlir::Type;

namespace tenon::stablehlo {
namespace {

RankedTensorType Tensor(mlir::Value value) {
  return cast<RankedTensorType>(value.getType());
}

// All start indices have the same type.
LogicalResult VerifyStartIndices(Operation* op, mlir::ValueRange indices, int64_t rank) {
  if (failed(VerifySize(op, "start_indices", indices.size(), rank))) return failure();
  if (llvm::all_equal(indices.getTypes())) return success();
  return op->emitOpError() << "start_indices have different types: "
                           << indices.getTypes();
}

// A vector operand has one element per dimension of `operand`.
LogicalResult VerifyOnePerDim(Operation* op, StringRef name, mlir::Value vector,
                              RankedTensorType operand) {
  int64_t size = Tensor(vector).getDimSize(0);
  return ShapedType::isDynamic(size) ? success()
                                     : VerifySize(op, name, size, operand.getRank());
}

// One size per dimension, with 0 <= size <= the dimension.
LogicalResult VerifySliceSizes(Operation* op, ArrayRef<int64_t> sizes,
                               RankedTensorType operand) {
  if (failed(VerifySize(op, "slice_sizes", sizes.size(), operand.getRank()))) {
    return failure();
  }
  for (auto [size, limit] : llvm::zip_equal(sizes, operand.getShape())) {
    if (size < 0 || (!ShapedType::isDynamic(limit) && size > limit)) {
      return op->emitOpError() << "slice_sizes = " << ToString(sizes)
                               << " do not fit into operand type " << operand;
    }
  }
  return success();
}

// Dimension numbers that gather and scatter share, named as in gather: the indexed
// dimensions of the large tensor (`operand`) and the layout of `indices`.
struct IndexDims {
  StringRef windowName;  // dimensions of the small tensor that run over the window
  ArrayRef<int64_t> window;
  StringRef collapsedName;  // dimensions of the large tensor absent from the window
  ArrayRef<int64_t> collapsed;
  StringRef batchingName;  // dimensions of the large tensor that batch
  ArrayRef<int64_t> batching;
  StringRef indicesBatchingName;  // and the same in the indices
  ArrayRef<int64_t> indicesBatching;
  StringRef mapName;  // dimensions of the large tensor that an index vector names
  ArrayRef<int64_t> map;
  int64_t indexVectorDim;
};

// Verifies gather_c1 to c19, except those about slice sizes, and scatter_c2, c7 to c22.
LogicalResult VerifyIndexDims(Operation* op, const IndexDims& dims,
                              RankedTensorType operand, RankedTensorType indices,
                              int64_t smallRank) {
  int64_t rank = operand.getRank();
  int64_t named = dims.window.size() + dims.collapsed.size() + dims.batching.size();
  if (named != rank) {
    return op->emitOpError() << dims.windowName << ", " << dims.collapsedName << " and "
                             << dims.batchingName << " have " << named
                             << " elements together, but " << operand << " has rank "
                             << rank;
  }
  if (dims.indexVectorDim < 0 || dims.indexVectorDim > indices.getRank()) {
    return op->emitOpError() << "index_vector_dim = " << dims.indexVectorDim
                             << " is not in the range [0, " << indices.getRank() << ']';
  }
  int64_t vectorSize = dims.indexVectorDim < indices.getRank()
                           ? indices.getDimSize(dims.indexVectorDim)
                           : 1;
  if (Differ(vectorSize, dims.map.size())) {
    return op->emitOpError() << dims.mapName << " has " << dims.map.size()
                             << " elements, but an index vector has " << vectorSize;
  }
  std::string collapsedAndBatching =
      (dims.collapsedName + " and " + dims.batchingName).str();
  std::string mapAndBatching = (dims.mapName + " and " + dims.batchingName).str();
  if (failed(VerifySorted(op, dims.windowName, dims.window)) ||
      failed(VerifyUnique(op, dims.windowName, dims.window)) ||
      failed(VerifyDims(op, dims.windowName, dims.window, smallRank)) ||
      failed(VerifyUnique(op, collapsedAndBatching, dims.collapsed, dims.batching)) ||
      failed(VerifySorted(op, dims.collapsedName, dims.collapsed)) ||
      failed(VerifyDims(op, dims.collapsedName, dims.collapsed, rank)) ||
      failed(VerifySorted(op, dims.batchingName, dims.batching)) ||
      failed(VerifyDims(op, dims.batchingName, dims.batching, rank)) ||
      failed(VerifyUnique(op, dims.indicesBatchingName, dims.indicesBatching)) ||
      failed(VerifyDims(op, dims.indicesBatchingName, dims.indicesBatching,
                        indices.getRank())) ||
      failed(VerifySize(op, dims.indicesBatchingName, dims.indicesBatching.size(),
                        dims.batching.size())) ||
      failed(VerifyUnique(op, mapAndBatching, dims.map, dims.batching)) ||
      failed(VerifyDims(op, dims.mapName, dims.map, rank))) {
    return failure();
  }
  if (llvm::is_contained(dims.indicesBatching, dims.indexVectorDim)) {
    return op->emitOpError() << dims.indicesBatchingName << " has the index_vector_dim "
                             << dims.indexVectorDim;
  }
  for (auto [dim, indexDim] : llvm::zip_equal(dims.batching, dims.indicesBatching)) {
    if (Differ(operand.getDimSize(dim), indices.getDimSize(indexDim))) {
      return op->emitOpError() << "batching dimension " << dim << " of " << operand
                               << " and " << indexDim << " of " << indices
                               << " differ in size";
    }
  }
  return success();
}

// Returns the shape of the small tensor. Window dimensions have the window sizes. The
// others have the sizes of the indices without the index vector.
SmallVector<int64_t> CombineSizes(const IndexDims& dims, RankedTensorType indices,
                                  ArrayRef<int64_t> windowSizes) {
  SmallVector<int64_t> batch(indices.getShape());
  if (dims.indexVectorDim < indices.getRank()) {
    batch.erase(batch.begin() + dims.indexVectorDim);
  }
  SmallVector<int64_t> shape;
  auto nextBatch = batch.begin();
  auto nextWindow = windowSizes.begin();
  for (size_t dim = 0; dim < batch.size() + windowSizes.size(); ++dim) {
    bool isWindow = llvm::is_contained(dims.window, static_cast<int64_t>(dim));
    shape.push_back(isWindow ? *nextWindow++ : *nextBatch++);
  }
  return shape;
}

IndexDims ToIndexDims(GatherDimensionNumbersAttr attr) {
  return {"offset_dims",
          attr.getOffsetDims(),
          "collapsed_slice_dims",
          attr.getCollapsedSliceDims(),
          "operand_batching_dims",
          attr.getOperandBatchingDims(),
          "start_indices_batching_dims",
          attr.getStartIndicesBatchingDims(),
          "start_index_map",
          attr.getStartIndexMap(),
          attr.getIndexVectorDim()};
}

IndexDims ToIndexDims(ScatterDimensionNumbersAttr attr) {
  return {"update_window_dims",
          attr.getUpdateWindowDims(),
          "inserted_window_dims",
          attr.getInsertedWindowDims(),
          "input_batching_dims",
          attr.getInputBatchingDims(),
          "scatter_indices_batching_dims",
          attr.getScatterIndicesBatchingDims(),
          "scatter_dims_to_operand_dims",
          attr.getScatterDimsToOperandDims(),
          attr.getIndexVectorDim()};
}

// Returns the sizes of the dimensions that are neither collapsed nor batching.
SmallVector<int64_t> WindowSizes(const IndexDims& dims, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> window;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!llvm::is_contained(dims.collapsed, static_cast<int64_t>(dim)) &&
        !llvm::is_contained(dims.batching, static_cast<int64_t>(dim))) {
      window.push_back(size);
    }
  }
  return window;
}

}  // namespace

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty()) return emitOpError() << "has no inputs";  // concatenate_c3
  RankedTensorType first = Tensor(getInputs().front());
  int64_t dimension = getDimension();
  if (failed(VerifyDim(*this, "dimension", dimension, first.getRank()))) {  // c4
    return failure();
  }
  SmallVector<int64_t> shape(first.getShape());
  for (Type type : getInputs().drop_front().getTypes()) {
    ArrayRef<int64_t> sizes = cast<RankedTensorType>(type).getShape();
    bool fits = sizes.size() == shape.size();
    for (size_t dim = 0; fits && dim < shape.size(); ++dim) {
      int64_t& size = shape[dim];
      if (static_cast<int64_t>(dim) != dimension) {
        fits = !Differ(size, sizes[dim]);
        if (ShapedType::isDynamic(size)) size = sizes[dim];
      } else if (ShapedType::isDynamic(size) || ShapedType::isDynamic(sizes[dim])) {
        size = ShapedType::kDynamic;
      } else if (llvm::AddOverflow(size, sizes[dim], size)) {
        return emitOpError() << "size of the result exceeds 64 bits";
      }
    }
    if (!fits) {  // concatenate_c2
      return emitOpError() << "inputs " << first << " and " << type
                           << " differ outside dimension " << dimension;
    }
  }
  return VerifyResultShape(*this, shape);  // concatenate_c6
}

namespace {

// Returns the shape of a padded tensor. (pad_c2 to c4)
mlir::FailureOr<SmallVector<int64_t>> PaddedShape(Operation* op, RankedTensorType operand,
                                                  ArrayRef<int64_t> lows,
                                                  ArrayRef<int64_t> highs,
                                                  ArrayRef<int64_t> interiors) {
  int64_t rank = operand.getRank();
  if (failed(VerifySize(op, "edge_padding_low", lows.size(), rank)) ||
      failed(VerifySize(op, "edge_padding_high", highs.size(), rank)) ||
      failed(VerifySize(op, "interior_padding", interiors.size(), rank)) ||
      failed(VerifyAtLeast(op, "interior_padding", interiors, 0))) {
    return failure();
  }
  SmallVector<int64_t> shape;
  for (auto [size, low, high, interior] :
       llvm::zip_equal(operand.getShape(), lows, highs, interiors)) {
    if (ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    __int128 padded =
        __int128{size} + low + high + std::max<__int128>(size - 1, 0) * interior;
    if (padded < 0 || padded > std::numeric_limits<int64_t>::max()) {
      return op->emitOpError() << "padding [" << low << ", " << high << ", " << interior
                               << "] of a dimension of size " << size
                               << " gives a size out of range";
    }
    shape.push_back(static_cast<int64_t>(padded));
  }
  return shape;
}

}  // namespace

LogicalResult PadOp::verify() {
  auto shape = PaddedShape(*this, Tensor(getOperand()), getEdgePaddingLow(),
                           getEdgePaddingHigh(), getInteriorPadding());
  return failed(shape) ? failure() : VerifyResultShape(*this, *shape);
}

LogicalResult DynamicPadOp::verify() {
  if (failed(VerifyOnePerDim(*this, "edge_padding_low", getEdgePaddingLow(),
                             Tensor(getOperand())))) {  // dynamic_pad_c2
    return failure();
  }
  auto interior = ConstantInts(getInteriorPadding());
  if (interior && failed(VerifyAtLeast(*this, "interior_padding", *interior, 0))) {
    return failure();  // dynamic_pad_c3
  }
  auto low = ConstantInts(getEdgePaddingLow());
  auto high = ConstantInts(getEdgePaddingHigh());
  if (!low || !high || !interior) return success();
  auto shape = PaddedShape(*this, Tensor(getOperand()), *low, *high, *interior);
  return failed(shape) ? failure() : VerifyResultShape(*this, *shape);  // dynamic_pad_c4
}

LogicalResult SliceOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  int64_t rank = operand.getRank();
  if (failed(VerifySize(*this, "start_indices", getStartIndices().size(), rank)) ||
      failed(VerifySize(*this, "limit_indices", getLimitIndices().size(), rank)) ||
      failed(VerifySize(*this, "strides", getStrides().size(), rank)) ||  // slice_c2
      failed(VerifyAtLeast(*this, "start_indices", getStartIndices(), 0)) ||
      failed(VerifyAtLeast(*this, "strides", getStrides(), 1))) {  // slice_c4
    return failure();
  }
  SmallVector<int64_t> shape;
  for (auto [start, limit, stride, size] : llvm::zip_equal(
           getStartIndices(), getLimitIndices(), getStrides(), operand.getShape())) {
    if (start > limit || (!ShapedType::isDynamic(size) && limit > size)) {  // slice_c3
      return emitOpError() << "range " << start << ':' << limit
                           << " does not fit into a dimension of size " << size << " of "
                           << operand;
    }
    shape.push_back((limit - start) / stride + ((limit - start) % stride != 0));
  }
  return VerifyResultShape(*this, shape);  // slice_c5
}

LogicalResult DynamicSliceOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  if (failed(
          VerifyStartIndices(*this, getStartIndices(), operand.getRank())) ||  // c2, c3
      failed(VerifySliceSizes(*this, getSliceSizes(), operand))) {             // c4
    return failure();
  }
  return VerifyResultShape(*this, getSliceSizes());  // dynamic_slice_c5
}

LogicalResult DynamicUpdateSliceOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  RankedTensorType update = Tensor(getUpdate());
  if (failed(VerifyCompatible(*this, "operand", operand, "result", getType()))) {  // c1
    return failure();
  }
  bool fits =
      update.getRank() == operand.getRank() &&  // c3, c6
      llvm::all_of(llvm::zip(update.getShape(), operand.getShape()), [](auto pair) {
        auto [size, limit] = pair;
        return ShapedType::isDynamic(size) || ShapedType::isDynamic(limit) ||
               size <= limit;
      });
  if (!fits) {
    return emitOpError() << "update type " << update << " does not fit into operand type "
                         << operand;
  }
  return VerifyStartIndices(*this, getStartIndices(), operand.getRank());  // c4, c5
}

LogicalResult RealDynamicSliceOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  if (Tensor(getResult()).getRank() != operand.getRank()) {
    return emitOpError() << "ranks of operand " << operand << " and result " << getType()
                         << " differ";
  }
  return VerifyOnePerDim(*this, "start_indices", getStartIndices(), operand);
}

namespace {

// Verifies the constraints of gather on the slice sizes. (gather_c9, c12, c20 to c22)
LogicalResult VerifyGatherSlices(Operation* op, const IndexDims& dims,
                                 RankedTensorType operand, RankedTensorType indices,
                                 ArrayRef<int64_t> sliceSizes) {
  if (failed(VerifySliceSizes(op, sliceSizes, operand))) return failure();
  for (ArrayRef<int64_t> removed : {dims.collapsed, dims.batching}) {
    for (int64_t dim : removed) {
      if (sliceSizes[dim] > 1) {
        return op->emitOpError()
               << "dimension " << dim << " is collapsed or batching, but "
               << "has slice size " << sliceSizes[dim];
      }
    }
  }
  return VerifyResultShape(op,
                           CombineSizes(dims, indices, WindowSizes(dims, sliceSizes)));
}

}  // namespace

LogicalResult GatherOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  RankedTensorType indices = Tensor(getStartIndices());
  IndexDims dims = ToIndexDims(getDimensionNumbers());
  if (failed(VerifyIndexDims(*this, dims, operand, indices,
                             Tensor(getResult()).getRank()))) {
    return failure();
  }
  return VerifyGatherSlices(*this, dims, operand, indices, getSliceSizes());
}

LogicalResult DynamicGatherOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  RankedTensorType indices = Tensor(getStartIndices());
  IndexDims dims = ToIndexDims(getDimensionNumbers());
  if (failed(VerifyIndexDims(*this, dims, operand, indices,
                             Tensor(getResult()).getRank())) ||
      failed(VerifyOnePerDim(*this, "slice_sizes", getSliceSizes(), operand))) {  // c11
    return failure();
  }
  if (auto sizes = ConstantInts(getSliceSizes())) {
    return VerifyGatherSlices(*this, dims, operand, indices, *sizes);
  }
  SmallVector<int64_t> unknown(operand.getRank(), ShapedType::kDynamic);
  return VerifyResultShape(*this,
                           CombineSizes(dims, indices, WindowSizes(dims, unknown)));
}

LogicalResult ScatterOp::verify() {
  if (getNumOperands() < 3 || getNumOperands() % 2 == 0) {  // scatter_c5
    return emitOpError() << "has " << getNumOperands()
                         << " operands, expected as many inputs as updates and one index";
  }
  if (failed(VerifySize(*this, "results", getNumResults(), getInputs().size()))) {
    return failure();
  }
  RankedTensorType input = Tensor(getInputs().front());
  RankedTensorType update = Tensor(getUpdates().front());
  for (auto [in, up, result] : llvm::zip_equal(
           getInputs().getTypes(), getUpdates().getTypes(), getResultTypes())) {
    if (failed(VerifySameShape(*this, "inputs", input, "and", in)) ||     // scatter_c1
        failed(VerifySameShape(*this, "updates", update, "and", up)) ||   // scatter_c3
        failed(VerifySameShape(*this, "input", in, "result", result))) {  // scatter_c24
      return failure();
    }
    if (!CompatibleElementTypes(ElementType(in), ElementType(up))) {  // scatter_c6
      return emitOpError() << "element types of input " << in << " and update " << up
                           << " differ";
    }
  }
  IndexDims dims = ToIndexDims(getScatterDimensionNumbers());
  RankedTensorType indices = Tensor(getScatterIndices());
  if (failed(VerifyIndexDims(*this, dims, input, indices, update.getRank()))) {
    return failure();
  }
  // scatter_c4: the window may be smaller than the input.
  SmallVector<int64_t> shape =
      CombineSizes(dims, indices, WindowSizes(dims, input.getShape()));
  bool fits = static_cast<int64_t>(shape.size()) == update.getRank();
  for (size_t dim = 0; fits && dim < shape.size(); ++dim) {
    int64_t size = update.getDimSize(dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[dim])) continue;
    bool isWindow = llvm::is_contained(dims.window, static_cast<int64_t>(dim));
    fits = isWindow ? size <= shape[dim] : size == shape[dim];
  }
  if (fits) return success();
  return emitOpError() << "update type " << update
                       << " does not fit into the largest shape " << ToString(shape);
}

LogicalResult ScatterOp::verifyRegions() {  // scatter_c23, scatter_c25
  return VerifyReducer(*this, "update_computation", getUpdateComputation(),
                       getInputs().getTypes(), getResultTypes());
}

LogicalResult TorchIndexSelectOp::verify() {
  RankedTensorType operand = Tensor(getOperand());
  RankedTensorType index = Tensor(getIndex());
  int64_t dim = getDim();
  int64_t batchDims = getBatchDims();
  if (failed(VerifyDim(*this, "dim", dim, operand.getRank()))) return failure();
  if (batchDims < 0 || batchDims > dim || batchDims > index.getRank()) {
    return emitOpError() << "batch_dims = " << batchDims
                         << " exceeds dim or the rank of the index";
  }
  if (!mlir::isa<mlir::IntegerType>(index.getElementType())) {
    return emitOpError() << "index must be integers, got " << index;
  }
  if (!CompatibleElementTypes(operand.getElementType(), ElementType(getType()))) {
    return emitOpError() << "element types of operand " << operand << " and result "
                         << getType() << " differ";
  }
  SmallVector<int64_t> shape(operand.getShape().take_front(dim));
  llvm::append_range(shape, index.getShape().drop_front(batchDims));
  llvm::append_range(shape, operand.getShape().drop_front(dim + 1));
  return VerifyResultShape(*this, shape);
}

}  // namespace tenon::stablehlo
