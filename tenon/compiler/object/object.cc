#include "tenon/compiler/object/object.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "llvm/IR/Verifier.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "tenon/compiler/codegen/program/program_emitter.h"
#include "tenon/compiler/object/c_names.h"
#include "tenon/compiler/object/ffi_functions.h"
#include "tenon/compiler/object/header.h"
#include "tenon/compiler/object/interface_code.h"
#include "tenon/compiler/object/stack_use.h"
#include "tenon/compiler/pipeline/code_emitter.h"
#include "tenon/compiler/pipeline/compile_thread.h"
#include "tenon/compiler/pipeline/inline_kernels.h"
#include "tenon/compiler/pipeline/machine_code.h"
#include "tenon/compiler/targets/target_name.h"

namespace tenon::compiler {
namespace {

// LLVM holds several copies of a constant while it writes the object.
constexpr uint64_t kMaxConstantBytes = uint64_t{64} << 20;

// Runs passes on a module, with the analyses that they need.
void RunPasses(llvm::Module& module, llvm::TargetMachine& machine,
               llvm::ModulePassManager& passes) {
  struct Analyses {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager sccs;
    llvm::ModuleAnalysisManager modules;
  };
  LeakedOnException<Analyses> analyses;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(analyses->modules);
  builder.registerCGSCCAnalyses(analyses->sccs);
  builder.registerFunctionAnalyses(analyses->functions);
  builder.registerLoopAnalyses(analyses->loops);
  builder.crossRegisterProxies(analyses->loops, analyses->functions, analyses->sccs,
                               analyses->modules);
  passes.run(module, analyses->modules);
}

Status Refuse(const Image& image, const std::string& name) {
  const ExecutableInfo& info = image.info;
  if (!info.collectives.empty()) {
    const ImageCollective& first = info.collectives[0];
    return Unimplemented("an object file cannot contain a program of several devices: " +
                         std::string(CollectiveName(first.kind)) +
                         (first.source.empty() ? "" : " at " + first.source));
  }
  if (info.num_replicas * info.num_partitions > 1)
    return Unimplemented("an object file cannot contain a program of " +
                         std::to_string(info.num_replicas * info.num_partitions) +
                         " devices; compile it for one");
  if (image.constants.size() > kMaxConstantBytes)
    return Unimplemented(
        "the program has " + std::to_string(image.constants.size()) +
        " bytes of constants, and an object file may have " +
        std::to_string(kMaxConstantBytes) +
        "; make large constants, such as weights, arguments of the function");
  return CheckFfiCalls(info, name);
}

// Offsets on targets with pointers of 32 bits are signed numbers of 32 bits.
Status CheckSizes(const ExecutableInfo& info, uint64_t arena_bytes,
                  const TargetDescription& target) {
  const uint64_t most = std::numeric_limits<int32_t>::max();
  const auto refused = [&](const std::string& what, uint64_t bytes) {
    return Unimplemented(what + " takes " + std::to_string(bytes) + " bytes, and " +
                         target.name + " can address " + std::to_string(most));
  };
  for (const auto* tensors : {&info.parameters, &info.results})
    for (const ImageTensor& tensor : *tensors)
      if (const auto bytes = static_cast<uint64_t>(tensor.ByteSize()); bytes > most)
        return refused("an argument or result of the program", bytes);
  if (arena_bytes > most) return refused("the scratch memory", arena_bytes);
  return OkStatus();
}

class ObjectEmitter : public CodeEmitter {
 public:
  ObjectEmitter(const ObjectOptions& options, ObjectFile& object)
      : options_(options), object_(object) {}
  StatusOr<CodeObject> Emit(mlir::ModuleOp module, ir::ProgramOp program,
                            const Image& image, const CodeOptions& options) override;
  const InterfaceNames& names() const { return names_; }

 private:
  Status Define(llvm::Module& llvm_module, mlir::ModuleOp module, ir::ProgramOp program,
                const Image& image, const CodeOptions& options);
  // Sets the linkage of all functions, and their attributes.
  void Finish(llvm::Module& module, const CodeOptions& options);
  void AddPrefix(llvm::Module& module);
  Status FindUndefined(llvm::StringRef bytes, const std::set<std::string>& of_user,
                       bool pointers_have_64_bits);
  bool IsExported(const llvm::GlobalValue& value) const {
    return value.hasExternalLinkage() && value.getName().starts_with(options_.name + "_");
  }

