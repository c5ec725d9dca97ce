// For tests: images that run a function of the test.
//
// Compiled code is position-independent and a test's function is not, so the image's code
// is a jump to the function's absolute address.
#ifndef TENON_EXECUTABLE_TESTING_H_
#define TENON_EXECUTABLE_TESTING_H_

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "tenon/executable/image.h"
#include "tenon/executable/machine.h"
#include "tenon/executable/run_context.h"
#include "tenon/format/layout.h"

namespace tenon::testing {

#if defined(__x86_64__)
inline constexpr char kArchitecture[] = "x86_64";
inline std::vector<uint8_t> JumpTo(EntryPoint target) {
  std::vector<uint8_t> bytes = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,  // mov rax, target
                                0xff, 0xe0};                         // jmp rax
  std::memcpy(&bytes[2], &target, sizeof target);
  return bytes;
}
#elif defined(__aarch64__)
inline constexpr char kArchitecture[] = "aarch64";
inline std::vector<uint8_t> JumpTo(EntryPoint target) {
  const uint32_t code[] = {0x58000050, 0xd61f0200};  // ldr x16, 8; br x16
  std::vector<uint8_t> bytes(16);
  std::memcpy(&bytes[0], code, sizeof code);
  std::memcpy(&bytes[8], &target, sizeof target);
  return bytes;
}
#endif

inline Image ImageOf(EntryPoint entry) {
  Image image;
  image.info.name = "test";
  CodeObject& code = image.code_objects.emplace_back();
  code.architecture = kArchitecture;
  code.bytes = JumpTo(entry);
  code.imports_offset = format::ImportsOffset(code.bytes.size());
  return image;
}

// Gives the image constants, for all of its code objects.
inline void SetConstants(Image& image, ConstantData constants) {
  image.constants = std::move(constants);
  for (CodeObject& code : image.code_objects)
    code.constants_size = image.constants.size();
}

inline ImageTensor TensorOf(ElementType type, std::vector<int64_t> dims) {
  ImageTensor tensor;
  tensor.type = type;
  for (size_t i = dims.size(); i > 0; --i) {
    tensor.minor_to_major.push_back(static_cast<int64_t>(i - 1));
  }
  tensor.dims = std::move(dims);
  return tensor;
}

inline Machine TestMachine() { return Machine{.architecture = kArchitecture}; }

}  // namespace tenon::testing

#endif  // TENON_EXECUTABLE_TESTING_H_
