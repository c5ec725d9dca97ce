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

// Objects are ELF64 files as LLVM writes them. `entry` names the entry point. Undefined
// symbols other than memcpy, memmove and memset are an INTERNAL error that names them, as
// is a relocation that is not relative.
StatusOr<ImageCode> LinkObjects(std::span<const std::string_view> objects,
                                std::string_view entry);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_TARGETS_LINK_LINK_H_
