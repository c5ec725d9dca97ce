#include "tenon/compiler/codegen/emitter/index_value.h"

#include <numeric>
#include <optional>

#include "llvm/IR/Constants.h"

namespace tenon::codegen {
namespace {

int64_t Gcd(int64_t a, int64_t b) { return std::gcd(a, b); }

}  // namespace

std::optional<int64_t> ConstantIndex(const IndexValue& x) {
  if (!x.uniform()) return std::nullopt;
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(x.base))
    return constant->getSExtValue();
  return std::nullopt;
}

IndexValue IndexEmitter::Constant(int64_t value) {
  return {b_.getInt64(value), 0, value < 0 ? -value : value};
}

IndexValue IndexEmitter::Varying(llvm::Value* integers, bool is_signed) {
  if (!integers->getType()->isVectorTy())
    return Uniform(b_.CreateIntCast(integers, b_.getInt64Ty(), is_signed));
  auto* type = llvm::FixedVectorType::get(LaneType(), width_);
  return {b_.CreateIntCast(integers, type, is_signed), 0, 1};
}

llvm::Value* IndexEmitter::LaneConstants(
    llvm::function_ref<int64_t(int64_t)> value_of_lane) {
  llvm::SmallVector<llvm::Constant*> lanes;
  for (int lane = 0; lane < width_; ++lane)
    lanes.push_back(llvm::ConstantInt::getSigned(LaneType(), value_of_lane(lane)));
  return llvm::ConstantVector::get(lanes);
}

llvm::Value* IndexEmitter::Vector(IndexValue x) {
  if (x.varying()) return x.base;
  llvm::Value* splat = b_.CreateVectorSplat(width_, b_.CreateTrunc(x.base, LaneType()));
  if (x.stride == 0) return splat;
  int64_t stride = x.stride;
  return b_.CreateAdd(splat, LaneConstants([&](int64_t lane) { return lane * stride; }));
}

template <typename F>
IndexValue IndexEmitter::Generic(IndexValue x, IndexValue y, F operation) {
  if (x.uniform() && y.uniform()) return {operation(x.base, y.base), 0, 1};
  return {operation(Vector(x), Vector(y)), 0, 1};
}

IndexValue IndexEmitter::Add(IndexValue x, IndexValue y) {
  if (ConstantIndex(x) == 0) return y;
  if (ConstantIndex(y) == 0) return x;
  if (!x.varying() && !y.varying())
    return {b_.CreateAdd(x.base, y.base), x.stride + y.stride,
            Gcd(x.multiple, y.multiple)};
  return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateAdd(a, c); });
}

IndexValue IndexEmitter::Sub(IndexValue x, IndexValue y) {
  if (ConstantIndex(y) == 0) return x;
  if (!x.varying() && !y.varying())
    return {b_.CreateSub(x.base, y.base), x.stride - y.stride,
            Gcd(x.multiple, y.multiple)};
  return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateSub(a, c); });
}

IndexValue IndexEmitter::Mul(IndexValue x, IndexValue y) {
  auto cx = ConstantIndex(x), cy = ConstantIndex(y);
  if (cx && !cy) {
    std::swap(x, y);
    std::swap(cx, cy);
  }
  if (cy == 1) return x;
  if (cy == 0) return y;
  if (cy && !x.varying())
    return {b_.CreateMul(x.base, y.base), x.stride * *cy, x.multiple * y.multiple};
  return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateMul(a, c); });
}

bool IndexEmitter::StaysInBlock(const IndexValue& x, int64_t divisor) const {
  return x.stride == 1 && divisor % width_ == 0 && x.multiple % width_ == 0;
}

IndexValue IndexEmitter::DivU(IndexValue x, IndexValue y) {
  auto divisor = ConstantIndex(y);
  if (divisor == 1) return x;
  if (divisor && !x.varying() && *divisor > 0 && x.stride != 0) {
    if (StaysInBlock(x, *divisor)) return {b_.CreateUDiv(x.base, y.base), 0, 1};
    if (x.stride > 0 && x.multiple % *divisor == 0) {
      int64_t stride = x.stride;
      // Signed, for it may be negative: lanes that are masked out, before those that are
      // not.
      llvm::Value* base = b_.CreateExactSDiv(x.base, y.base);
      if (stride % *divisor == 0) return {base, stride / *divisor, 1};
      llvm::Value* lanes =
          LaneConstants([&](int64_t lane) { return lane * stride / *divisor; });
      return {b_.CreateAdd(Vector({base, 0, 1}), lanes), 0, 1};
    }
  }
  if (divisor && *divisor > 0 && x.uniform() && x.multiple % *divisor == 0)
    return {b_.CreateExactSDiv(x.base, y.base), 0, x.multiple / *divisor};
  return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateUDiv(a, c); });
}

IndexValue IndexEmitter::RemU(IndexValue x, IndexValue y) {
  auto divisor = ConstantIndex(y);
  if (divisor == 1) return Constant(0);
  if (divisor && !x.varying() && *divisor > 0 && x.stride != 0) {
    if (StaysInBlock(x, *divisor))
      return {b_.CreateURem(x.base, y.base), 1, Gcd(x.multiple, *divisor)};
    if (x.stride > 0 && x.multiple % *divisor == 0) {
      int64_t stride = x.stride;
      if (stride % *divisor == 0) return Constant(0);
      return {LaneConstants([&](int64_t lane) { return lane * stride % *divisor; }), 0,
              1};
    }
  }
  return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateURem(a, c); });
}

IndexValue IndexEmitter::MinS(IndexValue x, IndexValue y) {
  return Generic(x, y, [&](auto* a, auto* c) {
    return b_.CreateSelect(b_.CreateICmpSLT(a, c), a, c);
  });
}

IndexValue IndexEmitter::MaxS(IndexValue x, IndexValue y) {
  return Generic(x, y, [&](auto* a, auto* c) {
    return b_.CreateSelect(b_.CreateICmpSGT(a, c), a, c);
  });
}

IndexValue IndexEmitter::Select(llvm::Value* condition, IndexValue x, IndexValue y) {
  if (!condition->getType()->isVectorTy() && !x.varying() && !y.varying() &&
      x.stride == y.stride)
    return {b_.CreateSelect(condition, x.base, y.base), x.stride, 1};
  return {b_.CreateSelect(condition, Vector(x), Vector(y)), 0, 1};
}

llvm::Value* IndexEmitter::Compare(llvm::CmpInst::Predicate predicate, IndexValue x,
                                   IndexValue y) {
  if (!x.varying() && !y.varying() && x.stride == y.stride)
    return b_.CreateICmp(predicate, x.base, y.base);
  return b_.CreateICmp(predicate, Vector(x), Vector(y));
}

}  // namespace tenon::codegen
