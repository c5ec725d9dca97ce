// The one list of dialects that Tenon's programs consist of. Stateless.
#ifndef TENON_DIALECTS_REGISTER_H_
#define TENON_DIALECTS_REGISTER_H_

#include "mlir/IR/DialectRegistry.h"

namespace tenon {

// Adds func, stablehlo, sdy and what they depend on to `registry`. Nothing is loaded yet.
void RegisterAllDialects(mlir::DialectRegistry& registry);

}  // namespace tenon

#endif  // TENON_DIALECTS_REGISTER_H_
