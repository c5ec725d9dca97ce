// The options of XLA by name, with the types of their values. Stateless.
#ifndef TENON_COMPILER_IMPORT_XLA_OPTIONS_H_
#define TENON_COMPILER_IMPORT_XLA_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "tenon/base/status.h"

namespace tenon::compiler {

using OptionValue = std::variant<std::string, bool, int64_t, double>;

// INVALID_ARGUMENT, in XLA's words, for an option that XLA does not have and for a value
// that does not fit its type. What options ask of XLA's passes has no meaning here.
Status CheckXlaOption(std::string_view name, const OptionValue& value);

// What a value that fits an option of type bool says.
bool IsTrue(const OptionValue& value);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_IMPORT_XLA_OPTIONS_H_
