// What a call of the C++ client costs beyond the same calls of the C API.
//
//   cpp_client_overhead PLUGIN [--quick]
//
// Batches of both alternate, so that other load affects both alike. Prints for each case
// the medians in ns per call and the median of the differences of adjacent batches. On
// the null plugin (bench/null_plugin.c), which does nothing, little else is measured.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tenon/pjrt.hpp"

namespace {

constexpr const char* kProgram = R"(
  func.func public @main(%x: tensor<f32>) -> tensor<f32> {
    %y = stablehlo.add %x, %x : tensor<f32>
    return %y : tensor<f32>
  })";

int batches = 400, calls = 2000;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

template <typename Function>
double time_batch(const Function& function) {
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) function();
  std::chrono::duration<double, std::nano> time =
      std::chrono::steady_clock::now() - begin;
  return time.count() / calls;
}

template <typename Raw, typename Friendly>
void compare(const char* name, const Raw& raw, const Friendly& friendly) {
  std::vector<double> raw_times, times, differences;
  for (int i = 0; i < batches; ++i) {
    raw_times.push_back(time_batch(raw));
    times.push_back(time_batch(friendly));
    differences.push_back(times.back() - raw_times.back());
  }
  std::printf("%-12s raw %8.1f  client %8.1f  difference %6.1f\n", name,
              median(raw_times), median(times), median(differences));
}

void check(PJRT_Error* error) {
  if (error) std::abort();
}

// TENON_ARGS(args, PJRT_Buffer_Destroy) declares args as C programs do.
#define TENON_ARGS(name, function)     \
  function##_Args name;                \
  std::memset(&name, 0, sizeof(name)); \
  name.struct_size = function##_Args_STRUCT_SIZE

void destroy(const PJRT_Api* api, PJRT_Buffer* buffer) {
  TENON_ARGS(args, PJRT_Buffer_Destroy);
  args.buffer = buffer;
  check(api->PJRT_Buffer_Destroy(&args));
}

void destroy(const PJRT_Api* api, PJRT_Event* event) {
  TENON_ARGS(args, PJRT_Event_Destroy);
  args.event = event;
  check(api->PJRT_Event_Destroy(&args));
}

void run_execute(const PJRT_Api* api, const pjrt::Executable& program,
                 const pjrt::Buffer& x) {
  auto raw = [&] {
    PJRT_ExecuteOptions options;
    std::memset(&options, 0, sizeof(options));
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    PJRT_Buffer* arguments[] = {x.get()};
    PJRT_Buffer* const* argument_lists[] = {arguments};
    PJRT_Buffer* results[1];
    PJRT_Buffer** result_lists[] = {results};
    TENON_ARGS(args, PJRT_LoadedExecutable_Execute);
    args.executable = program.get();
    args.options = &options;
    args.argument_lists = argument_lists;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = result_lists;
    check(api->PJRT_LoadedExecutable_Execute(&args));
    destroy(api, results[0]);
  };
  compare("execute", raw, [&] { (void)program(x).value(); });
  compare("call<1>", raw, [&] { (void)program.call<1>(x).value(); });
}

void run_to_device(const PJRT_Api* api, const pjrt::Client& client,
                   const pjrt::Device& device) {
  static const float value = 1;
  compare(
      "to_device",
      [&] {
        TENON_ARGS(args, PJRT_Client_BufferFromHostBuffer);
        args.client = client.get();
        args.data = &value;
        args.type = PJRT_Buffer_Type_F32;
        args.device = device.get();
        check(api->PJRT_Client_BufferFromHostBuffer(&args));
        destroy(api, args.done_with_host_buffer);
        destroy(api, args.buffer);
      },
      [&] { (void)client.scalar(value, {.device = device}).value(); });
}

void run_to_host(const PJRT_Api* api, const pjrt::Buffer& x) {
  compare(
      "to_host",
      [&] {
        float value;
        TENON_ARGS(args, PJRT_Buffer_ToHostBuffer);
        args.src = x.get();
        args.dst = &value;
        args.dst_size = sizeof(value);
        check(api->PJRT_Buffer_ToHostBuffer(&args));
        TENON_ARGS(await, PJRT_Event_Await);
        await.event = args.event;
        check(api->PJRT_Event_Await(&await));
        destroy(api, args.event);
      },
      [&] {
        float value;
        x.to_host_into(std::span(&value, 1)).get().value();
      });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (argc > 2) batches = 3, calls = 10;
  auto plugin = pjrt::Plugin::load(argv[1]).value();
  auto client = plugin.create_client().value();
  auto program = client.compile(pjrt::mlir(kProgram)).value();
  auto device = client.addressable_devices().value()[0];
  auto x = client.scalar(1.f).value();
  const PJRT_Api* api = plugin.api().table();
  run_execute(api, program, x);
  run_to_device(api, client, device);
  run_to_host(api, x);
  compare(
      "element_type",
      [&] {
        TENON_ARGS(args, PJRT_Buffer_ElementType);
        args.buffer = x.get();
        check(api->PJRT_Buffer_ElementType(&args));
      },
      [&] { (void)x.element_type().value(); });
}
