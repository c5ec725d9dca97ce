#include "tenon/compiler/codegen/grid/view_aliases.h"

#include <numeric>

#include "mlir/IR/BuiltinOps.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::codegen {
namespace {

// Of buffers, of the arena, and of blocks in local memory, in bytes.
constexpr int64_t kAlignment = 64;

// A range of a launch's memory: bytes of the arena, or all of another buffer.
struct Memory {
  void* base = nullptr;  // a block argument or constant; null: the arena
  int64_t begin = 0, end = 0;
};

int64_t BytesOf(mlir::MemRefType view) {
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip_equal(view.getShape(), ir::ViewStrides(view))) {
    if (size == 0) return 0;
    elements += (size - 1) * std::abs(stride);
  }
  return elements * ElementBytes(ir::ElementTypeOf(view.getElementType()));
}

Memory MemoryOf(mlir::Value view) {
  const int64_t bytes = BytesOf(llvm::cast<mlir::MemRefType>(view.getType()));
  mlir::Value source = view;
  while (auto cast = source.getDefiningOp<ir::CastViewOp>()) source = cast.getSource();
  if (auto arena = source.getDefiningOp<ir::ArenaViewOp>()) {
    const int64_t offset = static_cast<int64_t>(arena.getOffset());
    return {nullptr, offset, offset + bytes};
  }
  return {source.getAsOpaquePointer(), 0, bytes};
}

bool Overlap(const Memory& x, const Memory& y) {
  return x.base == y.base && x.begin < y.end && y.begin < x.end;
}

}  // namespace

mlir::Value ViewRoot(mlir::Value view) {
  while (auto subview = view.getDefiningOp<ir::SubviewOp>()) view = subview.getSource();
  return view;
}

ViewAliases::ViewAliases(ir::KernelOp kernel) {
  auto module = kernel->getParentOfType<mlir::ModuleOp>();
  module.walk([&](ir::LaunchOp launch) {
    if (launch.getKernelAttr().getAttr() != kernel.getSymNameAttr()) return;
    llvm::SmallVector<std::pair<unsigned, Memory>> views;
    for (auto [number, operand] : llvm::enumerate(launch.getArguments_()))
      if (llvm::isa<mlir::MemRefType>(operand.getType()))
        views.emplace_back(static_cast<unsigned>(number), MemoryOf(operand));
    for (auto& [number, memory] : views) {
      int64_t& alignment = alignment_.try_emplace(number, kAlignment).first->second;
      alignment = std::gcd(alignment, memory.begin);
    }
    for (auto& [number, memory] : views)
      for (auto& [other, other_memory] : views)
        if (number < other && Overlap(memory, other_memory))
          shared_.emplace(number, other);
  });
}

int64_t ViewAliases::AlignmentOf(mlir::Value root) const {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(root);
  if (!argument) return kAlignment;  // a tenon.local
  auto found = alignment_.find(argument.getArgNumber());
  return found == alignment_.end() ? 1 : found->second;
}

bool ViewAliases::MayShare(mlir::Value root, mlir::Value other) const {
  if (root == other) return true;
  auto x = llvm::dyn_cast<mlir::BlockArgument>(root);
  auto y = llvm::dyn_cast<mlir::BlockArgument>(other);
  if (!x || !y) return false;  // a tenon.local has its own memory
  return shared_.contains(std::minmax(x.getArgNumber(), y.getArgNumber()));
}

bool ViewAliases::MayShare(const ViewSet& roots, const ViewSet& others) const {
  return llvm::any_of(roots, [&](void* root) {
    return llvm::any_of(others, [&](void* other) {
      return MayShare(mlir::Value::getFromOpaquePointer(root),
                      mlir::Value::getFromOpaquePointer(other));
    });
  });
}

ViewAccesses AccessesOf(mlir::Operation& op) {
  ViewAccesses accesses;
  op.walk([&](mlir::Operation* inner) {
    if (auto load = llvm::dyn_cast<ir::LoadOp>(inner))
      accesses.reads.insert(ViewRoot(load.getView()).getAsOpaquePointer());
    else if (auto store = llvm::dyn_cast<ir::StoreOp>(inner))
      accesses.writes.insert(ViewRoot(store.getView()).getAsOpaquePointer());
    else if (llvm::isa<ir::ContractOp, ir::ConvolutionOp, ir::FftOp, ir::LinalgOp,
                       ir::SortOp>(inner))
      accesses.unknown = true;
  });
  return accesses;
}

}  // namespace tenon::codegen
