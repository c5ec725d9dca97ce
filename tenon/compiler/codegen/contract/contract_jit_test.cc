#include "tenon/compiler/codegen/contract/contract_jit.h"

#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "tenon/compiler/targets/target.h"
#include "tenon/devices/cpu/host_machine.h"

namespace tenon::codegen {
namespace {

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

// The processor time of this thread, because the machine may be shared.
double ProcessorMs() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * double(time.tv_sec) + 1e-6 * double(time.tv_nsec);
}

// A second thread that spins for work and soon sleeps, as a compute team's thread does.
class Partner {
 public:
  Partner() : thread_([this] { Loop(); }) {}
  ~Partner() {
    work_ = nullptr;
    epoch_.fetch_add(1);
    epoch_.notify_one();
    thread_.join();
  }
  void Share(const std::function<void()>& work) {
    work_ = &work;
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_one();
    work();
    while (done_.load(std::memory_order_acquire) != epoch_.load()) {
    }
  }

 private:
  void Loop() {
    int64_t seen = 0;
    while (true) {
      constexpr int kSpins = 1 << 20;  // less than a millisecond
      for (int i = 0; i < kSpins && epoch_.load(std::memory_order_acquire) == seen; ++i) {
      }
      epoch_.wait(seen, std::memory_order_acquire);
      ++seen;
      if (!work_) return;
      (*work_)();
      done_.store(seen, std::memory_order_release);
    }
  }
  std::atomic<int64_t> epoch_{0}, done_{0};
  const std::function<void()>* work_ = nullptr;
  std::thread thread_;
};

}  // namespace

TargetTraits HostTraits() {
  // The operating system must grant tile registers on request.
  bool tiles = cpu::HostMachine().features.contains("amx-tile");
  auto target = compiler::DescribeTarget("host", "host", tiles ? "" : "-amx-tile");
  if (target.ok()) return target->traits;
  std::fprintf(stderr, "%s\n", target.status().ToString().c_str());
  std::abort();
}

StatusOr<JitKernel> JitKernel::Make(const KernelPlan& plan, const EmitBody& emit) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  double start = ProcessorMs();
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("kernel", *context);
  llvm::orc::JITTargetMachineBuilder builder =
      Must(llvm::orc::JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto machine = Must(builder.createTargetMachine());
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());

  llvm::IRBuilder<> b(*context);
  llvm::Type* pointer = b.getPtrTy();
  auto* type = llvm::FunctionType::get(
      b.getVoidTy(), {pointer, pointer, pointer, pointer, b.getInt64Ty(), pointer},
      false);
  for (size_t phase = 0; phase < plan.phase_chunks.size(); ++phase) {
    auto* function =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                               "phase" + std::to_string(phase), module.get());
    b.SetInsertPoint(llvm::BasicBlock::Create(*context, "entry", function));
    ContractPointers pointers{function->getArg(0), function->getArg(1),
                              function->getArg(2), function->getArg(3)};
    TENON_RETURN_IF_ERROR(emit(b, static_cast<int>(phase), pointers, function->getArg(4),
                               function->getArg(5)));
    b.CreateRetVoid();
  }
  if (std::getenv("TENON_CONTRACT_IR")) module->print(llvm::errs(), nullptr);
  if (llvm::verifyModule(*module, &llvm::errs())) std::abort();

  llvm::SmallVector<char, 0> object;
  {
    llvm::raw_svector_ostream stream(object);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                     llvm::CodeGenFileType::ObjectFile))
      std::abort();
    passes.run(*module);
  }
  JitKernel kernel;
  kernel.codegen_ms_ = ProcessorMs() - start;
  auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), false);
  auto file = Must(llvm::object::ObjectFile::createObjectFile(buffer->getMemBufferRef()));
  for (const llvm::object::SectionRef& section : file->sections())
    if (section.isText()) kernel.code_bytes_ += section.getSize();
  if (const char* path = std::getenv("TENON_CONTRACT_OBJECT")) {
    if (FILE* out = std::fopen(path, "wb")) {
      std::fwrite(buffer->getBufferStart(), 1, buffer->getBufferSize(), out);
      std::fclose(out);
    }
  }
  kernel.jit_ = Must(llvm::orc::LLJITBuilder().create());
  Must(kernel.jit_->addObjectFile(std::move(buffer)));
  for (size_t phase = 0; phase < plan.phase_chunks.size(); ++phase)
    kernel.phases_.push_back(
        Must(kernel.jit_->lookup("phase" + std::to_string(phase))).toPtr<Phase>());
  kernel.plan_ = plan;
  int64_t bytes = (plan.scratch_bytes + 64 + 63) / 64 * 64;
  kernel.scratch_ =
      std::shared_ptr<void>(std::aligned_alloc(64, bytes), [](void* p) { std::free(p); });
  // Scratch that is not written must not look like a zero, in f32, f64 and bf16 alike.
  std::memset(kernel.scratch_.get(), 0xff, bytes);
  return kernel;
}

StatusOr<JitKernel> JitKernel::Make(const ContractSpec& spec, const TargetTraits& target,
                                    const ContractHooks& hooks) {
  KernelPlan plan = PlanContract(spec, target);
  return Make(plan, [&](llvm::IRBuilder<>& b, int phase, const ContractPointers& pointers,
                        llvm::Value* chunk, llvm::Value*) {
    return EmitContractPhase(b, spec, plan, phase, pointers, chunk, hooks);
  });
}

StatusOr<JitKernel> JitKernel::Make(const ConvSpec& spec, const TargetTraits& target,
                                    const ContractHooks& hooks) {
  KernelPlan plan = PlanConv(spec, target);
  return Make(plan, [&](llvm::IRBuilder<>& b, int phase, const ContractPointers& pointers,
                        llvm::Value* chunk, llvm::Value*) {
    return EmitConvPhase(b, spec, plan, phase, pointers, chunk, hooks);
  });
}

void JitKernel::Run(const void* lhs, const void* rhs, void* out, int threads,
                    void* extra) {
  static Partner* partner = nullptr;
  if (threads == 2 && !partner) partner = new Partner;  // lives as long as the process
  for (size_t phase = 0; phase < phases_.size(); ++phase) {
    int64_t chunks = plan_.phase_chunks[phase];
    Phase function = phases_[phase];
    auto run = [&](int64_t chunk) {
      function(lhs, rhs, out, scratch_.get(), chunk, extra);
    };
    if (threads == 0) {
      for (int64_t chunk = chunks; chunk-- > 0;) run(chunk);
    } else if (threads == 1 || chunks == 1) {
      for (int64_t chunk = 0; chunk < chunks; ++chunk) run(chunk);
    } else {
      std::atomic<int64_t> next{0};
      partner->Share([&] {
        for (int64_t chunk; (chunk = next.fetch_add(1)) < chunks;) run(chunk);
      });
    }
  }
}

}  // namespace tenon::codegen
