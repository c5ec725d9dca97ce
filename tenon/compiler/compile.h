// The compiler's entry point: program bytes in, executable image out.
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

class Extension;        // extension/extension.h
class CallPartitioner;  // call_partitioner.h
class CodeEmitter;      // pipeline/code_emitter.h
class TileChoices;      // tile_choices.h

struct CompileRequest {
  std::string_view code;     // MLIR bytecode (VHLO artifact or StableHLO) or text
  std::string_view options;  // serialized CompileOptionsProto; may be empty
};

// How to compile; fixed for the lifetime of a client.
struct CompilerConfig {
  // Targets, separated by commas, for which the image gets code;
  // tenon/compiler/targets/target_name.h lists their names.
  std::string target = "host";
  std::string features;  // LLVM feature string added to each target's: "+a,-b"
  // The features that this machine offers, by LLVM's names. The target "host" disables
  // all others, such as registers that the operating system does not enable. Empty:
  // unknown.
  std::set<std::string, std::less<>> offered;
  // Optimization level of LLVM's code generator, 0 to 3.
  int optimization_level = 2;
  int num_threads = 0;  // compile threads; 0: one per core
  bool fold_constants = true;
  bool ieee_denormals = false;
  // Devices with matrix instructions that round f32 to 10 bits of mantissa may use them
  // in products and convolutions of precision DEFAULT.
  bool tf32 = false;
  // Keeps generated code for later compilations in this process and, if cache_folder is
  // set, in others (tenon/compiler/cache). Programs are always compiled if their phases
  // are dumped or observed.
  bool cache_code = false;
  std::string cache_folder;  // absolute
  std::string dump_dir;      // if not empty, every phase's IR is written here
  // Takes part in partitioning if not null; must outlive the compilations.
  const CallPartitioner* call_partitioner = nullptr;
  // If not empty, what sharded programs communicate and why is written to this file,
  // or to standard output if it is "-" (tenon/compiler/partition/sharding_report.h). The
  // format is text, html or json; empty: by the name of the file.
  std::string explain_sharding, explain_format;
  // Hooks of a device vendor, in order; each must outlive the compilations.
  std::vector<const Extension*> extensions;
  // Called with the key and the object of each function that kernels share with those of
  // other programs (tenon/compiler/pipeline/shared_code.h); may be empty.
  std::function<void(std::string_view key, std::string_view object)> on_shared_code;
  // Selects the tiles of products on devices if not null; must outlive the compilations.
  // Code is then not kept.
  TileChoices* tiles = nullptr;
  // Emits the code instead of the pipeline if not null; must outlive the compilations.
  CodeEmitter* emitter = nullptr;
  // Called after each phase with its name and the IR's text, if set. Of several targets,
  // only the first is reported and dumped.
  std::function<void(std::string_view phase, std::string_view text)> on_phase;
  // Called after each phase with its name and its time, if set.
  std::function<void(std::string_view phase, double milliseconds)> on_time;
};

// Returns INVALID_ARGUMENT for an unknown target or feature. Thread-safe.
Status CheckConfig(const CompilerConfig& config);

// Counts where the code of programs and kernels came from, for the cache of this
// configuration and since the process began. Thread-safe.
struct CacheCounts {
  int64_t generated = 0, from_memory = 0, from_disk = 0;
};
CacheCounts CountCached(const CompilerConfig& config);

// Compiles one program. Thread-safe. Returns INVALID_ARGUMENT for malformed programs or
// options, and UNIMPLEMENTED (naming op, type and source location) for unsupported ones.
StatusOr<Image> Compile(const CompileRequest& request, const CompilerConfig& config);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_COMPILE_H_
