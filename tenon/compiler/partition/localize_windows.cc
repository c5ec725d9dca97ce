#include "tenon/compiler/partition/localize_windows.h"

#include "tenon/compiler/partition/exchange.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/stablehlo/window_attributes.h"

namespace tenon::compiler::partition {
namespace {

int64_t DimOf(const Mapping& mapping, int32_t factor) {
  for (auto [dim, factors] : llvm::enumerate(mapping)) {
    if (factors.size() > 0 && factors.front() == factor) {
      return static_cast<int64_t>(dim);
    }
  }
  return -1;
}

// How windows move along a dimension.
struct Stepping {
  int64_t size = 1, stride = 1, low = 0, high = 0, input_dilation = 1;

  bool IsPointwise() const {
    return size == 1 && stride == 1 && low == 0 && high == 0 && input_dilation == 1;
  }
};

Stepping SteppingOf(stablehlo::ReduceWindowOp op, int64_t dim) {
  const int64_t dilation = stablehlo::EntryOr1(op.getWindowDilations(), dim);
  return {(op.getWindowDimensions()[dim] - 1) * dilation + 1,
          stablehlo::EntryOr1(op.getWindowStrides(), dim),
          stablehlo::PaddingOf(op.getPadding(), dim).first,
          stablehlo::PaddingOf(op.getPadding(), dim).second,
          stablehlo::EntryOr1(op.getBaseDilations(), dim)};
}

// The position of a dimension of the result among the spatial dimensions, or -1.
int64_t SpatialOf(stablehlo::ConvolutionOp op, int64_t result_dim) {
  const auto dims = op.getDimensionNumbers().getOutputSpatialDimensions();
  const auto* found = llvm::find(dims, result_dim);
  return found == dims.end() ? -1 : found - dims.begin();
}

Stepping SteppingOf(stablehlo::ConvolutionOp op, int64_t spatial) {
  const int64_t kernel_dim =
      op.getDimensionNumbers().getKernelSpatialDimensions()[spatial];
  const int64_t dilation = stablehlo::EntryOr1(op.getRhsDilation(), spatial);
  return {(ShapeOf(op.getRhs())[kernel_dim] - 1) * dilation + 1,
          stablehlo::EntryOr1(op.getWindowStrides(), spatial),
          stablehlo::PaddingOf(op.getPadding(), spatial).first,
          stablehlo::PaddingOf(op.getPadding(), spatial).second,
          stablehlo::EntryOr1(op.getLhsDilation(), spatial)};
}

bool MayStep(const Stepping& stepping, int64_t whole) {
  return stepping.input_dilation == 1 && 2 * stepping.size <= whole;
}

// What each shard reads of the operands along dimension `operand_dim`.
struct Fetch {
  int64_t operand_dim;
  int64_t result_dim;
  Window window;
};

// Of a part of the result, which may be empty.
Window WindowOf(const Stepping& stepping, int64_t part) {
  const int64_t size = part > 0 ? (part - 1) * stepping.stride + stepping.size : 0;
  return {-stepping.low, part * stepping.stride, size};
}

// Of every dimension of the result that is split and not computed point by point.
std::vector<Fetch> FetchesOf(mlir::Operation* op, const Decision& decision) {
  std::vector<Fetch> fetches;
  if (op->getNumResults() == 0) return fetches;
  const llvm::ArrayRef<int64_t> shape = ShapeOf(op->getResult(0));
  for (auto [index, split] : llvm::enumerate(decision.results[0].dims)) {
    if (split.axes.empty()) continue;
    const auto dim = static_cast<int64_t>(index);
    const int64_t part = shape[index] / split.num_shards();
    if (auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(op)) {
      const int64_t spatial = SpatialOf(conv, dim);
      if (spatial < 0) continue;
      const int64_t in = conv.getDimensionNumbers().getInputSpatialDimensions()[spatial];
      fetches.push_back({in, dim, WindowOf(SteppingOf(conv, spatial), part)});
    } else if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op)) {
      const Stepping stepping = SteppingOf(window, dim);
      if (!stepping.IsPointwise())
        fetches.push_back({dim, dim, WindowOf(stepping, part)});
    } else if (auto slice = llvm::dyn_cast<stablehlo::SliceOp>(op)) {
      if (ShapeOf(slice.getOperand())[index] == shape[index]) continue;
      const Stepping stepping{.stride = slice.getStrides()[index],
                              .low = -slice.getStartIndices()[index]};
      fetches.push_back({dim, dim, WindowOf(stepping, part)});
    } else if (auto pad = llvm::dyn_cast<stablehlo::PadOp>(op)) {
      const int64_t low = pad.getEdgePaddingLow()[index];
      if (low != 0 || pad.getEdgePaddingHigh()[index] != 0) {
        fetches.push_back({dim, dim, {-low, part, part}});
      }
    }
  }
  return fetches;
}

bool ReversesSplit(mlir::Operation* op, const Decision& decision) {
  auto reverse = llvm::dyn_cast<stablehlo::ReverseOp>(op);
  return reverse && llvm::any_of(reverse.getDimensions(), [&](int64_t dim) {
           return !decision.results[0].dims[dim].axes.empty();
         });
}

