// The implementation of evaluate.h, and the interface of the handlers of single
// operations. An evaluator is one device, and belongs to one thread.
#ifndef TENON_REFERENCE_EVALUATOR_H_
#define TENON_REFERENCE_EVALUATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "tenon/dialects/stablehlo/process_groups.h"
#include "tenon/reference/element_program.h"
#include "tenon/reference/evaluate.h"

namespace tenon::reference {

// The leaves of a value: one literal, or those of a tuple.
using Leaves = llvm::SmallVector<Literal, 1>;
using Environment = llvm::DenseMap<mlir::Value, Leaves>;

class Evaluator {
 public:
  // `process` is the number of the device in `grid`.
  explicit Evaluator(const EvaluateOptions& options,
                     const stablehlo::ProcessGrid& grid = {}, int64_t process = 0)
      : options_(options), grid_(grid), process_(process) {}

  const EvaluateOptions& options() const { return options_; }
  const stablehlo::ProcessGrid& grid() const { return grid_; }
  int64_t process() const { return process_; }

  StatusOr<std::vector<Literal>> RunFunction(mlir::func::FuncOp function,
                                             std::vector<Literal> arguments);
  // `environment` holds the values that the region captures.
  StatusOr<std::vector<Literal>> RunRegion(mlir::Region& region,
                                           std::vector<Literal> arguments,
                                           Environment& environment);
  StatusOr<std::vector<Literal>> RunOp(mlir::Operation* op,
                                       std::vector<Literal> operands);

  // A run that stops at collectives. Start and each Resume execute the function up to its
  // next collective or its end. Resume takes the results of the collective.
  Status Start(mlir::func::FuncOp function, std::vector<Literal> arguments);
  Status Resume(std::vector<Literal> results);
  // The collective that the run waits in; null at the end.
  mlir::Operation* waits_in() const { return waits_in_; }
  // The operands of that collective, or the function's results at the end.
  const std::vector<Literal>& values() const { return values_; }
  // The values that the computation of that collective may capture.
  Environment& environment() { return *stack_.back().environment; }

 private:
  enum class Role { kRoot, kCall, kBranch, kWhileCondition, kWhileBody };
  struct Frame {
    Role role = Role::kRoot;
    mlir::Operation* owner = nullptr;  // the op whose region or callee runs
    mlir::Block* block = nullptr;
    mlir::Block::iterator next;
    Environment* environment = nullptr;
    std::unique_ptr<Environment> own_environment;  // of a call
    std::vector<Literal> state;                    // of a loop, while its condition runs
  };
  // Last uses of values: operands that can be moved out, and values to erase afterwards.
  struct OpPlan {
    llvm::SmallVector<unsigned, 4> moved_operands;
    llvm::SmallVector<mlir::Value, 0> erased_after;
  };

  StatusOr<Frame> FunctionFrame(mlir::func::FuncOp function,
                                std::span<const Literal> arguments);
  StatusOr<std::vector<Literal>> Run(Frame root, std::vector<Literal> arguments);
  Status Continue();
  Status Step(std::vector<Frame>& stack, std::vector<Literal>& returned);
  Status Enter(std::vector<Frame>& stack, Frame frame, mlir::Block& block,
               std::vector<Literal> arguments);
  Status EnterControlFlow(std::vector<Frame>& stack, mlir::Operation* op,
                          std::vector<Literal> operands, Environment& environment);
  Status Return(std::vector<Frame>& stack, std::vector<Literal> values,
                std::vector<Literal>& returned);
  Status Call(std::vector<Frame>& stack, mlir::Operation* op, mlir::SymbolRefAttr callee,
              std::vector<Literal> operands);
  Status Dispatch(mlir::Operation* op, std::vector<Literal> operands,
                  std::vector<Literal>& results, Environment& environment);
  Status Handle(mlir::Operation* op, std::vector<Literal> operands,
                std::vector<Literal>& results, Environment& environment);
  Status DispatchQuantized(mlir::Operation* op, std::vector<Literal> operands,
                           std::vector<Literal>& results, Environment& environment);
  Status TakeOperands(mlir::Operation* op, Environment& environment,
                      std::vector<Literal>& operands);
  Status Bind(mlir::ValueRange values, std::vector<Literal>& leaves,
              Environment& environment);
  void Forget(mlir::Operation* op, Environment& environment);
  void Plan(mlir::Block& block);

  EvaluateOptions options_;
  stablehlo::ProcessGrid grid_;
  int64_t process_;
  bool stops_at_collectives_ = false;
  mlir::Operation* waits_in_ = nullptr;
  std::vector<Literal> values_;
  std::vector<Frame> stack_;  // of a run that stops at collectives
  int64_t steps_ = 0;
  int64_t work_ = 0;
  int64_t depth_ = 0;
  int nested_runs_ = 0;
  mlir::SymbolTableCollection symbols_;
  llvm::DenseSet<mlir::Block*> planned_;
  llvm::DenseMap<mlir::Operation*, OpPlan> plans_;
  llvm::DenseMap<mlir::Operation*, Literal> constants_;
};

// One operation that is being executed.
struct OpContext {
  mlir::Operation* op;
  std::vector<Literal> operands;  // leaves in order; handlers may move from them
  std::vector<Literal>& results;  // handlers fill in the leaves
  Evaluator& evaluator;
  Environment& environment;

  bool flush_denormals() const { return evaluator.options().flush_denormals; }
  // Returns a zero-filled literal; checks the size limit.
  StatusOr<Literal> NewLiteral(ElementType type, Dims dims) const;
  // Returns a zero-filled literal of the type of result `i`, which must be static.
  StatusOr<Literal> NewResult(unsigned i = 0) const;
};

// The computation in a region, as a function on arrays of scalars. `lanes` is at most
// kMaxLanes; inputs and outputs are in computing form (compute.h).
class RegionFunction {
 public:
  RegionFunction(OpContext& context, mlir::Region& region);

  Status Run(int64_t lanes, const void* const* inputs, void* const* outputs);
  // The op, if it is the whole computation.
  std::optional<ElementOp> single_op() const {
    return program_ ? program_->single_op() : std::nullopt;
  }

 private:
  Status RunLane(int64_t lane, const void* const* inputs, void* const* outputs);

  OpContext& context_;
  mlir::Region& region_;
  std::unique_ptr<ElementProgram> program_;
  std::vector<ElementType> input_types_;
};

// For example "tensor<2x?xf32>".
std::string TypeText(mlir::Type type);
// The number of literals in a value of the type.
size_t LeafCount(mlir::Type type);

// Removes the leaves of a value of `type` from the front of `leaves`; returns an error if
// they do not match.
Status CheckLeaves(mlir::Type type, std::span<const Literal>& leaves);
// Prefixes an error with the operation's name and location.
Status WithLocation(const Status& status, mlir::Operation* op);

using Handler = Status (*)(OpContext&);
#define X(text, handler) Status handler(OpContext& context);
#include "tenon/reference/handlers.inc"
#undef X
// Handles any op of element_op.inc.
Status EvalElementwise(OpContext& context, ElementOp element_op);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_EVALUATOR_H_
