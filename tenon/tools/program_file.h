// A program file for tenon-run: the bytes for the plugin, the parameters, and the checks
// of a test program. One thread at a time.
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

// A size of -1 means a dynamic dimension.
struct ParameterShape {
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> dims;
};

struct ProgramFile {
  std::string bytes;  // for the plugin: text, portable artifact or serialized executable
  bool serialized = false;  // whether `bytes` are a serialized executable
  // Nullopt for a serialized executable that is not Tenon's, because its format is
  // unknown.
  std::optional<std::vector<ParameterShape>> parameters;
  // The arguments that a test program itself contains.
  std::optional<std::vector<Literal>> arguments;
  // Computes the results with the reference evaluator. Empty for a serialized executable.
  std::function<StatusOr<std::vector<Literal>>(std::span<const Literal> arguments,
                                               bool keep_denormals)>
      evaluate;
  // The same on each device of a grid, for all devices' arguments.
  std::function<StatusOr<std::vector<std::vector<Literal>>>(
      int64_t replicas, int64_t partitions,
      std::span<const std::vector<Literal>> arguments, bool keep_denormals)>
      evaluate_on_devices;
  // Runs the test program's checks on the results. Empty unless `check` was set.
  std::function<Status(std::span<const Literal> results)> check;
};

StatusOr<std::string> ReadFileBytes(const std::string& path);  // "-" is standard input

// One program of a test file. Lines `// -----` separate programs, as in mlir-opt.
struct TestCase {
  std::string name;  // the module's name, or the line where the program begins
  std::string text;
};
std::vector<TestCase> SplitTestCases(const std::string& bytes);

// Opens the program in `bytes`.
//
// With `check`, the program is a test program. The operands of its custom calls @check.*
// become results, and its calls without arguments become parameters. The reference
// evaluator computes the arguments and compares the results.
//
// With `sum_tolerance`, @check.expect_close also accepts floats that differ by at most
// `sum_tolerance` times the type's epsilon times the largest expected magnitude, because
// sums may be computed in another order.
StatusOr<ProgramFile> OpenProgram(std::string bytes, bool check, double sum_tolerance);

}  // namespace tenon::tools

#endif  // TENON_TOOLS_PROGRAM_FILE_H_
