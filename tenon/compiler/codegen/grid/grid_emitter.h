// Emits a tenon.kernel for a device: each phase becomes a device kernel, which the host
// launches. The loops of a phase are divided among the items of work groups; a point is
// scalar code. One GridEmitter builds into one LLVM module; not shared between threads.
#ifndef TENON_COMPILER_CODEGEN_GRID_GRID_EMITTER_H_
#define TENON_COMPILER_CODEGEN_GRID_GRID_EMITTER_H_

#include <string>
#include <vector>

#include "llvm/IR/Module.h"
#include "tenon/base/status.h"
#include "tenon/compiler/codegen/grid/group_fft.h"
#include "tenon/compiler/codegen/grid/group_linalg.h"
#include "tenon/compiler/codegen/grid/group_sort.h"
#include "tenon/compiler/codegen/grid/tiled_product.h"
#include "tenon/compiler/codegen/grid/view_aliases.h"
#include "tenon/compiler/codegen/kernel/kernel_emitter.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/dialects/tenon/attention_op.h"
#include "tenon/executable/device_code.h"

namespace tenon::codegen {

class GridEmitter {
 public:
  // Appends to `kernels` the kernels that it emits. All must outlive the emitter;
  // options.target must have a device.
  GridEmitter(llvm::Module& module, const EmitterOptions& options,
              std::vector<DeviceKernel>& kernels)
      : module_(module),
        options_(options),
        device_(*options.target.device),
        kernels_(kernels),
        b_(module.getContext()) {}

  // Emits the phases of `kernel`, which has number `number` among the kernels of the
  // module. Returns their launches in order.
  StatusOr<std::vector<DeviceLaunch>> Emit(ir::KernelOp kernel, uint32_t number);

 private:
  Status EmitParallelPhase(ir::ParallelOp parallel, const std::string& name);
  // Adds a kernel, launched once, for groups of `items` items that wait for each other.
  // `emit` returns the number of groups.
  Status EmitGroups(const std::string& name, int items, int64_t dynamic_local_bytes,
                    llvm::function_ref<StatusOr<int64_t>(GroupBody& body)> emit);
  // Adds a kernel, launched once, with an item for each number up to `count`.
  Status EmitForEach(
      const std::string& name, int64_t count,
      llvm::function_ref<Status(GroupBody& body, llvm::Value* number)> emit);
  Status EmitTiles(mlir::Operation& op, TiledProduct product, const std::string& name);
  Status EmitProductPhase(mlir::Operation& op, TiledProduct product,
                          const std::string& name);
  Status EmitAttentionPhase(ir::AttentionOp op, const std::string& name);
  Status EmitSortPhases(ir::SortOp sort, const GroupSortPlan& plan,
                        const std::string& name);
  Status EmitRadixPhases(ir::SortOp sort, const compiler::GroupRadixPlan& plan,
                         const std::string& name);
  Status EmitNetworkPhase(ir::SortOp sort, const compiler::GroupNetworkPlan& plan,
                          const std::string& name);
  Status EmitTopKPhases(ir::SortOp sort, const compiler::GroupTopKPlan& plan,
                        const std::string& name);
  Status EmitFftPhases(ir::FftOp fft, const compiler::GroupFftPlan& plan,
                       const std::string& name);
  Status EmitLinalgPhase(ir::LinalgOp op, const compiler::LinalgSpec& spec,
                         const std::string& name);
  Status EmitStructuredPhases(mlir::Operation& op, const std::string& name);
  // Starts a device kernel with the arguments of the kernel, and i64 `phase` if
  // `numbered`. Binds the arguments.
  llvm::Function* BeginFunction(const std::string& name, bool numbered);
  // Whether nothing writes to the argument's memory in the current phase.
  bool IsReadOnly(mlir::BlockArgument argument) const;
  // Ends it, and adds it to the kernels. Returns its number.
  int64_t EndFunction(llvm::Function* function, int group_items,
                      int64_t dynamic_local_bytes = 0);
  // Sets the indices of the parallel op for its point number `point` (i32 or i64).
  void SetPoint(ir::ParallelOp parallel, llvm::Value* point);
  // The number of the item in the launch, as i64.
  llvm::Value* ItemId(int group_items);

  llvm::Module& module_;
  EmitterOptions options_;
  const compiler::DeviceTarget& device_;
  std::vector<DeviceKernel>& kernels_;
  llvm::IRBuilder<> b_;
  ir::KernelOp kernel_;
  uint32_t number_ = 0;
  std::vector<uint8_t> arguments_;  // DeviceKernel::arguments of the current function
  std::unique_ptr<PointEmitter> points_;
  std::vector<DeviceLaunch> launches_;
  ViewAliases aliases_;
  ViewAccesses accesses_;  // of the current phase
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_GRID_EMITTER_H_
