#include "tenon/compiler/pipeline/generate_code.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/program/program_emitter.h"
#include "tenon/compiler/pipeline/cache_keys.h"
#include "tenon/compiler/pipeline/compile_thread.h"
#include "tenon/compiler/pipeline/divide_module.h"
#include "tenon/compiler/pipeline/inline_kernels.h"
#include "tenon/compiler/pipeline/machine_code.h"
#include "tenon/compiler/pipeline/shared_code.h"
#include "tenon/compiler/plan/plan_attribute.h"
#include "tenon/compiler/targets/link/link.h"

namespace tenon::compiler {
namespace {

// The source of one object file: either some short kernels (and, in the first unit, the
// program), or one long kernel, or a part of its functions.
struct Unit {
  llvm::SmallVector<ir::KernelOp> kernels;
  int64_t cost = 0;
  ir::ProgramOp program;
  llvm::DenseSet<mlir::StringAttr> inlined;  // kernels that are inlined into the program
  bool long_kernel = false;
  size_t part = 0, parts = 1;
  // Cache key of a long kernel, which is then generated under the name kCachedName.
  std::string key;
  CodeCache::Value object;
  std::string ir_text, assembly_text;
  Status status;
};

constexpr llvm::StringLiteral kCachedName = "kernel";

// Returns whether little time is spent in every function of the module, as in a program
// without loops and kernels, or in a kernel whose phases call shared functions.
bool IsUnoptimized(const llvm::Module& module) {
  return llvm::all_of(module, [](const llvm::Function& function) {
    return function.isDeclaration() ||
           (function.hasOptNone() &&
            !function.hasFnAttribute(codegen::kAllocatesRegisters));
  });
}

StatusOr<std::string> Generate(Unit& unit, const CodeOptions& options,
                               SharedCode& shared) {
  LeakedOnException<BorrowedTargetMachine> borrowed;
  TENON_ASSIGN_OR_RETURN(
      *borrowed,
      BorrowTargetMachine(options.target, CodegenLevel(options.optimization_level)));
  BorrowedTargetMachine& machine = *borrowed;
  LeakedOnException<llvm::LLVMContext> context;
  LeakedOnException<llvm::Module> owned_module("tenon", *context);
  llvm::Module& module = *owned_module;
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
  codegen::EmitterOptions emitter_options{options.target.traits};
  emitter_options.target.elementwise.ieee_denormals = options.ieee_denormals;
  emitter_options.target.elementwise.excess_precision = options.excess_precision;
  for (ir::KernelOp kernel : unit.kernels)
    TENON_RETURN_IF_ERROR(codegen::KernelEmitter(module, emitter_options)
                              .Emit(kernel, unit.key.empty()
                                                ? kernel.getSymName()
                                                : llvm::StringRef(kCachedName)));
  if (unit.program)
    TENON_RETURN_IF_ERROR(
        codegen::ProgramEmitter(module, emitter_options).Emit(unit.program));
  SetFunctionAttributes(module, options);
  TENON_RETURN_IF_ERROR(shared.TakeOut(module, unit.part, unit.parts));
  if (unit.parts > 1) {
    KeepPart(
        module,
        unit.key.empty() ? unit.kernels[0].getSymName() : llvm::StringRef(kCachedName),
        unit.part, unit.parts);
  }
  // Other levels would spend most of the time in passes that skip such functions.
  if (IsUnoptimized(module)) {
    TENON_ASSIGN_OR_RETURN(
        machine, BorrowTargetMachine(options.target, llvm::CodeGenOptLevel::None));
  }
#ifndef NDEBUG
  std::string problems;
  llvm::raw_string_ostream problem_stream(problems);
  if (llvm::verifyModule(module, &problem_stream))
    return Internal("generated invalid LLVM IR: " + problems);
#endif
  Optimize(module, *machine, options.optimization_level, unit.inlined);
  llvm::SmallVector<char, 0> text;
  if (options.on_text) {
    llvm::raw_string_ostream(unit.ir_text) << module;
    auto copy = BorrowTargetMachine(options.target, machine->getOptLevel());
    if (copy.ok()) {
      TENON_RETURN_IF_ERROR(
          EmitFile(module, **copy, llvm::CodeGenFileType::AssemblyFile, text));
      unit.assembly_text.assign(text.data(), text.size());
    }
  }
  return EmitObject(module, std::move(machine));
}

Status MakeObject(Unit& unit, const CodeOptions& options, SharedCode& shared) {
  if (!unit.key.empty()) {
    TENON_ASSIGN_OR_RETURN(unit.object, options.cache->Get(unit.key, [&] {
      return Generate(unit, options, shared);
    }));
    return OkStatus();
  }
  TENON_ASSIGN_OR_RETURN(std::string object, Generate(unit, options, shared));
  unit.object = std::make_shared<const std::string>(std::move(object));
  return OkStatus();
}

// Estimates the cost of generating a kernel; the unit is roughly one op of a kernel's
// body.
int64_t EstimateCost(ir::KernelOp kernel) {
  constexpr int64_t kFunction = 20;  // passes run for each function, however short
  // Such ops become loops with register tiles.
  constexpr int64_t kContract = 300, kSort = 600;
  int64_t cost = kFunction;
  kernel.walk([&](mlir::Operation* op) {
    if (llvm::isa<ir::ContractOp, ir::ConvolutionOp, ir::FftOp, ir::LinalgOp>(op))
      cost += kContract;
    else if (llvm::isa<ir::SortOp>(op))
      cost += kSort;
    else
      cost += llvm::isa<ir::ParallelOp>(op) ? kFunction : 1;
  });
  return cost;
}

// Kernels from this cost on get an object of their own, which can be cached: a product, a
// sort, or some hundred ops. The cost of one more object is small beside theirs.
constexpr int64_t kLongKernel = 300;
constexpr size_t kMaxParts = 4;  // of a long kernel

// Whether the kernel is a long Fourier transform, all of whose steps are shared
// functions. What is left of it is mostly tables, which each part would compute.
bool IsMostlyTables(ir::KernelOp kernel, const CodeOptions& options) {
  bool found = false;
  kernel.walk([&](ir::FftOp op) {
    StatusOr<StructuredPlan> plan = PlanOf(*op, options.target.traits);
    const auto* fft = plan.ok() ? std::get_if<FftPlan>(&plan->details) : nullptr;
    found |= fft && fft->four_step.a > 0 && !fft->four_step.convolution;
  });
  return found && LevelOf(options.target);
}

// Returns the units of a program in link order. Short kernels are distributed over as
// many units as there are threads: the most expensive first, each to the unit with the
// lowest cost.
std::vector<Unit> Distribute(mlir::ModuleOp module, ir::ProgramOp program, size_t threads,
                             const CodeOptions& options) {
  llvm::DenseSet<mlir::StringAttr> inlined = FindInlinedKernels(program);
  std::vector<std::pair<int64_t, ir::KernelOp>> short_kernels, long_kernels;
  int64_t total = 0;
  for (ir::KernelOp kernel : module.getOps<ir::KernelOp>()) {
    const int64_t cost = EstimateCost(kernel);
    const bool own = cost >= kLongKernel && !inlined.contains(kernel.getSymNameAttr());
    (own ? long_kernels : short_kernels).emplace_back(cost, kernel);
    if (!own) total += cost;
  }
  // The overhead of a unit is about that of a small kernel.
  constexpr int64_t kMinUnitCost = 100;
  size_t count = std::clamp<size_t>(
      std::min<size_t>(short_kernels.size(), total / kMinUnitCost), 1, threads);
  std::vector<Unit> units(count);
  units[0].program = program;
  program.walk([&](mlir::Operation*) { ++units[0].cost; });
  std::stable_sort(short_kernels.begin(), short_kernels.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [cost, kernel] : short_kernels) {
    Unit& unit = inlined.contains(kernel.getSymNameAttr())
                     ? units[0]
                     : *std::min_element(
                           units.begin(), units.end(),
                           [](const Unit& a, const Unit& b) { return a.cost < b.cost; });
    unit.kernels.push_back(kernel);
    unit.cost += cost;
  }
  units[0].inlined = std::move(inlined);
  // If there are fewer than threads, several share one. Each emits all of it.
  const size_t max_parts =
      long_kernels.empty() || options.on_text
          ? 1
          : std::clamp<size_t>(threads / long_kernels.size(), 1, kMaxParts);
  for (auto& [cost, kernel] : long_kernels) {
    const size_t parts =
        max_parts == 1 || IsMostlyTables(kernel, options) ? 1 : max_parts;
    for (size_t part = 0; part < parts; ++part) {
      Unit& unit = units.emplace_back();
      unit.kernels.push_back(kernel);
      unit.cost = cost / static_cast<int64_t>(parts);
      unit.long_kernel = true;
      unit.part = part;
      unit.parts = parts;
    }
  }
  return units;
}

// Generates the objects of all units, the most expensive first, on up to `threads`
// threads.
void MakeObjects(std::vector<Unit>& units, size_t threads, const CodeOptions& options,
                 SharedCode& shared) {
  std::vector<Unit*> order;
  for (Unit& unit : units) order.push_back(&unit);
  std::stable_sort(order.begin(), order.end(),
                   [](const Unit* a, const Unit* b) { return a->cost > b->cost; });
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < order.size(); i = next++)
      order[i]->status =
          RunProtected([&] { return MakeObject(*order[i], options, shared); });
    return OkStatus();
  };
  // The caller participates. It works alone if the system cannot create more threads.
  std::vector<std::unique_ptr<CompileThread>> workers;
  for (size_t i = 1; i < std::min(threads, units.size()); ++i)
    workers.push_back(std::make_unique<CompileThread>(work));
  std::vector<bool> started(workers.size());
  for (size_t i = 0; i < workers.size(); ++i) started[i] = workers[i]->Start();
  (void)work();
  for (size_t i = 0; i < workers.size(); ++i)
    if (started[i]) (void)workers[i]->Join();
}

