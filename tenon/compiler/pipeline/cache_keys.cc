#include "tenon/compiler/pipeline/cache_keys.h"

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tenon/compiler/extension/extension.h"
#include "tenon/compiler/import/compile_options.h"
#include "tenon/executable/build_fingerprint.h"

namespace tenon::compiler {
namespace {

// Each part is preceded by its length, so different lists of parts give different bytes.
void AddPart(std::string& key, std::string_view part) {
  key += std::to_string(part.size());
  key += ':';
  key += part;
}

// The build id of the binary stands for the compiler, because any other compiler may
// generate other code. The target's traits follow from its processor, its features and,
// for the host, the sizes of its caches.
std::string KeyOfTarget(std::string_view kind, const TargetDescription& target) {
  std::string key;
  for (std::string_view part :
       {kind, BuildId(), std::string_view(target.triple), std::string_view(target.cpu),
        std::string_view(target.flags)})
    AddPart(key, part);
  AddPart(key, std::to_string(target.traits.l1_bytes));
  AddPart(key, std::to_string(target.traits.l2_bytes));
  return key;
}

// Resources are printed by name only, so their contents would be missing in a key.
bool HasResources(ir::KernelOp kernel) {
  return kernel
      ->walk([](mlir::Operation* op) {
        for (mlir::NamedAttribute attribute : op->getAttrs())
          if (llvm::isa<mlir::DenseResourceElementsAttr>(attribute.getValue()))
            return mlir::WalkResult::interrupt();
        return mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

}  // namespace

std::string KernelKey(ir::KernelOp kernel, const CodeOptions& options) {
  if (HasResources(kernel)) return "";
  std::string key = KeyOfTarget("kernel", options.target);
  AddPart(key, std::to_string(options.optimization_level));
  key += options.ieee_denormals ? "ieee;" : "flush;";
  key += options.excess_precision ? "excess;" : "round;";
  // The generic form prints all attributes, and no names but those of operations.
  // Locations are not printed.
  mlir::OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope();
  mlir::AsmState state(kernel, flags);
  llvm::raw_string_ostream text(key);
  for (mlir::NamedAttribute attribute : kernel->getAttrs())
    if (attribute.getName() != kernel.getSymNameAttrName())
      text << attribute.getName().getValue() << " = " << attribute.getValue() << '\n';
  for (mlir::Type type : kernel.getBody().getArgumentTypes()) text << type << '\n';
  for (mlir::Operation& op : kernel.getBody().front()) {
    op.print(text, state);
    text << '\n';
  }
  return key;
}

std::string SharedFunctionKey(std::string_view name, const TargetDescription& level,
                              const CodeOptions& options) {
  std::string key;
  AddPart(key, name);
  AddPart(key, level.name);
  AddPart(key, std::to_string(options.optimization_level));
  key += options.ieee_denormals ? "ieee;" : "flush;";
  key += options.excess_precision ? "excess;" : "round;";
  return key;
}

std::string KeyOfBuild(std::string_view key) {
  std::string of_build;
  for (std::string_view part : {std::string_view("shared"), BuildId(), key})
    AddPart(of_build, part);
  return of_build;
}

std::string ProgramKey(std::string_view code, const ImageOptions& options,
                       const CompilerConfig& config, const TargetDescription& target) {
  std::string key = KeyOfTarget("program", target);
  AddPart(key, std::to_string(config.optimization_level));
  key += config.ieee_denormals ? "ieee;" : "flush;";
  key += config.fold_constants ? "fold;" : "keep;";
  key += config.tf32 ? "tf32;" : "f32;";
  key += options.excess_precision ? "excess;" : "round;";
  AddPart(key, std::to_string(options.num_replicas));
  AddPart(key, std::to_string(options.num_partitions));
  for (const Extension* extension : config.extensions) AddPart(key, extension->name());
  AddPart(key, code);
  return key;
}

StatusOr<ImageOptions> ReadOptions(const CompileRequest& request,
                                   const CompilerConfig& config) {
  TENON_ASSIGN_OR_RETURN(CompileOptions options, ParseCompileOptions(request.options));
  return ImageOptions{options.num_replicas,
                      options.num_partitions,
                      options.allow_excess_precision,
                      config.explain_sharding.empty() ? options.explain_sharding
                                                      : config.explain_sharding,
                      options.file,
                      options.file_note,
                      options.program_file};
}

}  // namespace tenon::compiler
