// The options of XLA by name, with their value types. Stateless.
#ifndef TENON_COMPILER_IMPORT_XLA_OPTIONS_H_
#define TENON_COMPILER_IMPORT_XLA_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "tenon/base/status.h"

namespace tenon::compiler {

using OptionValue = std::variant<std::string, bool, int64_t, double>;

// Returns INVALID_ARGUMENT, with XLA's error text, for an unknown option or a value that
// does not fit the option's type. Options that configure XLA's passes have no effect
// here.
Status CheckXlaOption(std::string_view name, const OptionValue& value);

// The boolean of a value that fits an option of type bool.
bool IsTrue(const OptionValue& value);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_XLA_OPTIONS_H_
