// Client: the devices of a plugin, and what makes buffers and executables for them.
#ifndef TENON_PJRT_CPP_CLIENT_HPP_
#define TENON_PJRT_CPP_CLIENT_HPP_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/pjrt/cpp/buffer.hpp"
#include "tenon/pjrt/cpp/compile_options.hpp"
#include "tenon/pjrt/cpp/executable.hpp"
#include "tenon/pjrt/cpp/host_memory.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

// A program to compile. Refers to the caller's memory.
struct Program {
  std::string_view code;
  std::string_view format;
};
// StableHLO as text, or as a portable artifact in MLIR bytecode.
inline Program mlir(std::string_view code) { return {code, "mlir"}; }
// A serialized xla.HloModuleProto.
inline Program hlo(std::string_view proto) { return {proto, "hlo"}; }

// Where a new buffer lives. The memory decides over the device; without both, it is the
// first addressable device.
struct Placement {
  std::optional<Device> device = std::nullopt;
  std::optional<Memory> memory = std::nullopt;
  std::optional<Layout> layout = std::nullopt;  // on the device; the plugin's by default
};

// A buffer and when its host memory may change.
struct Transfer {
  Buffer buffer;
  Future<void> done;
};

class Client {
 public:
  explicit Client(detail::ClientRef state) : state_(std::move(state)) {}

  PJRT_Client* get() const { return state_.get(); }
  const detail::ClientRef& state() const { return state_; }

  Result<std::string> platform_name() const {
    raw::Args<raw::PJRT_Client_PlatformName> args;
    if (Error error = query(args)) return error;
    return std::string(detail::view(args.platform_name, args.platform_name_size));
  }
  Result<std::string> platform_version() const {
    raw::Args<raw::PJRT_Client_PlatformVersion> args;
    if (Error error = query(args)) return error;
    return std::string(detail::view(args.platform_version, args.platform_version_size));
  }
  Result<int> process_index() const {
    raw::Args<raw::PJRT_Client_ProcessIndex> args;
    if (Error error = query(args)) return error;
    return args.process_index;
  }
  // All devices, also those of other processes.
  Result<std::vector<Device>> devices() const {
    raw::Args<raw::PJRT_Client_Devices> args;
    if (Error error = query(args)) return error;
    return detail::to_devices(state_, args.devices, args.num_devices);
  }
  Result<std::vector<Device>> addressable_devices() const {
    raw::Args<raw::PJRT_Client_AddressableDevices> args;
    if (Error error = query(args)) return error;
    return detail::to_devices(state_, args.addressable_devices,
                              args.num_addressable_devices);
  }
  Result<Device> lookup_device(int id) const {
    raw::Args<raw::PJRT_Client_LookupDevice> args;
    args.id = id;
    if (Error error = query(args)) return error;
    return Device(state_, args.device);
  }
  Result<std::vector<Memory>> memories() const {
    raw::Args<raw::PJRT_Client_AddressableMemories> args;
    if (Error error = query(args)) return error;
    std::vector<Memory> result;
    for (PJRT_Memory* memory :
         std::span(args.addressable_memories, args.num_addressable_memories)) {
      result.emplace_back(state_, memory);
    }
    return result;
  }

  Result<Executable> compile(Program program, const CompileOptions& options = {}) const;
  // Loads what Executable::serialize returned.
  Result<Executable> deserialize(std::string_view bytes) const {
    raw::Args<raw::PJRT_Executable_DeserializeAndLoad> args;
    args.serialized_executable = bytes.data();
    args.serialized_executable_size = bytes.size();
    if (Error error = query(args)) return error;
    return Executable::from_handle(state_, args.loaded_executable);
  }

