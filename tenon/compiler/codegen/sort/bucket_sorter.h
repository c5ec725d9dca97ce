// Sorts the buckets of a split sort. One BucketSorter emits into one LLVM function; not
// shared.
#ifndef TENON_COMPILER_CODEGEN_SORT_BUCKET_SORTER_H_
#define TENON_COMPILER_CODEGEN_SORT_BUCKET_SORTER_H_

#include "tenon/compiler/codegen/sort/record_sort.h"

namespace tenon::codegen {

class BucketSorter {
 public:
  // `plan` must outlive the sorter.
  BucketSorter(llvm::IRBuilderBase& b, const RecordSortPlan& plan) : b_(b), plan_(plan) {}

  // Sorts `count` records by the lowest `bits` of their keys. `other` is a buffer of the
  // same size, which is overwritten. The code is a function that all sorts of the same
  // records share.
  void Sort(llvm::Value* records, llvm::Value* other, llvm::Value* count,
            llvm::Value* bits);

 private:
  // Allocates the memory of the sort on the stack.
  void Allocate();
  // The same. A bucket too large for a network is first split by the highest of these
  // bits. If a part would still be too large, the whole bucket is sorted by radix from
  // the lowest digit instead.
  void SplitAndSort(llvm::Value* records, llvm::Value* other, llvm::Value* count,
                    llvm::Value* bits);
  // Sorts `count` records at `from` by the lowest `bits` of their keys into `to`, which
  // is `from` or `other`.
  void SortPart(llvm::Value* from, llvm::Value* other, llvm::Value* to,
                llvm::Value* count, llvm::Value* bits);
  void InsertionSort(llvm::Value* records, llvm::Value* count);
  // Copies records unless `from` is `to`.
  void Move(llvm::Value* from, llvm::Value* to, llvm::Value* count);
  // The largest of kSortBuckets counters, as i64.
  llvm::Value* LargestCounter(llvm::Value* counters);
  // Increments a counter and returns its old value.
  llvm::Value* Advance(llvm::Value* counter);
  llvm::Value* I64(int64_t value) { return b_.getInt64(value); }
  llvm::Value* Min(llvm::Value* x, llvm::Value* y) {
    return b_.CreateSelect(b_.CreateICmpSLT(x, y), x, y);
  }

  llvm::IRBuilderBase& b_;
  const RecordSortPlan& plan_;
  llvm::Value* digits_ = nullptr;  // counters; after a split, the ends of the parts
  llvm::Value* from_ = nullptr;    // the two buffers of a network
  llvm::Value* other_ = nullptr;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_SORT_BUCKET_SORTER_H_
