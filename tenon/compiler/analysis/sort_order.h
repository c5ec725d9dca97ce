// Comparators of sorts that are understood: those that order elements by integer keys
// made of them. Pure; any thread.
#ifndef TENON_COMPILER_ANALYSIS_SORT_ORDER_H_
#define TENON_COMPILER_ANALYSIS_SORT_ORDER_H_

#include <optional>

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "tenon/types/element_type.h"

namespace tenon::compiler {

// One comparison f(a) < f(b), or f(a) > f(b), of a comparator.
struct SortKey {
  mlir::Value
      value;  // f(a): a value of the comparator's block, of the left arguments only
  ElementType type = ElementType::kInvalid;
  bool descending = false;
  // Otherwise zeros are equal, and what is not a number comes behind all numbers.
  bool total_order = false;
};

struct SortOrder {
  // The most significant one first; together at most 64 bits.
  llvm::SmallVector<SortKey, 2> keys;
  int bits = 0;
  // The operands that the keys are made of.
  llvm::SmallVector<unsigned, 2> operands;
  // What computes the keys' values, in order.
  llvm::SmallVector<mlir::Operation*> ops;
  // The only key is operand 0 itself, except that some elements are taken for one of
  // `merged`: constants, or scalars from outside the comparator.
  bool is_value = false;
  llvm::SmallVector<mlir::Value, 2> merged;
};

// How many bits the integer has that orders values of `type`; 0: there is none.
int SortKeyBits(ElementType type);

// `comparator` has arguments (a0, b0, a1, b1, ...) and ends with whether a comes before
// b. Nothing for comparators that are no strict order of keys of at most 64 bits.
std::optional<SortOrder> RecognizeSortOrder(mlir::Block& comparator);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_SORT_ORDER_H_
