#include "tests/gpu/emulator.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/TargetSelect.h"
#include "tests/gpu/floats.h"
#include "tests/gpu/items.h"

namespace tenon::gpu_test {
namespace {

constexpr size_t kDynamicAlignment = 1024;

template <typename T>
T Must(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  std::fprintf(stderr, "%s\n", llvm::toString(value.takeError()).c_str());
  std::abort();
}

void Must(llvm::Error error) {
  if (!error) return;
  std::fprintf(stderr, "%s\n", llvm::toString(std::move(error)).c_str());
  std::abort();
}

// What emitted code calls.
void Emulate(Instruction* instruction, char* arguments, char* results) {
  Group::current()->Execute({instruction, arguments, results});
}

// The name of an operation of the target; empty for any other call.
std::string OperationName(const llvm::CallInst& call) {
  if (call.isInlineAsm())
    return llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString().str();
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.") ? callee->getName().str()
                                                               : "";
}

// Instructions of one item, which are functions here. Vectors are their bits.
struct DirectCall {
  const char *operation, *function;
  void* address;
};

template <typename Function>
DirectCall Direct(const char* operation, const char* function, Function* address) {
  return {operation, function, reinterpret_cast<void*>(address)};
}

const DirectCall kDirectCalls[] = {
    Direct("fma.rn.bf16x2 $0, $1, $2, $3;", "fma_bf16x2", &FmaBf16x2),
    Direct("max.NaN.bf16x2 $0, $1, $2;", "max_bf16x2", &MaxBf16x2),
    Direct("min.NaN.bf16x2 $0, $1, $2;", "min_bf16x2", &MinBf16x2),
    Direct("llvm.nvvm.ff2bf16x2.rn", "narrow_bf16x2", &NarrowBf16x2),
    Direct("llvm.nvvm.ex2.approx.ftz.f32", "exp2_approx", &Exp2Approx),
    Direct("llvm.nvvm.rcp.approx.ftz.f", "rcp_approx", &RcpApprox),
    Direct("llvm.nvvm.div.full.ftz", "div_full", &DivFull),
    Direct("llvm.nvvm.fma.rm.ftz.f", "fma_rm", &FmaRm),
};

// A variable that counts them.
std::string CountName(const DirectCall& call) {
  return std::string(call.function) + "_count";
}

bool ReplaceDirectCall(llvm::CallInst& call, llvm::StringRef name) {
  const auto* found = std::ranges::find(kDirectCalls, name, &DirectCall::operation);
  if (found == std::end(kDirectCalls)) return false;
  llvm::IRBuilder<> b(&call);
  auto plain = [&](llvm::Type* type) {
    return type->isVectorTy() ? b.getIntNTy(type->getPrimitiveSizeInBits()) : type;
  };
  llvm::SmallVector<llvm::Value*> arguments;
  llvm::SmallVector<llvm::Type*> types;
  for (llvm::Value* argument : call.args()) {
    types.push_back(plain(argument->getType()));
    arguments.push_back(b.CreateBitCast(argument, types.back()));
  }
  llvm::Value* count = call.getModule()->getOrInsertGlobal(
      CountName(*found), llvm::Type::getInt64Ty(call.getContext()));
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), count), b.getInt64(1)), count);
  llvm::FunctionCallee callee = call.getModule()->getOrInsertFunction(
      found->function, llvm::FunctionType::get(plain(call.getType()), types, false));
  call.replaceAllUsesWith(
      b.CreateBitCast(b.CreateCall(callee, arguments), call.getType()));
  call.eraseFromParent();
  return true;
}

// Arguments and results go through memory.
void ReplaceCall(llvm::CallInst& call, const Instruction& instruction) {
  llvm::Module& module = *call.getModule();
  llvm::IRBuilder<> entry(&call.getFunction()->getEntryBlock().front());
  auto allocate = [&](llvm::Type* type) {
    llvm::AllocaInst* memory = entry.CreateAlloca(type);
    memory->setAlignment(llvm::Align(kSlot));
    return memory;
  };
  llvm::IRBuilder<> b(&call);
  llvm::Type* bytes = b.getInt8Ty();
  llvm::Value* arguments =
      allocate(llvm::ArrayType::get(bytes, kSlot * std::max(1u, call.arg_size())));
  for (unsigned i = 0; i < call.arg_size(); ++i)
    b.CreateStore(call.getArgOperand(i),
                  b.CreateConstGEP1_64(bytes, arguments, uint64_t{kSlot} * i));
  llvm::Type* type = call.getType();
  llvm::Value* results = type->isVoidTy() ? arguments : allocate(type);
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      "emulate", b.getVoidTy(), b.getPtrTy(), b.getPtrTy(), b.getPtrTy());
  llvm::Value* address = b.CreateIntToPtr(
      b.getInt64(reinterpret_cast<uintptr_t>(&instruction)), b.getPtrTy());
  b.CreateCall(callee, {address, arguments, results});
  if (!type->isVoidTy()) call.replaceAllUsesWith(b.CreateLoad(type, results));
  call.eraseFromParent();
}

void ReplaceOperations(llvm::Function& function, Instructions& instructions) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) calls.push_back(call);
  for (llvm::CallInst* call : calls)
    if (std::string name = OperationName(*call);
        !name.empty() && !ReplaceDirectCall(*call, name))
      ReplaceCall(*call, instructions.try_emplace(name, name).first->second);
}

std::string RunName(const std::string& kernel) { return "run_" + kernel; }

