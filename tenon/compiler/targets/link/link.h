// Links relocatable objects into one position-independent block of code without
// relocations.
//
// An image needs far less than a linker offers: it exports no symbols, its only writable
// data are three import slots, and every reference is relative. So the linker places the
// objects one after the other and resolves their references once, at compile time.
#ifndef TENON_COMPILER_TARGETS_LINK_LINK_H_
#define TENON_COMPILER_TARGETS_LINK_LINK_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon::codegen {

// An ELF64 object file from LLVM. In the names of symbols that it defines, one
// dot-separated part equal to `old_name` is replaced by `new_name`, so that cached code
// can be linked under the name of its new program. If `old_name` is empty, nothing is
// renamed.
struct LinkedObject {
  std::string_view bytes;
  std::string_view old_name = {}, new_name = {};
};

// The names of the symbols that an object file from LLVM uses and does not define.
std::vector<std::string_view> UndefinedSymbols(std::string_view object);

// Links `objects`; `entry` names the entry point. An undefined symbol other than memcpy,
// memmove and memset is an INTERNAL error that names it, and so is a relocation that is
// not relative.
StatusOr<CodeObject> LinkObjects(std::span<const LinkedObject> objects,
                                 std::string_view entry);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_TARGETS_LINK_LINK_H_
