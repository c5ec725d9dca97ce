#include "tenon/tools/plugin_runner.h"

#include <chrono>
#include <numeric>
#include <utility>

#include "tenon/pjrt/c_api_client/plugin.h"

namespace tenon::tools {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

StatusOr<PluginRunner> PluginRunner::Create(const std::string& plugin_path,
                                            const pjrt::NamedValueMap& options) {
  TENON_ASSIGN_OR_RETURN(pjrt::c_api_client::Plugin plugin,
                         pjrt::c_api_client::Plugin::Load(plugin_path));
  PluginRunner runner;
  TENON_ASSIGN_OR_RETURN(runner.client_, plugin.CreateClient({options, nullptr}));
  if (runner.client_->addressable_devices().empty()) {
    return FailedPrecondition("the plugin '" + plugin_path + "' has no device here");
  }
  return runner;
}

Status PluginRunner::Load(const ProgramFile& program) {
  Clock::time_point start = Clock::now();
  if (program.serialized) {
    TENON_ASSIGN_OR_RETURN(executable_,
                           client_->DeserializeAndLoad(program.bytes, "", {}));
  } else {
    TENON_ASSIGN_OR_RETURN(executable_,
                           client_->Compile({"mlir", program.bytes},
                                            pjrt::c_api_client::MakeCompileOptions()));
  }
  compile_seconds_ = SecondsSince(start);
  if (executable_->addressable_devices().size() != 1) {
    return Unimplemented("the program runs on " +
                         std::to_string(executable_->addressable_devices().size()) +
                         " devices; only programs on one can be run");
  }
  results_.resize(executable_->executable()->outputs().size());
  return OkStatus();
}

Status PluginRunner::SetArguments(std::span<const Literal> arguments) {
  arguments_.clear();
  pjrt::Device* device = executable_->addressable_devices()[0];
  for (const Literal& argument : arguments) {
    TENON_ASSIGN_OR_RETURN(
        pjrt::HostTransfer transfer,
        client_->BufferFromHost(
            {argument.data(), argument.type(), argument.dims(), std::nullopt},
            pjrt::HostBufferSemantics::kImmutableOnlyDuringCall, device->default_memory(),
            std::nullopt));
    TENON_RETURN_IF_ERROR(transfer.done.Await());
    TENON_RETURN_IF_ERROR(transfer.buffer->ReadyEvent().Await());
    arguments_.push_back(std::move(transfer.buffer));
  }
  return OkStatus();
}

StatusOr<double> PluginRunner::Run(bool keep_arguments) {
  std::vector<pjrt::Buffer*> arguments;
  for (auto& argument : arguments_) arguments.push_back(argument.get());
  std::span<pjrt::Buffer* const> argument_lists[] = {arguments};
  for (auto& result : results_) result.reset();
  std::span<std::unique_ptr<pjrt::Buffer>> result_lists[] = {results_};
  Event done[1];
  std::vector<int64_t> kept(keep_arguments ? arguments.size() : 0);
  std::iota(kept.begin(), kept.end(), 0);
  pjrt::ExecuteOptions options;
  options.non_donatable_input_indices = kept;
  Clock::time_point start = Clock::now();
  TENON_RETURN_IF_ERROR(
      executable_->Execute(argument_lists, result_lists, done, options));
  TENON_RETURN_IF_ERROR(done[0].Await());
  return SecondsSince(start);
}

StatusOr<std::vector<Literal>> PluginRunner::Results() {
  std::vector<Literal> literals;
  for (auto& result : results_) {
    if (result->element_type() == ElementType::kToken) {
      literals.push_back(Literal::Token());
      continue;
    }
    Dims dims(result->dims().begin(), result->dims().end());
    TENON_ASSIGN_OR_RETURN(Literal literal,
                           Literal::Create(result->element_type(), std::move(dims)));
    TENON_RETURN_IF_ERROR(result
                              ->ToHost(literal.mutable_data(),
                                       static_cast<size_t>(literal.byte_size()),
                                       std::nullopt)
                              .Await());
    literals.push_back(std::move(literal));
  }
  return literals;
}

}  // namespace tenon::tools
