// Runs kernels for NVIDIA's processors on this machine: the code of a kernel is compiled
// for the host, each item is a coroutine, and the target's intrinsics and assembly are
// calls of functions that do what the PTX ISA says of them. One group runs after another,
// on one thread.
//
// What makes kernels wrong on a device is made visible: asynchronous copies happen as
// late as they may (when they are waited for), items run one after the other from barrier
// to barrier in either order, local memory starts as NaNs, and items that wait for others
// that do not come are reported.
#ifndef TESTS_GPU_EMULATOR_H_
#define TESTS_GPU_EMULATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tests/gpu/items.h"

namespace tenon::gpu_test {

struct Launch {
  int64_t groups = 1;
  int items = 32;          // of a group
  bool backwards = false;  // the last item runs first
  size_t dynamic_local_bytes = 0;
};

class Emulator {
 public:
  // Compiles the kernels of a module, as EmitPtx wants it. Aborts the test program on
  // errors of LLVM.
  static StatusOr<std::unique_ptr<Emulator>> Make(
      std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module);
  ~Emulator();

  // `arguments` has one word for each: an address, or a scalar in the low bytes.
  Status Run(const std::string& kernel, const Launch& launch, const uint64_t* arguments);
  // By the operations' names in LLVM. A product of several lanes counts once.
  const Counts& counts() const { return counts_; }

 private:
  Emulator() = default;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  size_t dynamic_local_ = 0;   // where the memory that launches add begins
  Instructions instructions_;  // whose addresses are in the code
  Counts counts_;
  std::vector<int64_t> direct_counts_;  // of instructions that are functions; code counts
};

}  // namespace tenon::gpu_test

#endif  // TESTS_GPU_EMULATOR_H_
