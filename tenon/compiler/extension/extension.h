// A device vendor's hooks into the compiler: passes after a phase, and fusions that the
// vendor's own functions compute. docs/adding/device.md has an example.
//
// An extension is immutable and lives as long as the process; several compilations may
// use it at the same time. CompilerConfig::extensions passes it to the compiler.
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

// The phases that an extension's passes can follow. TENON_DUMP_TO uses the same names.
enum class Phase {
  kImport,    // the imported program in StableHLO
  kLegalize,  // one function, without calls and composites
  kSimplify,  // constants are folded
  kFuse,      // every future kernel is one tenon.fusion
};

// A function that computes a fusion: an XLA FFI handler that is registered for the
// platform as `target`. It gets the fusion's operands and results, dense and row-major,
// and `attributes` (null for none).
struct FusionCall {
  std::string target;
  mlir::DictionaryAttr attributes;
};

class Extension {
 public:
  virtual ~Extension() = default;

  // Name and version; part of the cache's keys.
  virtual std::string_view name() const = 0;

  // Adds passes on the module that run once per compilation after `phase`. They must
  // leave a program that verifies and has the same meaning.
  virtual void AddPasses(Phase phase, mlir::OpPassManager& passes) const {
    (void)phase;
    (void)passes;
  }

  // Takes a fusion over, or declines it with nullopt; then Tenon generates its code. The
  // body is StableHLO on tensors and must not be modified.
  virtual std::optional<FusionCall> TakeFusion(ir::FusionOp fusion) const {
    (void)fusion;
    return std::nullopt;
  }
};

// Runs the extensions' passes that follow `phase`. Returns INTERNAL, naming the
// extension, if one fails.
Status RunPasses(std::span<const Extension* const> extensions, Phase phase,
                 mlir::ModuleOp module);

// Offers every fusion to the extensions in order. A fusion that is taken becomes a custom
// call.
void OfferFusions(std::span<const Extension* const> extensions, mlir::ModuleOp module);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_EXTENSION_EXTENSION_H_
