// What a generated matrix product or convolution looks like from outside: target traits,
// its phases and scratch, and the hooks by which producers and consumers are fused. Plain
// values; any thread.
#ifndef TENON_COMPILER_CODEGEN_CONTRACT_KERNEL_PLAN_H_
#define TENON_COMPILER_CODEGEN_CONTRACT_KERNEL_PLAN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/base/status.h"
#include "tenon/compiler/codegen/elementwise/element_value.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"

namespace tenon::codegen {

// Instructions that add the products of several narrow elements to each lane of a 32-bit
// sum. Operands are vectors of 32-bit words of consecutive elements.
struct WordProduct {
  llvm::Value* (*emit)(llvm::IRBuilder<>& b, llvm::Value* sum, llvm::Value* x,
                       llvm::Value* y) = nullptr;  // null: there are none
  int lanes = 0;
  double rate = 1;          // instructions in the time of one f32 multiply-add
  bool unsigned_x = false;  // takes the elements of x as unsigned
};

// A matrix unit: registers of at most `rows` rows of `words` 32-bit words each. A product
// adds to the word in row i and column j of a register of sums those of the words in row
// i of x with the words in column j of y; words hold elements as those of WordProduct do.
struct MatrixUnit {
  // Of the part of a register that counts.
  struct Size {
    int rows = 0;
    int words = 0;
  };
  using Multiply = void (*)(llvm::IRBuilder<>& b, int sums, int x, int y);

  int registers = 0;  // 0: the target has no such unit
  int rows = 0;
  int words = 0;
  double rate =
      1;  // products of words that memory keeps up with, in multiply-adds of f32
  // Sets the sizes of the thread's registers, 0 onwards, and clears them.
  void (*configure)(llvm::IRBuilder<>& b, llvm::ArrayRef<Size> sizes) = nullptr;
  void (*release)(llvm::IRBuilder<>& b) = nullptr;
  void (*zero)(llvm::IRBuilder<>& b, int reg) = nullptr;
  // Rows in memory are `row_bytes`, an i64, apart.
  void (*load)(llvm::IRBuilder<>& b, int reg, llvm::Value* pointer,
               llvm::Value* row_bytes) = nullptr;
  void (*store)(llvm::IRBuilder<>& b, int reg, llvm::Value* pointer,
                llvm::Value* row_bytes) = nullptr;
  // Null: there is no such instruction.
  Multiply bf16_pairs = nullptr;  // sums in f32
  Multiply s8_quads = nullptr;    // sums in s32
  Multiply u8_quads = nullptr;    // sums in u32 or s32
};

// What the generator asks of a target. The order of summation, and so the last bits of
// results, depends on all of these and on the shape.
struct TargetTraits {
  int vector_bits = 256;
  int vector_registers = 16;
  bool fma = true;
  int64_t l1_bytes = 32 << 10;
  int64_t l2_bytes = 1 << 20;  // per core
  WordProduct bf16_pairs;      // sums in f32
  WordProduct s8_quads;        // sums in s32
  MatrixUnit matrix_unit;
  compiler::ElementwiseOptions elementwise;  // for conversions
};

struct TilePlan;  // internal: tile sizes, packing, loop order

// A kernel is a list of phases with a barrier between them; the chunks of one phase run
// in any order, in parallel. All phases of a run share one scratch block, 64-byte
// aligned.
struct KernelPlan {
  int64_t scratch_bytes = 0;
  std::vector<int64_t> phase_chunks;  // chunks of each phase, at least one phase
  double estimated_ns = 0;            // on one core
  std::shared_ptr<const TilePlan> tiles;
};

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

#endif  // TENON_COMPILER_CODEGEN_CONTRACT_KERNEL_PLAN_H_
