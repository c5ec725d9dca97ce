// Emits the ops of one point of an iteration space for a vector of lanes: index
// arithmetic, loads, stores and StableHLO's elementwise ops. One PointEmitter builds one
// LLVM function; not shared.
#ifndef TENON_COMPILER_CODEGEN_POINT_POINT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_POINT_POINT_EMITTER_H_

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "tenon/base/status.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/codegen/point/point_memory.h"
#include "tenon/compiler/codegen/point/point_values.h"
#include "tenon/compiler/codegen/point/shared_functions.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

using compiler::ElementwiseOpOf;
using compiler::UnsupportedOp;

class PointEmitter {
 public:
  PointEmitter(llvm::IRBuilderBase& b, PointOptions options)
      : b_(b), values_(b, options), memory_(values_), functions_(options.elementwise) {}

  // Emits one op that has no loop of its own. Returns UNIMPLEMENTED (op, type, location)
  // for others.
  Status EmitOp(mlir::Operation& op);
  // Emits an elementwise op and returns its result.
  StatusOr<ElementValue> Elementwise(mlir::Operation& op);

  llvm::IRBuilderBase& builder() { return b_; }
  const PointOptions& options() const { return values_.options(); }
  const Lanes& lanes() const { return values_.lanes(); }
  void set_lanes(Lanes lanes) {
    values_.set_lanes(lanes);
    memory_.ForgetLoads();
  }

  // The values of the point.
  IndexValue Index(mlir::Value value) const { return values_.Index(value); }
  void SetIndex(mlir::Value value, IndexValue index) { values_.SetIndex(value, index); }
  ElementValue Scalar(mlir::Value value) const { return values_.Scalar(value); }
  void SetScalar(mlir::Value value, ElementValue scalar) {
    values_.SetScalar(value, scalar);
  }
  llvm::Value* Pred(mlir::Value value) const { return values_.Pred(value); }
  void SetPred(mlir::Value value, llvm::Value* pred) { values_.SetPred(value, pred); }
  llvm::Value* View(mlir::Value value) const { return values_.View(value); }
  void SetView(mlir::Value value, llvm::Value* pointer) {
    values_.SetView(value, pointer);
  }
  void SetFacts(mlir::Value view, ViewFacts facts) { values_.SetFacts(view, facts); }
  IndexEmitter Indices() { return values_.Indices(); }
  ElementValue Broadcast(const ElementValue& value) { return values_.Broadcast(value); }

  // The memory that loads and stores access.
  PointMemory& memory() { return memory_; }

 private:
  Status EmitIndexOp(mlir::Operation& op);
  Status EmitConstant(mlir::Operation& op, mlir::ElementsAttr value);
  Status EmitFromIndex(ir::FromIndexOp op);
  Status EmitBitcast(ir::BitcastOp op);
  // Stores the float constant `value` to memory and loads it again, so that LLVM cannot
  // fold what is computed from it. LLVM's folding does not flush denormals, so constants
  // would give other bits than arguments.
  ElementValue Opaque(const ElementValue& value);

  llvm::IRBuilderBase& b_;
  PointValues values_;
  PointMemory memory_;
  SharedFunctions functions_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_POINT_EMITTER_H_
