#include "tenon/compiler/targets/gpu/prepare.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "tenon/compiler/targets/gpu/address_spaces.h"

namespace tenon::compiler {
namespace {

// Attributes that describe the host, or that keep the function from being inlined.
constexpr llvm::StringLiteral kHostAttributes[] = {
    "target-cpu",
    "target-features",
    "tune-cpu",
    "stackrealign",
    "min-legal-vector-width",
    "prefer-vector-width",
    "frame-pointer",
    "probe-stack",
    "stack-protector-buffer-size",
    "no-trapping-math",
    "alwaysinline",
};

// Work items of a group or subgroup must reach a call of these together.
bool IsConvergent(llvm::StringRef name) {
  return name.contains("barrier") || name.contains("sub_group") ||
         name.contains("work_group") || name.contains("group_");
}

bool IsWorkItemFunction(llvm::StringRef name) {
  return !name.contains("sub_group") && name.starts_with("_Z") && name.contains("get_") &&
         (name.contains("_id") || name.contains("_size") || name.contains("num_groups") ||
          name.contains("_offset"));
}

void DescribeDeclaration(llvm::Function& function) {
  if (function.isIntrinsic()) return;
  function.setDoesNotThrow();
  if (IsWorkItemFunction(function.getName())) {
    function.setDoesNotAccessMemory();
    function.setWillReturn();
  } else if (IsConvergent(function.getName())) {
    function.setConvergent();
  }
}

Status CheckCalls(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    if (call->isInlineAsm()) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee)
      return Unimplemented("kernel " + function.getName().str() +
                           " calls a function by its address, which device code cannot");
    if (IsEntry(*callee))
      return Internal(function.getName().str() + " calls the kernel " +
                      callee->getName().str() + " of the same module");
  }
  return OkStatus();
}

Status CheckEntry(const llvm::Function& entry) {
  for (const llvm::Argument& argument : entry.args())
    if (argument.getType()->isPointerTy() &&
        argument.getType()->getPointerAddressSpace() == kFlatSpace)
      return Internal("argument " + std::to_string(argument.getArgNo()) + " of kernel " +
                      entry.getName().str() + " has no address space");
  return OkStatus();
}

Status CheckRecursion(llvm::Module& module) {
  llvm::CallGraph graph(module);
  for (auto scc = llvm::scc_begin(&graph); !scc.isAtEnd(); ++scc)
    for (llvm::CallGraphNode* node : *scc)
      if (scc.hasCycle() && node->getFunction() && !node->getFunction()->isDeclaration())
        return Unimplemented("device code cannot call itself: " +
                             node->getFunction()->getName().str());
  return OkStatus();
}

}  // namespace

bool IsEntry(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasLocalLinkage();
}

Status PrepareFunctions(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) {
      DescribeDeclaration(function);
      continue;
    }
    TENON_RETURN_IF_ERROR(CheckCalls(function));
    if (IsEntry(function)) TENON_RETURN_IF_ERROR(CheckEntry(function));
    for (llvm::StringRef name : kHostAttributes) function.removeFnAttr(name);
    function.setUWTableKind(llvm::UWTableKind::None);
    function.setDoesNotThrow();
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    // It means that nothing else in the function reaches the memory, but other work items
    // do, and values must not be kept across a barrier.
    for (llvm::Argument& argument : function.args())
      argument.removeAttr(llvm::Attribute::NoAlias);
    if (!IsEntry(function)) function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
  TENON_RETURN_IF_ERROR(CheckRecursion(module));
  return OkStatus();
}

}  // namespace tenon::compiler
