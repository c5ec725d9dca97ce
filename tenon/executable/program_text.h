// Constants in the program's text (ExecutableInfo::optimized_program): those that the
// image has in its constant section are only named by the text, and written into it when
// somebody asks for the program. Pure functions; no LLVM.
#ifndef TENON_EXECUTABLE_PROGRAM_TEXT_H_
#define TENON_EXECUTABLE_PROGRAM_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"

namespace tenon {

// The resource that stands for constant `number` while a program is compiled: in the text
// it is `dense_resource<NAME>`.
std::string ConstantName(size_t number);

// What replaces it: `dense<"0x...">`, or the bytes of the constant section to write
// there.
std::string HexConstant(std::span<const uint8_t> bytes);
std::string StoredConstant(uint64_t offset, uint64_t size);

// `text` with value k for each reference to constant k.
std::string ReplaceConstants(std::string_view text,
                             const std::vector<std::string>& values);

// `text` with the bytes of `section` for each stored constant. DATA_LOSS if one lies
// outside of it.
StatusOr<std::string> WriteStoredConstants(std::string_view text,
                                           std::span<const uint8_t> section);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_PROGRAM_TEXT_H_
