// Sorts records of one integer each by a sorting network over whole registers, in the
// first-level cache. No branch and no address depends on the records. No state; any
// thread.
#ifndef TENON_COMPILER_CODEGEN_SORT_SORT_NETWORK_H_
#define TENON_COMPILER_CODEGEN_SORT_SORT_NETWORK_H_

#include "tenon/compiler/codegen/sort/sort_records.h"

namespace tenon::codegen {

class SortNetwork {
 public:
  // The plan must use a network.
  SortNetwork(llvm::IRBuilderBase& b, const RecordFormat& format,
              const TargetTraits& target);

  // Sorts `count` > 0 records (i64) at `from`. Returns where the result is: `from` or
  // `other`. Both are aligned to registers, and all of their memory may be overwritten.
  llvm::Value* Sort(llvm::Value* from, llvm::Value* other, llvm::Value* count);

  // Copies `count` records. `count` is at least the number of lanes.
  void Copy(llvm::Value* from, llvm::Value* to, llvm::Value* count);

 private:
  using Registers = llvm::SmallVector<llvm::Value*, 8>;

  llvm::Value* I64(int64_t value) { return b_.getInt64(value); }
  llvm::Value* RowAddress(llvm::Value* base, llvm::Value* row);
  llvm::Value* LoadRow(llvm::Value* base, llvm::Value* row);
  void StoreRow(llvm::Value* value, llvm::Value* base, llvm::Value* row);
  // Puts the smaller values into x and the larger ones into y.
  void Exchange(llvm::Value*& x, llvm::Value*& y);
  // Returns lane l ^ bits in lane l.
  llvm::Value* Swapped(llvm::Value* value, int bits);
  // Takes the lanes whose number has `bit` from `with`, the others from `without`.
  llvm::Value* Blend(llvm::Value* without, llvm::Value* with, int bit);
  // Runs `body` on blocks of rows in registers.
  void ForEachBlock(llvm::Value* base, llvm::Value* rows,
                    llvm::function_ref<void(Registers&)> body);
  // Calls a function that sorts of the same records share.
  void Call(llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments,
            llvm::function_ref<void(IrValues& parameters)> body);
  void EmitSort(llvm::Value* from, llvm::Value* other, llvm::Value* count);
  void SortBlock(Registers& block);
  void FlipRows(llvm::Value* base, llvm::Value* rows, llvm::Value* size);
  void FlipLanes(llvm::Value* base, llvm::Value* rows, int columns);
  void MergeLanes(llvm::Value* base, llvm::Value* rows, int distance);
  void MergeRows(llvm::Value* base, llvm::Value* rows, llvm::Value* size);
  void MergeBlock(Registers& block);
  void LayOutColumns(llvm::Value* from, llvm::Value* to, llvm::Value* rows);

  llvm::IRBuilderBase& b_;
  llvm::IntegerType* record_;
  int lanes_;
  llvm::FixedVectorType* register_;
  llvm::Align record_align_, register_align_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_SORT_SORT_NETWORK_H_
