#include "tenon/compiler/object/stack_use.h"

#include <algorithm>

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"

namespace tenon::compiler {

class StackUsePass : public llvm::MachineFunctionPass {
 public:
  explicit StackUsePass(StackUse& use) : MachineFunctionPass(kId), use_(use) {}
  llvm::StringRef getPassName() const override { return "Tenon stack use"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction& function) override;

 private:
  static char kId;
  StackUse& use_;
};

char StackUsePass::kId = 0;

// No RISC-V processor that is sold has longer vectors; LLVM counts in parts of 64 bits.
constexpr uint64_t kMaxVectorBits = 1024;

bool StackUsePass::runOnMachineFunction(llvm::MachineFunction& function) {
  const llvm::MachineFrameInfo& frame = function.getFrameInfo();
  StackUse::Function& entry = use_.functions_[function.getName().str()];
  const llvm::TargetSubtargetInfo& target = function.getSubtarget();
  // The return address, where a call pushes it.
  constexpr uint64_t kReturnAddress = 8;
  uint64_t bytes = frame.getStackSize() + kReturnAddress;
  // Arguments that are pushed for a call are not in the frame.
  if (!target.getFrameLowering()->hasReservedCallFrame(function))
    bytes += frame.getMaxCallFrameSize();
  const llvm::Align align = std::max(frame.getMaxAlign(), llvm::Align(16));
  // An aligned frame skips less than its alignment.
  if (target.getRegisterInfo()->hasStackRealignment(function)) bytes += align.value();
  // Registers of a length that only the processor knows are counted as kMaxVectorBits.
  for (int slot = frame.getObjectIndexBegin(); slot < frame.getObjectIndexEnd(); ++slot)
    if (!frame.isDeadObjectIndex(slot) && frame.hasScalableStackID(slot))
      bytes += static_cast<uint64_t>(frame.getObjectSize(slot)) * kMaxVectorBits / 64;
  entry.bytes = static_cast<int64_t>(llvm::alignTo(bytes, llvm::Align(16)));
  entry.has_fixed_size = !frame.hasVarSizedObjects();
  for (const llvm::MachineBasicBlock& block : function)
    for (const llvm::MachineInstr& instruction : block) {
      bool names_callee = false;
      for (const llvm::MachineOperand& operand : instruction.operands()) {
        std::string name;
        if (operand.isSymbol()) name = operand.getSymbolName();
        if (operand.isGlobal() && llvm::isa<llvm::Function>(operand.getGlobal()))
          name = operand.getGlobal()->getName().str();
        if (name.empty()) continue;
        (instruction.isCall() ? entry.calls : entry.addresses).insert(name);
        names_callee = true;
      }
      if (instruction.isCall() && !names_callee) entry.calls_pointer = true;
    }
  return false;
}

llvm::Pass* StackUse::CreatePass() { return new StackUsePass(*this); }

int64_t StackUse::OfPointerCallers(const std::string& name, int depth) {
  auto found = functions_.find(name);
  if (found == functions_.end()) return 0;
  const Function& function = found->second;
  int64_t deepest = 0;
  for (const std::set<std::string>* names : {&function.calls, &function.addresses})
    for (const std::string& other : *names) {
      auto callee = functions_.find(other);
      // The function that runs parallel loops, and the one that a host calls for it.
      if (depth == 0 || callee == functions_.end() || !callee->second.calls_pointer)
        continue;
      deepest =
          std::max(deepest, callee->second.bytes + OfPointerCallers(other, depth - 1));
    }
  return deepest;
}

StatusOr<int64_t> StackUse::Of(const std::string& name) {
  auto found = functions_.find(name);
  if (found == functions_.end()) return int64_t{0};  // undefined
  Function& function = found->second;
  if (function.total >= 0) return function.total;
  if (function.is_open || !function.has_fixed_size)
    return Internal("the stack of " + name + " has no bound");
  function.is_open = true;
  int64_t deepest = 0;
  for (const std::string& callee : function.calls) {
    TENON_ASSIGN_OR_RETURN(const int64_t bytes, Of(callee));
    deepest = std::max(deepest, bytes);
  }
  const int64_t between = OfPointerCallers(name, /*depth=*/2);
  for (const std::string& callee : function.addresses) {
    TENON_ASSIGN_OR_RETURN(const int64_t bytes, Of(callee));
    deepest = std::max(deepest, between + bytes);
  }
  function.is_open = false;
  function.total = function.bytes + deepest;
  return function.total;
}

}  // namespace tenon::compiler
