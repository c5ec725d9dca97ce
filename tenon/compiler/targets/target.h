// The machine that code is generated for: LLVM's target machine, and what the kernels'
// generators want to know of it.
#ifndef TENON_COMPILER_TARGETS_TARGET_H_
#define TENON_COMPILER_TARGETS_TARGET_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Target/TargetMachine.h"
#include "tenon/base/status.h"
#include "tenon/compiler/targets/traits.h"

namespace tenon::compiler {

// As in LLVM's triples.
inline constexpr std::string_view kArchitectures[] = {"x86_64", "aarch64"};

struct TargetDescription {
  std::string name;  // ARCHITECTURE:PROCESSOR
  std::string triple;
  std::string cpu;                    // an LLVM name
  std::string flags;                  // an LLVM feature string added to the cpu's
  std::vector<std::string> features;  // those that are on, LLVM's names, sorted
  TargetTraits traits;
  // Features that running the code takes: ISA bits only, no tuning.
  std::vector<std::string> RequiredFeatures() const;
};

// `architecture`: "host" or one of kArchitectures; `cpu`: "host", on this machine's
// architecture, or an LLVM name; `features`: an LLVM feature string added to the cpu's.
// INVALID_ARGUMENT for a name LLVM does not know.
StatusOr<TargetDescription> DescribeTarget(const std::string& architecture,
                                           const std::string& cpu,
                                           const std::string& features);

// Whether LLVM knows a processor of one of kArchitectures by this name.
bool IsProcessor(const std::string& architecture, const std::string& cpu);
// The processor whose code every machine of the architecture runs.
std::string BaselineOf(std::string_view architecture);

// One machine a thread: they are not shared.
StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(
    const TargetDescription& target);

// Making a machine costs as much as a small kernel, so those no longer used are kept for
// the next compilation of the process.
struct ReturnTargetMachine {
  std::string key;
  void operator()(llvm::TargetMachine* machine) const;
};
using BorrowedTargetMachine = std::unique_ptr<llvm::TargetMachine, ReturnTargetMachine>;

// A machine for the caller's thread alone until it is destroyed. Thread-safe.
StatusOr<BorrowedTargetMachine> BorrowTargetMachine(const TargetDescription& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_TARGET_H_
