// Executable: a compiled program, loaded on the devices of a client.
//
//   std::vector<pjrt::Buffer> y = executable(x).value();
//   auto [sum, product] = executable.call<2>(a, b).value();
//   auto [next] = executable.call<1>(pjrt::donate(state)).value();
//
// Arguments stay usable after a call, whatever the program says about donation, unless
// they are marked with donate(). Any thread may call an executable, several at once.
#ifndef TENON_PJRT_CPP_EXECUTABLE_HPP_
#define TENON_PJRT_CPP_EXECUTABLE_HPP_

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tenon/pjrt/cpp/buffer.hpp"
#include "tenon/pjrt/cpp/execution.hpp"

namespace pjrt {
inline namespace TENON_PJRT_NAMESPACE {

// Bytes of a program on a device. What an older plugin does not report is 0.
struct ProgramMemory {
  int64_t code, arguments, outputs, aliased, temporary, peak;
};

// The type and the sizes of a result.
struct ArrayShape {
  ElementType type;
  std::vector<int64_t> dims;
  bool operator==(const ArrayShape&) const = default;
};

struct Launched {
  std::vector<Buffer> outputs;
  Future<void> done;  // completes when the device has run the program
};

class Executable {
 public:
  // Takes over a handle of the C API and reads what calls need.
  static Result<Executable> from_handle(detail::ClientRef client,
                                        PJRT_LoadedExecutable* handle);

  PJRT_LoadedExecutable* get() const { return loaded_.get(); }
  const std::string& name() const { return name_; }
  size_t num_outputs() const { return num_outputs_; }

  // Runs the program on one device.
  template <typename... Buffers>
  Result<std::vector<Buffer>> operator()(Buffers&&... arguments) const {
    std::array<Argument, sizeof...(Buffers)> list{
        Argument(std::forward<Buffers>(arguments))...};
    return execute(list);
  }
  // The same for a program with N results.
  template <size_t N, typename... Buffers>
  Result<std::array<Buffer, N>> call(Buffers&&... arguments) const {
    std::array<Argument, sizeof...(Buffers)> list{
        Argument(std::forward<Buffers>(arguments))...};
    Result<std::array<Buffer, N>> outputs(std::in_place);
    if (Error error = execute_into(list, *outputs)) outputs = std::move(error);
    return outputs;
  }
  Result<std::vector<Buffer>> execute(std::span<const Argument> arguments,
                                      const ExecuteOptions& options = {}) const {
    Result<std::vector<Buffer>> outputs(std::in_place, num_outputs_);
    if (Error error = execute_into(arguments, *outputs, options)) {
      outputs = std::move(error);
    }
    return outputs;
  }
  // Also returns when the device has run the program, for programs without results.
  Result<Launched> launch(std::span<const Argument> arguments,
                          const ExecuteOptions& options = {}) const {
    std::vector<Buffer> outputs(num_outputs_);
    PJRT_Event* event = nullptr;
    Error error = run(std::array{arguments}, std::span(&event, 1), options,
                      [&](size_t, size_t i) -> Buffer& { return outputs[i]; });
    if (error) return error;
    return Launched{std::move(outputs), Future<void>(detail::Event(client_, event), {})};
  }
  // Allocates nothing. `outputs` has num_outputs() buffers, which are replaced.
  Error execute_into(std::span<const Argument> arguments, std::span<Buffer> outputs,
                     const ExecuteOptions& options = {}) const {
    if (outputs.size() != num_outputs_) {
      return invalid("the program has " + std::to_string(num_outputs_) +
                     " results, but the call has room for " +
                     std::to_string(outputs.size()));
    }
    return run(std::array{arguments}, {}, options,
               [&](size_t, size_t i) -> Buffer& { return outputs[i]; });
  }
  // Runs the program on several devices: [device][argument] to [device][result], with
  // devices in the order of devices().
  Result<std::vector<std::vector<Buffer>>> execute_on_all(
      std::span<const std::vector<Argument>> arguments,
      const ExecuteOptions& options = {}) const {
    std::vector<std::span<const Argument>> lists(arguments.begin(), arguments.end());
    std::vector<std::vector<Buffer>> outputs(lists.size());
    for (std::vector<Buffer>& list : outputs) list.resize(num_outputs_);
    Error error = run(lists, {}, options, [&](size_t device, size_t i) -> Buffer& {
      return outputs[device][i];
    });
    if (error) return error;
    return outputs;
  }

  // The addressable devices that the program is loaded on.
  Result<std::vector<Device>> devices() const;
  Result<std::vector<ArrayShape>> outputs() const;
  // Estimates of the compiler, such as "flops" and "bytes accessed".
  Result<NamedValues> cost_analysis() const;
  Result<ProgramMemory> memory() const;
  Result<std::string> fingerprint() const;
  // The program after optimization, and its format ("mlir" or "hlo").
  Result<std::pair<std::string, std::string>> optimized_program() const;
  // Bytes that Client::deserialize of the same plugin loads again.
  Result<std::string> serialize() const;

 private:
  Executable(detail::ClientRef client, PJRT_LoadedExecutable* handle)
      : client_(std::move(client)), loaded_(client_.table(), handle) {}

  Error invalid(std::string_view message) const {
    return client_.plugin().invalid("'" + name_ + "': " + std::string(message),
                                    raw::PJRT_LoadedExecutable_Execute::name);
  }
  template <typename Lists, typename Output>
  Error run(const Lists& lists, std::span<PJRT_Event*> events,
            const ExecuteOptions& options, const Output& output) const;
  Error check(std::span<const Argument> arguments, bool& donates) const;
  Error check_donations(std::span<const std::span<const Argument>> lists) const;
  // Whether the arguments for each of several devices are there: XLA's CPU client of PJRT
  // 0.106 crashes if some are not.
  Error check_devices(std::span<const std::span<const Argument>> lists) const;
  std::string description(PJRT_Device* device) const;
  // The indices of arguments that are not donated.
  Error keep(std::span<const std::span<const Argument>> lists,
             detail::SmallArray<int64_t, 32>& kept, size_t& count) const;
  template <typename F>
  Error query(raw::Args<F>& args) const {
    args.executable = program_.get();
    return client_.plugin().call(args);
  }

  detail::ClientRef client_;  // first: destroyed last
  raw::unique_handle<PJRT_LoadedExecutable> loaded_;
  raw::unique_handle<PJRT_Executable> program_;
  size_t num_outputs_ = 0;
  bool may_donate_ = true;  // whether the program can overwrite arguments
  std::string name_;
};

inline Result<Executable> Executable::from_handle(detail::ClientRef client,
                                                  PJRT_LoadedExecutable* handle) {
  Executable result(std::move(client), handle);
  raw::Args<raw::PJRT_LoadedExecutable_GetExecutable> inner;
  inner.loaded_executable = handle;
  if (Error error = result.client_.plugin().call(inner)) return error;
  result.program_ = {result.client_.table(), inner.executable};
  raw::Args<raw::PJRT_Executable_NumOutputs> outputs;
  if (Error error = result.query(outputs)) return error;
  result.num_outputs_ = outputs.num_outputs;
  raw::Args<raw::PJRT_Executable_Name> name;
  if (Error error = result.query(name)) return error;
  result.name_ = detail::view(name.executable_name, name.executable_name_size);
  // Most programs alias nothing. Their calls need no list of arguments to keep.
  Result<ProgramMemory> memory = result.memory();
  result.may_donate_ = !memory || memory->aliased != 0;
  return result;
}

inline Error Executable::check(std::span<const Argument> arguments, bool& donates) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (!argument.buffer_->handle_) [[unlikely]] {
      Error why = argument.buffer_->check("");
      return Error(why.code(),
                   "'" + name_ + "': argument " + std::to_string(i) + ": " +
                       std::string(why.message()),
                   raw::PJRT_LoadedExecutable_Execute::name, client_.plugin().path);
    }
    if (argument.buffer_->client_ != client_.state()) [[unlikely]] {
      return invalid("argument " + std::to_string(i) + " belongs to another client");
    }
    donates |= argument.donated_ != nullptr;
  }
  return {};
}

