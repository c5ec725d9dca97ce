// Checks shared by the op verifiers. Each either succeeds, or emits one error and fails.
// A dynamic size is compatible with every size. Stateless.
#ifndef TENON_DIALECTS_STABLEHLO_VERIFY_UTIL_H_
#define TENON_DIALECTS_STABLEHLO_VERIFY_UTIL_H_

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "tenon/dialects/stablehlo/traits.h"

namespace tenon::stablehlo {

// Formats sizes and dimension numbers for errors: `[4, ?, 2]`.
std::string ToString(llvm::ArrayRef<int64_t> values);

// True if both sizes are static and differ.
inline bool Differ(int64_t a, int64_t b) {
  return a != b && !mlir::ShapedType::isDynamic(a) && !mlir::ShapedType::isDynamic(b);
}

// The element type of a tensor; any other type itself.
mlir::Type ElementType(mlir::Type type);

mlir::LogicalResult VerifySize(mlir::Operation* op, llvm::StringRef name, int64_t size,
                               int64_t expected);
// Every value is at least `minimum`.
mlir::LogicalResult VerifyAtLeast(mlir::Operation* op, llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> values, int64_t minimum);
// 0 <= dim < rank.
mlir::LogicalResult VerifyDim(mlir::Operation* op, llvm::StringRef name, int64_t dim,
                              int64_t rank);
// Every dim satisfies 0 <= dim < rank.
mlir::LogicalResult VerifyDims(mlir::Operation* op, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> dims, int64_t rank);
mlir::LogicalResult VerifyUnique(mlir::Operation* op, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> dims);
// No value occurs twice, in one list or in both.
mlir::LogicalResult VerifyUnique(mlir::Operation* op, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> first,
                                 llvm::ArrayRef<int64_t> second);
mlir::LogicalResult VerifySorted(mlir::Operation* op, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> dims);

// Result `index` has the inferred shape, up to dynamic sizes.
mlir::LogicalResult VerifyResultShape(mlir::Operation* op,
                                      llvm::ArrayRef<int64_t> inferred,
                                      unsigned index = 0);
// Two values have equal shapes, up to dynamic sizes.
mlir::LogicalResult VerifySameShape(mlir::Operation* op, llvm::StringRef nameA,
                                    mlir::Type a, llvm::StringRef nameB, mlir::Type b);
mlir::LogicalResult VerifyCompatible(mlir::Operation* op, llvm::StringRef nameA,
                                     mlir::Type a, llvm::StringRef nameB, mlir::Type b);

// The elements of an integer constant; nullopt if `value` is anything else. Callable
// before the constant itself is verified.
std::optional<llvm::SmallVector<int64_t>> ConstantInts(mlir::Value value);

// True if `from` equals `to`, or if `to` is of the same kind and at least as wide
// (is_promotable in the specification).
bool IsPromotable(mlir::Type from, mlir::Type to);

// `region` takes (T0.., T0..) and returns (T0..). Each Ti is a scalar tensor with the
// element type of result i, to which the element type of input i can be promoted.
mlir::LogicalResult VerifyReducer(mlir::Operation* op, llvm::StringRef name,
                                  mlir::Region& region, mlir::TypeRange inputs,
                                  mlir::TypeRange results);
// Every argument of `region` is a scalar tensor with the given element type.
mlir::LogicalResult VerifyScalarArguments(mlir::Operation* op, llvm::StringRef name,
                                          mlir::Region& region,
                                          llvm::ArrayRef<mlir::Type> elementTypes);
// `region` returns one tensor<i1>.
mlir::LogicalResult VerifyReturnsPred(mlir::Operation* op, llvm::StringRef name,
                                      mlir::Region& region);

// A window that slides over one dimension.
struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t baseDilation = 1;
  int64_t windowDilation = 1;
  int64_t low = 0;
  int64_t high = 0;
};

// Collects the window of `rank` dimensions from optional attributes; nullopt means the
// default. Verifies counts and positive values. `padding` is [rank, 2].
mlir::FailureOr<llvm::SmallVector<WindowDim>> GetWindow(
    mlir::Operation* op, llvm::ArrayRef<int64_t> sizes,
    std::optional<llvm::ArrayRef<int64_t>> strides,
    std::optional<llvm::ArrayRef<int64_t>> baseDilations,
    std::optional<llvm::ArrayRef<int64_t>> windowDilations,
    std::optional<mlir::DenseIntElementsAttr> padding);

// The number of window positions over `input` elements; fails on overflow.
mlir::FailureOr<int64_t> CountWindows(mlir::Operation* op, int64_t input,
                                      const WindowDim& window);

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_VERIFY_UTIL_H_
