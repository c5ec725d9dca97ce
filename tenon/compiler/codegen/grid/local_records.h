// Records of 64 bits in the local memory of a group: a key in the upper half, and a
// position. Owned by what emits a sort.
#ifndef TENON_COMPILER_CODEGEN_GRID_LOCAL_RECORDS_H_
#define TENON_COMPILER_CODEGEN_GRID_LOCAL_RECORDS_H_

#include "tenon/compiler/codegen/grid/group_body.h"
#include "tenon/compiler/plan/group_sort_plan.h"

namespace tenon::codegen {

// The traits of a target whose registers hold one element.
inline TargetTraits OneLane() {
  TargetTraits traits;
  traits.vector_bits = 8;
  return traits;
}

// The number of their block of shared local memory.
inline constexpr int kLocalRecordsBlock = 0;

class LocalRecords {
 public:
  LocalRecords(GroupBody& body, int64_t count)
      : body_(body), b_(body.builder()), count_(count) {}

  llvm::Value* Load(llvm::Value* index) {
    return b_.CreateLoad(b_.getInt64Ty(), Address(index));
  }
  void Store(llvm::Value* record, llvm::Value* index) {
    b_.CreateStore(record, Address(index));
  }

 private:
  // Every ninth place is empty, so that items that each access eight consecutive records
  // use different banks of local memory.
  llvm::Value* Address(llvm::Value* index) {
    return b_.CreateGEP(
        b_.getInt64Ty(),
        body_.local().Shared(kLocalRecordsBlock, compiler::LocalRecordBytes(count_)),
        b_.CreateAdd(index, b_.CreateLShr(index, 3)));
  }

  GroupBody& body_;
  llvm::IRBuilderBase& b_;
  const int64_t count_;
};

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_GRID_LOCAL_RECORDS_H_
