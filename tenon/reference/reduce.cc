// reduce and map.
#include <algorithm>
#include <cstring>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/reduction.h"
#include "tenon/reference/strided_copy.h"

namespace tenon::reference {
namespace {

// Copies one element in computing form.
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

  // If there are few outputs of many elements, each output is split into segments. They
  // are reduced side by side and then joined in order, which the operation permits.
  int64_t segments = 1;
  if (outputs < kMaxLanes && outputs > 0 && steps >= 4 * kMaxLanes)
    segments = std::max<int64_t>(1, kMaxLanes / outputs);
  const int64_t length = (steps + segments - 1) / segments;
  if (length > 0) segments = std::max<int64_t>(1, (steps + length - 1) / length);
  const int64_t group = kMaxLanes / segments;  // outputs per iteration

  LaneReducer reducer(function, types);
  for (int64_t first = 0; first < outputs; first += group) {
    const int64_t lanes = std::min(group, outputs - first) * segments;
    // Lane l reduces segment l % segments of output first + l / segments. The first
    // segment starts from the initial value, the others from their first element.
    for (int64_t l = 0; l < lanes; ++l)
      for (size_t i = 0; i < count; ++i) {
        const int64_t segment = l % segments;
        const int64_t at = (first + l / segments) * steps + segment * length;
        if (segment == 0)
          CopyValue(reducer.accumulator(i), l, inits[i].data(), 0, reducer.bytes(i));
        else
          CopyValue(reducer.accumulator(i), l, inputs[i].data(), at, reducer.bytes(i));
      }
    // All segments but the first have one element less to add; the last may have still
    // fewer. A lane beyond its segment's end is combined with an unused element, and then
    // restored.
    std::vector<std::vector<uint8_t>> saved(count, std::vector<uint8_t>(lanes * 16));
    for (int64_t k = 0; k < length; ++k) {
      bool all = true;
      for (int64_t l = 0; l < lanes; ++l) {
        const int64_t segment = l % segments;
        const int64_t at = segment * length + k;
        const bool active = at < steps && (segment == 0 || k > 0);
        all &= active;
        for (size_t i = 0; i < count; ++i)
          CopyValue(reducer.element(i), l, inputs[i].data(),
                    (first + l / segments) * steps + std::min(at, steps - 1),
                    reducer.bytes(i));
      }
      if (!all)
        for (size_t i = 0; i < count; ++i)
          std::memcpy(saved[i].data(), reducer.accumulator(i), lanes * reducer.bytes(i));
      TENON_RETURN_IF_ERROR(reducer.Combine(lanes));
      if (all) continue;
      for (int64_t l = 0; l < lanes; ++l) {
        const int64_t segment = l % segments;
        if (segment * length + k < steps && (segment == 0 || k > 0)) continue;
        for (size_t i = 0; i < count; ++i)
          CopyValue(reducer.accumulator(i), l, saved[i].data(), l, reducer.bytes(i));
      }
    }
    // Joins the segments of each output from left to right, for all outputs side by side.
    const int64_t done = lanes / segments;
    for (size_t i = 0; i < count; ++i)
      std::memcpy(saved[i].data(), reducer.accumulator(i), lanes * reducer.bytes(i));
    for (int64_t segment = 0; segment < segments; ++segment) {
      for (int64_t l = 0; l < done; ++l)
        for (size_t i = 0; i < count; ++i)
          CopyValue(segment ? reducer.element(i) : reducer.accumulator(i), l,
                    saved[i].data(), l * segments + segment, reducer.bytes(i));
      if (segment) TENON_RETURN_IF_ERROR(reducer.Combine(done));
    }
    for (size_t i = 0; i < count; ++i)
      StoreElements(types[i], reducer.accumulator(i),
                    out[i] + first * ElementBytes(types[i]), done);
  }
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
