// The compiler's front door: program bytes in, executable image out.
#ifndef TENON_COMPILER_COMPILE_H_
#define TENON_COMPILER_COMPILE_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon::compiler {

class Extension;  // extension/extension.h

struct CompileRequest {
  std::string_view code;     // MLIR bytecode (VHLO artifact or StableHLO) or text
  std::string_view options;  // serialized CompileOptionsProto; may be empty
};

// How to compile, fixed for the life of a client.
struct CompilerConfig {
  // Targets, separated by commas, that the image gets code for; target_name.h of
  // tenon/compiler/targets says how they are called.
  std::string target = "host";
  std::string features;  // LLVM feature string added to each target's, "+a,-b"
  // What this machine offers, by LLVM's names: the target "host" leaves out the
  // rest, such as registers whose use the system does not permit. Empty: not known.
  std::set<std::string, std::less<>> offered;
  // How much LLVM's code generator does for fast code: 0 (least) to 3.
  int optimization_level = 2;
  int num_threads = 0;  // threads that compile; 0 = as many as cores
  bool fold_constants = true;
  bool ieee_denormals = false;
  // Keep what was generated for later compilations of this process and, if the folder is
  // not empty, of others (tenon/compiler/cache). Programs that are dumped or whose phases
  // someone watches are compiled whatever is kept.
  bool cache_code = false;
  std::string cache_folder;  // absolute
  std::string dump_dir;      // every phase's IR is written here if not empty
  // Hooks of the maker of a device, in order; each outlives the compilations.
  std::vector<const Extension*> extensions;
  // Called after each phase with its name and the IR's text; empty: not called. Of
  // several targets, the first is the one that is told and dumped.
  std::function<void(std::string_view phase, std::string_view text)> on_phase;
  // Called after each phase with its name and how long it took; empty: not called.
  std::function<void(std::string_view phase, double milliseconds)> on_time;
};

// INVALID_ARGUMENT for a target or a feature that there is not.
// Thread-safe.
Status CheckConfig(const CompilerConfig& config);

// How often code came from where, of programs and of kernels, with this configuration's
// cache and since the process began. Thread-safe.
struct CacheCounts {
  int64_t generated = 0, from_memory = 0, from_disk = 0;
};
CacheCounts CountCached(const CompilerConfig& config);

// Compiles one program. Thread-safe. Errors: INVALID_ARGUMENT for malformed programs or
// options, UNIMPLEMENTED (op, type and source location named) for what Tenon does not
// support.
StatusOr<Image> Compile(const CompileRequest& request, const CompilerConfig& config);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_COMPILE_H_
