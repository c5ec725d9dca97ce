// A program file as tenon-run sees it: what goes to the plugin, the parameters, and the
// checks of a test program. One thread at a time.
#ifndef TENON_TOOLS_PROGRAM_FILE_H_
#define TENON_TOOLS_PROGRAM_FILE_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/types/element_type.h"
#include "tenon/types/literal.h"

namespace tenon::tools {

// A size of -1 is only known at run time.
struct ParameterShape {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dims;
};

struct ProgramFile {
  std::string bytes;  // for the plugin: text, portable artifact or serialized executable
  bool serialized = false;  // `bytes` are a serialized executable, to be loaded only
  // nullopt: a serialized executable that is not Tenon's does not tell.
  std::optional<std::vector<ParameterShape>> parameters;
  // Arguments that the file itself has (of a test program).
  std::optional<std::vector<Literal>> arguments;
  // Computes the results with the reference evaluator; empty for an executable.
  std::function<StatusOr<std::vector<Literal>>(std::span<const Literal> arguments,
                                               bool keep_denormals)>
      evaluate;
  // Compares the results with what the test program expects; empty if not asked for.
  std::function<Status(std::span<const Literal> results)> check;
};

StatusOr<std::string> ReadFileBytes(const std::string& path);  // "-": standard input

// A test file's programs: MLIR text between lines `// -----`, or all of it.
struct TestCase {
  std::string name;  // of the module, or else the line where it begins
  std::string text;
};
std::vector<TestCase> SplitTestCases(const std::string& bytes);

// The program in `bytes`. With `check`, the custom calls @check.* of its main become
// results, its argument-less calls become arguments, and the reference evaluator makes
// the arguments and compares the results. `sum_tolerance`: @check.expect_close also
// accepts floats that differ by so many times the type's epsilon times the largest
// expected magnitude, as sums in another order do.
StatusOr<ProgramFile> OpenProgram(std::string bytes, bool check, double sum_tolerance);

}  // namespace tenon::tools

#endif  // TENON_TOOLS_PROGRAM_FILE_H_
