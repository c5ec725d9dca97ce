// Emits the ops of one point of an iteration space for a vector of lanes: index
// arithmetic, loads, stores and StableHLO's elementwise ops. One PointEmitter builds one
// LLVM function; not shared.
#ifndef TENON_COMPILER_CODEGEN_POINT_POINT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_POINT_POINT_EMITTER_H_

#include <map>
#include <tuple>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "tenon/base/status.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"
#include "tenon/compiler/codegen/point/index_value.h"
#include "tenon/compiler/codegen/point/row_columns.h"
#include "tenon/compiler/codegen/point/shared_functions.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

using compiler::ElementValue;
using compiler::ElementwiseOpOf;
using compiler::UnsupportedOp;

// The number of lanes, and which of them are active.
struct Lanes {
  int width = 1;
  llvm::Value* mask = nullptr;  // <width x i1>; null: all lanes are active
  // If not null (i64): all lanes are computed, but only the last `stored` ones are
  // stored.
  llvm::Value* stored = nullptr;
};

struct PointOptions {
  compiler::ElementwiseOptions elementwise;
  bool narrow_indices = false;  // every index fits 32 bits
};

class PointEmitter {
 public:
  PointEmitter(llvm::IRBuilderBase& b, PointOptions options)
      : b_(b), options_(options), functions_(options.elementwise) {}

  // Emits one op that has no loop of its own. Returns UNIMPLEMENTED (op, type, location)
  // for others.
  Status EmitOp(mlir::Operation& op);

  const PointOptions& options() const { return options_; }
  const Lanes& lanes() const { return lanes_; }
  void set_lanes(Lanes lanes) {
    lanes_ = lanes;
    loaded_rows_.clear();
  }

  IndexValue Index(mlir::Value value) const { return indices_.lookup(value); }
  void SetIndex(mlir::Value value, IndexValue index) { indices_[value] = index; }
  ElementValue Scalar(mlir::Value value) const { return scalars_.lookup(value); }
  void SetScalar(mlir::Value value, ElementValue scalar) { scalars_[value] = scalar; }
  llvm::Value* Pred(mlir::Value value) const { return preds_.lookup(value); }
  void SetView(mlir::Value value, llvm::Value* pointer) { views_[value] = pointer; }
  llvm::Value* View(mlir::Value value) const { return views_.lookup(value); }
  IndexEmitter Indices() { return {b_, lanes_.width, options_.narrow_indices}; }

  // Returns the address of element `indices` of a view. The indices must be uniform.
  llvm::Value* Address(mlir::Value view, mlir::OperandRange indices);
  // Loads `count` vectors of `count` consecutive elements each. Vector l starts l *
  // stride elements behind the element that `load` addresses.
  StatusOr<llvm::SmallVector<llvm::Value*>> LoadSquare(ir::LoadOp load, int count,
                                                       int64_t stride);
  // Sets the result of `load` to a vector in the form of LoadSquare.
  void SetFromMemory(ir::LoadOp load, llvm::Value* vector);

  // Returns the value with a copy in each lane (width > 1).
  ElementValue Broadcast(const ElementValue& value);
  StatusOr<ElementValue> Elementwise(mlir::Operation& op);
  // Stores the float constant `value` to memory and loads it again, so that LLVM cannot
  // fold what is computed from it. LLVM folds without flushing denormals; computed code
  // gives the same bits as for arguments.
  ElementValue Opaque(const ElementValue& value);
  llvm::IRBuilderBase& builder() { return b_; }

 private:
  Status EmitIndexOp(mlir::Operation& op, bool& handled);
  Status EmitLoad(ir::LoadOp op);
  Status EmitStore(ir::StoreOp op);
  Status EmitConstant(mlir::Operation& op, mlir::ElementsAttr value);
  Status EmitBitcast(ir::BitcastOp op);

  // point_rows.cc: accesses to the columns of short rows, one row a lane. A Rows holds
  // the columns that were loaded, or the columns still to be stored.
  struct Rows {
    mlir::Value view;
    llvm::SmallVector<llvm::Value*> leading;  // bases of the indices of the row
    llvm::BasicBlock* block = nullptr;
    Columns columns;
  };
  // Returns the column that `load` reads, if all columns of its rows can be loaded at
  // once. Else returns null.
  llvm::Value* LoadFromRows(ir::LoadOp load, const IndexValue& offset, llvm::Type* type);
  // Returns true if `store` is handled here: it is deferred until all columns of its rows
  // are known, and the last one stores them all.
  bool StoreToRows(ir::StoreOp store, const IndexValue& offset, llvm::Value* value);
  void StoreRows(llvm::ArrayRef<llvm::Value*> columns, llvm::Value* first);
  llvm::SmallVector<llvm::Value*> Bases(llvm::ArrayRef<mlir::Value> indices) const;

  // Returns the offset of an access from the start of the view, in elements.
  IndexValue Offset(mlir::MemRefType view, mlir::OperandRange indices);
  // Returns the lanes' mask combined with the access's own, as <width x i1>. Null: all
  // lanes.
  llvm::Value* AccessMask(mlir::Value mask);
  // Returns `mask` (null: all lanes) without the lanes that are not stored.
  llvm::Value* StoredMask(llvm::Value* mask);
  llvm::Value* LoadPart(llvm::Value* pointer, llvm::Type* type, int64_t bytes,
                        IndexValue offset, llvm::Value* mask, llvm::Value* other,
                        int part, int parts);
  llvm::Value* LoadStrided(llvm::Value* start, llvm::Type* type, int64_t bytes,
                           const IndexValue& offset, llvm::Value* mask,
                           llvm::Value* other);
  llvm::Value* LoadLanes(llvm::Value* pointer, llvm::Type* type, const IndexValue& offset,
                         llvm::Value* mask, llvm::Value* other, int part, int parts);
  llvm::Value* GatherLanes(llvm::Value* start, llvm::Type* type, int64_t bytes,
                           llvm::Align align, IndexValue offset, llvm::Value* mask,
                           llvm::Value* other);
  void StorePart(llvm::Value* value, llvm::Value* pointer, int64_t bytes,
                 IndexValue offset, llvm::Value* mask, int part, int parts);
  // Prefetches the cache lines behind those that the vector at `offset` is stored to.
  void FetchForStores(llvm::Value* pointer, int64_t bytes, IndexValue offset);
  llvm::Value* LanePointers(llvm::Value* pointer, int64_t bytes, IndexValue offset);
  // Returns a pointer that may be accessed in place of a masked-out one.
  llvm::Value* SafePointer(llvm::Type* type);
  // Returns memory with a copy of `scalar`, which has one part, for each lane.
  llvm::Value* FilledPointer(const ElementValue& scalar);

  llvm::IRBuilderBase& b_;
  PointOptions options_;
  SharedFunctions functions_;
  Lanes lanes_;
  llvm::DenseMap<mlir::Value, IndexValue> indices_;
  llvm::DenseMap<mlir::Value, ElementValue> scalars_;
  llvm::DenseMap<mlir::Value, llvm::Value*> preds_;
  llvm::DenseMap<mlir::Value, llvm::Value*> views_;
  // The results of FilledPointer, by value, lanes and function.
  std::map<std::tuple<llvm::Value*, int, llvm::Function*>, llvm::Value*> filled_;
  std::vector<Rows> loaded_rows_;  // since set_lanes and the last store
  std::vector<Rows> stored_rows_;  // waiting for their remaining columns
};

int ElementParts(ElementType type);  // 2 for complex, else 1
}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_POINT_EMITTER_H_