  const ObjectOptions& options_;
  ObjectFile& object_;
  InterfaceNames names_;
};

Status ObjectEmitter::Define(llvm::Module& llvm_module, mlir::ModuleOp module,
                             ir::ProgramOp program, const Image& image,
                             const CodeOptions& options) {
  llvm::LLVMContext& context = llvm_module.getContext();
  DefineParallelFor(llvm_module, options.target, options_.callback,
                    options.ieee_denormals);
  TENON_RETURN_IF_ERROR(
      DefineFfiCalls(llvm_module, options.target, image.info, options_.name));
  llvm::Constant* constants = llvm::ConstantDataArray::getRaw(
      llvm::StringRef(reinterpret_cast<const char*>(image.constants.data()),
                      image.constants.size()),
      image.constants.size(), llvm::Type::getInt8Ty(context));
  auto* data = new llvm::GlobalVariable(
      llvm_module, constants->getType(), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, constants, codegen::kConstantsName);
  data->setAlignment(llvm::Align(kConstantAlignment));
  codegen::EmitterOptions emitter_options{options.target.traits, /*standalone=*/true};
  emitter_options.target.elementwise.ieee_denormals = options.ieee_denormals;
  emitter_options.target.elementwise.excess_precision = options.excess_precision;
  for (ir::KernelOp kernel : module.getOps<ir::KernelOp>())
    TENON_RETURN_IF_ERROR(codegen::KernelEmitter(llvm_module, emitter_options)
                              .Emit(kernel, kernel.getSymName()));
  TENON_RETURN_IF_ERROR(
      codegen::ProgramEmitter(llvm_module, emitter_options).Emit(program));
  names_ = NamesOf(program, image.info);
  DefineInterface(llvm_module, options.target, image, program.getArenaBytes(), names_,
                  options_);
  return OkStatus();
}

void ObjectEmitter::Finish(llvm::Module& module, const CodeOptions& options) {
  SetFunctionAttributes(module, options);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (!IsExported(function)) {
      function.setVisibility(llvm::GlobalValue::DefaultVisibility);
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    // Unlike the JIT's, this code is worth some compile time even where it runs once.
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.setUWTableKind(llvm::UWTableKind::None);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    // Memory below the stack pointer is in no frame that could be counted.
    function.addFnAttr(llvm::Attribute::NoRedZone);
  }
}

void ObjectEmitter::AddPrefix(llvm::Module& module) {
  for (llvm::GlobalValue& value : module.global_values())
    if (!value.isDeclaration() && !IsExported(value))
      value.setName(options_.name + "." + value.getName());
  NameFfiFunctions(module);
}

Status ObjectEmitter::FindUndefined(llvm::StringRef bytes,
                                    const std::set<std::string>& of_user,
                                    bool pointers_have_64_bits) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(bytes, options_.name));
  if (!file) return Internal(llvm::toString(file.takeError()));
  std::set<std::string> names;
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name)
      return Internal(llvm::toString(flags ? name.takeError() : flags.takeError()));
    // The linker defines names that begin so, such as the stack pointer of wasm.
    const bool of_linker = name->starts_with("__stack_") ||
                           name->starts_with("__linear_") ||
                           name->starts_with("__indirect_");
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty() && !of_linker)
      names.insert(name->str());
  }
  object_.undefined.assign(names.begin(), names.end());
  for (const std::string& name : object_.undefined) {
    if (of_user.contains(name)) continue;
    const bool of_memory = name == "memcpy" || name == "memmove" || name == "memset";
    // Where pointers have 32 bits, the compiler's library does 64-bit arithmetic.
    if ((of_memory && options_.freestanding) || (!of_memory && pointers_have_64_bits))
      return Internal("the object would need " + name);
  }
  return OkStatus();
}