// Adds the objects of the shared functions that `objects` call.
Status AddSharedObjects(std::vector<Unit>& units, const CodeOptions& options,
                        SharedCode& shared, std::vector<codegen::LinkedObject>& objects) {
  std::set<std::string> added;
  for (size_t i = 0; i < objects.size(); ++i) {
    for (std::string_view symbol : codegen::UndefinedSymbols(objects[i].bytes)) {
      if (!SharedCode::IsShared(symbol)) continue;
      const auto [name, is_new] = added.emplace(symbol);
      if (!is_new) continue;
      const std::string* object = shared.Find(*name);
      if (!object) {  // The cache has kept a caller, and dropped the function.
        for (Unit& unit : units)
          if (!unit.key.empty())
            TENON_RETURN_IF_ERROR(Generate(unit, options, shared).status());
        object = shared.Find(*name);
      }
      if (!object) return Internal("the generated code calls an unknown " + *name);
      objects.push_back({*object});
    }
  }
  return OkStatus();
}

}  // namespace

Status RegisterPasses(const TargetDescription& target, int optimization_level) {
  // Functions in which little time is spent are compiled at level 0, whatever the level.
  for (llvm::CodeGenOptLevel level :
       {llvm::CodeGenOptLevel::None, CodegenLevel(optimization_level)}) {
    LeakedOnException<BorrowedTargetMachine> borrowed;
    TENON_ASSIGN_OR_RETURN(*borrowed, BorrowTargetMachine(target, level));
    llvm::TargetMachine& machine = **borrowed;
    LeakedOnException<llvm::LLVMContext> context;
    LeakedOnException<llvm::Module> module("tenon", *context);
    module->setDataLayout(machine.createDataLayout());
    module->setTargetTriple(machine.getTargetTriple());
    llvm::SmallVector<char, 0> code;
    // Some devices have no object files.
    TENON_RETURN_IF_ERROR(EmitFile(*module, machine,
                                   target.traits.device
                                       ? llvm::CodeGenFileType::AssemblyFile
                                       : llvm::CodeGenFileType::ObjectFile,
                                   code));
  }
  return OkStatus();
}

