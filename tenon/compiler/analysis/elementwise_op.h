// The closed set of elementwise operations, by StableHLO (or chlo) name, and their
// attributes. Plain values; any thread.
#ifndef TENON_COMPILER_ANALYSIS_ELEMENTWISE_OP_H_
#define TENON_COMPILER_ANALYSIS_ELEMENTWISE_OP_H_

#include <optional>

#include "llvm/ADT/StringRef.h"

namespace tenon::compiler {

enum class ElementwiseOp {
#define X(name, text, arity) name,
#include "tenon/compiler/analysis/elementwise_ops.inc"
#undef X
};

// `name` has no dialect prefix: "add", "exponential_minus_one", "erf".
std::optional<ElementwiseOp> ElementwiseOpFromName(llvm::StringRef name);
llvm::StringRef ElementwiseOpName(ElementwiseOp op);
int ElementwiseOpArity(ElementwiseOp op);

enum class ComparisonDirection { kEq, kNe, kGe, kGt, kLe, kLt };
// kDefault: chosen by the operands' element type, as StableHLO does without compare_type.
enum class ComparisonType { kDefault, kFloat, kTotalOrder, kSigned, kUnsigned };
std::optional<ComparisonDirection> ComparisonDirectionFromName(
    llvm::StringRef name);  // "EQ"
std::optional<ComparisonType> ComparisonTypeFromName(
    llvm::StringRef name);  // "TOTALORDER"

// StableHLO's result_accuracy: |error| <= atol + rtol * |exact| + ulps * ulp(exact).
struct ResultAccuracy {
  enum class Mode { kDefault, kHighest, kTolerance };
  Mode mode = Mode::kDefault;
  double atol = 0;
  double rtol = 0;
  int64_t ulps = 0;
};

// Attributes of elementwise ops. An op reads only the members it has.
struct ElementwiseAttrs {
  ComparisonDirection comparison_direction = ComparisonDirection::kEq;  // compare
  ComparisonType comparison_type = ComparisonType::kDefault;            // compare
  int exponent_bits = 0;           // reduce_precision
  int mantissa_bits = 0;           // reduce_precision
  ResultAccuracy result_accuracy;  // transcendentals
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_ELEMENTWISE_OP_H_
