#include "tenon/compiler/targets/spirv/spirv_architecture.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/targets/architecture.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/compiler/targets/spirv/spirv.h"

extern "C" {
void LLVMInitializeSPIRVTargetInfo();
void LLVMInitializeSPIRVTarget();
void LLVMInitializeSPIRVTargetMC();
void LLVMInitializeSPIRVAsmPrinter();
}

namespace tenon::compiler {
namespace {

// Calls a builtin of OpenCL C by its mangled name.
llvm::Value* CallBuiltin(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                         llvm::Value* argument, bool convergent = false) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(name, result, argument->getType());
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  function->setDoesNotThrow();
  if (convergent)
    function->setConvergent();
  else
    function->setDoesNotAccessMemory();
  llvm::CallInst* call = b.CreateCall(callee, argument);
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  if (convergent) call->setConvergent();
  return call;
}

// The first dimension of an id, which is a size_t.
llvm::Value* Id(llvm::IRBuilderBase& b, llvm::StringRef name) {
  return b.CreateTrunc(CallBuiltin(b, name, b.getInt64Ty(), b.getInt32(0)),
                       b.getInt32Ty());
}

void EmitBarrier(llvm::IRBuilderBase& b) {
  constexpr uint32_t kLocalFence = 1, kGlobalFence = 2;
  CallBuiltin(b, "_Z7barrierj", b.getVoidTy(), b.getInt32(kLocalFence | kGlobalFence),
              /*convergent=*/true);
}

void DeclareKernel(llvm::Function& function, int group_items) {
  function.setCallingConv(llvm::CallingConv::SPIR_KERNEL);
  llvm::IRBuilder<> b(function.getContext());
  auto number = [&](int value) {
    return llvm::ConstantAsMetadata::get(b.getInt32(static_cast<uint32_t>(value)));
  };
  function.setMetadata("reqd_work_group_size",
                       llvm::MDNode::get(function.getContext(),
                                         {number(group_items), number(1), number(1)}));
}

const DeviceTarget kDevice = {
    .format = "spirv",
    .group_id = [](llvm::IRBuilderBase& b) { return Id(b, "_Z12get_group_idj"); },
    .local_id = [](llvm::IRBuilderBase& b) { return Id(b, "_Z12get_local_idj"); },
    .barrier = EmitBarrier,
    .declare_kernel = DeclareKernel,
    .emit = [](llvm::Module& module, const TargetDescription&,
               bool) -> StatusOr<std::string> {
      TENON_ASSIGN_OR_RETURN(SpirvModule code, CompileToSpirv(module, {}));
      return std::move(code.binary);
    },
};

void SetTraits(const Features&, TargetTraits& traits) {
  // Code of one item has one lane; code generation of products needs a lane of 64 bits.
  traits.vector_bits = 64;
  traits.vector_registers = 64;
  traits.cost = CostModel::ForVectorBits(traits.vector_bits);
  // A group starts in less time than a thread, and a device has many of them.
  traits.cost.min_parallel_ns = traits.cost.min_parallel_phase_ns = 200;
  traits.cost.chunk_ns = traits.cost.product_chunk_ns = 400;
  traits.elementwise.native_f16_conversion = true;
  traits.elementwise.has_short_nans = false;  // not known
  traits.device = &kDevice;
}

}  // namespace

void AddSpirvArchitecture() {
  LLVMInitializeSPIRVTargetInfo();
  LLVMInitializeSPIRVTarget();
  LLVMInitializeSPIRVTargetMC();
  LLVMInitializeSPIRVAsmPrinter();
  Architecture architecture;
  architecture.name = "spirv64";
  architecture.triple = "spirv64v1.2-unknown-unknown";
  architecture.baseline = "generic";
  architecture.has_images = true;
  architecture.set_traits = SetTraits;
  architecture.is_device = true;
  AddArchitecture(architecture);
}

}  // namespace tenon::compiler
