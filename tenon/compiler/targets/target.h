// The machine that code is generated for: LLVM's target machine, and the traits that
// planners and emitters read.
#ifndef TENON_COMPILER_TARGETS_TARGET_H_
#define TENON_COMPILER_TARGETS_TARGET_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Target/TargetMachine.h"
#include "tenon/base/status.h"
#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

struct TargetDescription {
  std::string name;  // ARCHITECTURE:PROCESSOR
  std::string triple;
  std::string cpu;                    // LLVM's name
  std::string abi;                    // LLVM's name; empty: the default
  std::string flags;                  // LLVM feature string, added to the cpu's features
  std::vector<std::string> features;  // enabled features, LLVM's names, sorted
  TargetTraits traits;
  bool has_images = true;  // otherwise its code is only for object files
  // The enabled features that the code needs to run: ISA bits only, no tuning flags.
  std::vector<std::string> RequiredFeatures() const;
};

// `architecture`: "host" or one of Architectures(). `cpu`: "host" for this machine's
// processor, or LLVM's name. `features`: LLVM feature string, added to the cpu's
// features. INVALID_ARGUMENT if LLVM does not know a name.
StatusOr<TargetDescription> DescribeTarget(const std::string& architecture,
                                           const std::string& cpu,
                                           const std::string& features);

// Whether the code of an architecture is kernels that a host launches. INVALID_ARGUMENT
// for an unknown name.
StatusOr<bool> RunsOnDevice(const std::string& architecture);

// Whether LLVM knows a processor of one of Architectures() by this name.
bool IsProcessor(const std::string& architecture, const std::string& cpu);
// The processor whose code runs on every machine of the architecture.
std::string BaselineOf(std::string_view architecture);

// A set of features that many processors have, such as x86-64-v3 (AVX2, FMA and others).
struct TargetLevel {
  TargetDescription target;
  std::string tuned_for;  // LLVM's name of a processor, for the attribute tune-cpu
};
// The best level of the target's architecture whose code the target runs, and for which
// emitters generate the same code: x86-64-v3 for a processor with AVX2. Null without one.
std::optional<TargetLevel> LevelOf(const TargetDescription& target);

// The levels of this machine's architecture, as ARCHITECTURE:LEVEL.
std::vector<std::string> HostLevels();

// Target machines are not thread-safe: each thread needs its own.
StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(
    const TargetDescription& target);

// Creating a machine costs as much as compiling a small kernel, so returned machines are
// kept for later compilations of the process.
struct ReturnTargetMachine {
  std::string key;
  void operator()(llvm::TargetMachine* machine) const;
};
using BorrowedTargetMachine = std::unique_ptr<llvm::TargetMachine, ReturnTargetMachine>;

// A machine for the calling thread alone, until it is destroyed. Its level must not be
// changed: a machine keeps decisions of the level at which it was first used, such as
// fast instruction selection or the expansion of divisions, so its code would depend on
// what it compiled before. Thread-safe.
StatusOr<BorrowedTargetMachine> BorrowTargetMachine(const TargetDescription& target,
                                                    llvm::CodeGenOptLevel level);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_TARGET_H_
