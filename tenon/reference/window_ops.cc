// reduce_window and select_and_scatter.
#include <cstring>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/reduction.h"
#include "tenon/reference/window.h"

namespace tenon::reference {
namespace {

// Returns the linear index of the tensor element under element `offset` of the window at
// `position`; -1 in padding or in a hole.
int64_t SourceIndex(const std::vector<WindowDim>& window,
                    std::span<const int64_t> position, std::span<const int64_t> offset,
                    const Dims& dims, const Dims& strides) {
  int64_t linear = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t source = window[d].Source(position[d], offset[d], dims[d]);
    if (source < 0) return -1;
    linear += source * strides[d];
  }
  return linear;
}

Dims Sizes(const std::vector<WindowDim>& window) {
  Dims sizes;
  for (const WindowDim& dim : window) sizes.push_back(dim.size);
  return sizes;
}

}  // namespace

std::vector<WindowDim> MakeWindow(size_t rank, llvm::ArrayRef<int64_t> sizes,
                                  std::optional<llvm::ArrayRef<int64_t>> strides,
                                  std::optional<llvm::ArrayRef<int64_t>> base_dilations,
                                  std::optional<llvm::ArrayRef<int64_t>> window_dilations,
                                  std::optional<mlir::DenseIntElementsAttr> padding) {
  std::vector<WindowDim> window(rank);
  llvm::SmallVector<int64_t> pads;
  if (padding)
    for (const llvm::APInt& value : padding->getValues<llvm::APInt>())
      pads.push_back(value.getSExtValue());
  for (size_t d = 0; d < rank; ++d) {
    window[d].size = sizes[d];
    if (strides) window[d].stride = (*strides)[d];
    if (base_dilations) window[d].base_dilation = (*base_dilations)[d];
    if (window_dilations) window[d].window_dilation = (*window_dilations)[d];
    if (pads.size() == 2 * rank) {
      window[d].low = pads[2 * d];
      window[d].high = pads[2 * d + 1];
    }
  }
  return window;
}

namespace {

// Windows that grow from one element to all elements along one dimension: a running
// reduction.
struct Running {
  size_t dimension;
  bool backward;
};

// Below this number of elements the plain loop is as fast.
constexpr int64_t kMinRunning = 64;

std::optional<Running> FindRunning(const std::vector<WindowDim>& window,
                                   const Dims& dims) {
  std::optional<Running> running;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    if (w.stride != 1 || w.base_dilation != 1 || w.window_dilation != 1)
      return std::nullopt;
    if (w.size == 1 && w.low == 0 && w.high == 0) continue;
    if (running || w.size != dims[d] || w.size < kMinRunning) return std::nullopt;
    if (w.low + w.high != w.size - 1 || (w.low != 0 && w.high != 0)) return std::nullopt;
    running = Running{d, w.low == 0};
  }
  return running;
}

// Returns whether combining two initial values gives the initial value. Then it does not
// matter how often it is combined with the elements.
StatusOr<bool> IsNeutral(LaneReducer& reducer, const ComputeArray& init) {
  const int64_t bytes = reducer.bytes(0);
  std::memcpy(reducer.accumulator(0), init.data(), bytes);
  std::memcpy(reducer.element(0), init.data(), bytes);
  TENON_RETURN_IF_ERROR(reducer.Combine(1));
  return std::memcmp(reducer.accumulator(0), init.data(), bytes) == 0;
}

Status ReduceRunning(const Running& running, const Dims& dims, LaneReducer& reducer,
                     bool sum, const ComputeArray& input, const ComputeArray& init,
                     Literal& result, bool flush_denormals) {
  const int64_t size = dims[running.dimension];
  const int64_t stride = RowMajorStrides(dims)[running.dimension];
  const int64_t bytes = reducer.bytes(0), stored = ElementBytes(result.type());
  uint8_t* out = result.mutable_data();
  for (int64_t line = 0; line < ElementCount(dims) / size; ++line) {
    const int64_t base = line / stride * stride * size + line % stride;
    const uint8_t* values = input.values<uint8_t>() + base * bytes;
    if (sum && RunningSumWide(result.type(), values, init.data(), size, stride,
                              running.backward, flush_denormals, out + base * stored))
      continue;
    std::memcpy(reducer.accumulator(0), init.data(), bytes);
    for (int64_t k = 0; k < size; ++k) {
      const int64_t index = (running.backward ? size - 1 - k : k) * stride;
      std::memcpy(reducer.element(0), values + index * bytes, bytes);
      TENON_RETURN_IF_ERROR(reducer.Combine(1));
      StoreElements(result.type(), reducer.accumulator(0), out + (base + index) * stored,
                    1);
    }
  }
  return OkStatus();
}

