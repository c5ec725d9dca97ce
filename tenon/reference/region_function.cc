#include "tenon/dialects/tenon/element_types.h"
#include "tenon/reference/evaluator.h"

namespace tenon::reference {

RegionFunction::RegionFunction(OpContext& context, mlir::Region& region)
    : context_(context),
      region_(region),
      program_(ElementProgram::Compile(region.front())) {
  for (mlir::Type type : region.getArgumentTypes())
    input_types_.push_back(ir::ElementTypeOfShaped(type));
}

Status RegionFunction::Run(int64_t lanes, const void* const* inputs,
                           void* const* outputs) {
  if (program_) {
    program_->Run(lanes, inputs, outputs, context_.flush_denormals());
    return OkStatus();
  }
  for (int64_t lane = 0; lane < lanes; ++lane)
    TENON_RETURN_IF_ERROR(RunLane(lane, inputs, outputs));
  return OkStatus();
}

Status RegionFunction::RunLane(int64_t lane, const void* const* inputs,
                               void* const* outputs) {
  std::vector<Literal> arguments;
  for (size_t i = 0; i < input_types_.size(); ++i) {
    if (input_types_[i] == ElementType::kInvalid)
      return Unimplemented("computation on " +
                           TypeText(region_.getArgument(i).getType()));
    Literal& argument = arguments.emplace_back(input_types_[i], Dims());
    const auto* value = static_cast<const uint8_t*>(inputs[i]);
    StoreElements(input_types_[i], value + lane * ComputeBytes(input_types_[i]),
                  argument.mutable_data(), 1);
  }
  TENON_ASSIGN_OR_RETURN(
      std::vector<Literal> results,
      context_.evaluator.RunRegion(region_, std::move(arguments), context_.environment));
  for (size_t i = 0; i < results.size(); ++i) {
    auto* value = static_cast<uint8_t*>(outputs[i]);
    LoadElements(results[i].type(), results[i].data(),
                 value + lane * ComputeBytes(results[i].type()), 1);
  }
  return OkStatus();
}

}  // namespace tenon::reference
