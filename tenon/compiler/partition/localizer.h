// The implementation of localize.h. Internal; one function and thread per object.
#ifndef TENON_COMPILER_PARTITION_LOCALIZER_H_
#define TENON_COMPILER_PARTITION_LOCALIZER_H_

#include <functional>
#include <map>
#include <optional>

#include "mlir/IR/IRMapping.h"
#include "tenon/compiler/partition/decide.h"
#include "tenon/compiler/partition/localize.h"
#include "tenon/compiler/partition/localize_joins.h"
#include "tenon/compiler/partition/mesh_code.h"
#include "tenon/dialects/chlo/chlo.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {

// What must be done after an op on parts.
struct PartialResult {
  mlir::Value local;
  // The op of two scalars that combines the partial results; empty for sums.
  llvm::StringRef combiner;
  // Applied to the combined result if not null.
  std::function<mlir::Value(mlir::OpBuilder&, mlir::Value)> finish;
  // `finish` only rounds, so that it may also be applied to partial results.
  bool only_rounds = false;
};

// Values of the given program are called global, those of the device's program local.
class Localizer {
 public:
  Localizer(const ProgramShardings& shardings, MeshCode& code, const Framework& framework)
      : shardings_(shardings), code_(code), framework_(framework) {}

  // Emits the ops of `block` except its terminator.
  Status RunBlock(mlir::Block& block, mlir::OpBuilder& b);
  // Says that `local` is the part of `global` under `sharding`.
  void Define(mlir::Value global, mlir::Value local, const Sharding& sharding);
  // Returns the part of `global` under `wanted`; moves it if necessary.
  StatusOr<mlir::Value> Get(mlir::Value global, const Sharding& wanted,
                            mlir::OpBuilder& b, mlir::Location location);
  // Sends parts from the devices of a mesh in one order to those in another order
  // (ProgramShardings::orders).
  mlir::Value ChangeOrder(mlir::Value local, int32_t from, int32_t to, mlir::OpBuilder& b,
                          mlir::Location location);
  // The sharding that ops should use, which the value may not have yet.
  Sharding CurrentOf(mlir::Value global) const;

 private:
  // A part of a global value.
  struct Part {
    Sharding sharding;
    mlir::Value local;
  };
  using Values = llvm::SmallVector<mlir::Value>;

  Status RunOp(mlir::Operation* op, mlir::OpBuilder& b);
  Status RunByRule(mlir::Operation* op, mlir::OpBuilder& b);
  // A concatenation along a split dimension.
  Status RunJoin(stablehlo::ConcatenateOp op, const Join& join, mlir::OpBuilder& b);
  // How the concatenation reads what its operands are slices of; null: it reads them.
  const Join* JoinFor(stablehlo::ConcatenateOp op);
  // Whether nothing reads the slice but joins, which read its operand instead.
  bool IsReadByJoins(stablehlo::SliceOp op);
  Status RunReshard(mlir::Operation* op, mlir::OpBuilder& b);
  Status RunBarrier(mlir::Operation* op, mlir::OpBuilder& b);
  Status RunLoop(stablehlo::WhileOp op, mlir::OpBuilder& b);
  Status RunBranches(mlir::Operation* op, mlir::OpBuilder& b);
  Status RunNamed(sdy::NamedComputationOp op, mlir::OpBuilder& b);
  Status RunManual(sdy::ManualComputationOp op, mlir::OpBuilder& b);
  // A call with side effects: on one device, which sends the results to the others.
  Status RunAction(stablehlo::CustomCallOp op, AxesRef free, mlir::OpBuilder& b);
  // A call that the framework partitions.
  Status RunPartitioned(stablehlo::CustomCallOp op, mlir::OpBuilder& b);
  // Adds the functions of the program to the module, and returns the main one.
  StatusOr<mlir::func::FuncOp> AddFunctions(mlir::ModuleOp module,
                                            std::string_view program);
  // Tells the framework the sharding of the operand.
  Status Inspect(stablehlo::CustomCallOp op);
  // The axes of the mesh that are not manual.
  Axes FreeAxes() const;
  // Emits `from` with the parts of its arguments under `arguments` as arguments of the
  // new block in `to`, and returns the parts of its results under `results`.
  Status RunRegion(mlir::Region& from, mlir::Region& to,
                   llvm::ArrayRef<Sharding> arguments, llvm::ArrayRef<Sharding> results,
                   mlir::OpBuilder& b);

