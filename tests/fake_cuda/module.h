// Modules and the kernels in them.
#ifndef TESTS_FAKE_CUDA_MODULE_H_
#define TESTS_FAKE_CUDA_MODULE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tests/gpu/emulator.h"

namespace tenon::fake_cuda {

// What a launch is checked against.
struct Kernel {
  struct Argument {
    size_t size = 0;
    bool is_address = false;
  };
  std::string name;  // of the function that the emulator runs
  std::vector<Argument> arguments;
  int max_items = 1024;
  size_t static_bytes =
      0;  // of local memory; arrays without a size are in what launches add
};

class Module {
 public:
  // Of PTX that Tenon has compiled: the compiler's folder TENON_DUMP_TO has it, and the
  // LLVM IR that it was generated from. Or of LLVM IR that begins with "; emulated".
  // The error is what the log of the driver says. `capability`: 90 for 9.0.
  static StatusOr<std::shared_ptr<Module>> Load(const std::string& image, int capability);

  // By the names in PTX.
  const std::map<std::string, Kernel>& kernels() const { return kernels_; }
  // `local_bytes`: that the launch adds.
  Status Run(const Kernel& kernel, int64_t groups, int items, size_t local_bytes,
             const std::vector<uint64_t>& arguments) const;

 private:
  std::map<std::string, Kernel> kernels_;
  std::unique_ptr<gpu_test::Emulator> emulator_;
};

}  // namespace tenon::fake_cuda

#endif  // TESTS_FAKE_CUDA_MODULE_H_
