// reduce and map.
#include <algorithm>
#include <cstring>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/reduction.h"
#include "tenon/reference/strided_copy.h"

namespace tenon::reference {
namespace {

// Copies one element in computing form (compute.h).
void CopyValue(void* to, int64_t to_lane, const void* from, int64_t from_lane,
               int64_t bytes) {
  std::memcpy(static_cast<uint8_t*>(to) + to_lane * bytes,
              static_cast<const uint8_t*>(from) + from_lane * bytes, bytes);
}

}  // namespace

LaneReducer::LaneReducer(RegionFunction& function, std::vector<ElementType> types)
    : function_(function) {
  for (ElementType type : types) {
    bytes_.push_back(ComputeBytes(type));
    accumulators_.emplace_back(kMaxLanes * 16);
    elements_.emplace_back(kMaxLanes * 16);
  }
  for (auto& accumulator : accumulators_) {
    inputs_.push_back(accumulator.data());
    outputs_.push_back(accumulator.data());
  }
  for (auto& element : elements_) inputs_.push_back(element.data());
}

Status LaneReducer::Combine(int64_t lanes) {
  return function_.Run(lanes, inputs_.data(), outputs_.data());
}

namespace {

// Reduces inputs [outputs, steps] along the steps. If there are few outputs of many
// elements, each output is split into segments. The segments are reduced in parallel
// lanes and then combined in order; StableHLO permits any grouping.
class SegmentedReduction {
 public:
  SegmentedReduction(RegionFunction& function, const std::vector<ElementType>& types,
                     const std::vector<ComputeArray>& inputs,
                     const std::vector<ComputeArray>& inits, int64_t outputs,
                     int64_t steps)
      : reducer_(function, types),
        types_(types),
        inputs_(inputs),
        inits_(inits),
        steps_(steps),
        saved_(types.size(), std::vector<uint8_t>(kMaxLanes * 16)) {
    if (outputs < kMaxLanes && outputs > 0 && steps >= 4 * kMaxLanes)
      segments_ = std::max<int64_t>(1, kMaxLanes / outputs);
    length_ = (steps + segments_ - 1) / segments_;
    if (length_ > 0) segments_ = std::max<int64_t>(1, (steps + length_ - 1) / length_);
  }

  // The number of outputs that one call of Reduce can compute.
  int64_t group() const { return kMaxLanes / segments_; }

  // Computes `outputs` outputs from `first` on and stores them to the arrays `out`.
  Status Reduce(int64_t first, int64_t outputs, const std::vector<uint8_t*>& out) {
    first_ = first;
    lanes_ = outputs * segments_;
    Start();
    for (int64_t k = 0; k < length_; ++k) TENON_RETURN_IF_ERROR(Step(k));
    TENON_RETURN_IF_ERROR(Join(outputs));
    for (size_t i = 0; i < types_.size(); ++i)
      StoreElements(types_[i], reducer_.accumulator(i),
                    out[i] + first * ElementBytes(types_[i]), outputs);
    return OkStatus();
  }

 private:
  // Lane l reduces segment l % segments_ of output first_ + l / segments_.
  int64_t SegmentOf(int64_t lane) const { return lane % segments_; }
  int64_t OutputOf(int64_t lane) const { return first_ + lane / segments_; }

  // The first segment starts from the initial value, the others from their first element.
  void Start() {
    for (int64_t l = 0; l < lanes_; ++l)
      for (size_t i = 0; i < types_.size(); ++i) {
        const int64_t segment = SegmentOf(l);
        const int64_t first = OutputOf(l) * steps_ + segment * length_;
        if (segment == 0)
          CopyValue(reducer_.accumulator(i), l, inits_[i].data(), 0, reducer_.bytes(i));
        else
          CopyValue(reducer_.accumulator(i), l, inputs_[i].data(), first,
                    reducer_.bytes(i));
      }
  }

  // Whether lane `l` has an element number `k` to add. All segments but the first have
  // one element less to add, because they start from it; the last may have still fewer.
  bool IsActive(int64_t l, int64_t k) const {
    const int64_t segment = SegmentOf(l);
    return segment * length_ + k < steps_ && (segment == 0 || k > 0);
  }

  // Adds element number `k` of each segment. A lane without such an element is combined
  // with an unused one, and then restored.
  Status Step(int64_t k) {
    bool all = true;
    for (int64_t l = 0; l < lanes_; ++l) {
      all &= IsActive(l, k);
      const int64_t step = std::min(SegmentOf(l) * length_ + k, steps_ - 1);
      for (size_t i = 0; i < types_.size(); ++i)
        CopyValue(reducer_.element(i), l, inputs_[i].data(), OutputOf(l) * steps_ + step,
                  reducer_.bytes(i));
    }
    if (!all) SaveAccumulators();
    TENON_RETURN_IF_ERROR(reducer_.Combine(lanes_));
    if (all) return OkStatus();
    for (int64_t l = 0; l < lanes_; ++l) {
      if (IsActive(l, k)) continue;
      for (size_t i = 0; i < types_.size(); ++i)
        CopyValue(reducer_.accumulator(i), l, saved_[i].data(), l, reducer_.bytes(i));
    }
    return OkStatus();
  }