  // `user` says what the values are for, before their numbers.
  StatusOr<Values> GetAll(mlir::ValueRange globals, llvm::ArrayRef<Sharding> shardings,
                          mlir::OpBuilder& b, mlir::Location location,
                          llvm::StringRef user);
  // Redistribute, without communication where split axes become unreduced.
  StatusOr<mlir::Value> Move(mlir::Value local, Sharding from, const Sharding& to,
                             llvm::ArrayRef<int64_t> shape, llvm::StringRef combiner,
                             mlir::OpBuilder& b, mlir::Location location);
  // Where axes split a dimension and are unreduced in `to`: puts the part among zeros, so
  // that the sum over the devices is the whole. Returns the new part and its sharding.
  mlir::Value SpreadAsPartial(mlir::Value local, Sharding& from, const Sharding& to,
                              mlir::OpBuilder& b, mlir::Location location);
  // Lets a linear op compute on partial sums if its result is wanted unreduced.
  bool KeepPartial(mlir::Operation* op, Decision& decision) const;
  // The sharding that the program gives to the value, or replicated.
  Sharding WantedFor(mlir::Value global) const;
  std::vector<Sharding> WantedForAll(mlir::ValueRange globals) const;
  // Clones `op` with other operands and result types, and the regions that it has.
  StatusOr<mlir::Operation*> Clone(mlir::Operation* op, mlir::ValueRange operands,
                                   mlir::TypeRange types, mlir::OpBuilder& b);
  // Splats and ranges are computed where they are used.
  bool IsRecomputed(mlir::Value global) const;
  mlir::Value Recompute(mlir::Value global, const Sharding& sharding, mlir::OpBuilder& b);
  // Corrects `part`, the op on parts for `whole`, whose results are partial.
  StatusOr<llvm::SmallVector<PartialResult>> SetPartial(mlir::Operation* whole,
                                                        mlir::Operation* part,
                                                        const Decision& decision,
                                                        mlir::OpBuilder& b);
  // Gathers and combines the results of `local`, the reduction of parts for `op`, which
  // IsSelection.
  Status CombineSelections(stablehlo::ReduceOp op, mlir::Operation* local,
                           const Decision& decision, mlir::OpBuilder& b);
  // Selects from the part of each device, and then from what was selected.
  Status RunTopK(chlo::TopKOp op, mlir::OpBuilder& b);
  // Moves a result from `produced` to what the program wants, and defines it.
  Status DefineResult(mlir::OpResult global, const PartialResult& partial,
                      const Sharding& produced, mlir::OpBuilder& b);

  const ProgramShardings& shardings_;
  MeshCode& code_;
  const Framework framework_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Part, 1>> parts_;
  // Values that are moved where an op needs that.
  llvm::DenseMap<mlir::Value, Sharding> delayed_;
  std::map<mlir::Operation*, std::optional<Join>> joins_;
  bool is_manual_ = false;  // in the body of a manual computation
  Axes manual_axes_;        // of the computations around
};

// "dot_general", for people.
std::string ShortName(mlir::Operation* op);
// "dot_general reads operand", for GetAll.
std::string OperandOf(mlir::Operation* op);

// The type of the part of a value of `type` under `sharding`.
mlir::Type LocalType(mlir::Type type, const Sharding& sharding);

// Corrects attributes of `op`, an op on parts, that have sizes of whole tensors: those of
// slices and gathers.
void SetLocalSizes(mlir::Operation* op);

// Corrects `op`, a reduction or product of parts whose results are partial, and says how
// they are combined: reductions start from the identity, and products of narrow floats
// return f32.
StatusOr<llvm::SmallVector<PartialResult>> SetPartialSums(mlir::Operation* op,
                                                          mlir::OpBuilder& b);

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_LOCALIZER_H_
