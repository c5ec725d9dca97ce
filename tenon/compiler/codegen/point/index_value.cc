#include "tenon/compiler/codegen/point/index_value.h"

#include <numeric>
#include <optional>

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen {
namespace {

int64_t Gcd(int64_t a, int64_t b) { return std::gcd(a, b); }

// Whether x + constant, as a base, would no longer have the known multiple of x's base,
// by which DivU and RemU divide exactly.
bool LosesMultiple(const IndexValue& x, std::optional<int64_t> constant) {
  return constant && !x.uniform() && (x.multiple == 0 || *constant % x.multiple != 0);
}

// Whether the sum or difference of two indices, neither of them varying, is one of lane
// offsets: an operand has them, or a constant is better added to them than to the base.
bool AddsLanes(const IndexValue& x, const IndexValue& y) {
  return !x.lanes.empty() || !y.lanes.empty() || LosesMultiple(x, ConstantIndex(y)) ||
         LosesMultiple(y, ConstantIndex(x));
}

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

llvm::Value* IndexEmitter::LaneConstants(llvm::ArrayRef<int64_t> lanes) {
  llvm::SmallVector<llvm::Constant*> constants;
  for (int64_t lane : lanes)
    constants.push_back(llvm::ConstantInt::getSigned(LaneType(), lane));
  return llvm::ConstantVector::get(constants);
}

llvm::SmallVector<int64_t, 0> IndexEmitter::LanesOf(const IndexValue& x) const {
  if (!x.lanes.empty()) return x.lanes;
  llvm::SmallVector<int64_t, 0> lanes;
  for (int64_t lane = 0; lane < width_; ++lane) lanes.push_back(lane * x.stride);
  return lanes;
}

llvm::Value* IndexEmitter::Vector(IndexValue x) {
  if (x.varying()) return x.base;
  llvm::Value* splat = b_.CreateVectorSplat(width_, b_.CreateTrunc(x.base, LaneType()));
  if (x.uniform()) return splat;
  return b_.CreateAdd(splat, LaneConstants(LanesOf(x)));
}

IndexValue IndexEmitter::WithStride(IndexValue x) {
  if (x.lanes.empty()) return x;
  int64_t stride = x.lanes.size() > 1 ? x.lanes[1] - x.lanes[0] : 0;
  for (size_t lane = 1; lane < x.lanes.size(); ++lane)
    if (x.lanes[lane] - x.lanes[lane - 1] != stride) return x;
  return {b_.CreateAdd(x.base, b_.getInt64(x.lanes[0])), stride,
          Gcd(x.multiple, x.lanes[0])};
}

IndexValue IndexEmitter::AddLanes(const IndexValue& x, const IndexValue& y,
                                  int64_t sign) {
  // A constant base joins the lane offsets, so that the base keeps its known multiple.
  auto split = [&](const IndexValue& v) -> std::pair<llvm::Value*, int64_t> {
    if (auto constant = ConstantIndex(v)) return {nullptr, *constant};
    return {v.base, 0};
  };
  auto [x_base, x_more] = split(x);
  auto [y_base, y_more] = split(y);
  IndexValue sum{x_base ? x_base : b_.getInt64(0), 0, x_base ? x.multiple : 0,
                 LanesOf(x)};
  for (auto [lane, more] : llvm::zip_equal(sum.lanes, LanesOf(y)))
    lane += x_more + sign * (more + y_more);
  if (!y_base) return sum;
  sum.base = sign > 0 ? b_.CreateAdd(sum.base, y_base) : b_.CreateSub(sum.base, y_base);
  sum.multiple = Gcd(sum.multiple, y.multiple);
  return sum;
}

template <typename F>
IndexValue IndexEmitter::Generic(IndexValue x, IndexValue y, F operation) {
  if (x.uniform() && y.uniform()) return {operation(x.base, y.base), 0, 1};
  return {operation(Vector(x), Vector(y)), 0, 1};
}

IndexValue IndexEmitter::Add(IndexValue x, IndexValue y) {
  if (ConstantIndex(x) == 0) return y;
  if (ConstantIndex(y) == 0) return x;
  if (!x.varying() && !y.varying()) {
    if (AddsLanes(x, y)) return AddLanes(x, y, 1);
    return {b_.CreateAdd(x.base, y.base), x.stride + y.stride,
            Gcd(x.multiple, y.multiple)};
  }
  return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateAdd(a, c); });
}

IndexValue IndexEmitter::Sub(IndexValue x, IndexValue y) {
  if (ConstantIndex(y) == 0) return x;
  if (!x.varying() && !y.varying()) {
    if (AddsLanes(x, y)) return AddLanes(x, y, -1);
    return {b_.CreateSub(x.base, y.base), x.stride - y.stride,
            Gcd(x.multiple, y.multiple)};
  }
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
  if (cy && !x.varying()) {
    IndexValue product{b_.CreateMul(x.base, y.base), x.stride * *cy,
                       x.multiple * y.multiple, x.lanes};
    for (int64_t& lane : product.lanes) lane *= *cy;
    return product;
  }
  return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateMul(a, c); });
}

