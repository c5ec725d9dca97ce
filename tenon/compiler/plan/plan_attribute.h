// Plans as attributes (`tenon.plan`) of the ops they are for: made once, when the kernel
// is built, and read by code generation. Fields that have their default are left out.
// Used by the thread that owns the op's context.
#ifndef TENON_COMPILER_PLAN_PLAN_ATTRIBUTE_H_
#define TENON_COMPILER_PLAN_PLAN_ATTRIBUTE_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "tenon/compiler/plan/structured_plan.h"

namespace tenon::codegen {

mlir::DictionaryAttr PlanToAttribute(const StructuredPlan& plan,
                                     mlir::MLIRContext* context);
void SetPlan(mlir::Operation& op, const StructuredPlan& plan);

// The plan of a structured op. What it holds of the target, instructions among it, is
// taken from `target`, which must be the one it was made for. INTERNAL, naming the field,
// if it is missing or is not one of this op.
StatusOr<StructuredPlan> PlanOf(mlir::Operation& op, const TargetTraits& target);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_PLAN_PLAN_ATTRIBUTE_H_
