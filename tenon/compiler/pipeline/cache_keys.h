// Keys of the code cache: everything that determines generated code, as bytes.
#ifndef TENON_COMPILER_PIPELINE_CACHE_KEYS_H_
#define TENON_COMPILER_PIPELINE_CACHE_KEYS_H_

#include <string>
#include <string_view>

#include "tenon/compiler/compile.h"
#include "tenon/compiler/pipeline/generate_code.h"

namespace tenon::compiler {

// Key of a kernel's object code, which is generated under a name that does not depend on
// the kernel. Equal kernels have equal keys, whatever their names and source locations.
// Empty for a kernel whose text is incomplete.
std::string KernelKey(ir::KernelOp kernel, const CodeOptions& options);

// Key of a shared function (shared_code.h) for a level, among those of one build of the
// compiler, and the key for any build.
std::string SharedFunctionKey(std::string_view name, const TargetDescription& level,
                              const CodeOptions& options);
std::string KeyOfBuild(std::string_view key);

// The compile options that change a program's image. (The image also stores all options.)
// The serialized options cannot be the key, because clients write maps in any order.
struct ImageOptions {
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  bool excess_precision = false;
  // Has no effect on the image, but programs with it are always compiled.
  std::string explain_sharding;
  // Files to write, and the note in the first. None has an effect on the image.
  std::string file, file_note, program_file;
};

// Reads the serialized options of a request.
StatusOr<ImageOptions> ReadOptions(const CompileRequest& request,
                                   const CompilerConfig& config);

// Key of a program's image.
std::string ProgramKey(std::string_view code, const ImageOptions& options,
                       const CompilerConfig& config, const TargetDescription& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_CACHE_KEYS_H_
