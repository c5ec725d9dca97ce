// The create options of local clients.
//
// Plain values; parsing is a pure function.
#ifndef TENON_PJRT_CLIENT_CREATE_OPTIONS_H_
#define TENON_PJRT_CLIENT_CREATE_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/options.h"
#include "tenon/pjrt/interface/named_value.h"

namespace tenon::pjrt {

// docs/options.md says what each is for.
struct CreateOptions : device::SystemOptions {
  int64_t compile_threads = 0;  // 0: as many as processors
  std::string dump_to;          // folder for every compile phase's IR; "": none
  bool ieee_denormals = false;  // else denormals are flushed to zero
  bool fold_constants = true;
  bool perf_map = false;           // names compiled functions for Linux perf
  std::string cpu = "host";        // LLVM's name of the processor to compile for
  std::string features;            // LLVM feature string added to the processor's
  int64_t optimization_level = 2;  // of machine code, 0 to 3
  std::string kernel_cache;        // folder of generated code; "": the default; "off"
  // Of a distributed job; only single-process jobs are supported.
  int64_t num_nodes = 1;
  int64_t node_id = 0;
};

// Strings are taken for numbers and flags too, because environment variables carry only
// strings. `own` are the options of the platform alone. INVALID_ARGUMENT naming the
// option that is unknown or has a bad value.
StatusOr<CreateOptions> ParseCreateOptions(const NamedValueMap& values,
                                           std::span<const device::Option> own = {});

// `values` and, for options that are not among them, the environment's: TENON_THREADS
// gives `threads`. Variables that are empty are as if not set. `lookup` is std::getenv.
// INVALID_ARGUMENT naming the variable whose value is bad.
StatusOr<NamedValueMap> WithEnvironment(
    NamedValueMap values, const std::function<const char*(const char*)>& lookup,
    std::span<const device::Option> own = {});

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_CREATE_OPTIONS_H_