inline Error Executable::check_donations(
    std::span<const std::span<const Argument>> lists) const {
  for (std::span<const Argument> list : lists) {
    for (const Argument& donated : list) {
      if (!donated.donated_) continue;
      for (std::span<const Argument> others : lists) {
        for (const Argument& other : others) {
          if (&other != &donated && other.buffer_ == donated.buffer_) {
            return invalid("argument " + std::to_string(&donated - list.data()) +
                           " is donated, but the same buffer is also argument " +
                           std::to_string(&other - others.data()));
          }
        }
      }
    }
  }
  return {};
}

inline std::string Executable::description(PJRT_Device* device) const {
  Result<std::string> text = Device(client_, device).to_string();
  return text ? *text : "another device";
}

inline Error Executable::check_devices(
    std::span<const std::span<const Argument>> lists) const {
  raw::Args<raw::PJRT_LoadedExecutable_AddressableDevices> devices;
  devices.executable = loaded_.get();
  if (Error error = client_.plugin().call(devices)) return error;
  if (lists.size() != devices.num_addressable_devices) {
    return invalid(
        "the program is loaded on " + std::to_string(devices.num_addressable_devices) +
        " devices, but the call has arguments for " + std::to_string(lists.size()));
  }
  for (size_t d = 0; d < lists.size(); ++d) {
    for (const Argument& argument : lists[d]) {
      raw::Args<raw::PJRT_Buffer_Device> place;
      if (Error error = argument.buffer_->query(place)) return error;
      if (place.device != devices.addressable_devices[d]) {
        return invalid("argument " + std::to_string(&argument - lists[d].data()) +
                       " for device " + std::to_string(d) + " of the program is on " +
                       description(place.device));
      }
    }
  }
  return {};
}

