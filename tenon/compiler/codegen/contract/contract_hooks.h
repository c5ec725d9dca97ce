// The hooks by which producers and consumers are fused into a generated matrix product or
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

// Where a vector of elements lies: the index of its first lane in each dimension, all
// i64; lane l is at index[lane_dim] + l * lane_step.
//
// Dimensions of a product: (batch, row, column), for lhs (batch, row, k), for rhs (batch,
// k, column). Of a convolution, all with spatial dimensions in order: (batch, spatial...,
// feature), for rhs (spatial..., input feature of the group, output feature).
struct LaneSite {
  llvm::SmallVector<llvm::Value*, 8> index;
  int lane_dim = 0;
  int64_t lane_step = 1;        // not 1 only where results are stored
  int lanes = 1;                // 1: a scalar, otherwise fixed vectors <lanes x T>
  llvm::Value* mask = nullptr;  // <lanes x i1> (i1 for a scalar); null: all lanes count
};

// Stores an accumulated value (of the accumulate type). Called once for each place in the
// code that stores; together the sites reach every output element exactly once. May make
// blocks; the builder must end in an open block.
using StoreHook = std::function<Status(llvm::IRBuilder<>& b, const LaneSite& site,
                                       const compiler::ElementValue& value)>;
// Computes operand elements, of the operand's element type. Lanes outside the mask may
// lie out of bounds and their value is ignored. May be called for several places in the
// code, and each element may be asked for more than once.
using LoadHook = std::function<StatusOr<compiler::ElementValue>(llvm::IRBuilder<>& b,
                                                                const LaneSite& site)>;

// An absent hook means plain memory access by the strides of the spec (and, for the
// store, conversion to the output's type). A load hook makes the operand be computed into
// scratch first; the spec's strides of it must be those of some dense array, nonzero in
// every dimension of more than one element, and choose the dimension of consecutive
// lanes. The plan must have been made with the same has_* flags.
struct ContractHooks {
  StoreHook store;
  LoadHook load_lhs;
  LoadHook load_rhs;
};

// Base pointers of the operands (element 0, 0, ...); those replaced by hooks may be null.
struct ContractPointers {
  llvm::Value* lhs = nullptr;
  llvm::Value* rhs = nullptr;
  llvm::Value* out = nullptr;
  llvm::Value* scratch = nullptr;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_CONTRACT_HOOKS_H_
