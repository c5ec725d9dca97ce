// The first elements of a row, found block by block. All kernels share the code
// (shared_function.h). One object emits one kernel's calls; not shared.
#ifndef TENON_COMPILER_CODEGEN_SORT_TOP_K_SEARCH_H_
#define TENON_COMPILER_CODEGEN_SORT_TOP_K_SEARCH_H_

#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/codegen/sort/sort_records.h"

namespace tenon::codegen {

// Keeps the elements that can still be among the first, the candidates, as keys and
// positions in two arrays. When these are full, and at the end of the row, it sorts them
// and drops all but the first `count`.
class TopKSearch {
 public:
  // Both arrays have room for `capacity` candidates and a vector, both buffers for as
  // many records. `bits` is the number of bits of a key that can differ. The smallest
  // keys of `samples` disjoint subsets of a block bound the first elements of all; 0:
  // they are not computed. A multiple of `lanes`.
  struct Row {
    llvm::Value *keys, *positions, *records, *swap_records, *counters;
    int64_t count, capacity, bits, samples;
  };

  // `format` has positions. Vectors of keys have `lanes` elements.
  TopKSearch(llvm::IRBuilderBase& b, RecordFormat format, int lanes, int counter_lanes);

  void Begin(const Row& row);
  // Looks at the `length` keys at `block`, whose first is at `position` in the row;
  // kTopKVectors vectors after them may be read. Returns whether no element after the
  // block can be among the first (i1). Then, and after the last block, Sorted() has them.
  llvm::Value* Add(llvm::Value* block, llvm::Value* length, llvm::Value* position,
                   llvm::Value* is_last);
  // The first elements, as sorted records.
  llvm::Value* Sorted();

 private:
  llvm::IRBuilderBase& b_;
  const RecordFormat format_;
  const int lanes_, counter_lanes_;
  llvm::Value* state_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_SORT_TOP_K_SEARCH_H_