inline Error Executable::keep(std::span<const std::span<const Argument>> lists,
                              detail::SmallArray<int64_t, 32>& kept,
                              size_t& count) const {
  count = 0;
  for (size_t i = 0; i < lists[0].size(); ++i) {
    bool donated = lists[0][i].donated_ != nullptr;
    for (std::span<const Argument> list : lists) {
      if ((list[i].donated_ != nullptr) != donated) {
        return invalid("argument " + std::to_string(i) +
                       " is donated on some devices only");
      }
    }
    if (!donated) kept[count++] = static_cast<int64_t>(i);
  }
  return {};
}

template <typename Lists, typename Output>
Error Executable::run(const Lists& lists, std::span<PJRT_Event*> events,
                      const ExecuteOptions& options, const Output& output) const {
  const size_t num_devices = std::size(lists);
  const size_t num_args = num_devices ? lists[0].size() : 0;
  detail::SmallArray<PJRT_Buffer*, 64> handles(num_devices * (num_args + num_outputs_));
  detail::SmallArray<PJRT_Buffer* const*, 8> argument_lists(num_devices);
  detail::SmallArray<PJRT_Buffer**, 8> output_lists(num_devices);
  PJRT_Buffer** next = handles.data();
  bool donates = false;
  for (size_t d = 0; d < num_devices; ++d) {
    std::span<const Argument> list = lists[d];
    if (list.size() != num_args) {
      return invalid("device " + std::to_string(d) + " has " +
                     std::to_string(list.size()) + " arguments, device 0 has " +
                     std::to_string(num_args));
    }
    if (Error error = check(list, donates)) return error;
    argument_lists[d] = next;
    for (const Argument& argument : list) *next++ = argument.buffer_->handle_;
    output_lists[d] = next;
    next += num_outputs_;
  }

  std::span<const std::span<const Argument>> all(lists);
  if (donates) {
    if (Error error = check_donations(all)) return error;
  }
  if (num_devices > 1) {
    if (Error error = check_devices(all)) return error;
  }

  auto c_options = raw::sized<PJRT_ExecuteOptions>();
  c_options.launch_id = options.launch_id;
  c_options.call_location = options.call_location;
  c_options.context = options.context;
  detail::SmallArray<int64_t, 32> kept(may_donate_ ? num_args : 0);
  if (may_donate_ && num_devices > 0) {
    if (Error error = keep(all, kept, c_options.num_non_donatable_input_indices)) {
      return error;
    }
    c_options.non_donatable_input_indices = kept.data();
  }
  raw::Args<raw::PJRT_LoadedExecutable_Execute> args;
  args.executable = loaded_.get();
  args.options = &c_options;
  args.argument_lists = argument_lists.data();
  args.num_devices = num_devices;
  args.num_args = num_args;
  args.output_lists = output_lists.data();
  args.device_complete_events = events.empty() ? nullptr : events.data();
  args.execute_device = options.device ? options.device->get() : nullptr;
  Error error = client_.plugin().call(args);

  if (donates) {
    for (std::span<const Argument> list : lists) {
      for (const Argument& argument : list) {
        if (argument.donated_) argument.finish_donation(!error);
      }
    }
  }
  if (error) return error;
  detail::add_references(client_.state(), static_cast<int>(num_devices * num_outputs_));
  for (size_t d = 0; d < num_devices; ++d) {
    for (size_t i = 0; i < num_outputs_; ++i) {
      output(d, i).adopt(client_.state(), output_lists[d][i]);
    }
  }
  return {};
}

