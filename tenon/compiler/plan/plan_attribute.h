// Plans as attributes (`tenon.plan`) of the ops that they belong to. A plan is computed
// once, when the kernel is built, and read by code generation. Fields with their default
// value are left out. Used by the thread that owns the op's context.
#ifndef TENON_COMPILER_PLAN_PLAN_ATTRIBUTE_H_
#define TENON_COMPILER_PLAN_PLAN_ATTRIBUTE_H_

#include "mlir/IR/BuiltinAttributes.h"
#include "tenon/compiler/plan/structured_plan.h"

namespace tenon::compiler {

mlir::DictionaryAttr PlanToAttribute(const StructuredPlan& plan,
                                     mlir::MLIRContext* context);
void SetPlan(mlir::Operation& op, const StructuredPlan& plan);

// The plan of a structured op. The parts that depend on the target, such as instructions,
// are taken from `target`, which must be the target that the plan was computed for.
// INTERNAL, naming the field, if the attribute is missing or is not a plan of this op.
StatusOr<StructuredPlan> PlanOf(mlir::Operation& op, const TargetTraits& target);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PLAN_PLAN_ATTRIBUTE_H_