StatusOr<CodeObject> ObjectEmitter::Emit(mlir::ModuleOp module, ir::ProgramOp program,
                                         const Image& image, const CodeOptions& options) {
  TENON_RETURN_IF_ERROR(Refuse(image, options_.name));
  LeakedOnException<BorrowedTargetMachine> borrowed;
  TENON_ASSIGN_OR_RETURN(
      *borrowed,
      BorrowTargetMachine(options.target, CodegenLevel(options.optimization_level)));
  llvm::TargetMachine& machine = **borrowed;
  if (machine.getPointerSize(0) == 4)
    TENON_RETURN_IF_ERROR(
        CheckSizes(image.info, program.getArenaBytes(), options.target));
  LeakedOnException<llvm::LLVMContext> context;
  LeakedOnException<llvm::Module> owned_module(options_.name, *context);
  llvm::Module& llvm_module = *owned_module;
  llvm_module.setDataLayout(machine.createDataLayout());
  llvm_module.setTargetTriple(machine.getTargetTriple());
  TENON_RETURN_IF_ERROR(Define(llvm_module, module, program, image, options));
  Finish(llvm_module, options);
#ifndef NDEBUG
  std::string problems;
  llvm::raw_string_ostream problem_stream(problems);
  if (llvm::verifyModule(llvm_module, &problem_stream))
    return Internal("generated invalid LLVM IR: " + problems);
#endif
  llvm::ModulePassManager before, after;
  before.addPass(llvm::AlwaysInlinerPass());
  RunPasses(llvm_module, machine, before);
  Optimize(llvm_module, machine, options.optimization_level, FindInlinedKernels(program));
  after.addPass(llvm::GlobalDCEPass());
  RunPasses(llvm_module, machine, after);
  AddPrefix(llvm_module);
  if (options_.freestanding) DefineMemoryFunctions(llvm_module);
  if (machine.getTargetTriple().isWasm() && MultipliesWideIntegers(llvm_module))
    DefineWideMultiply(llvm_module);
  Finish(llvm_module, options);
  if (options.on_text) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm_module;
    options.on_text("code.ll", text);
  }
  StackUse stack;
  llvm::SmallVector<char, 0> bytes;
  TENON_RETURN_IF_ERROR(EmitFile(llvm_module, machine, llvm::CodeGenFileType::ObjectFile,
                                 bytes, [&] { return stack.CreatePass(); }));
  TENON_RETURN_IF_ERROR(FindUndefined({bytes.data(), bytes.size()},
                                      FfiFunctions(image.info),
                                      machine.getPointerSize(0) == 8));
  for (const char* function : {"_run", "_call"}) {
    TENON_ASSIGN_OR_RETURN(const int64_t used, stack.Of(options_.name + function));
    object_.stack_bytes = std::max(object_.stack_bytes, used);
  }
  object_.triple = options.target.triple;
  CodeObject code;
  code.kind = "object";
  code.target = options.target.name;
  code.bytes.assign(bytes.begin(), bytes.end());
  return code;
}

bool IsCIdentifier(const std::string& name) {
  return !name.empty() && CIdentifier(name) == name;
}

}  // namespace

StatusOr<ObjectFile> CompileObject(const CompileRequest& request,
                                   const CompilerConfig& config,
                                   const ObjectOptions& options) {
  if (!IsCIdentifier(options.name))
    return InvalidArgument("the name '" + options.name + "' is not a C identifier");
  if (options.name.starts_with("tenon_"))
    return InvalidArgument("the name '" + options.name +
                           "' begins with tenon_, as the types of every header do");
  TENON_ASSIGN_OR_RETURN(const std::vector<TargetName> targets,
                         ParseTargetNames(config.target));
  if (targets.size() != 1)
    return InvalidArgument("an object file is for one target; '" + config.target +
                           "' names " + std::to_string(targets.size()));
  ObjectFile object;
  ObjectEmitter emitter(options, object);
  CompilerConfig own = config;
  own.emitter = &emitter;
  TENON_ASSIGN_OR_RETURN(object.image, Compile(request, own));
  const std::vector<uint8_t>& bytes = object.image.code_objects[0].bytes;
  object.bytes.assign(bytes.begin(), bytes.end());
  if (options.max_stack_bytes > 0 && object.stack_bytes > options.max_stack_bytes)
    return ResourceExhausted("a call takes " + std::to_string(object.stack_bytes) +
                             " bytes of stack, and " +
                             std::to_string(options.max_stack_bytes) + " are allowed");
  object.header = WriteHeader(object, emitter.names(), options);
  return object;
}

}  // namespace tenon::compiler
