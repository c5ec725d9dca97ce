// Properties of a target, in target-neutral terms. Plain values; any thread.
#ifndef TENON_COMPILER_TARGETS_TRAITS_H_
#define TENON_COMPILER_TARGETS_TRAITS_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/targets/cost_model.h"
#include "tenon/compiler/targets/elementwise_options.h"

namespace tenon::compiler {

struct DeviceTarget;  // device_target.h

// Dot-product instructions (VNNI, AVX512_BF16): they add the products of a k-group, some
// consecutive narrow elements, to each 32-bit lane of a sum. Operands are vectors of
// 32-bit k-groups.
struct KGroupProduct {
  llvm::Value* (*emit)(llvm::IRBuilder<>& b, llvm::Value* sum, llvm::Value* x,
                       llvm::Value* y) = nullptr;  // null: there are none
  int lanes = 0;
  double rate = 1;          // instructions in the time of one f32 multiply-add
  bool unsigned_x = false;  // treats the elements of x as unsigned
  int temporaries = 0;      // registers that it takes beside those of operands and sums
};

// A matrix unit, such as AMX: registers of at most `rows` rows of `columns` 32-bit units.
// In operands a unit is a k-group, as in KGroupProduct. A product adds, to the unit in
// row i and column j of a register of sums, the dot product of row i of x and column j of
// y.
struct MatrixUnit {
  // The part of a register that is in use.
  struct Size {
    int rows = 0;
    int columns = 0;
  };
  using Multiply = void (*)(llvm::IRBuilder<>& b, int sums, int x, int y);

  int registers = 0;  // 0: the target has no such unit
  int rows = 0;
  int columns = 0;
  // Products of k-groups in the time of one f32 multiply-add, as far as memory keeps up.
  double rate = 1;
  // Sets the sizes of the thread's registers, from 0 on, and clears them.
  void (*configure)(llvm::IRBuilder<>& b, llvm::ArrayRef<Size> sizes) = nullptr;
  void (*release)(llvm::IRBuilder<>& b) = nullptr;
  void (*zero)(llvm::IRBuilder<>& b, int reg) = nullptr;
  // Rows in memory are `row_bytes` apart, an i64.
  void (*load)(llvm::IRBuilder<>& b, int reg, llvm::Value* pointer,
               llvm::Value* row_bytes) = nullptr;
  void (*store)(llvm::IRBuilder<>& b, int reg, llvm::Value* pointer,
                llvm::Value* row_bytes) = nullptr;
  // Null if there is no such instruction.
  Multiply bf16_pairs = nullptr;  // sums in f32
  Multiply s8_quads = nullptr;    // sums in s32
  Multiply u8_quads = nullptr;    // sums in u32 or s32
};

// Properties of a target. The order of summation, and so the last bits of results,
// depends on all of these and on the shape.
struct TargetTraits {
  int vector_bits = 256;
  int vector_registers = 16;
  bool fma = true;
  // Programs share the code of register tiles
  // (codegen/contract/micro_kernel_function.h). Otherwise each has tiles of its own,
  // which are smaller.
  bool shared_tiles = false;
  // Masked loads and stores of 8- and 16-bit elements are instructions. Otherwise LLVM
  // emits a branch for each lane.
  bool narrow_masks = false;
  // One instruction chooses, for each byte of a 128-bit register, any byte of another or
  // zero.
  bool byte_shuffles = false;
  int64_t l1_bytes = 32 << 10;  // of data, per core
  int64_t l2_bytes = 1 << 20;   // per core
  KGroupProduct bf16_pairs;     // sums in f32
  KGroupProduct s8_quads;       // sums in s32
  MatrixUnit matrix_unit;
  ElementwiseOptions elementwise;  // for conversions
  CostModel cost;
  // Not null if kernels run on a device that a host launches them on.
  const DeviceTarget* device = nullptr;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_TRAITS_H_
