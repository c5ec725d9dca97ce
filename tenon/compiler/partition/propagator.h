// The worklist of propagation.
#ifndef TENON_COMPILER_PARTITION_PROPAGATOR_H_
#define TENON_COMPILER_PARTITION_PROPAGATOR_H_

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "tenon/base/status.h"
#include "tenon/compiler/partition/factor_propagation.h"
#include "tenon/compiler/partition/prepare.h"
#include "tenon/compiler/partition/rule.h"
#include "tenon/compiler/partition/sharding_table.h"

namespace tenon::compiler::partition {

// The ops that take part grow from phase to phase, so that the shardings that leave no
// choice come first (Shardy's op priorities).
enum class PropagationPhase {
  kSingleUse,  // elementwise ops, reshapes, transposes, edges, if no operand has two uses
  kPassThrough,  // the same, whatever the uses
  kPassFactors,  // all ops along pass-through factors; broadcasts only backward
  kAllFactors,   // all ops along all factors; broadcasts only backward
  kEverything,
};

class Propagator {
 public:
  Propagator(mlir::ModuleOp module, ShardingTable& table, ShardingGroups groups);

  // Finds the rules of all ops.
  Status Prepare();
  // Propagates until nothing changes, phase by phase.
  void Run();

 private:
  using NodeIndex = int32_t;
  struct Node {
    mlir::Operation* op = nullptr;  // null once the op is erased
    Rule rule;                      // of no tensors if nothing flows through the op
    llvm::SmallVector<Place, 4> tensors;
    std::optional<Direction> fixed_direction;  // of a barrier
    bool is_edge = false;
    bool is_elementwise = false;
    bool is_broadcast = false;
    Direction early = Direction::kNone;  // in the first two phases
  };

  Status AddNode(mlir::Operation* op);
  void AddTensors(Node& node, mlir::ValueRange values);
  void RunPhase(PropagationPhase phase);
  void PropagateFunctionResults();
  void Visit(NodeIndex index);
  Direction DirectionAt(const Node& node, int32_t factor, PropagationPhase phase,
                        bool single_uses) const;
  void Step(NodeIndex index);
  // The mesh that shardings have in common; nullopt if there is none to propagate on.
  std::optional<int32_t> CommonMesh(llvm::ArrayRef<std::optional<Sharding>> shardings);
  bool Update(Place place, const TensorFactors& tensor, const Mapping& mapping,
              llvm::ArrayRef<Factor> factors, const std::optional<Sharding>& old,
              int32_t mesh, sdy::DataFlowEdgeOp edge, NodeIndex source);
  void Notify(mlir::Value value, NodeIndex source);
  void NotifyUsers(mlir::Value value, NodeIndex source);
  void Push(mlir::Operation* op, NodeIndex source);
  bool EraseIfDead(NodeIndex index);

  mlir::ModuleOp module_;
  ShardingTable& table_;
  ShardingGroups groups_;
  std::vector<Node> nodes_;
  llvm::DenseMap<mlir::Operation*, NodeIndex> node_of_;
  llvm::DenseMap<Place, mlir::Value> value_at_;
  llvm::DenseMap<Place, int32_t> group_at_;
  PropagationPhase phase_ = PropagationPhase::kSingleUse;
  // Last in, first out; each node at most once.
  std::vector<NodeIndex> worklist_;
  std::vector<bool> is_listed_;
};

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_PROPAGATOR_H_
