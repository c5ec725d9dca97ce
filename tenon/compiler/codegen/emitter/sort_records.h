// What sorts of a known order work on: records of a key, and the position it comes from,
// made of the elements of a row and turned back into them. One SortRecords emits into one
// LLVM function; not shared.
#ifndef TENON_COMPILER_CODEGEN_EMITTER_SORT_RECORDS_H_
#define TENON_COMPILER_CODEGEN_EMITTER_SORT_RECORDS_H_

#include "tenon/compiler/codegen/emitter/loops.h"
#include "tenon/compiler/codegen/emitter/point_emitter.h"
#include "tenon/compiler/plan/sort_plan.h"

namespace tenon::codegen {

// How records of a layout are read and written.
struct RecordFormat : RecordLayout {
  llvm::Type* Type(llvm::LLVMContext& context) const;
  llvm::Value* Load(llvm::IRBuilderBase& b, llvm::Value* base, llvm::Value* index) const;
  void Store(llvm::IRBuilderBase& b, llvm::Value* record, llvm::Value* base,
             llvm::Value* index) const;
  // Of a record, or of each in a vector of them.
  llvm::Value* Key(llvm::IRBuilderBase& b, llvm::Value* record) const;
  llvm::Value* Position(llvm::IRBuilderBase& b, llvm::Value* record) const;  // i64
};

class SortRecords {
 public:
  SortRecords(ir::SortOp op, const SortOrder& order, RecordFormat format,
              const TargetTraits& target, PointEmitter& points);

  // Sets the row that is worked on.
  void SetRow(llvm::Value* row);

  int lanes() const { return lanes_; }
  llvm::Type* KeyType() { return b_.getIntNTy(format_.key_bits); }
  // The keys of `lanes` elements from `position` on; `mask` may be null. `raw`, if not
  // null, gets the keys that the elements would have if none were merged.
  llvm::Value* Keys(llvm::Value* position, int lanes, llvm::Value* mask,
                    llvm::Value** raw = nullptr);

  // Writes the records of elements [begin, end), at least lanes(), to `to`. Returns an
  // i64 that is nonzero if any element was merged with others. `ored` and `anded`, if not
  // null, get the keys' bits combined.
  llvm::Value* MakeRecords(llvm::Value* begin, llvm::Value* end, llvm::Value* to,
                           llvm::Value** ored = nullptr, llvm::Value** anded = nullptr);

  // Writes the elements of records [begin, end), at `from`, to the outputs.
  void WriteElements(llvm::Value* from, llvm::Value* begin, llvm::Value* end);
  // Writes the element at `position` to place `place` of the outputs.
  void MoveElement(llvm::Value* position, llvm::Value* place);
  // Keys alone do not tell merged elements apart: puts them into the output in the order
  // in which they come.
  void RestoreMerged();
  bool has_merged() const { return !format_.has_position && !merged_.empty(); }

  Status status() const { return status_; }

 private:
  mlir::MemRefType InputType(unsigned operand);
  ElementType TypeOf(unsigned operand);
  llvm::Value* RowStart(mlir::Value view, llvm::Value* row);
  llvm::Value* Address(mlir::MemRefType view, llvm::Value* row_start,
                       llvm::Value* position);
  llvm::Value* LoadPart(unsigned operand, llvm::Value* position, int part, int lanes,
                        llvm::Value* mask);
  // The unsigned integer that orders as `value` does, of SortKeyBits(type) bits.
  llvm::Value* Ordered(ElementType type, llvm::Value* value);
  llvm::Value* Wide(llvm::Value* key);  // zero-extended to KeyType
  // The constants that elements are merged to, as keys.
  Values MergedKeys();
  // The stored form of the element that has `key`.
  llvm::Value* FromKey(llvm::Value* key);
  llvm::Type* LaneType(llvm::Type* scalar, int lanes);
  llvm::Value* Ramp(llvm::Value* start, int lanes);  // start, start + 1, ...: i64

  ir::SortOp op_;
  const SortOrder& order_;
  RecordFormat format_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  int lanes_;
  llvm::SmallVector<llvm::Value*> inputs_, outputs_;  // where the row starts in them
  llvm::SmallVector<mlir::Value> merged_;             // order_.merged
  Status status_;
};

// Replaces `count` 32-bit counters by the sums of those before each.
void EmitPrefixCounters(llvm::IRBuilderBase& b, llvm::Value* counters, int64_t count,
                        int lanes);

// Sorts `count` > 0 records at `from` by the lowest `bits` (i64) of their keys, stably.
// Returns where they are then: `from` or `other`. `counters` has room for 2^digit_bits
// 32-bit integers.
llvm::Value* EmitRadixSort(llvm::IRBuilderBase& b, RecordFormat format, llvm::Value* from,
                           llvm::Value* other, llvm::Value* count, llvm::Value* bits,
                           int digit_bits, llvm::Value* counters, int counter_lanes);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_EMITTER_SORT_RECORDS_H_