std::optional<int64_t> IndexEmitter::StartOfBlock(const IndexValue& x, int64_t size) {
  const auto lanes = LanesOf(x);
  const int64_t block = llvm::divideFloorSigned(lanes[0], size);
  auto is_outside = [&](int64_t lane) {
    return llvm::divideFloorSigned(lane, size) != block;
  };
  if (llvm::any_of(lanes, is_outside)) return std::nullopt;
  return block * size;
}

bool IndexEmitter::DividesLanes(const IndexValue& x, int64_t divisor) const {
  return (x.stride > 0 || !x.lanes.empty()) && x.multiple % divisor == 0;
}

// Some divisions are signed because the base may be negative: masked-out lanes may
// precede the first element.
IndexValue IndexEmitter::DivU(IndexValue x, IndexValue y) {
  auto divisor = ConstantIndex(y);
  if (divisor == 1) return x;
  if (!divisor || *divisor <= 0 || x.varying())
    return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateUDiv(a, c); });
  const bool divides_base = x.multiple % *divisor == 0;
  const int64_t multiple = divides_base ? x.multiple / *divisor : 1;
  if (x.uniform() && divides_base)
    return {b_.CreateExactSDiv(x.base, y.base), 0, multiple};
  if (!x.uniform()) {
    // All lanes have the quotient of a multiple of `unit` that precedes them.
    const int64_t unit = Gcd(x.multiple, *divisor);
    const auto first = StartOfBlock(x, unit);
    if (first && !divides_base)
      return {b_.CreateUDiv(b_.CreateAdd(x.base, b_.getInt64(*first)), y.base), 0, 1};
    if (first && x.lanes.empty())
      return {b_.CreateExactSDiv(x.base, y.base), 0, multiple};
    if (DividesLanes(x, *divisor)) {
      llvm::Value* base = b_.CreateExactSDiv(x.base, y.base);
      if (x.lanes.empty() && x.stride % *divisor == 0)
        return {base, x.stride / *divisor, multiple};
      IndexValue quotient{base, 0, multiple, LanesOf(x)};
      for (int64_t& lane : quotient.lanes) lane = llvm::divideFloorSigned(lane, *divisor);
      return quotient;
    }
  }
  return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateUDiv(a, c); });
}

IndexValue IndexEmitter::RemU(IndexValue x, IndexValue y) {
  auto divisor = ConstantIndex(y);
  if (divisor == 1) return Constant(0);
  if (divisor && *divisor > 0 && !x.varying() && !x.uniform()) {
    if (DividesLanes(x, *divisor)) {
      if (x.lanes.empty() && x.stride % *divisor == 0) return Constant(0);
      IndexValue remainder{b_.getInt64(0), 0, 0, LanesOf(x)};
      for (int64_t& lane : remainder.lanes)
        lane -= llvm::divideFloorSigned(lane, *divisor) * *divisor;
      return remainder;
    }
    const int64_t unit = Gcd(x.multiple, *divisor);
    if (auto first = StartOfBlock(x, unit)) {
      llvm::Value* base = b_.CreateAdd(x.base, b_.getInt64(*first));
      IndexValue remainder{b_.CreateURem(base, y.base), x.stride, unit, x.lanes};
      for (int64_t& lane : remainder.lanes) lane -= *first;
      return remainder;
    }
  }
  return Generic(x, y, [&](auto* a, auto* c) { return b_.CreateURem(a, c); });
}

IndexValue IndexEmitter::MinS(IndexValue x, IndexValue y) {
  IndexValue least = Generic(x, y, [&](auto* a, auto* c) {
    return b_.CreateSelect(b_.CreateICmpSLT(a, c), a, c);
  });
  if (least.uniform()) least.multiple = Gcd(x.multiple, y.multiple);
  return least;
}

IndexValue IndexEmitter::MaxS(IndexValue x, IndexValue y) {
  IndexValue most = Generic(x, y, [&](auto* a, auto* c) {
    return b_.CreateSelect(b_.CreateICmpSGT(a, c), a, c);
  });
  if (most.uniform()) most.multiple = Gcd(x.multiple, y.multiple);
  return most;
}

IndexValue IndexEmitter::Select(llvm::Value* condition, IndexValue x, IndexValue y) {
  x = WithStride(x);
  y = WithStride(y);
  if (!condition->getType()->isVectorTy() && !x.varying() && !y.varying() &&
      x.stride == y.stride && x.lanes == y.lanes)
    return {b_.CreateSelect(condition, x.base, y.base), x.stride, 1, x.lanes};
  return {b_.CreateSelect(condition, Vector(x), Vector(y)), 0, 1};
}

llvm::Value* IndexEmitter::Compare(llvm::CmpInst::Predicate predicate, IndexValue x,
                                   IndexValue y) {
  x = WithStride(x);
  y = WithStride(y);
  if (!x.varying() && !y.varying() && x.stride == y.stride && x.lanes == y.lanes)
    return b_.CreateICmp(predicate, x.base, y.base);
  return b_.CreateICmp(predicate, Vector(x), Vector(y));
}

}  // namespace tenon::codegen
