// Which rank-0 values the host computes in a program whose arrays are in the memory of a
// device. Reading a value back from the device waits for all work before it, so the host
// computes only what it needs no such values for: counters of loops, and what follows
// from them. All other scalars stay on the device, in kernels, except where control flow
// depends on them.
#ifndef TENON_COMPILER_ANALYSIS_HOST_SCALARS_H_
#define TENON_COMPILER_ANALYSIS_HOST_SCALARS_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

// Of one function, before or after fusion. Ops may be added and replaced meanwhile: a
// value is looked at when it is asked for, except for the arguments of loops.
class HostScalars {
 public:
  // If not `on_device`, all rank-0 values are computed by the host, which has the arrays.
  HostScalars(mlir::func::FuncOp function, bool on_device);

  // Whether a rank-0 value is computed by the host.
  bool Contains(mlir::Value value) const;

 private:
  void FindLoopArguments(mlir::func::FuncOp function);

  bool on_device_;
  // Carried values of loops that are on the device: their arguments and results.
  llvm::DenseSet<mlir::Value> carried_on_device_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_ANALYSIS_HOST_SCALARS_H_