// Reduces windows of `inputs`, one window per lane. Padding is the initial value, which
// is combined once more at the start of each window.
class WindowReduction {
 public:
  WindowReduction(const std::vector<WindowDim>& window, const Dims& dims,
                  const std::vector<ElementType>& types,
                  const std::vector<ComputeArray>& inputs,
                  const std::vector<ComputeArray>& inits, LaneReducer& reducer)
      : window_(window),
        dims_(dims),
        types_(types),
        inputs_(inputs),
        inits_(inits),
        reducer_(reducer),
        strides_(RowMajorStrides(dims)),
        sizes_(Sizes(window)),
        elements_(ElementCount(sizes_)) {}

  // Gathers the elements of a sum over one input and accumulates them in a wider type.
  // Stores the sums of the windows at `positions` from `first` on to `out`. Returns
  // false, without a result, if the windows are too large or the type has no wider one.
  bool Sum(const std::vector<Dims>& positions, int64_t first, bool flush_denormals,
           uint8_t* out) {
    if (elements_ > (1 << 16)) return false;
    const auto lanes = static_cast<int64_t>(positions.size());
    const int64_t bytes = reducer_.bytes(0);
    gathered_.resize(lanes * elements_ * bytes);
    for (int64_t l = 0; l < lanes; ++l) {
      Dims offset(dims_.size(), 0);
      for (int64_t k = 0; k < elements_; ++k, NextIndex(sizes_, offset))
        Copy(gathered_.data() + (l * elements_ + k) * bytes, 0,
             SourceIndex(window_, positions[l], offset, dims_, strides_));
    }
    return SumWide(types_[0], gathered_.data(), inits_[0].data(), lanes, elements_,
                   flush_denormals, out + first * ElementBytes(types_[0]));
  }

  // Combines the elements of the windows at `positions` one by one. Stores the results
  // from `first` on to the arrays `out`.
  Status Reduce(const std::vector<Dims>& positions, int64_t first,
                const std::vector<uint8_t*>& out) {
    const auto lanes = static_cast<int64_t>(positions.size());
    for (int64_t l = 0; l < lanes; ++l)
      for (size_t i = 0; i < types_.size(); ++i)
        Copy(reducer_.accumulator(i) + l * reducer_.bytes(i), i, -1);
    Dims offset(dims_.size(), 0);
    for (int64_t k = 0; k < elements_; ++k, NextIndex(sizes_, offset)) {
      for (int64_t l = 0; l < lanes; ++l) {
        const int64_t source =
            SourceIndex(window_, positions[l], offset, dims_, strides_);
        for (size_t i = 0; i < types_.size(); ++i)
          Copy(reducer_.element(i) + l * reducer_.bytes(i), i, source);
      }
      TENON_RETURN_IF_ERROR(reducer_.Combine(lanes));
    }
    for (size_t i = 0; i < types_.size(); ++i)
      StoreElements(types_[i], reducer_.accumulator(i),
                    out[i] + first * ElementBytes(types_[i]), lanes);
    return OkStatus();
  }

 private:
  // Copies element `source` of input `i`, or its initial value if `source` is negative.
  void Copy(void* to, size_t i, int64_t source) {
    const int64_t bytes = reducer_.bytes(i);
    const auto* from = source < 0 ? inits_[i].values<uint8_t>()
                                  : inputs_[i].values<uint8_t>() + source * bytes;
    std::memcpy(to, from, bytes);
  }

  const std::vector<WindowDim>& window_;
  const Dims& dims_;
  const std::vector<ElementType>& types_;
  const std::vector<ComputeArray>& inputs_;
  const std::vector<ComputeArray>& inits_;
  LaneReducer& reducer_;
  const Dims strides_, sizes_;
  const int64_t elements_;  // of a window
  std::vector<uint8_t> gathered_;
};

}  // namespace

