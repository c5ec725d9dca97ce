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

// docs/options.md explains each option.
struct CreateOptions : device::SystemOptions {
  int64_t compile_threads = 0;  // 0 means one per processor
  std::string dump_to;          // folder for the IR of every compile phase; "" for none
  bool ieee_denormals = false;  // otherwise denormals are flushed to zero
  bool fold_constants = true;
  bool perf_map = false;           // names compiled functions for Linux perf
  std::string cpu = "host";        // LLVM's name of the processor to compile for
  std::string features;            // LLVM feature string added to the processor's
  int64_t optimization_level = 2;  // of machine code, 0 to 3
  std::string kernel_cache;        // folder of generated code; "" means the default
  // The processes of a distributed job.
  int64_t num_nodes = 1;
  int64_t node_id = 0;
  int64_t partition_index = -1;  // of this process; -1 if it has none
  // How processes exchange data: "gloo" or "none".
  std::string collectives = "gloo";
  std::string collectives_hostname;   // of this process for the others; "" chooses one
  std::string collectives_interface;  // the network interface; "" chooses one
  std::string collectives_library;    // the path of tenon_gloo.so; "" finds it
  int64_t collectives_timeout = 600;  // seconds that a collective waits for the others
};

// Numbers and flags may also be strings, because environment variables are. `own` are the
// platform's own options. INVALID_ARGUMENT, naming the option, if it is unknown or has an
// invalid value.
StatusOr<CreateOptions> ParseCreateOptions(const NamedValueMap& values,
                                           std::span<const device::Option> own = {});

// Adds to `values` the options that are set only by environment variables: TENON_THREADS
// sets `threads`. Empty variables count as not set. `lookup` is std::getenv or a test's
// replacement. INVALID_ARGUMENT, naming the variable, if its value is invalid.
StatusOr<NamedValueMap> WithEnvironment(
    NamedValueMap values, const std::function<const char*(const char*)>& lookup,
    std::span<const device::Option> own = {});

}  // namespace tenon::pjrt

#endif  // TENON_PJRT_CLIENT_CREATE_OPTIONS_H_