// The operands that are split, and what is outside of each; null: zeros.
llvm::SmallVector<std::pair<unsigned, mlir::Value>> ReadOperands(
    mlir::Operation* op, mlir::ValueRange operands) {
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> read;
  if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    const auto count = static_cast<unsigned>(window.getInputs().size());
    for (unsigned i = 0; i < count; ++i) read.emplace_back(i, operands[count + i]);
  } else {
    read.emplace_back(0, llvm::isa<stablehlo::PadOp>(op) ? operands[1] : mlir::Value());
  }
  return read;
}

// Where both values can be used. `b` may be null.
mlir::Region* InnerRegion(mlir::Value a, mlir::Value b) {
  mlir::Region *first = a.getParentRegion(), *second = b ? b.getParentRegion() : first;
  return first->isAncestor(second) ? second : first;
}

// `values` with another value at one position.
template <typename Values>
llvm::SmallVector<int64_t> With(const Values& values, int64_t position, int64_t value) {
  llvm::SmallVector<int64_t> changed(values.begin(), values.end());
  changed[position] = value;
  return changed;
}

mlir::DenseIntElementsAttr WithoutPadding(mlir::DenseIntElementsAttr padding,
                                          int64_t position) {
  llvm::SmallVector<int64_t> values(padding.getValues<int64_t>());
  values[2 * position] = values[2 * position + 1] = 0;
  return mlir::DenseIntElementsAttr::get(padding.getType(),
                                         llvm::ArrayRef<int64_t>(values));
}

}  // namespace

bool MaySplitByExchange(mlir::Operation* op, const Rule& rule, int32_t factor) {
  const int64_t dim = DimOf(rule.results[0], factor);
  const int64_t from = DimOf(rule.operands[0], factor);
  if (dim < 0 || from < 0) return false;
  const int64_t whole = ShapeOf(op->getOperand(0))[from];
  if (auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(op)) {
    const int64_t spatial = SpatialOf(conv, dim);
    return spatial >= 0 && MayStep(SteppingOf(conv, spatial), whole);
  }
  if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    return MayStep(SteppingOf(window, dim), whole);
  }
  if (auto pad = llvm::dyn_cast<stablehlo::PadOp>(op)) {
    return pad.getInteriorPadding()[dim] == 0;
  }
  if (auto concatenate = llvm::dyn_cast<stablehlo::ConcatenateOp>(op)) {
    return dim == static_cast<int64_t>(concatenate.getDimension());
  }
  return llvm::isa<stablehlo::SliceOp, stablehlo::ReverseOp>(op);
}

bool NeedsExchange(mlir::Operation* op, const Decision& decision) {
  return !FetchesOf(op, decision).empty() || ReversesSplit(op, decision);
}

void ExchangeOperands(mlir::Operation* op, const Decision& decision, MeshCode& code,
                      mlir::OpBuilder& b, llvm::SmallVectorImpl<mlir::Value>& operands) {
  mlir::OpBuilder::InsertionGuard guard(b);
  PartBuilder p(b, code.Explain(op->getLoc(), [&] {
    return op->getName().stripDialect().str() + " reads elements of other devices' parts";
  }));
  if (auto reverse = llvm::dyn_cast<stablehlo::ReverseOp>(op)) {
    for (int64_t dim : reverse.getDimensions()) {
      const Axes& axes = decision.results[0].dims[dim].axes;
      if (axes.empty()) continue;
      const int64_t last = SizeOf(axes) - 1;
      LeaveLoops(b, operands[0].getParentRegion());
      operands[0] = PermuteShards(p, code, operands[0], axes,
                                  [&](int64_t shard) { return last - shard; });
    }
    return;
  }
  for (const Fetch& fetch : FetchesOf(op, decision)) {
    for (auto [number, fill] : ReadOperands(op, operands)) {
      const SplitDim split{fetch.operand_dim,
                           ShapeOf(op->getOperand(number))[fetch.operand_dim],
                           decision.results[0].dims[fetch.result_dim].axes};
      mlir::OpBuilder::InsertionGuard in_loop(b);
      LeaveLoops(b, InnerRegion(operands[number], fill));
      operands[number] =
          FetchWindow(p, code, operands[number], split, fetch.window, fill);
    }
  }
}

void SetWindows(mlir::Operation* part, mlir::Operation* op, const Decision& decision) {
  mlir::Builder b(op->getContext());
  for (const Fetch& fetch : FetchesOf(op, decision)) {
    const int64_t dim = fetch.result_dim;
    if (auto conv = llvm::dyn_cast<stablehlo::ConvolutionOp>(part)) {
      if (auto padding = conv.getPadding()) {
        conv.setPaddingAttr(WithoutPadding(*padding, SpatialOf(conv, dim)));
      }
    } else if (auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(part)) {
      if (auto padding = window.getPadding()) {
        window.setPaddingAttr(WithoutPadding(*padding, dim));
      }
    } else if (auto slice = llvm::dyn_cast<stablehlo::SliceOp>(part)) {
      slice.setStartIndices(With(slice.getStartIndices(), dim, 0));
      slice.setLimitIndices(With(slice.getLimitIndices(), dim, fetch.window.size));
    } else if (auto pad = llvm::dyn_cast<stablehlo::PadOp>(part)) {
      pad.setEdgePaddingLow(With(pad.getEdgePaddingLow(), dim, 0));
      pad.setEdgePaddingHigh(With(pad.getEdgePaddingHigh(), dim, 0));
    }
  }
}

}  // namespace tenon::compiler::partition
