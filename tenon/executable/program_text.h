// Constants in the program's text (ExecutableInfo::optimized_program). The text only
// refers to constants that are in the image's constant section. Their bytes are written
// into the text when somebody asks for the program. Pure functions; no LLVM.
#ifndef TENON_EXECUTABLE_PROGRAM_TEXT_H_
#define TENON_EXECUTABLE_PROGRAM_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"

namespace tenon {

// The name of the resource that stands for constant `number` during compilation. In the
// text it is `dense_resource<NAME>`.
std::string ConstantName(size_t number);

// The text that replaces a resource: HexConstant is `dense<"0x...">`; StoredConstant is a
// reference to bytes of the constant section.
std::string HexConstant(std::span<const uint8_t> bytes);
std::string StoredConstant(uint64_t offset, uint64_t size);

// `text` with values[k] in place of each reference to constant k.
std::string ReplaceConstants(std::string_view text,
                             const std::vector<std::string>& values);

// `text` with the bytes of `section` in place of each StoredConstant. DATA_LOSS if one
// lies outside of the section.
StatusOr<std::string> WriteStoredConstants(std::string_view text,
                                           std::span<const uint8_t> section);

}  // namespace tenon

#endif  // TENON_EXECUTABLE_PROGRAM_TEXT_H_
