// Emits the ops of one point at a time for a vector of lanes: index arithmetic, loads,
// stores and StableHLO's elementwise ops. One PointEmitter builds one LLVM function; not
// shared.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_POINT_EMITTER_H_
#define TENON_COMPILER_CODEGEN_EMITTER_POINT_EMITTER_H_

#include <map>
#include <tuple>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "tenon/base/status.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"
#include "tenon/compiler/codegen/emitter/index_value.h"
#include "tenon/compiler/codegen/emitter/row_columns.h"
#include "tenon/compiler/codegen/emitter/shared_functions.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

using compiler::ElementValue;
using compiler::ElementwiseOpOf;
using compiler::UnsupportedOp;

// How wide the lanes are and which of them count.
struct Lanes {
  int width = 1;
  llvm::Value* mask = nullptr;  // <width x i1>; null: all
  // Of lanes that are all computed, the last so many are stored, i64; null: all.
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

  // Emits one op that has no loop of its own. UNIMPLEMENTED (op, type, location) for
  // others.
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

  // The address of element `indices` of a view, the same for all lanes.
  llvm::Value* Address(mlir::Value view, mlir::OperandRange indices);
  // `count` vectors as they lie in memory: vector l holds the elements of `load` from its
  // index on, l times `stride` elements further, `count` consecutive ones each.
  StatusOr<llvm::SmallVector<llvm::Value*>> LoadSquare(ir::LoadOp load, int count,
                                                       int64_t stride);
  // Sets the result of `load` to a vector in the form of LoadSquare.
  void SetFromMemory(ir::LoadOp load, llvm::Value* vector);

  // The same value with one copy a lane (width > 1).
  ElementValue Broadcast(const ElementValue& value);
  StatusOr<ElementValue> Elementwise(mlir::Operation& op);
  // The float constant `value` from memory: LLVM would fold what is computed of it
  // without flushing denormals, and code that is computed gives the bits that arguments
  // give.
  ElementValue Opaque(const ElementValue& value);
  llvm::IRBuilderBase& builder() { return b_; }

 private:
  Status EmitIndexOp(mlir::Operation& op, bool& handled);
  Status EmitLoad(ir::LoadOp op);
  Status EmitStore(ir::StoreOp op);
  Status EmitConstant(mlir::Operation& op, mlir::ElementsAttr value);
  Status EmitBitcast(ir::BitcastOp op);

  // point_rows.cc: accesses that touch the columns of short rows one by one. Columns of
  // the rows of all lanes, or what is to be stored there.
  struct Rows {
    mlir::Value view;
    llvm::SmallVector<llvm::Value*> leading;  // bases of the indices of the row
    llvm::BasicBlock* block = nullptr;
    Columns columns;
  };
  // The column that `load` has of rows all of which are had together; null if the rows
  // are not.
  llvm::Value* LoadFromRows(ir::LoadOp load, const IndexValue& offset, llvm::Type* type);
  // Whether `store` was put off until all columns of its rows are known, or did store
  // them.
  bool StoreToRows(ir::StoreOp store, const IndexValue& offset, llvm::Value* value);
  void StoreRows(llvm::ArrayRef<llvm::Value*> columns, llvm::Value* first);
  llvm::SmallVector<llvm::Value*> Bases(llvm::ArrayRef<mlir::Value> indices) const;

  // The element offset of an access, from the start of the view.
  IndexValue Offset(mlir::MemRefType view, mlir::OperandRange indices);
  // Lanes' mask and the access's own, as <width x i1>; null: all.
  llvm::Value* AccessMask(mlir::Value mask);
  // `mask` (null: all) without the lanes that are not stored.
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
  // Asks for the lines behind those that the vector from `offset` on is stored to.
  void FetchForStores(llvm::Value* pointer, int64_t bytes, IndexValue offset);
  llvm::Value* LanePointers(llvm::Value* pointer, int64_t bytes, IndexValue offset);
  // A pointer that may be read or written in place of a masked-out one.
  llvm::Value* SafePointer(llvm::Type* type);
  // Memory that holds `scalar`, of one part, as stored in each of the lanes.
  llvm::Value* FilledPointer(const ElementValue& scalar);

  llvm::IRBuilderBase& b_;
  PointOptions options_;
  SharedFunctions functions_;
  Lanes lanes_;
  llvm::DenseMap<mlir::Value, IndexValue> indices_;
  llvm::DenseMap<mlir::Value, ElementValue> scalars_;
  llvm::DenseMap<mlir::Value, llvm::Value*> preds_;
  llvm::DenseMap<mlir::Value, llvm::Value*> views_;
  // FilledPointer's, by value, lanes and function.
  std::map<std::tuple<llvm::Value*, int, llvm::Function*>, llvm::Value*> filled_;
  std::vector<Rows> loaded_rows_;  // since the lanes were set and anything was stored
  std::vector<Rows> stored_rows_;  // of which not all columns are known yet
};

int ElementParts(ElementType type);  // 2 for complex, else 1
}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_POINT_EMITTER_H_
