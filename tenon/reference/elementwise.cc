// Elementwise operations on tensors, one block of lanes at a time.
#include <cstring>

#include "tenon/reference/evaluator.h"

namespace tenon::reference {
namespace {

// Repeats the first element, in computing form (compute.h), over all lanes.
void FillLanes(uint8_t* lanes, int64_t bytes) {
  for (int64_t i = 1; i < kMaxLanes; ++i) std::memcpy(lanes + i * bytes, lanes, bytes);
}

}  // namespace

Status EvalElementwise(OpContext& context, ElementOp element_op) {
  TENON_ASSIGN_OR_RETURN(ElementInstruction instruction,
                         MakeInstruction(context.op, element_op));
  // clamp and select accept scalars for some operands. The other operands have the
  // result's sizes.
  const Dims* dims = &context.operands[0].dims();
  for (const Literal& operand : context.operands)
    if (operand.rank() > static_cast<int64_t>(dims->size())) dims = &operand.dims();
  for (const Literal& operand : context.operands)
    if (operand.dims() != *dims && operand.rank() != 0)
      return InvalidArgument("operands have different sizes " +
                             DimsString(operand.dims()) + " and " + DimsString(*dims));
  const ElementType type = instruction.params.result_type;
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewLiteral(type, *dims));

  alignas(16) uint8_t lanes[3][kMaxLanes * 16];
  alignas(16) uint8_t computed[kMaxLanes * 16];
  const void* inputs[3] = {};
  bool scalar[3] = {};
  for (int i = 0; i < instruction.num_inputs; ++i) {
    const Literal& operand = context.operands[i];
    scalar[i] = operand.rank() == 0 && !dims->empty();
    inputs[i] = lanes[i];
    if (!scalar[i]) continue;
    LoadElements(operand.type(), operand.data(), lanes[i], 1);
    FillLanes(lanes[i], ComputeBytes(operand.type()));
  }
  uint8_t* out = result.mutable_data();
  const int64_t out_bytes = ElementBytes(type);
  const bool direct = IsStoredAsComputed(type);
  for (int64_t start = 0; start < result.count(); start += kMaxLanes) {
    const int64_t count = std::min(kMaxLanes, result.count() - start);
    for (int i = 0; i < instruction.num_inputs; ++i) {
      if (scalar[i]) continue;
      const Literal& operand = context.operands[i];
      const uint8_t* data = operand.data() + start * ElementBytes(operand.type());
      if (IsStoredAsComputed(operand.type()))
        inputs[i] = data;
      else
        LoadElements(operand.type(), data, lanes[i], count);
    }
    uint8_t* target = out + start * out_bytes;
    RunInstruction(instruction, inputs, direct ? target : computed, count,
                   context.flush_denormals());
    if (!direct) StoreElements(type, computed, target, count);
  }
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
