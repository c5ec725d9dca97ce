// The names of a program's arguments and results in C.
#ifndef TENON_COMPILER_OBJECT_C_NAMES_H_
#define TENON_COMPILER_OBJECT_C_NAMES_H_

#include <string>
#include <string_view>

#include "tenon/compiler/object/interface_code.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// `text` with other characters replaced so that it is an identifier, and no keyword, in C
// and in C++. Empty if nothing of it can be used.
std::string CIdentifier(std::string_view text);

// From the locations of the program's arguments; "arg0" and so on where they have no
// name. All names are different.
InterfaceNames NamesOf(ir::ProgramOp program, const ExecutableInfo& info);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_OBJECT_C_NAMES_H_
