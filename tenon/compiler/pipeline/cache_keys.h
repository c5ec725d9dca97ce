// What determines generated code, as bytes: the keys of the cache of code.
#ifndef TENON_COMPILER_PIPELINE_CACHE_KEYS_H_
#define TENON_COMPILER_PIPELINE_CACHE_KEYS_H_

#include <string>
#include <string_view>

#include "tenon/compiler/compile.h"
#include "tenon/compiler/pipeline/generate_code.h"

namespace tenon::compiler {

// Of the object that a kernel becomes under a name that is not its own: equal for equal
// kernels, whatever their names and places in the source. Empty for a kernel whose text
// leaves something out.
std::string KernelKey(ir::KernelOp kernel, const CodeOptions& options);

// What a program's compile options say of its image, which has those options in it
// besides. Their bytes are no key: clients write maps in any order.
struct ImageOptions {
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  bool excess_precision = false;
};

// Of the image that a program becomes.
std::string ProgramKey(std::string_view code, const ImageOptions& options,
                       const CompilerConfig& config, const TargetDescription& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_CACHE_KEYS_H_
