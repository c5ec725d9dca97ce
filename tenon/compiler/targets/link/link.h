// Links relocatable objects into one position-independent block of code without
// relocations.
//
// What an image needs is far less than what a linker offers: no symbols are exported,
// nothing is writable but three import slots, and every reference is relative. So objects
// are laid end to end and their references resolved, once, at compile time.
#ifndef TENON_COMPILER_TARGETS_LINK_LINK_H_
#define TENON_COMPILER_TARGETS_LINK_LINK_H_

#include <span>
#include <string>
#include <string_view>

#include "tenon/base/status.h"
#include "tenon/executable/image.h"

namespace tenon::codegen {

// An ELF64 file as LLVM writes it. In names that it defines, one part between dots that
// is `old_name` becomes `new_name`: code that is kept for other programs has a name of
// its own. Empty: nothing is renamed.
struct LinkedObject {
  std::string_view bytes;
  std::string_view old_name = {}, new_name = {};
};

// `entry` names the entry point. Undefined
// symbols other than memcpy, memmove and memset are an INTERNAL error that names them, as
// is a relocation that is not relative.
StatusOr<CodeObject> LinkObjects(std::span<const LinkedObject> objects,
                                 std::string_view entry);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_TARGETS_LINK_LINK_H_