StatusOr<CodeObject> GenerateCode(mlir::ModuleOp module, ir::ProgramOp program,
                                  const CodeOptions& options) {
  size_t threads = options.num_threads > 0
                       ? options.num_threads
                       : std::max(1u, std::thread::hardware_concurrency());
  std::vector<Unit> units = Distribute(module, program, threads, options);
  for (Unit& unit : units) {
    if (!unit.long_kernel || !options.cache || options.on_text) continue;
    unit.key = KernelKey(unit.kernels[0], options);
    if (!unit.key.empty() && unit.parts > 1)
      unit.key +=
          "part " + std::to_string(unit.part) + " of " + std::to_string(unit.parts);
  }
  SharedCode shared(options);
  MakeObjects(units, threads, options, shared);

  std::vector<codegen::LinkedObject> objects;
  for (Unit& unit : units) {
    TENON_RETURN_IF_ERROR(unit.status);
    codegen::LinkedObject& object = objects.emplace_back();
    object.bytes = *unit.object;
    if (unit.key.empty()) continue;
    object.old_name = kCachedName;
    object.new_name = unit.kernels[0].getSymName();
  }
  TENON_RETURN_IF_ERROR(AddSharedObjects(units, options, shared, objects));
  if (options.on_text) {
    std::string ir_text, assembly_text;
    for (const Unit& unit : units) {
      ir_text += unit.ir_text;
      assembly_text += unit.assembly_text;
    }
    options.on_text("code.ll", ir_text);
    options.on_text("code.s", assembly_text);
  }
  TENON_ASSIGN_OR_RETURN(CodeObject code,
                         codegen::LinkObjects(objects, codegen::kEntryName.str()));
  code.target = options.target.name;
  code.features = options.target.RequiredFeatures();
  return code;
}

}  // namespace tenon::compiler
