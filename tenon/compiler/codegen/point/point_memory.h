// Loads and stores of points: contiguous elements as vectors, others lane by lane. One
// PointMemory belongs to one LLVM function; not shared.
#ifndef TENON_COMPILER_CODEGEN_POINT_POINT_MEMORY_H_
#define TENON_COMPILER_CODEGEN_POINT_POINT_MEMORY_H_

#include <map>
#include <tuple>

#include "tenon/base/status.h"
#include "tenon/compiler/codegen/point/lane_accesses.h"
#include "tenon/compiler/codegen/point/point_values.h"
#include "tenon/compiler/codegen/point/short_rows.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

class PointMemory {
 public:
  explicit PointMemory(PointValues& values)
      : values_(values), b_(values.builder()), rows_(values) {}

  // Sets the result of a load.
  Status EmitLoad(ir::LoadOp op);
  Status EmitStore(ir::StoreOp op);
  // Must be called when the lanes change.
  void ForgetLoads() { rows_.ForgetLoads(); }

  // An access with exactly these indices and strides, in dimensions of more than one
  // element, is at `offset`.
  struct KnownOffset {
    llvm::SmallVector<mlir::Value> indices;
    llvm::SmallVector<int64_t> strides;
    IndexValue offset;
  };
  void SetKnownOffset(KnownOffset known) { known_ = std::move(known); }
  // Returns the offset of an access from the start of the view, in elements.
  IndexValue Offset(mlir::MemRefType view, mlir::OperandRange indices);
  // The alignment of the element of `view` at the base of `offset`, at least that of its
  // type.
  llvm::Align AlignmentAt(mlir::Value view, const IndexValue& offset) const;
  // Returns the address of element `indices` of a view. The indices must be uniform.
  llvm::Value* Address(mlir::Value view, mlir::OperandRange indices);
  // Loads `count` vectors of `count` consecutive elements each. Vector l starts l *
  // stride elements after the element that `load` addresses.
  StatusOr<llvm::SmallVector<llvm::Value*>> LoadTransposeTile(ir::LoadOp load, int count,
                                                              int64_t stride);
  // Sets the result of `load` to a vector in the form of LoadTransposeTile.
  void SetFromMemory(ir::LoadOp load, llvm::Value* vector);

 private:
  const Lanes& lanes() const { return values_.lanes(); }
  bool IsAtKnownOffset(mlir::MemRefType view, llvm::ArrayRef<int64_t> strides,
                       mlir::OperandRange indices) const;
  Status EmitAtomicStore(ir::StoreOp op, llvm::StringRef operation);
  // Returns the lanes' mask combined with the access's own, as <width x i1>. Null: all
  // lanes.
  llvm::Value* AccessMask(mlir::Value mask);
  // Returns `mask` (null: all lanes) without the lanes that are not stored.
  llvm::Value* StoredMask(llvm::Value* mask);
  llvm::Value* LoadPart(const LaneAccess& access);
  // Loads consecutive elements from `address` on. `other` (null: zeros) is what lanes
  // that `mask` leaves out hold.
  llvm::Value* LoadMasked(const LaneAccess& access, llvm::Type* vector,
                          llvm::Value* address, llvm::Value* mask, llvm::Value* other);
  // Whether LLVM makes a branch for each lane of an access to elements of `bytes` bytes.
  bool BranchesOnEachLane(int64_t bytes, llvm::Value* mask) const;
  // Sets the result of a load of contiguous complex numbers, in either order: loads the
  // pairs with one load, then separates the parts.
  void LoadPairs(ir::LoadOp op, const IndexValue& offset, llvm::Type* memory);
  // Loads one element for all lanes.
  llvm::Value* LoadUniform(const LaneAccess& access);
  void StorePart(llvm::Value* value, llvm::Value* pointer, int64_t bytes,
                 IndexValue offset, llvm::Align align, llvm::Value* mask, int part,
                 int parts);
  // Stores the lanes of `mask` to consecutive elements from `address` on, one by one.
  void StoreActiveLanes(llvm::Value* value, llvm::Value* address, llvm::Value* mask);
  // Prefetches the cache lines after those to which the vector at `offset` is stored.
  void PrefetchForStores(llvm::Value* pointer, int64_t bytes, IndexValue offset);
  llvm::Value* LanePointers(llvm::Value* pointer, int64_t bytes, IndexValue offset);
  // Tells LLVM that memory that is only read does not change, if `loaded` is a load.
  void MarkReadOnly(llvm::Value* loaded, mlir::Value view);
  // Returns a pointer that may be accessed in place of a masked-out one.
  llvm::Value* SafePointer(llvm::Type* type);
  // A mask as the conjunction of a condition that all lanes share (i1) and one of each
  // lane. Null: there is no such condition.
  struct MaskParts {
    llvm::Value* uniform;
    llvm::Value* lanes;
  };
  MaskParts PartsOf(mlir::Value mask);
  // The conjunction of two conditions, either of which may be null.
  llvm::Value* Both(llvm::Value* x, llvm::Value* y);
  // Returns `offset` where the condition that lanes share holds, and else one with which
  // the lanes of `mask` are in the view. Nullopt if there is no such condition, or if
  // distances or masks of lanes are not constants.
  std::optional<IndexValue> OffsetInside(mlir::MemRefType view, IndexValue offset,
                                         const MaskParts& mask);
  // Returns memory with a copy of `scalar`, which has one part, for each lane.
  llvm::Value* FilledPointer(const ElementValue& scalar);

  PointValues& values_;
  llvm::IRBuilderBase& b_;
  ShortRows rows_;
  std::optional<KnownOffset> known_;
  // The results of FilledPointer, by value, lanes and function.
  std::map<std::tuple<llvm::Value*, int, llvm::Function*>, llvm::Value*> filled_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_POINT_MEMORY_H_
