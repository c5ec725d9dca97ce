// The shardings of a program, in a table beside it. Propagation and its preparation
// change the table; Read and Write convert from and to the sdy attributes of the program.
// Used by the thread that owns the program.
#ifndef TENON_COMPILER_PARTITION_SHARDING_TABLE_H_
#define TENON_COMPILER_PARTITION_SHARDING_TABLE_H_

#include <deque>
#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/compiler/partition/data_flow.h"
#include "tenon/compiler/partition/mesh.h"
#include "tenon/compiler/partition/sharding.h"

namespace tenon::compiler::partition {

inline constexpr char kShardingAttr[] = "sdy.sharding";

// The function that the client calls: @main, or the only public one. Null if there is
// none.
mlir::func::FuncOp MainFunction(mlir::ModuleOp module);

// Places are numbers of table entries. -1: the value cannot have a sharding, like an
// argument of a combiner.
using Place = int32_t;

class ShardingTable {
 public:
  // Reads all shardings of a program with data flow edges.
  static StatusOr<ShardingTable> Read(mlir::ModuleOp module);

  // The place of a value. Values that an edge connects have one place.
  Place PlaceOf(mlir::Value value);
  // The place of a result of the main function.
  Place PlaceOfResult(unsigned number) const { return results_[number]; }

  const std::optional<Sharding>& operator[](Place place) const {
    return entries_[place].sharding;
  }
  // Null if the value has no sharding.
  const Sharding* Find(mlir::Value value);
  // The other results of the same op become open, as they share an attribute with it.
  void Set(Place place, Sharding sharding);
  // Replaces the entry alone.
  void Replace(Place place, Sharding sharding) {
    entries_[place].sharding = std::move(sharding);
  }
  Place size() const { return static_cast<Place>(entries_.size()); }

  MeshTable& meshes() { return meshes_; }
  const MeshTable& meshes() const { return meshes_; }

  // The sharding that a manual computation requires of an operand, manual axes included;
  // nullopt if the operand cannot have one.
  std::optional<Sharding> InSharding(sdy::ManualComputationOp op, unsigned number);

  // The view of the op that owns an edge is another than that of the edge's sources if
  // the op is a manual computation: the sources of an argument are outside of it, those
  // of a result inside. Converts the edge's sharding to the sources' view, and back.
  Sharding ForSources(sdy::DataFlowEdgeOp edge, const Sharding& sharding) const;
  Sharding FromSources(sdy::DataFlowEdgeOp edge, const Sharding& sharding) const;

  // Removes the edges, and writes all shardings to the program.
  void Write(mlir::ModuleOp module);

 private:
  struct Entry {
    std::optional<Sharding> sharding;
    Place first = 0;    // of the results of the op
    int32_t count = 1;  // number of results
    int32_t rank = 0;
  };
  // The shardings of a manual computation as the program gives them.
  struct Manual {
    std::vector<Sharding> in, out;
    llvm::SmallVector<int32_t, 2> axes;
  };

  Place NewPlace(int64_t rank);
  Place PlacesOfResults(mlir::Operation* op);
  mlir::Value ShardableValue(mlir::Value value);
  Status ReadOp(mlir::Operation* op);
  Status ReadFunction(mlir::func::FuncOp function, bool is_main);
  Status ReadManual(sdy::ManualComputationOp op);
  Status ReadNamed(sdy::NamedComputationOp op);
  Status ReadList(sdy::TensorShardingPerValueAttr list, mlir::ValueRange values);
  const Sharding& OuterSharding(sdy::DataFlowEdgeOp edge) const;
  sdy::TensorShardingPerValueAttr WriteList(mlir::ValueRange values);
  void WriteOp(mlir::Operation* op);
  void WriteFunction(mlir::func::FuncOp function, bool is_main);

  MeshTable meshes_;
  std::deque<Entry> entries_;  // entries stay where they are when others are added
  llvm::DenseMap<mlir::Value, Place> places_;
  llvm::DenseMap<mlir::Operation*, Manual> manual_;
  std::vector<Place> results_;
};

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_SHARDING_TABLE_H_
