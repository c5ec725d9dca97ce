// The records that sorts of a known order work on. A record is a key and, for most
// formats, the position of its element. SortRecords builds records from the elements of a
// row and writes the elements of sorted records. One SortRecords emits into one LLVM
// function; not shared.
#ifndef TENON_COMPILER_CODEGEN_SORT_SORT_RECORDS_H_
#define TENON_COMPILER_CODEGEN_SORT_SORT_RECORDS_H_

#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/codegen/ir/plan_names.h"
#include "tenon/compiler/codegen/point/point_emitter.h"

namespace tenon::codegen {

// Loads and stores of records of a layout.
struct RecordFormat : RecordLayout {
  llvm::Type* Type(llvm::LLVMContext& context) const;
  llvm::Value* Load(llvm::IRBuilderBase& b, llvm::Value* base, llvm::Value* index) const;
  void Store(llvm::IRBuilderBase& b, llvm::Value* record, llvm::Value* base,
             llvm::Value* index) const;
  // The key of a record, or of each record of a vector.
  llvm::Value* Key(llvm::IRBuilderBase& b, llvm::Value* record) const;
  llvm::Value* Position(llvm::IRBuilderBase& b, llvm::Value* record) const;  // i64
  std::string Name() const;  // of shared functions
};

class SortRecords {
 public:
  SortRecords(ir::SortOp op, const SortOrder& order, RecordFormat format,
              const TargetTraits& target, PointEmitter& points);

  // Sets the current row.
  void SetRow(llvm::Value* row);

  int lanes() const { return lanes_; }
  llvm::Type* KeyType() { return b_.getIntNTy(format_.key_bits); }
  // Returns the keys of `lanes` elements from `position` on. `mask` may be null. `raw`,
  // if not null, receives the keys without merging: merging gives elements that compare
  // as equal, such as zeros of both signs, the same key.
  llvm::Value* Keys(llvm::Value* position, int lanes, llvm::Value* mask,
                    llvm::Value** raw = nullptr);

  // Writes the records of elements [begin, end) to `to`. There are at least lanes()
  // elements. Returns an i64 that is nonzero if any element was merged with others.
  // `ored` and `anded`, if not null, receive the OR and the AND of all keys.
  llvm::Value* MakeRecords(llvm::Value* begin, llvm::Value* end, llvm::Value* to,
                           llvm::Value** ored = nullptr, llvm::Value** anded = nullptr);

  // Writes the elements of records [begin, end), at `from`, to the outputs.
  void WriteElements(llvm::Value* from, llvm::Value* begin, llvm::Value* end);
  // Writes the element at `position` to index `target_index` of the outputs.
  void MoveElement(llvm::Value* position, llvm::Value* target_index);
  // If records have keys only, merged elements cannot be told apart. Writes these
  // elements to the output again, in the order of the input.
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
  // Returns the unsigned integer of SortKeyBits(type) bits that has the order of `value`.
  llvm::Value* Ordered(ElementType type, llvm::Value* value);
  llvm::Value* Wide(llvm::Value* key);  // zero-extended to KeyType
  // Returns the constants that elements are merged to, as keys.
  Values MergedKeys();
  // Returns the stored form of the element with key `key`.
  llvm::Value* FromKey(llvm::Value* key);
  llvm::Type* LaneType(llvm::Type* scalar, int lanes);
  llvm::Value* Ramp(llvm::Value* start, int lanes);  // start, start + 1, ...: i64

  ir::SortOp op_;
  const SortOrder& order_;
  RecordFormat format_;
  PointEmitter& points_;
  llvm::IRBuilderBase& b_;
  int lanes_;
  llvm::SmallVector<llvm::Value*> inputs_, outputs_;  // the start of the row in each view
  llvm::SmallVector<mlir::Value> merged_;             // order_.merged
  Status status_;
};

// Replaces `count` 32-bit counters by their exclusive prefix sums.
void EmitPrefixCounters(llvm::IRBuilderBase& b, llvm::Value* counters, int64_t count,
                        int lanes);

// Sorts `count` > 0 records at `from` by the lowest `bits` (i64) of their keys. The sort
// is stable. Returns where the result is: `from` or `other`. `counters` has room for
// 2^digit_bits 32-bit integers.
llvm::Value* EmitRadixSort(llvm::IRBuilderBase& b, RecordFormat format, llvm::Value* from,
                           llvm::Value* other, llvm::Value* count, llvm::Value* bits,
                           int digit_bits, llvm::Value* counters, int counter_lanes);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_SORT_SORT_RECORDS_H_
