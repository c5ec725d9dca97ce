// Compiles the computations in the regions of reductions, sorts and scatters to a list of
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

// An elementwise operation and its kernel.
struct ElementInstruction {
  Kernel kernel = nullptr;
  KernelParams params;
  int num_inputs = 0;
  bool flushes = false;
  std::array<ElementType, 3> input_types{};
  std::array<int, 3> inputs{};  // register numbers
  int output = 0;               // register number
};

// Returns the entry of element_op.inc for `op`, if it has one.
std::optional<ElementOp> ElementOpOf(mlir::Operation* op);
// Returns the instruction for an op of element_op.inc, without registers. Returns
// UNIMPLEMENTED if there is no kernel for its types.
StatusOr<ElementInstruction> MakeInstruction(mlir::Operation* op, ElementOp element_op);

// Runs one instruction on at most kMaxLanes elements; flushes denormals if asked to.
constexpr int64_t kMaxLanes = 256;
void RunInstruction(const ElementInstruction& instruction, const void* const* inputs,
                    void* output, int64_t lanes, bool flush_denormals);

// A block of elementwise ops on rank-0 tensors. For one thread at a time, because it
// holds the registers.
class ElementProgram {
 public:
  // Returns null if the block has other ops, or uses outer values that are not constants.
  static std::unique_ptr<ElementProgram> Compile(mlir::Block& block);

  // inputs[i] and outputs[i] have `lanes` (at most kMaxLanes) elements in computing form
  // (compute.h).
  void Run(int64_t lanes, const void* const* inputs, void* const* outputs,
           bool flush_denormals);

  // The kernel op, if it is the whole program and takes the block's arguments in order.
  std::optional<ElementOp> single_op() const { return single_op_; }

 private:
  using Register = std::array<uint8_t, kMaxLanes * 16>;
  int NewRegister();

  size_t num_inputs_ = 0;
  std::vector<ElementInstruction> instructions_;
  std::vector<std::unique_ptr<Register>> storage_;  // null for inputs
  std::vector<const void*> registers_;
  std::vector<int> results_;
  std::vector<int64_t> result_bytes_;  // of one element in computing form
  std::optional<ElementOp> single_op_;
};

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_ELEMENT_PROGRAM_H_
