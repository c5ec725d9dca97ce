// The computations that reductions, sorts and scatters carry, compiled to a list of
// kernels on registers of many lanes.
#ifndef TENON_REFERENCE_ELEMENT_PROGRAM_H_
#define TENON_REFERENCE_ELEMENT_PROGRAM_H_

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "tenon/base/status.h"
#include "tenon/reference/kernels.h"

namespace tenon::reference {

// An elementwise operation with its kernel.
struct ElementInstruction {
  Kernel kernel = nullptr;
  KernelParams params;
  int num_inputs = 0;
  bool flushes = false;
  std::array<ElementType, 3> input_types{};
  std::array<int, 3> inputs{};  // registers
  int output = 0;               // register
};

// Whether `op` is one of element_op.inc.
std::optional<ElementOp> ElementOpOf(mlir::Operation* op);
// The instruction for an op of element_op.inc, registers unset; UNIMPLEMENTED when its
// types have no kernel.
StatusOr<ElementInstruction> MakeInstruction(mlir::Operation* op, ElementOp element_op);

// Runs one instruction on at most kMaxLanes elements, with denormals flushed if asked.
constexpr int64_t kMaxLanes = 256;
void RunInstruction(const ElementInstruction& instruction, const void* const* inputs,
                    void* output, int64_t lanes, bool flush_denormals);

// A block of elementwise ops on rank-0 tensors. One thread at a time: registers are
// inside.
class ElementProgram {
 public:
  // Null when the block holds anything else or uses outer values that are no constants.
  static std::unique_ptr<ElementProgram> Compile(mlir::Block& block);

  // inputs[i] and outputs[i]: `lanes` (at most kMaxLanes) elements in computing form.
  void Run(int64_t lanes, const void* const* inputs, void* const* outputs,
           bool flush_denormals);

  // The kernel op that alone makes up the program, with the block's arguments in order.
  std::optional<ElementOp> single_op() const { return single_op_; }

 private:
  using Register = std::array<uint8_t, kMaxLanes * 16>;
  int NewRegister();

  size_t num_inputs_ = 0;
  std::vector<ElementInstruction> instructions_;
  std::vector<std::unique_ptr<Register>> storage_;  // null for inputs
  std::vector<const void*> registers_;
  std::vector<int> results_;
  std::vector<int64_t> result_bytes_;  // an element, in computing form
  std::optional<ElementOp> single_op_;
};

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_ELEMENT_PROGRAM_H_