  // Combines the segments of each output from left to right, one output per lane.
  Status Join(int64_t outputs) {
    SaveAccumulators();
    for (int64_t segment = 0; segment < segments_; ++segment) {
      for (int64_t l = 0; l < outputs; ++l)
        for (size_t i = 0; i < types_.size(); ++i)
          CopyValue(segment ? reducer_.element(i) : reducer_.accumulator(i), l,
                    saved_[i].data(), l * segments_ + segment, reducer_.bytes(i));
      if (segment) TENON_RETURN_IF_ERROR(reducer_.Combine(outputs));
    }
    return OkStatus();
  }

  void SaveAccumulators() {
    for (size_t i = 0; i < types_.size(); ++i)
      std::memcpy(saved_[i].data(), reducer_.accumulator(i), lanes_ * reducer_.bytes(i));
  }

  LaneReducer reducer_;
  const std::vector<ElementType>& types_;
  const std::vector<ComputeArray>& inputs_;
  const std::vector<ComputeArray>& inits_;
  const int64_t steps_;
  int64_t segments_ = 1, length_ = 0;  // segments per output; elements per segment
  int64_t first_ = 0, lanes_ = 0;      // of the current group
  std::vector<std::vector<uint8_t>> saved_;
};

}  // namespace

Status EvalReduce(OpContext& context) {
  auto op = llvm::cast<stablehlo::ReduceOp>(context.op);
  const size_t count = op.getInputs().size();
  const Dims& dims = context.operands[0].dims();
  Dims order, kept_dims;
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d)
    if (!llvm::is_contained(op.getDimensions(), d)) {
      order.push_back(d);
      kept_dims.push_back(dims[d]);
    }
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d)
    if (llvm::is_contained(op.getDimensions(), d)) order.push_back(d);
  const int64_t outputs = ElementCount(kept_dims);
  int64_t steps = 1;
  for (int64_t d : op.getDimensions()) steps *= dims[d];

  // Inputs are transposed to [outputs, steps].
  std::vector<ComputeArray> inputs, inits;
  std::vector<ElementType> types;
  for (size_t i = 0; i < count; ++i) {
    types.push_back(context.operands[i].type());
    inputs.emplace_back(Transposed(context.operands[i], order));
    inits.emplace_back(context.operands[count + i]);
    TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(types[i], kept_dims));
    context.results.push_back(std::move(result));
  }
  RegionFunction function(context, op.getBody());
  std::vector<uint8_t*> out(count);
  for (size_t i = 0; i < count; ++i)
    if (outputs) out[i] = context.results[i].mutable_data();

  if (count == 1 && function.single_op() == ElementOp::kAdd &&
      SumWide(types[0], inputs[0].data(), inits[0].data(), outputs, steps,
              context.flush_denormals(), out[0]))
    return OkStatus();
  SegmentedReduction reduction(function, types, inputs, inits, outputs, steps);
  for (int64_t first = 0; first < outputs; first += reduction.group())
    TENON_RETURN_IF_ERROR(
        reduction.Reduce(first, std::min(reduction.group(), outputs - first), out));
  return OkStatus();
}

Status EvalMap(OpContext& context) {
  auto op = llvm::cast<stablehlo::MapOp>(context.op);
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewResult());
  RegionFunction function(context, op.getComputation());
  std::vector<std::vector<uint8_t>> lanes(context.operands.size());
  std::vector<const void*> inputs;
  for (auto& lane : lanes) {
    lane.resize(kMaxLanes * 16);
    inputs.push_back(lane.data());
  }
  std::vector<uint8_t> computed(kMaxLanes * 16);
  void* outputs[] = {computed.data()};
  uint8_t* out = result.count() ? result.mutable_data() : nullptr;
  for (int64_t start = 0; start < result.count(); start += kMaxLanes) {
    const int64_t count = std::min(kMaxLanes, result.count() - start);
    for (size_t i = 0; i < lanes.size(); ++i) {
      const Literal& operand = context.operands[i];
      LoadElements(operand.type(), operand.data() + start * ElementBytes(operand.type()),
                   lanes[i].data(), count);
    }
    TENON_RETURN_IF_ERROR(function.Run(count, inputs.data(), outputs));
    StoreElements(result.type(), computed.data(),
                  out + start * ElementBytes(result.type()), count);
  }
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
