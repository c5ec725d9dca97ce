// Registers all dialects that Tenon programs use. Stateless.
#ifndef TENON_DIALECTS_REGISTER_H_
#define TENON_DIALECTS_REGISTER_H_

#include "mlir/IR/DialectRegistry.h"

namespace tenon {

// Adds func, stablehlo, sdy and their dependencies to `registry` without loading them.
void RegisterAllDialects(mlir::DialectRegistry& registry);

}  // namespace tenon

#endif  // TENON_DIALECTS_REGISTER_H_
