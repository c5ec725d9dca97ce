// Indices of the lanes of a vector loop in the simplest form that describes them: one
// value for all lanes, a base and a stride, a base and a constant offset for each lane,
// or a vector. Value types; used by one emitter at a time.
#ifndef TENON_COMPILER_CODEGEN_POINT_INDEX_VALUE_H_
#define TENON_COMPILER_CODEGEN_POINT_INDEX_VALUE_H_

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

struct IndexValue {
  llvm::Value* base = nullptr;  // i64; <W x i32> or <W x i64> when varying
  int64_t stride = 0;           // lane l holds base + l * stride (0 when varying)
  int64_t multiple = 1;         // a number that divides base (0: base is 0)
  llvm::SmallVector<int64_t, 0> lanes = {};  // if not empty, lane l holds base + lanes[l]

  bool varying() const { return base->getType()->isVectorTy(); }
  bool uniform() const { return !varying() && stride == 0 && lanes.empty(); }
  // Whether both have the same value in each lane: true only if they are alike.
  bool operator==(const IndexValue& other) const {
    return base == other.base && stride == other.stride && lanes == other.lanes;
  }
};

// Arithmetic on IndexValues of `width` lanes. With `narrow`, vectors have 32-bit lanes:
// the caller knows that all indices fit.
class IndexEmitter {
 public:
  IndexEmitter(llvm::IRBuilderBase& b, int width, bool narrow)
      : b_(b), width_(width), narrow_(narrow) {}

  IndexValue Constant(int64_t value);
  IndexValue Uniform(llvm::Value* i64) { return {i64, 0, 1}; }
  IndexValue Varying(llvm::Value* integers, bool is_signed);
  IndexValue Add(IndexValue x, IndexValue y);
  IndexValue Sub(IndexValue x, IndexValue y);
  IndexValue Mul(IndexValue x, IndexValue y);
  IndexValue DivU(IndexValue x, IndexValue y);
  IndexValue RemU(IndexValue x, IndexValue y);
  IndexValue MinS(IndexValue x, IndexValue y);
  IndexValue MaxS(IndexValue x, IndexValue y);
  IndexValue Select(llvm::Value* condition, IndexValue x, IndexValue y);
  // Returns i1 if the lanes differ in the same way in both operands, else <W x i1>.
  llvm::Value* Compare(llvm::CmpInst::Predicate predicate, IndexValue x, IndexValue y);
  // Returns all lanes as a vector of W integers.
  llvm::Value* Vector(IndexValue x);
  // Returns the same index with a stride instead of lane offsets, if the offsets are
  // equally spaced.
  IndexValue WithStride(IndexValue x);
  // Returns the offset of each lane from the base. The index must not be varying.
  llvm::SmallVector<int64_t, 0> LanesOf(const IndexValue& x) const;

 private:
  llvm::Type* LaneType() { return narrow_ ? b_.getInt32Ty() : b_.getInt64Ty(); }
  llvm::Value* LaneConstants(llvm::ArrayRef<int64_t> lanes);
  // Returns x + sign * y. Neither is varying, and at least one has lane offsets.
  IndexValue AddLanes(const IndexValue& x, const IndexValue& y, int64_t sign);
  // Whether the quotients of the base and of the lane offsets sum to the quotient of the
  // index.
  bool DividesLanes(const IndexValue& x, int64_t divisor) const;
  // If all lane offsets lie in one block [n size, (n + 1) size), its start; else nullopt.
  std::optional<int64_t> StartOfBlock(const IndexValue& x, int64_t size);
  template <typename F>
  IndexValue Generic(IndexValue x, IndexValue y, F operation);

  llvm::IRBuilderBase& b_;
  int width_;
  bool narrow_;
};

// Returns the value of a uniform constant index, else nullopt.
std::optional<int64_t> ConstantIndex(const IndexValue& x);

}  // namespace tenon::codegen

#endif  // TENON_COMPILER_CODEGEN_POINT_INDEX_VALUE_H_
