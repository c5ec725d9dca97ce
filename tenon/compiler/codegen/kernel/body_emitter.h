// Emits the body of a phase: its loops, reductions, branches and the ops of its points.
// Loops of one kind have an emitter of their own (map_emitter.h and so on), which calls
// back for the blocks inside. One BodyEmitter builds one LLVM function; not shared.
#ifndef TENON_COMPILER_CODEGEN_KERNEL_BODY_EMITTER_H_
#define TENON_COMPILER_CODEGEN_KERNEL_BODY_EMITTER_H_

#include "tenon/base/status.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/point/point_emitter.h"
#include "tenon/compiler/targets/traits.h"

namespace tenon::codegen {

using compiler::TargetTraits;

class BodyEmitter {
 public:
  // Both must outlive the emitter.
  BodyEmitter(PointEmitter& points, const TargetTraits& target)
      : points_(points), target_(target), b_(points.builder()) {}
  virtual ~BodyEmitter() = default;

  PointEmitter& points() { return points_; }
  const TargetTraits& target() const { return target_; }
  llvm::IRBuilderBase& builder() { return b_; }

  // Emits the ops of a block: loops and ops of a point. Emits nothing for the terminator;
  // the caller reads its operands.
  Status EmitBlock(mlir::Block& block);
  virtual Status EmitOp(mlir::Operation& op);
  // Emits a block and returns the parts of its terminator's operands, in all lanes.
  StatusOr<Values> EmitYielded(mlir::Block& block);
  // Returns combiner(x, y) of a reduction or scan. All three are parts of accumulators.
  StatusOr<Values> Combine(mlir::Block& combiner, llvm::ArrayRef<llvm::Value*> x,
                           llvm::ArrayRef<llvm::Value*> y);

 private:
  void EmitLocal(ir::LocalOp local);
  Status EmitBranch(ir::IfOp branch);
  Status EmitFor(ir::ForOp loop);
  // Emits a structured op inside a chunk: its phases, one after another.
  Status EmitStructured(mlir::Operation& op);

  PointEmitter& points_;
  const TargetTraits& target_;
  llvm::IRBuilderBase& b_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_KERNEL_BODY_EMITTER_H_
