// The hooks that fuse producers and consumers into a generated matrix product or
// convolution. Plain values; any thread.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_HOOKS_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_HOOKS_H_

#include <cstdint>
#include <functional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/base/status.h"
#include "tenon/compiler/codegen/elementwise/element_value.h"

namespace tenon::codegen {

// The elements of one vector load or store: the index of the first lane in each
// dimension, all i64. Lane l is at index[lane_dim] + l * lane_step.
//
// The dimensions of a product are (batch, row, column), for lhs (batch, row, k), for rhs
// (batch, k, column). Those of a convolution are (batch, spatial..., feature), for rhs
// (spatial..., input feature of the group, output feature), with spatial dimensions in
// order.
struct VectorAccess {
  llvm::SmallVector<llvm::Value*, 8> index;
  int lane_dim = 0;
  int64_t lane_step = 1;  // differs from 1 only where results are stored
  int lanes = 1;          // 1: a scalar, otherwise fixed vectors <lanes x T>
  // <lanes x i1> (i1 for a scalar); null: all lanes are active.
  llvm::Value* mask = nullptr;
  // Of results: the offset of the first lane (i64), in elements, in an array with the
  // strides of the spec. It takes no division where dimensions form one loop.
  llvm::Value* offset = nullptr;
};

// Stores an accumulated value (of the accumulate type). Called once for each store in
// the emitted code; together they cover every output element exactly once. May create
// blocks; the builder must end in an open block.
using StoreHook = std::function<Status(llvm::IRBuilder<>& b, const VectorAccess& access,
                                       const compiler::ElementValue& value)>;
// Returns the addresses that the store hook reads for the element at `access.index`, as
// far as they are worth a prefetch.
using AddressHook = std::function<llvm::SmallVector<llvm::Value*>(
    llvm::IRBuilder<>& b, const VectorAccess& access)>;
// Computes operand elements, of the operand's element type. Lanes outside the mask may be
// out of bounds, and their value is ignored. May be called for several loads in the
// emitted code, and several times for the same element.
using LoadHook = std::function<StatusOr<compiler::ElementValue>(
    llvm::IRBuilder<>& b, const VectorAccess& access)>;

// An absent hook means plain memory access with the strides of the spec (and, for the
// store, conversion to the output's type). An operand with a load hook is computed into
// scratch first. The spec's strides of such an operand must be those of some dense array,
// nonzero in every dimension of more than one element; they choose the dimension of
// consecutive lanes. The plan must have been computed with the same has_* flags.
struct ContractHooks {
  StoreHook store;
  bool store_is_short = false;  // its code, some instructions, is emitted several times
  AddressHook read_by_store;    // null if nothing is worth a prefetch
  LoadHook load_lhs;
  LoadHook load_rhs;
};

// Base pointers of the operands (element 0, 0, ...). Pointers of operands that hooks
// replace may be null.
struct ContractPointers {
  llvm::Value* lhs = nullptr;
  llvm::Value* rhs = nullptr;
  llvm::Value* out = nullptr;
  llvm::Value* scratch = nullptr;
  // If runs may keep the micro-panels of operand b: their memory (null in runs that do
  // not), and whether they are there already (i1). Otherwise both are null.
  llvm::Value* packed = nullptr;
  llvm::Value* is_packed = nullptr;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_HOOKS_H_
