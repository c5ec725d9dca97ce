// Emits the body of a phase for the items of a group. Code outside of maps is executed by
// all items with equal values; the iterations of maps, and the points of reductions and
// scans, are divided among the items. One GroupBody builds one LLVM function; not shared.
#ifndef TENON_COMPILER_CODEGEN_GRID_GROUP_BODY_H_
#define TENON_COMPILER_CODEGEN_GRID_GROUP_BODY_H_

#include "tenon/compiler/codegen/grid/local_memory.h"
#include "tenon/compiler/codegen/grid/view_aliases.h"
#include "tenon/compiler/codegen/kernel/body_emitter.h"
#include "tenon/compiler/targets/device_target.h"

namespace tenon::codegen {

class GroupBody final : public BodyEmitter {
 public:
  // `items` items, of which this is number `item` (i64), share a point. `waits`: the
  // items are a whole group, so they can wait for each other; otherwise no op of the
  // point may need that. With one item a point is sequential code. If a group has several
  // subgroups with a point each, `subgroup` is the number of this one (i64).
  GroupBody(PointEmitter& points, const TargetTraits& target, const ViewAliases& aliases,
            int items, llvm::Value* item, bool waits, int subgroups = 1,
            llvm::Value* subgroup = nullptr)
      : BodyEmitter(points, target),
        device_(*target.device),
        aliases_(aliases),
        items_(items),
        item_(item),
        waits_(waits),
        by_subgroups_(subgroup != nullptr),
        local_(builder(), subgroups, subgroup) {}

  Status EmitOp(mlir::Operation& op) override;

  int items() const { return items_; }
  llvm::Value* item() const { return item_; }
  LocalMemory& local() { return local_; }
  const compiler::DeviceTarget& device() const { return device_; }
  // Waits for the items of the point.
  void Barrier() {
    (by_subgroups_ ? device_.subgroup_barrier : device_.barrier)(builder());
  }
  // A barrier lies after all accesses up to now.
  void ForgetAccesses();
  // Whether the items of subgroups exchange values in registers.
  bool HasSubgroups() const {
    return device_.subgroup_items > 0 && items_ % device_.subgroup_items == 0;
  }
  // The values of item number `lane` (i32) of the subgroup. All its items call it.
  Values ReadLane(llvm::ArrayRef<llvm::Value*> values, llvm::Value* lane);
  // The code may run several times in an item.
  void set_repeats(bool repeats) { repeats_ = repeats; }
  bool repeats() const { return repeats_; }
  // The set of arrays in local memory for the next exchange of values. Sets alternate, so
  // that one barrier is enough for an exchange, unless code repeats.
  int NextExchange() { return 1 + (exchanges_++ & 1); }
  // Runs `body`, whose code is a part of one item's work.
  template <typename F>
  auto InItem(F body) {
    const bool outer = std::exchange(in_item_, true);
    auto result = body();
    in_item_ = outer;
    return result;
  }

 private:
  // Waits if an earlier access of another item may be in conflict with these.
  void Synchronize(const ViewAccesses& accesses);
  void EmitGroupLocal(ir::LocalOp local);
  // Emits `op` for the first item only.
  Status EmitOnce(mlir::Operation& op);
  Status EmitNested(mlir::Operation& op);

  const compiler::DeviceTarget& device_;
  const ViewAliases& aliases_;
  const int items_;
  llvm::Value* const item_;
  const bool waits_, by_subgroups_;
  bool in_item_ = false;
  bool repeats_ = false;
  int exchanges_ = 0;
  LocalMemory local_;
  ViewAccesses since_barrier_;
};

// Emits a reduction whose points are divided among the items. All get the results.
Status EmitGroupReduce(GroupBody& body, ir::ReduceOp reduce);
// Emits a block of points. The items wait for each other if NeedsLocalMemory(tile).
Status EmitGroupTile(GroupBody& body, ir::TileOp tile);
bool NeedsLocalMemory(ir::TileOp tile);
// Emits a scan over a range, `items` elements at a time.
Status EmitGroupScan(GroupBody& body, ir::ScanOp scan);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GROUP_BODY_H_
