// Generated code that is part of the program which contains the compiler.
#ifndef TENON_COMPILER_PIPELINE_BUILT_IN_CODE_H_
#define TENON_COMPILER_PIPELINE_BUILT_IN_CODE_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::compiler {

// The object of a shared function (shared_code.h) by its key, which lives as long as the
// process. Null if the program was linked without it. Thread-safe.
std::optional<std::string_view> FindBuiltInCode(std::string_view key);

// The bytes that FindBuiltInCode looks for in the symbol tenon_built_in_code: objects by
// their keys.
std::string PackBuiltInCode(const std::map<std::string, std::string>& objects);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_BUILT_IN_CODE_H_
