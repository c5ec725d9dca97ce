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

Status PluginRunner::Load(const ProgramFile& program, int64_t replicas,
                          int64_t partitions) {
  Clock::time_point start = Clock::now();
  if (program.serialized) {
    TENON_ASSIGN_OR_RETURN(executable_,
                           client_->DeserializeAndLoad(program.bytes, "", {}));
  } else {
    const std::string options = pjrt::c_api_client::MakeCompileOptions(
        static_cast<int>(replicas), static_cast<int>(partitions));
    TENON_ASSIGN_OR_RETURN(executable_,
                           client_->Compile({"mlir", program.bytes}, options));
  }
  compile_seconds_ = SecondsSince(start);
  const auto devices = static_cast<int64_t>(executable_->addressable_devices().size());
  if (devices != replicas * partitions) {
    return InvalidArgument("the program runs on " + std::to_string(devices) +
                           " devices, not on " + std::to_string(replicas * partitions) +
                           "; see --replicas and --partitions");
  }
  results_.clear();
  for (int64_t device = 0; device < devices; ++device) {
    results_.emplace_back(executable_->executable()->outputs().size());
  }
  return OkStatus();
}

Status PluginRunner::SetArguments(std::span<const std::vector<Literal>> arguments) {
  arguments_.clear();
  for (size_t d = 0; d < arguments.size(); ++d) {
    pjrt::Device* device = executable_->addressable_devices()[d];
    arguments_.emplace_back();
    for (const Literal& argument : arguments[d]) {
      TENON_ASSIGN_OR_RETURN(
          pjrt::HostTransfer transfer,
          client_->BufferFromHost(
              {argument.data(), argument.type(), argument.dims(), std::nullopt},
              pjrt::HostBufferSemantics::kImmutableOnlyDuringCall,
              device->default_memory(), std::nullopt));
      TENON_RETURN_IF_ERROR(transfer.done.Await());
      TENON_RETURN_IF_ERROR(transfer.buffer->ReadyEvent().Await());
      arguments_.back().push_back(std::move(transfer.buffer));
    }
  }
  return OkStatus();
}

StatusOr<double> PluginRunner::Run(bool keep_arguments) {
  const size_t devices = results_.size();
  std::vector<std::vector<pjrt::Buffer*>> arguments(devices);
  std::vector<std::span<pjrt::Buffer* const>> argument_lists;
  std::vector<std::span<std::unique_ptr<pjrt::Buffer>>> result_lists;
  for (size_t d = 0; d < devices; ++d) {
    for (auto& argument : arguments_[d]) arguments[d].push_back(argument.get());
    for (auto& result : results_[d]) result.reset();
    argument_lists.emplace_back(arguments[d]);
    result_lists.emplace_back(results_[d]);
  }
  std::vector<Event> done(devices);
  std::vector<int64_t> kept(keep_arguments ? arguments[0].size() : 0);
  std::iota(kept.begin(), kept.end(), 0);
  pjrt::ExecuteOptions options;
  options.non_donatable_input_indices = kept;
  Clock::time_point start = Clock::now();
  TENON_RETURN_IF_ERROR(
      executable_->Execute(argument_lists, result_lists, done, options));
  for (Event& event : done) TENON_RETURN_IF_ERROR(event.Await());
  return SecondsSince(start);
}

StatusOr<std::vector<std::vector<Literal>>> PluginRunner::Results() {
  std::vector<std::vector<Literal>> literals;
  for (auto& results : results_) {
    literals.emplace_back();
    for (auto& result : results) {
      if (result->element_type() == ElementType::kToken) {
        literals.back().push_back(Literal::Token());
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
      literals.back().push_back(std::move(literal));
    }
  }
  return literals;
}

}  // namespace tenon::tools
