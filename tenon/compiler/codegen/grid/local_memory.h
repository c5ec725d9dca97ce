// Local memory of a work group: blocks for views, and arrays with an element for each
// item, in which items exchange values. One LocalMemory builds one LLVM function; not
// shared.
#ifndef TENON_COMPILER_CODEGEN_GRID_LOCAL_MEMORY_H_
#define TENON_COMPILER_CODEGEN_GRID_LOCAL_MEMORY_H_

#include <map>
#include <tuple>

#include "llvm/IR/GlobalVariable.h"
#include "tenon/compiler/codegen/ir/loops.h"
#include "tenon/compiler/targets/device_target.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::codegen {

// The bytes of a tenon.local.
int64_t LocalBytes(ir::LocalOp local);

class LocalMemory {
 public:
  // With `copies` there are so many of all blocks, of which this is number `number`
  // (i64).
  explicit LocalMemory(llvm::IRBuilderBase& b, int64_t copies = 1,
                       llvm::Value* number = nullptr)
      : b_(b), copies_(copies), number_(number) {}

  static constexpr uint64_t kAlignment = 64;
  // The address of a new block.
  llvm::Value* Allocate(int64_t bytes, uint64_t alignment = kAlignment);
  // The address of memory that launches add: DeviceKernel::dynamic_local_bytes. All
  // kernels of a module share the declaration.
  llvm::Value* Dynamic(uint64_t alignment);
  // The address of `bytes` bytes, 64-byte aligned, that all callers of one number share:
  // barriers must lie between their uses.
  llvm::Value* Shared(int number, int64_t bytes);
  // Store and load element `position` (i64) of the arrays of `count` elements, of which
  // there is one for each of the values. All calls with the same `set` use the same
  // memory, so barriers must lie between uses.
  void Store(llvm::ArrayRef<llvm::Value*> values, llvm::Value* position, int64_t count,
             int set = 0);
  Values Load(llvm::ArrayRef<llvm::Type*> types, llvm::Value* position, int64_t count,
              int set = 0);

 private:
  // The address of this copy in a block whose copies have `bytes` bytes.
  llvm::Value* CopyOf(llvm::GlobalVariable* block, int64_t bytes);
  llvm::Value* Element(size_t number, llvm::Type* type, llvm::Value* position,
                       int64_t count, int set);

  llvm::IRBuilderBase& b_;
  const int64_t copies_;
  llvm::Value* const number_;
  std::map<int, llvm::GlobalVariable*> shared_;
  // By set, number and element size.
  std::map<std::tuple<int, size_t, uint64_t>, llvm::GlobalVariable*> arrays_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_LOCAL_MEMORY_H_
