// Recognizes comparators that order elements by integer keys. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_SORT_ORDER_H_
#define TENON_COMPILER_ANALYSIS_SORT_ORDER_H_

#include <optional>

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// One comparison f(a) < f(b), or f(a) > f(b), of a comparator.
struct SortKey {
  mlir::Value value;  // f(a): a value of the comparator's block, of left arguments only
  ElementType type = ElementType::kInvalid;
  bool descending = false;
  // If false, zeros of both signs are equal, and NaNs come after all numbers.
  bool total_order = false;
};

struct SortOrder {
  // The most significant key first. Together they have at most 64 bits.
  llvm::SmallVector<SortKey, 2> keys;
  int bits = 0;
  // The operands that the keys are computed from.
  llvm::SmallVector<unsigned, 2> operands;
  // The ops that compute the keys' values, in program order.
  llvm::SmallVector<mlir::Operation*> ops;
  // Whether the only key is operand 0, up to elements that compare as one of `merged`:
  // constants, or scalars from outside the comparator.
  bool is_value = false;
  llvm::SmallVector<mlir::Value, 2> merged;
};

// The width of the integer key that orders values of `type`; 0 if there is none.
int SortKeyBits(ElementType type);

// `comparator` has arguments (a0, b0, a1, b1, ...) and returns whether a comes before b.
// Nullopt unless it is a strict order of keys of at most 64 bits.
std::optional<SortOrder> RecognizeSortOrder(mlir::Block& comparator);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_SORT_ORDER_H_
