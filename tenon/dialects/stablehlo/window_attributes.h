// Entries of the attributes of windowed ops, which may be absent. Pure; any thread.
#ifndef TENON_DIALECTS_STABLEHLO_WINDOW_ATTRIBUTES_H_
#define TENON_DIALECTS_STABLEHLO_WINDOW_ATTRIBUTES_H_

#include <optional>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tenon::stablehlo {

// Entry `dim` of sizes, strides or dilations, which are 1 if they are absent.
inline int64_t EntryOr1(std::optional<llvm::ArrayRef<int64_t>> values, size_t dim) {
  return values && !values->empty() ? (*values)[dim] : 1;
}

// The low and high padding of dimension `dim`.
inline std::pair<int64_t, int64_t> PaddingOf(
    std::optional<mlir::DenseIntElementsAttr> padding, size_t dim) {
  if (!padding || !*padding) return {0, 0};
  const auto values = padding->getValues<int64_t>();
  return {values[{dim, 0}], values[{dim, 1}]};
}

}  // namespace tenon::stablehlo

#endif  // TENON_DIALECTS_STABLEHLO_WINDOW_ATTRIBUTES_H_
