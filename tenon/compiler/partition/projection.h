// Shardings of an op's tensors, seen as shardings of its factors: for each tensor and
// each factor that it has, the axes that split the factor.
#ifndef TENON_COMPILER_PARTITION_PROJECTION_H_
#define TENON_COMPILER_PARTITION_PROJECTION_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "tenon/compiler/partition/rule.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

struct FactorSharding {
  bool present = false;  // the tensor has the factor
  bool closed = false;
  bool minor_most = false;  // the last factor of its dimension
  Axes axes;
  // Axes that do not divide the factor. No later factor of the dimension has axes.
  Axes overflow;
};

struct TensorFactors {
  llvm::SmallVector<FactorSharding, 4> factors;  // by number of the factor
  AxesRef replicated, unreduced;                 // of the tensor

  // Sets the axes of a factor if they extend those it has; returns whether they do.
  bool Expand(int32_t factor, AxesRef axes);
};

// Hands the axes of each dimension to its factors, major first. An axis is split where a
// factor is full. Without a sharding, all factors are open and have no axes. The result
// refers to `sharding`.
TensorFactors ProjectToFactors(const Mapping& mapping, llvm::ArrayRef<Factor> factors,
                               const Sharding* sharding);

// The sharding with these factor shardings. A dimension ends with the first factor that
// is not full, because a later one would need a strided view.
Sharding ProjectToDims(const TensorFactors& tensor, const Mapping& mapping,
                       llvm::ArrayRef<Factor> factors, const Sharding* old, int32_t mesh);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_PROJECTION_H_
