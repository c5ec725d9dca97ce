// Where the maker of a device hooks into the compiler: passes after a phase, and fusions
// that functions of the maker's own compute. docs/adding/device.md has an example.
//
// An extension is immutable and lives as long as the process; several compilations use it
// at a time. It is given to the compiler by CompilerConfig::extensions.
#ifndef TENON_COMPILER_EXTENSION_EXTENSION_H_
#define TENON_COMPILER_EXTENSION_EXTENSION_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tenon/base/status.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {

// The phases that an extension's passes can follow, by the names under which
// TENON_DUMP_TO writes them.
enum class Phase {
  kImport,    // the program as it came, in StableHLO
  kLegalize,  // one function, without calls and composites
  kSimplify,  // folded
  kFuse,      // what will be one kernel is one tenon.fusion
};

// A function that computes a fusion: an XLA FFI handler, registered for the platform
// under `target`. It gets the fusion's operands and results, dense and row-major, and
// `attributes` (null for none).
struct FusionCall {
  std::string target;
  mlir::DictionaryAttr attributes;
};

class Extension {
 public:
  virtual ~Extension() = default;

  // The name and version: code that one made is not taken for code of another.
  virtual std::string_view name() const = 0;

  // Adds passes on the module, which run once a compilation after `phase`. They leave a
  // program that verifies and means the same.
  virtual void AddPasses(Phase phase, mlir::OpPassManager& passes) const {
    (void)phase;
    (void)passes;
  }

  // Takes a fusion over, or declines it by nullopt: then Tenon generates its code. The
  // body is StableHLO on tensors, and must not be changed.
  virtual std::optional<FusionCall> TakeFusion(ir::FusionOp fusion) const {
    (void)fusion;
    return std::nullopt;
  }
};

// Runs the extensions' passes that follow `phase`. INTERNAL, naming the extension, if one
// fails.
Status RunPasses(std::span<const Extension* const> extensions, Phase phase,
                 mlir::ModuleOp module);

// Offers every fusion to the extensions in order. What one takes becomes a custom call.
void OfferFusions(std::span<const Extension* const> extensions, mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_EXTENSION_EXTENSION_H_