// Adds a function that passes the words of an array to the kernel.
void AddRun(llvm::Module& module, llvm::Function& kernel) {
  llvm::IRBuilder<> b(module.getContext());
  auto* run = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false),
      llvm::Function::ExternalLinkage, RunName(kernel.getName().str()), module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", run));
  std::vector<llvm::Value*> arguments;
  for (unsigned i = 0; i < kernel.arg_size(); ++i)
    arguments.push_back(
        b.CreateLoad(kernel.getArg(i)->getType(),
                     b.CreateConstGEP1_64(b.getInt64Ty(), run->getArg(0), i)));
  b.CreateCall(&kernel, arguments);
  b.CreateRetVoid();
}

// The kernel that uses an array in local memory. Others may use the same addresses.
const llvm::Function* UserOf(const llvm::Value& value) {
  for (const llvm::User* user : value.users()) {
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user))
      return instruction->getFunction();
    if (const llvm::Function* found = UserOf(*user)) return found;
  }
  return nullptr;
}

// The addresses of arrays in local memory, by name. What launches add is declared, and
// begins after the arrays of all kernels.
std::map<std::string, char*> PlaceLocalMemory(llvm::Module& module, size_t& dynamic) {
  std::map<const llvm::Function*, size_t> used;
  std::map<std::string, char*> places;
  dynamic = 0;
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.getAddressSpace() != 3 || global.isDeclaration()) continue;
    size_t& offset = used[UserOf(global)];
    offset = llvm::alignTo(offset, global.getAlign().valueOrOne());
    global.setInitializer(nullptr);
    global.setLinkage(llvm::GlobalValue::ExternalLinkage);
    global.setDSOLocal(false);  // it may be far from the code
    places[global.getName().str()] = LocalMemory() + offset;
    offset += module.getDataLayout().getTypeAllocSize(global.getValueType());
    if (offset > kLocalBytes) std::abort();
    dynamic = std::max(dynamic, offset);
  }
  dynamic = llvm::alignTo(dynamic, kDynamicAlignment);
  for (llvm::GlobalVariable& global : module.globals())
    if (global.getAddressSpace() == 3 && !places.contains(global.getName().str()))
      places[global.getName().str()] = LocalMemory() + dynamic;
  return places;
}

// Functions of compiler-rt, for hosts without such instructions.
template <typename From>
__bf16 TruncateToBf16(From value) {
  llvm::APFloat number(value);
  bool inexact;
  number.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  const auto bits = static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
  return __builtin_bit_cast(__bf16, bits);
}

}  // namespace

Emulator::~Emulator() = default;

StatusOr<std::unique_ptr<Emulator>> Emulator::Make(
    std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module) {
  std::vector<llvm::Function*> kernels;
  auto emulator = std::unique_ptr<Emulator>(new Emulator);
  for (llvm::Function& function : *module) {
    ReplaceOperations(function, emulator->instructions_);
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      kernels.push_back(&function);
  }
  for (llvm::Function* kernel : kernels) AddRun(*module, *kernel);
  // Local memory is that of this program, which may be far from the code.
  auto target = Must(llvm::orc::JITTargetMachineBuilder::detectHost());
  target.setCodeModel(llvm::CodeModel::Large);
  emulator->jit_ = Must(
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(target)).create());
  llvm::orc::LLJIT& jit = *emulator->jit_;
  llvm::orc::SymbolMap symbols;
  auto define = [&](llvm::StringRef name, void* address) {
    symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                          llvm::JITSymbolFlags::Exported};
  };
  define("emulate", reinterpret_cast<void*>(&Emulate));
  emulator->direct_counts_.resize(std::size(kDirectCalls));
  for (const auto& [call, count] : llvm::zip(kDirectCalls, emulator->direct_counts_)) {
    define(call.function, call.address);
    define(CountName(call), &count);
  }
  define("__truncsfbf2", reinterpret_cast<void*>(&TruncateToBf16<float>));
  define("__truncdfbf2", reinterpret_cast<void*>(&TruncateToBf16<double>));
  for (const auto& [name, place] : PlaceLocalMemory(*module, emulator->dynamic_local_))
    define(name, place);
  module->setDataLayout(jit.getDataLayout());
  module->setTargetTriple(jit.getTargetTriple());
  Must(jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))));
  Must(jit.addIRModule(
      llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  return emulator;
}

Status Emulator::Run(const std::string& kernel, const Launch& launch,
                     const uint64_t* arguments) {
  auto* run = Must(jit_->lookup(RunName(kernel))).toPtr<void (*)(const uint64_t*)>();
  if (dynamic_local_ + launch.dynamic_local_bytes > kLocalBytes)
    return ResourceExhausted("the launch of '" + kernel + "' adds too much local memory");
  for (int64_t number = 0; number < launch.groups; ++number) {
    Group group(number, launch.items, dynamic_local_ + launch.dynamic_local_bytes);
    const Status status = group.Run([&] { run(arguments); }, launch.backwards);
    if (!status.ok()) return status.WithPrefix("kernel '" + kernel + "'");
  }
  for (auto& [name, instruction] : instructions_)
    if (instruction.count > 0) counts_[name] += std::exchange(instruction.count, 0);
  for (const auto& [call, count] : llvm::zip(kDirectCalls, direct_counts_))
    if (count > 0) counts_[call.operation] += std::exchange(count, 0);
  return OkStatus();
}

}  // namespace tenon::gpu_test
