#include "tenon/compiler/codegen/elementwise/kernel_jit.h"

#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "tenon/compiler/targets/x86_elementwise.h"

namespace tenon::compiler {
namespace {

llvm::Value* EmitLoad(llvm::IRBuilder<>& b, ElementType type, llvm::Value* array,
                      llvm::Value* index, int lanes, int part, int parts) {
  // Complex arrays are interleaved. Loading lane by lane is fast enough for tests.
  llvm::Type* scalar = ElementMemoryType(b.getContext(), type);
  if (lanes == 1 || parts == 1) {
    llvm::Type* loaded = scalar;
    if (lanes > 1) loaded = llvm::FixedVectorType::get(scalar, lanes);
    llvm::Value* part_index =
        b.CreateAdd(b.CreateMul(index, b.getInt64(parts)), b.getInt64(part));
    llvm::Value* address = b.CreateGEP(scalar, array, part_index);
    return LoadedToValue(b, type, b.CreateAlignedLoad(loaded, address, llvm::Align(1)));
  }
  llvm::Value* vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(scalar, lanes));
  for (int lane = 0; lane < lanes; ++lane) {
    llvm::Value* part_index = b.CreateAdd(b.CreateMul(index, b.getInt64(parts)),
                                          b.getInt64(lane * parts + part));
    llvm::Value* element = b.CreateLoad(scalar, b.CreateGEP(scalar, array, part_index));
    vector = b.CreateInsertElement(vector, element, lane);
  }
  return vector;
}

void EmitStore(llvm::IRBuilder<>& b, ElementType type, llvm::Value* value,
               llvm::Value* array, llvm::Value* index, int lanes, int part, int parts) {
  llvm::Type* scalar = ElementMemoryType(b.getContext(), type);
  value = ValueToStored(b, type, value);
  for (int lane = 0; lane < lanes; ++lane) {
    bool whole = lanes == 1 || parts == 1;
    llvm::Value* part_index = b.CreateAdd(b.CreateMul(index, b.getInt64(parts)),
                                          b.getInt64(lane * parts + part));
    llvm::Value* stored = whole ? value : b.CreateExtractElement(value, lane);
    b.CreateAlignedStore(stored, b.CreateGEP(scalar, array, part_index), llvm::Align(1));
    if (whole) return;
  }
}

Status EmitKernel(llvm::Module& module, const KernelSpec& spec) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type* pointer = b.getPtrTy();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, b.getInt64Ty()},
                                       /*isVarArg=*/false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", module);
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* end = llvm::BasicBlock::Create(context, "end", function);
  b.SetInsertPoint(entry);
  std::vector<llvm::Value*> arrays;
  for (size_t i = 0; i < spec.operands.size(); ++i)
    arrays.push_back(
        b.CreateLoad(pointer, b.CreateGEP(pointer, function->getArg(0), b.getInt64(i))));
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* index = b.CreatePHI(b.getInt64Ty(), 2);
  index->addIncoming(b.getInt64(0), entry);
  std::vector<ElementValue> operands;
  for (size_t i = 0; i < spec.operands.size(); ++i) {
    ElementType operand = spec.operands[i];
    int parts = IsComplex(operand) ? 2 : 1;
    ElementValue value{operand};
    value.re = EmitLoad(b, operand, arrays[i], index, spec.lanes, 0, parts);
    if (parts == 2)
      value.im = EmitLoad(b, operand, arrays[i], index, spec.lanes, 1, parts);
    operands.push_back(value);
  }
  ElementwiseEmitter emitter(b, spec.options);
  TENON_ASSIGN_OR_RETURN(ElementValue result,
                         emitter.Emit(spec.op, operands, spec.result, spec.attrs));
  int parts = IsComplex(spec.result) ? 2 : 1;
  llvm::Value* out = function->getArg(1);
  EmitStore(b, spec.result, result.re, out, index, spec.lanes, 0, parts);
  if (parts == 2) EmitStore(b, spec.result, result.im, out, index, spec.lanes, 1, parts);
  llvm::Value* next = b.CreateAdd(index, b.getInt64(spec.lanes));
  index->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, function->getArg(2)), loop, end);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
  // As in kernels: vectors are as wide as the registers.
  function->addFnAttr("prefer-vector-width", "512");
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) {
    module.print(stream, nullptr);
    return Internal("bad IR: " + problem);
  }
  return OkStatus();
}

}  // namespace

ElementwiseOptions HostOptions() {
  ElementwiseOptions options;
  auto features = llvm::sys::getHostCPUFeatures();
  options.native_fma = features.lookup("fma") || features.lookup("neon");
  options.native_f16_conversion = features.lookup("f16c") || features.lookup("fullfp16");
  options.native_bf16_conversion = features.lookup("avx512bf16");
  AddX86Elementwise(features.lookup("avx512f") ? 512
                    : features.lookup("avx2")  ? 256
                                               : 128,
                    options);
  return options;
}

namespace {

llvm::orc::JITTargetMachineBuilder HostTarget(const KernelSpec& spec) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto target = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  // A kernel without FMA must not get it through contraction or a wider vector extension.
  if (!spec.options.native_fma) target.addFeatures({"-fma", "-avx512f"});
  if (!spec.options.native_rounding) target.addFeatures({"-sse4.1"});
  return target;
}

std::unique_ptr<llvm::Module> NewModule(llvm::LLVMContext& context,
                                        llvm::TargetMachine& machine) {
  auto module = std::make_unique<llvm::Module>("kernel", context);
  module->setDataLayout(machine.createDataLayout());
  module->setTargetTriple(machine.getTargetTriple());
  return module;
}

}  // namespace

StatusOr<Kernel> Kernel::Make(const KernelSpec& spec) {
  auto target = HostTarget(spec);
  auto machine = llvm::cantFail(target.createTargetMachine());
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = NewModule(*context, *machine);
  TENON_RETURN_IF_ERROR(EmitKernel(*module, spec));
  Kernel kernel;
  kernel.jit_ = llvm::cantFail(
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(target).create());
  llvm::cantFail(kernel.jit_->addIRModule(
      llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  // The JIT has no process symbols, so a call of libm is an error here.
  kernel.function_ = llvm::cantFail(kernel.jit_->lookup("kernel")).toPtr<Function>();
  return kernel;
}

void Kernel::Run(const std::vector<const void*>& operands, void* result,
                 int64_t count) const {
  function_(operands.data(), result, count);
}

StatusOr<std::string> KernelAssembly(const KernelSpec& spec) {
  auto machine = llvm::cantFail(HostTarget(spec).createTargetMachine());
  llvm::LLVMContext context;
  auto module = NewModule(context, *machine);
  TENON_RETURN_IF_ERROR(EmitKernel(*module, spec));
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, stream, nullptr,
                               llvm::CodeGenFileType::AssemblyFile);
  passes.run(*module);
  return std::string(text);
}

}  // namespace tenon::compiler