  // Copies an array of host memory to a device. See host_memory.hpp for the kinds of
  // memory.
  Result<Buffer> to_device(const Copied& memory, Dims dims,
                           const Placement& placement = {}) const {
    auto args = upload(memory.span, dims,
                       PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, placement);
    if (!args) return std::move(args).error();
    if (PJRT_Event* event = args->done_with_host_buffer) {
      raw::handle_traits<PJRT_Event>::destroy(state_.table(), event);
    }
    return Result<Buffer>(std::in_place, state_, args->buffer);
  }
  template <detail::ElementRange R>
  Result<Buffer> to_device(const R& range, Dims dims,
                           const Placement& placement = {}) const {
    return to_device(copied(range), dims, placement);
  }
  Result<Transfer> to_device(const ImmutableUntilDone& memory, Dims dims,
                             const Placement& placement = {}) const {
    auto args =
        upload(memory.span, dims,
               PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes, placement);
    if (!args) return std::move(args).error();
    return Transfer{Buffer(state_, args->buffer), Future<void>(done_event(*args), {})};
  }
  template <typename Keep>
  Result<Buffer> to_device(Borrowed<Keep> memory, Dims dims,
                           const Placement& placement = {}) const {
    auto args =
        upload(memory.span, dims, PJRT_HostBufferSemantics_kImmutableZeroCopy, placement);
    if (!args) return std::move(args).error();
    // Destroys `keep` when the plugin no longer uses the memory.
    done_event(*args).on_ready(detail::Keep<Keep>{std::move(memory.keep)});
    return Result<Buffer>(std::in_place, state_, args->buffer);
  }
  // A buffer of rank 0.
  template <Element T>
  Result<Buffer> scalar(T value, const Placement& placement = {}) const {
    return to_device(copied(std::span<const T>(&value, 1)), {}, placement);
  }

 private:
  template <typename F>
  Error query(raw::Args<F>& args) const {
    args.client = state_.get();
    return state_.plugin().call(args);
  }
  using UploadArgs = raw::Args<raw::PJRT_Client_BufferFromHostBuffer>;
  // The arguments of the call with its results.
  Result<UploadArgs> upload(const detail::HostSpan& span, Dims dims,
                            PJRT_HostBufferSemantics semantics,
                            const Placement& placement) const;
  detail::Event done_event(const UploadArgs& args) const {
    if (!args.done_with_host_buffer) return {};
    return detail::Event(state_, args.done_with_host_buffer);
  }

  detail::ClientRef state_;
};

inline Result<Executable> Client::compile(Program program,
                                          const CompileOptions& options) const {
  std::string why = detail::why_invalid(options);
  if (!why.empty()) {
    return state_.plugin().invalid(why, raw::PJRT_Client_Compile::name);
  }
  std::string bytes = detail::serialize(options);
  auto c_program = raw::sized<PJRT_Program>();
  c_program.code = const_cast<char*>(program.code.data());  // only read here
  c_program.code_size = program.code.size();
  c_program.format = program.format.data();
  c_program.format_size = program.format.size();
  raw::Args<raw::PJRT_Client_Compile> args;
  args.program = &c_program;
  args.compile_options = bytes.data();
  args.compile_options_size = bytes.size();
  if (Error error = query(args)) return error;
  return Executable::from_handle(state_, args.executable);
}

inline Result<Client::UploadArgs> Client::upload(const detail::HostSpan& span, Dims dims,
                                                 PJRT_HostBufferSemantics semantics,
                                                 const Placement& placement) const {
  constexpr const char* kFunction = raw::PJRT_Client_BufferFromHostBuffer::name;
  std::string why = span.why_invalid(dims.get());
  if (!why.empty()) return state_.plugin().invalid(why, kFunction);
  UploadArgs args;
  std::byte nothing{};
  args.data = span.data ? span.data + span.first : &nothing;
  args.type = static_cast<PJRT_Buffer_Type>(span.type);
  args.dims = dims.get().data();
  args.num_dims = dims.rank();
  if (!span.byte_strides.empty()) {
    args.byte_strides = span.byte_strides.data();
    args.num_byte_strides = span.byte_strides.size();
  }
  args.host_buffer_semantics = semantics;
  if (placement.memory) {
    args.memory = placement.memory->get();
  } else if (placement.device) {
    args.device = placement.device->get();
  } else {
    raw::Args<raw::PJRT_Client_AddressableDevices> devices;
    if (Error error = query(devices)) return error;
    if (devices.num_addressable_devices == 0) {
      return state_.plugin().invalid("the client has no addressable device", kFunction);
    }
    args.device = devices.addressable_devices[0];
  }
  std::optional<detail::CLayout> layout;
  if (placement.layout) args.device_layout = layout.emplace(*placement.layout).get();
  if (Error error = query(args)) return error;
  return args;
}

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_CLIENT_HPP_
