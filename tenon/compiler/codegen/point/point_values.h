// The values of a point, for a vector of lanes: indices, scalars, predicates and views,
// by MLIR value. One PointValues belongs to one LLVM function; not shared.
#ifndef TENON_COMPILER_CODEGEN_POINT_POINT_VALUES_H_
#define TENON_COMPILER_CODEGEN_POINT_POINT_VALUES_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "mlir/IR/Value.h"
#include "tenon/compiler/codegen/elementwise/elementwise_emitter.h"
#include "tenon/compiler/codegen/point/index_value.h"

namespace tenon::codegen {

using compiler::ElementValue;

// The number of lanes, and which of them are active.
struct Lanes {
  int width = 1;
  llvm::Value* mask = nullptr;  // <width x i1>; null: all lanes are active
  // If not null (i64): all lanes are computed, but only the last `stored` ones are
  // stored.
  llvm::Value* stored = nullptr;
  // All lanes are active nearly every time, so that a branch costs less than a masked
  // store where those are slow.
  bool mostly_active = false;
};

struct PointOptions {
  compiler::ElementwiseOptions elementwise;
  bool narrow_indices = false;  // every index fits 32 bits
  bool on_device = false;       // code of one item of a device
  bool narrow_masks = false;    // as in TargetTraits
  bool byte_shuffles = false;   // as in TargetTraits
};

// What is known of the memory of a view.
struct ViewFacts {
  int64_t alignment = 1;      // of its first element, in bytes; a power of two
  bool is_read_only = false;  // nothing writes to it while the code runs
};

class PointValues {
 public:
  PointValues(llvm::IRBuilderBase& b, PointOptions options) : b_(b), options_(options) {}

  llvm::IRBuilderBase& builder() { return b_; }
  const PointOptions& options() const { return options_; }
  const Lanes& lanes() const { return lanes_; }
  void set_lanes(Lanes lanes) { lanes_ = lanes; }

  IndexValue Index(mlir::Value value) const { return indices_.lookup(value); }
  void SetIndex(mlir::Value value, IndexValue index) { indices_[value] = index; }
  ElementValue Scalar(mlir::Value value) const { return scalars_.lookup(value); }
  void SetScalar(mlir::Value value, ElementValue scalar) { scalars_[value] = scalar; }
  llvm::Value* Pred(mlir::Value value) const { return preds_.lookup(value); }
  void SetPred(mlir::Value value, llvm::Value* pred) { preds_[value] = pred; }
  llvm::Value* View(mlir::Value value) const { return views_.lookup(value); }
  void SetView(mlir::Value value, llvm::Value* pointer) { views_[value] = pointer; }
  ViewFacts FactsOf(mlir::Value view) const { return facts_.lookup(view); }
  void SetFacts(mlir::Value view, ViewFacts facts) { facts_[view] = facts; }

  // Arithmetic on the indices of the current lanes.
  IndexEmitter Indices() { return {b_, lanes_.width, options_.narrow_indices}; }
  // Returns the value with a copy in each lane (width > 1).
  ElementValue Broadcast(const ElementValue& value);

 private:
  llvm::IRBuilderBase& b_;
  PointOptions options_;
  Lanes lanes_;
  llvm::DenseMap<mlir::Value, IndexValue> indices_;
  llvm::DenseMap<mlir::Value, ElementValue> scalars_;
  llvm::DenseMap<mlir::Value, llvm::Value*> preds_;
  llvm::DenseMap<mlir::Value, llvm::Value*> views_;
  llvm::DenseMap<mlir::Value, ViewFacts> facts_;
};

int ElementParts(ElementType type);  // 2 for complex, else 1

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_POINT_VALUES_H_
