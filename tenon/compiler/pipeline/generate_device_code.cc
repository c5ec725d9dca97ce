#include "tenon/compiler/pipeline/generate_device_code.h"

#include <set>
#include <string>
#include <utility>

#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/codegen/grid/grid_emitter.h"
#include "tenon/compiler/codegen/program/program_emitter.h"
#include "tenon/compiler/pipeline/compile_thread.h"
#include "tenon/compiler/pipeline/machine_code.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/compiler/targets/link/link.h"
#include "tenon/executable/device_code.h"

namespace tenon::compiler {
namespace {

codegen::EmitterOptions OptionsFor(const TargetDescription& target,
                                   const CodeOptions& options) {
  codegen::EmitterOptions emitter{target.traits};
  // Devices may keep denormals even if asked to flush them, and many do for f64. Code
  // that relies on flushing is wrong there (the remainder by a denormal does not end);
  // the other code is right both ways.
  emitter.target.elementwise.ieee_denormals = true;
  if (options.ieee_denormals) emitter.target.elementwise.approximations = nullptr;
  emitter.target.elementwise.excess_precision = options.excess_precision;
  return emitter;
}

StatusOr<DeviceCode> GenerateKernels(mlir::ModuleOp module, const CodeOptions& options,
                                     codegen::DeviceLaunches& launches) {
  const DeviceTarget& target = *options.target.traits.device;
  LeakedOnException<llvm::LLVMContext> context;
  LeakedOnException<llvm::Module> owned("tenon", *context);
  llvm::Module& llvm_module = *owned;
  // The alignments of all devices. The targets' own layouts put globals into address
  // space 1, but emitters use pointers of address space 0 for everything.
  llvm_module.setDataLayout("e-i64:64-n8:16:32:64");
  DeviceCode code;
  code.format = target.format;
  codegen::EmitterOptions emitter_options = OptionsFor(options.target, options);
  emitter_options.tiles = options.tiles;
  codegen::GridEmitter emitter(llvm_module, emitter_options, code.kernels);
  uint32_t number = 0;
  for (ir::KernelOp kernel : module.getOps<ir::KernelOp>()) {
    TENON_ASSIGN_OR_RETURN(launches[kernel.getSymName()], emitter.Emit(kernel, number++));
  }
  if (options.on_text) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm_module;
    options.on_text("device.ll", text);
  }
  if (code.kernels.empty()) return code;
  TENON_ASSIGN_OR_RETURN(
      code.module, target.emit(llvm_module, options.target, options.ieee_denormals));
  if (options.on_text)
    options.on_text("device." + std::string(target.format), code.module);
  return code;
}

StatusOr<CodeObject> GenerateLauncher(ir::ProgramOp program, const CodeOptions& options,
                                      const codegen::DeviceLaunches& launches) {
  LeakedOnException<BorrowedTargetMachine> borrowed;
  TENON_ASSIGN_OR_RETURN(
      *borrowed,
      BorrowTargetMachine(options.target, CodegenLevel(options.optimization_level)));
  llvm::TargetMachine& machine = **borrowed;
  LeakedOnException<llvm::LLVMContext> context;
  LeakedOnException<llvm::Module> owned("tenon", *context);
  llvm::Module& llvm_module = *owned;
  llvm_module.setDataLayout(machine.createDataLayout());
  llvm_module.setTargetTriple(machine.getTargetTriple());
  codegen::EmitterOptions emitter_options = OptionsFor(options.target, options);
  emitter_options.launches = &launches;
  TENON_RETURN_IF_ERROR(
      codegen::ProgramEmitter(llvm_module, emitter_options).Emit(program));
  // The reducers of collectives, which the host performs.
  emitter_options.launches = nullptr;
  std::set<std::string> combiners;
  program.walk([&](ir::CollectiveOp collective) {
    if (collective.getCombiner()) combiners.insert(collective.getCombiner()->str());
  });
  for (ir::KernelOp kernel :
       program->getParentOfType<mlir::ModuleOp>().getOps<ir::KernelOp>()) {
    if (!combiners.contains(kernel.getSymName().str())) continue;
    TENON_RETURN_IF_ERROR(codegen::KernelEmitter(llvm_module, emitter_options)
                              .Emit(kernel, kernel.getSymName()));
  }
  SetFunctionAttributes(llvm_module, options);
  Optimize(llvm_module, machine, options.optimization_level, /*inlined=*/{});
  if (options.on_text) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm_module;
    options.on_text("launcher.ll", text);
  }
  llvm::SmallVector<char, 0> object;
  TENON_RETURN_IF_ERROR(
      EmitFile(llvm_module, machine, llvm::CodeGenFileType::ObjectFile, object));
  std::vector<codegen::LinkedObject> objects(1);
  objects[0].bytes = {object.data(), object.size()};
  TENON_ASSIGN_OR_RETURN(CodeObject code,
                         codegen::LinkObjects(objects, codegen::kEntryName.str()));
  return code;
}

}  // namespace

StatusOr<DeviceCodeObjects> GenerateDeviceCode(mlir::ModuleOp module,
                                               ir::ProgramOp program,
                                               const CodeOptions& options,
                                               const TargetDescription& host) {
  codegen::DeviceLaunches launches;
  TENON_ASSIGN_OR_RETURN(DeviceCode kernels, GenerateKernels(module, options, launches));
  CodeOptions host_options = options;
  host_options.target = host;
  DeviceCodeObjects objects;
  TENON_ASSIGN_OR_RETURN(objects.launcher,
                         GenerateLauncher(program, host_options, launches));
  objects.launcher.kind = kLauncherCode;
  objects.launcher.target = options.target.name;
  objects.launcher.features = host.RequiredFeatures();
  objects.device.kind = kDeviceCode;
  objects.device.target = options.target.name;
  objects.device.architecture = llvm::Triple(options.target.triple).getArchName().str();
  objects.device.bytes = kernels.Serialize();
  return objects;
}

}  // namespace tenon::compiler