Status EvalReduceWindow(OpContext& context) {
  auto op = llvm::cast<stablehlo::ReduceWindowOp>(context.op);
  const size_t count = op.getInputs().size();
  const Dims dims = context.operands[0].dims();
  const std::vector<WindowDim> window =
      MakeWindow(dims.size(), op.getWindowDimensions(), op.getWindowStrides(),
                 op.getBaseDilations(), op.getWindowDilations(), op.getPadding());
  Dims out_dims;
  for (size_t d = 0; d < dims.size(); ++d) out_dims.push_back(window[d].Count(dims[d]));
  std::vector<ComputeArray> inputs, inits;
  std::vector<ElementType> types;
  std::vector<uint8_t*> out(count);
  for (size_t i = 0; i < count; ++i) {
    types.push_back(context.operands[i].type());
    inputs.emplace_back(context.operands[i]);
    inits.emplace_back(context.operands[count + i]);
    TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(types[i], out_dims));
    context.results.push_back(std::move(result));
    if (context.results[i].count()) out[i] = context.results[i].mutable_data();
  }
  const int64_t outputs = ElementCount(out_dims);
  if (outputs == 0) return OkStatus();

  RegionFunction function(context, op.getBody());
  LaneReducer reducer(function, types);
  const bool sum = count == 1 && function.single_op() == ElementOp::kAdd;
  if (auto running = FindRunning(window, dims);
      running && count == 1 && function.single_op()) {
    TENON_ASSIGN_OR_RETURN(bool neutral, IsNeutral(reducer, inits[0]));
    if (neutral)
      return ReduceRunning(*running, dims, reducer, sum, inputs[0], inits[0],
                           context.results[0], context.flush_denormals());
  }
  WindowReduction reduction(window, dims, types, inputs, inits, reducer);
  Dims position(dims.size(), 0);
  for (int64_t first = 0; first < outputs; first += kMaxLanes) {
    std::vector<Dims> positions;
    for (int64_t l = 0; l < std::min(kMaxLanes, outputs - first); ++l) {
      positions.push_back(position);
      NextIndex(out_dims, position);
    }
    if (sum && reduction.Sum(positions, first, context.flush_denormals(), out[0]))
      continue;
    TENON_RETURN_IF_ERROR(reduction.Reduce(positions, first, out));
  }
  return OkStatus();
}

Status EvalSelectAndScatter(OpContext& context) {
  auto op = llvm::cast<stablehlo::SelectAndScatterOp>(context.op);
  const Literal& operand = context.operands[0];
  const Literal& source = context.operands[1];
  const Dims& dims = operand.dims();
  const llvm::SmallVector<int64_t> ones(dims.size(), 1);
  const std::vector<WindowDim> window =
      MakeWindow(dims.size(), op.getWindowDimensions().value_or(ones),
                 op.getWindowStrides(), std::nullopt, std::nullopt, op.getPadding());
  const ElementType type = operand.type();
  const int64_t bytes = ComputeBytes(type);
  const ComputeArray inputs(operand), sources(source), init(context.operands[2]);
  std::vector<uint8_t> values(operand.count() * bytes + 16);
  for (int64_t i = 0; i < operand.count(); ++i)
    std::memcpy(values.data() + i * bytes, init.data(), bytes);

  RegionFunction select(context, op.getSelect()), scatter(context, op.getScatter());
  const Dims strides = RowMajorStrides(dims), sizes = Sizes(window);
  Dims position(dims.size(), 0);
  for (int64_t s = 0; s < source.count(); ++s, NextIndex(source.dims(), position)) {
    int64_t selected = -1;
    Dims offset(dims.size(), 0);
    do {
      const int64_t candidate = SourceIndex(window, position, offset, dims, strides);
      if (candidate < 0) continue;
      if (selected < 0) {
        selected = candidate;
        continue;
      }
      const void* pair[] = {inputs.values<uint8_t>() + selected * bytes,
                            inputs.values<uint8_t>() + candidate * bytes};
      uint64_t keep[2] = {0, 0};
      void* outputs[] = {keep};
      TENON_RETURN_IF_ERROR(select.Run(1, pair, outputs));
      if (!keep[0]) selected = candidate;
    } while (NextIndex(sizes, offset));
    if (selected < 0) continue;
    const void* pair[] = {values.data() + selected * bytes,
                          sources.values<uint8_t>() + s * bytes};
    void* outputs[] = {values.data() + selected * bytes};
    TENON_RETURN_IF_ERROR(scatter.Run(1, pair, outputs));
  }
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(type, dims));
  if (result.count())
    StoreElements(type, values.data(), result.mutable_data(), result.count());
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
