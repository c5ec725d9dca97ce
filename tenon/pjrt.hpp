// A C++20 client of any PJRT plugin, in headers alone.
//
//   auto plugin = pjrt::Plugin::load("pjrt_plugin_tenon_cpu.so").value();
//   auto client = plugin.create_client({{"threads", 4}}).value();
//   auto program = client.compile(pjrt::mlir(text)).value();
//   auto x = client.to_device(std::vector{1.f, 2.f, 3.f}, {3}).value();
//   auto [y] = program.call<1>(x).value();
//   std::vector<float> values = y.to_host<float>().get().value();
//
// Functions return Result<T> or Future<T>, in programs with exceptions and without.
// Objects are moved, not copied, and may be destroyed in any order: each keeps its client
// alive. docs/cpp_client.md is the guide.
#ifndef TENON_PJRT_HPP_
#define TENON_PJRT_HPP_

#include "tenon/pjrt/cpp/buffer.hpp"
#include "tenon/pjrt/cpp/client.hpp"
#include "tenon/pjrt/cpp/compile_options.hpp"
#include "tenon/pjrt/cpp/device.hpp"
#include "tenon/pjrt/cpp/element_types.hpp"
#include "tenon/pjrt/cpp/executable.hpp"
#include "tenon/pjrt/cpp/execution.hpp"
#include "tenon/pjrt/cpp/extensions.hpp"
#include "tenon/pjrt/cpp/future.hpp"
#include "tenon/pjrt/cpp/host_memory.hpp"
#include "tenon/pjrt/cpp/key_value_store.hpp"
#include "tenon/pjrt/cpp/named_values.hpp"
#include "tenon/pjrt/cpp/plugin.hpp"
#include "tenon/pjrt/cpp/result.hpp"
#include "tenon/pjrt/raw.hpp"

#endif  // TENON_PJRT_HPP_