inline Result<std::vector<Device>> Executable::devices() const {
  raw::Args<raw::PJRT_LoadedExecutable_AddressableDevices> args;
  args.executable = loaded_.get();
  if (Error error = client_.plugin().call(args)) return error;
  return detail::to_devices(client_, args.addressable_devices,
                            args.num_addressable_devices);
}

inline Result<std::vector<ArrayShape>> Executable::outputs() const {
  raw::Args<raw::PJRT_Executable_OutputElementTypes> types;
  if (Error error = query(types)) return error;
  raw::Args<raw::PJRT_Executable_OutputDimensions> sizes;
  if (Error error = query(sizes)) return error;
  std::vector<ArrayShape> result;
  const int64_t* dims = sizes.dims;
  for (size_t i = 0; i < std::min(types.num_output_types, sizes.num_outputs); ++i) {
    const int64_t* end = dims + sizes.dim_sizes[i];
    result.push_back({static_cast<ElementType>(types.output_types[i]), {dims, end}});
    dims = end;
  }
  return result;
}

inline Result<NamedValues> Executable::cost_analysis() const {
  raw::Args<raw::PJRT_Executable_GetCostAnalysis> args;
  if (Error error = query(args)) return error;
  return detail::from_c(args.properties, args.num_properties);
}

inline Result<ProgramMemory> Executable::memory() const {
  raw::Args<raw::PJRT_Executable_GetCompiledMemoryStats> args;
  if (Error error = query(args)) return error;
  return ProgramMemory{args.generated_code_size_in_bytes, args.argument_size_in_bytes,
                       args.output_size_in_bytes,         args.alias_size_in_bytes,
                       args.temp_size_in_bytes,           args.peak_memory_in_bytes};
}

inline Result<std::string> Executable::fingerprint() const {
  raw::Args<raw::PJRT_Executable_Fingerprint> args;
  if (Error error = query(args)) return error;
  return std::string(
      detail::view(args.executable_fingerprint, args.executable_fingerprint_size));
}

inline Result<std::pair<std::string, std::string>> Executable::optimized_program() const {
  // The first call gives the size, the second one the text.
  auto program = raw::sized<PJRT_Program>();
  raw::Args<raw::PJRT_Executable_OptimizedProgram> args;
  args.program = &program;
  if (Error error = query(args)) return error;
  std::string code(program.code_size, '\0');
  program.code = code.data();
  if (Error error = query(args)) return error;
  return std::pair(std::move(code),
                   std::string(detail::view(program.format, program.format_size)));
}

inline Result<std::string> Executable::serialize() const {
  raw::Args<raw::PJRT_Executable_Serialize> args;
  if (Error error = query(args)) return error;
  std::string bytes(detail::view(args.serialized_bytes, args.serialized_bytes_size));
  if (args.serialized_executable_deleter) {
    args.serialized_executable_deleter(args.serialized_executable);
  }
  return bytes;
}

}  // namespace TENON_PJRT_NAMESPACE
}  // namespace pjrt

#endif  // TENON_PJRT_CPP_EXECUTABLE_HPP_
