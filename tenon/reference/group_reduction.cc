#include "tenon/reference/group_reduction.h"

#include <bit>

#include "tenon/dialects/tenon/element_types.h"

namespace tenon::reference {

GroupReduction::GroupReduction(OpContext& context, mlir::Region& region)
    : context_(context), type_(ir::ElementTypeOfShaped(region.getArgument(0).getType())) {
  if (type_ == ElementType::kInvalid) return;
  function_.emplace(context, region);
  // Intermediate results of a single operation are not rounded.
  std::optional<ElementOp> op = function_->single_op();
  if (!op || ComputeKindOf(type_) != ComputeKind::kF32) return;
  for (mlir::Operation& inner : region.front())
    if (ElementOpOf(&inner) == op)
      if (auto instruction = MakeInstruction(&inner, *op); instruction.ok())
        UseInstruction(*op, instruction->flushes);
}

GroupReduction::GroupReduction(OpContext& context, ElementOp op, ElementType type)
    : context_(context), type_(type) {
  UseInstruction(op, /*flushes=*/true);
}

void GroupReduction::UseInstruction(ElementOp op, bool flushes) {
  ElementInstruction instruction;
  const ElementType computed =
      ComputeKindOf(type_) == ComputeKind::kF32 ? ElementType::kF32 : type_;
  instruction.params.operand_type = instruction.params.result_type = computed;
  instruction.kernel = FindKernel(op, instruction.params);
  instruction.num_inputs = 2;
  instruction.flushes = flushes;
  instruction.input_types = {computed, computed};
  if (instruction.kernel) instruction_ = instruction;
}

StatusOr<GroupReduction::Elements> GroupReduction::Load(const Literal& array) const {
  Elements loaded(array.count() * ComputeBytes(array.type()));
  LoadElements(array.type(), array.data(), loaded.data(), array.count());
  if (array.type() == type_) return loaded;
  KernelParams params;
  params.operand_type = array.type();
  params.result_type = type_;
  const Kernel convert = FindConvertKernel(array.type(), type_);
  Elements converted(array.count() * ComputeBytes(type_));
  const void* inputs[] = {loaded.data()};
  convert(params, inputs, converted.data(), array.count());
  WrapElements(type_, converted.data(), array.count());
  return converted;
}

Status GroupReduction::Combine(Elements& left, const Elements& right) {
  const int64_t bytes = ComputeBytes(type_);
  const int64_t count = static_cast<int64_t>(left.size()) / bytes;
  for (int64_t i = 0; i < count; i += kMaxLanes) {
    const int64_t lanes = std::min(kMaxLanes, count - i);
    const void* inputs[] = {left.data() + i * bytes, right.data() + i * bytes, nullptr};
    void* outputs[] = {left.data() + i * bytes};
    if (instruction_)
      RunInstruction(*instruction_, inputs, outputs[0], lanes,
                     context_.flush_denormals());
    else
      TENON_RETURN_IF_ERROR(function_->Run(lanes, inputs, outputs));
  }
  return OkStatus();
}

StatusOr<GroupReduction::Elements> GroupReduction::ReduceRange(
    std::span<const Literal> arrays) {
  if (arrays.size() == 1) return Load(arrays[0]);
  const size_t middle = std::bit_floor(arrays.size() - 1);
  TENON_ASSIGN_OR_RETURN(Elements left, ReduceRange(arrays.first(middle)));
  TENON_ASSIGN_OR_RETURN(Elements right, ReduceRange(arrays.subspan(middle)));
  TENON_RETURN_IF_ERROR(Combine(left, right));
  return left;
}

StatusOr<Literal> GroupReduction::Reduce(std::span<const Literal> arrays) {
  if (type_ == ElementType::kInvalid || (!function_ && !instruction_))
    return Unimplemented("a reduction on this type");
  TENON_ASSIGN_OR_RETURN(Elements elements, ReduceRange(arrays));
  TENON_ASSIGN_OR_RETURN(Literal result, context_.NewLiteral(type_, arrays[0].dims()));
  if (result.count() > 0)
    StoreElements(type_, elements.data(), result.mutable_data(), result.count());
  return result;
}

}  // namespace tenon::reference
