#include "tenon/compiler/analysis/elementwise_op.h"

#include "llvm/ADT/StringSwitch.h"

namespace tenon::compiler {
namespace {

struct Row {
  const char* name;
  int arity;
};

constexpr Row kRows[] = {
#define X(name, text, arity) {text, arity},
#include "tenon/compiler/analysis/elementwise_ops.inc"
#undef X
};

}  // namespace

std::optional<ElementwiseOp> ElementwiseOpFromName(llvm::StringRef name) {
  using Op = std::optional<ElementwiseOp>;
  return llvm::StringSwitch<Op>(name)
#define X(name, text, arity) .Case(text, ElementwiseOp::name)
#include "tenon/compiler/analysis/elementwise_ops.inc"
#undef X
      .Default(std::nullopt);
}

llvm::StringRef ElementwiseOpName(ElementwiseOp op) {
  return kRows[static_cast<int>(op)].name;
}

int ElementwiseOpArity(ElementwiseOp op) { return kRows[static_cast<int>(op)].arity; }

std::optional<ComparisonDirection> ComparisonDirectionFromName(llvm::StringRef name) {
  using Direction = std::optional<ComparisonDirection>;
  return llvm::StringSwitch<Direction>(name)
      .Case("EQ", ComparisonDirection::kEq)
      .Case("NE", ComparisonDirection::kNe)
      .Case("GE", ComparisonDirection::kGe)
      .Case("GT", ComparisonDirection::kGt)
      .Case("LE", ComparisonDirection::kLe)
      .Case("LT", ComparisonDirection::kLt)
      .Default(std::nullopt);
}

std::optional<ComparisonType> ComparisonTypeFromName(llvm::StringRef name) {
  using Type = std::optional<ComparisonType>;
  return llvm::StringSwitch<Type>(name)
      .Case("NOTYPE", ComparisonType::kDefault)
      .Case("FLOAT", ComparisonType::kFloat)
      .Case("TOTALORDER", ComparisonType::kTotalOrder)
      .Case("SIGNED", ComparisonType::kSigned)
      .Case("UNSIGNED", ComparisonType::kUnsigned)
      .Default(std::nullopt);
}

}  // namespace tenon::compiler
