// What the compiler asks of a target, in no target's words. Plain values; any thread.
#ifndef TENON_COMPILER_TARGETS_TRAITS_H_
#define TENON_COMPILER_TARGETS_TRAITS_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/targets/cost_model.h"
#include "tenon/compiler/targets/elementwise_options.h"

namespace tenon::compiler {

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

// What the compiler asks of a target. The order of summation, and so the last bits of
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
  ElementwiseOptions elementwise;  // for conversions
  CostModel cost;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TARGETS_TRAITS_H_
