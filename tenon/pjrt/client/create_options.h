// The create options of local clients.
//
// Plain values; parsing is a pure function.
#ifndef TENON_PJRT_CLIENT_CREATE_OPTIONS_H_
#define TENON_PJRT_CLIENT_CREATE_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/pjrt/interface/named_value.h"

namespace tenon::pjrt {

// docs/options.md says what each is for.
struct CreateOptions {
  std::string platform_name;  // "": the platform's default
  int64_t device_count = 1;   // devices, each running programs of its own
  int64_t threads = 0;        // that compute, callers included; 0: as many as processors
  std::vector<int> affinity;  // processors that threads run on, ascending; empty: any
  int64_t compile_threads = 0;      // 0: as many as processors
  int64_t spin_microseconds = 300;  // how long idle threads look for work
  int64_t memory_limit = 0;         // bytes; 0: the machine's memory
  bool huge_pages = true;           // asked for, for large buffers
  std::string dump_to;              // folder for every compile phase's IR; "": none
  bool ieee_denormals = false;      // else denormals are flushed to zero
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
// strings. INVALID_ARGUMENT naming the option that is unknown or has a bad value.
StatusOr<CreateOptions> ParseCreateOptions(const NamedValueMap& values);

// `values` and, for options that are not among them, the environment's: TENON_THREADS
// gives `threads`. Variables that are empty are as if not set. `lookup` is std::getenv.
// INVALID_ARGUMENT naming the variable whose value is bad.
StatusOr<NamedValueMap> WithEnvironment(
    NamedValueMap values, const std::function<const char*(const char*)>& lookup);

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_CREATE_OPTIONS_H_
