// Writes the C header of an object file.
#ifndef TENON_COMPILER_OBJECT_HEADER_H_
#define TENON_COMPILER_OBJECT_HEADER_H_

#include <string>

#include "tenon/compiler/object/interface_code.h"
#include "tenon/compiler/object/object.h"

namespace tenon::compiler {

// `object` has everything but the header.
std::string WriteHeader(const ObjectFile& object, const InterfaceNames& names,
                        const ObjectOptions& options);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_OBJECT_HEADER_H_
