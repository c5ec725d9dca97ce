#include "llvm/IR/IRBuilder.h"
#include "tenon/compiler/targets/gpu/expand_intrinsics.h"

namespace tenon::compiler {
namespace {

using llvm::ConstantInt;
using llvm::Value;

unsigned Bits(const Value* x) { return x->getType()->getScalarSizeInBits(); }

Value* Constant(const Value* like, const llvm::APInt& value) {
  return ConstantInt::get(like->getType(), value);
}
Value* Constant(const Value* like, uint64_t value) {
  return ConstantInt::get(like->getType(), value);
}

// `pattern`, a byte, in every byte of a value. For widths that are multiples of 8.
Value* Bytes(const Value* like, uint8_t pattern) {
  return Constant(like, llvm::APInt::getSplat(Bits(like), llvm::APInt(8, pattern)));
}

// Calculates in a width that is a power of two and at least 8.
Value* Widen(llvm::IRBuilder<>& b, Value* x) {
  const unsigned bits = std::max(8u, unsigned(llvm::PowerOf2Ceil(Bits(x))));
  return b.CreateZExt(x, b.getIntNTy(bits));
}

Value* PopCount(llvm::IRBuilder<>& b, Value* x) {
  Value* v = Widen(b, x);
  v = b.CreateSub(v, b.CreateAnd(b.CreateLShr(v, 1), Bytes(v, 0x55)));
  v = b.CreateAdd(b.CreateAnd(v, Bytes(v, 0x33)),
                  b.CreateAnd(b.CreateLShr(v, 2), Bytes(v, 0x33)));
  v = b.CreateAnd(b.CreateAdd(v, b.CreateLShr(v, 4)), Bytes(v, 0x0f));
  if (Bits(v) > 8) v = b.CreateLShr(b.CreateMul(v, Bytes(v, 1)), Bits(v) - 8);
  return b.CreateTrunc(v, x->getType());
}

Value* LeadingZeros(llvm::IRBuilder<>& b, Value* x) {
  for (unsigned shift = 1; shift < Bits(x); shift *= 2)
    x = b.CreateOr(x, b.CreateLShr(x, shift));
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, b.CreateNot(x));
}

Value* TrailingZeros(llvm::IRBuilder<>& b, Value* x) {
  Value* below = b.CreateAnd(b.CreateNot(x), b.CreateSub(x, Constant(x, 1)));
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, below);
}

// Swaps neighbouring groups of `group` bits.
Value* SwapGroups(llvm::IRBuilder<>& b, Value* v, unsigned group) {
  llvm::APInt mask =
      llvm::APInt::getSplat(Bits(v), llvm::APInt::getLowBitsSet(2 * group, group));
  return b.CreateOr(b.CreateAnd(b.CreateLShr(v, group), Constant(v, mask)),
                    b.CreateShl(b.CreateAnd(v, Constant(v, mask)), group));
}

Value* ReverseBytes(llvm::IRBuilder<>& b, Value* x) {
  Value* v = Widen(b, x);
  for (unsigned group = 8; group < Bits(v); group *= 2) v = SwapGroups(b, v, group);
  return b.CreateTrunc(b.CreateLShr(v, Bits(v) - Bits(x)), x->getType());
}

Value* ReverseBits(llvm::IRBuilder<>& b, Value* x) {
  Value* v = Widen(b, x);
  for (unsigned group = 1; group < Bits(v); group *= 2) v = SwapGroups(b, v, group);
  return b.CreateTrunc(b.CreateLShr(v, Bits(v) - Bits(x)), x->getType());
}

// The upper (left) or lower half of `high:low`, shifted.
Value* FunnelShift(llvm::IRBuilder<>& b, Value* high, Value* low, Value* amount,
                   bool left) {
  const unsigned bits = Bits(high);
  Value* last = Constant(high, bits - 1);
  amount = llvm::isPowerOf2_32(bits) ? b.CreateAnd(amount, last)
                                     : b.CreateURem(amount, Constant(high, bits));
  Value* rest = b.CreateSub(last, amount);
  if (left)
    return b.CreateOr(b.CreateShl(high, amount),
                      b.CreateLShr(b.CreateLShr(low, 1), rest));
  return b.CreateOr(b.CreateShl(b.CreateShl(high, 1), rest), b.CreateLShr(low, amount));
}

// A signed sum or difference that stays at the limits.
Value* Saturate(llvm::IRBuilder<>& b, Value* x, Value* y, bool subtract) {
  const unsigned bits = Bits(x);
  Value* result = subtract ? b.CreateSub(x, y) : b.CreateAdd(x, y);
  // It overflows if the signs of the summands agree and the result's sign is another.
  Value* agree = b.CreateXor(x, y);
  if (!subtract) agree = b.CreateNot(agree);
  Value* overflow = b.CreateIsNeg(b.CreateAnd(agree, b.CreateXor(x, result)));
  Value* limit = b.CreateXor(b.CreateAShr(x, bits - 1),
                             Constant(x, llvm::APInt::getSignedMaxValue(bits)));
  return b.CreateSelect(overflow, limit, result);
}

Value* ShiftSaturated(llvm::IRBuilder<>& b, Value* x, Value* amount, bool is_signed) {
  const unsigned bits = Bits(x);
  Value* result = b.CreateShl(x, amount);
  Value* back = is_signed ? b.CreateAShr(result, amount) : b.CreateLShr(result, amount);
  Value* limit = is_signed
                     ? b.CreateXor(b.CreateAShr(x, bits - 1),
                                   Constant(x, llvm::APInt::getSignedMaxValue(bits)))
                     : Constant(x, llvm::APInt::getAllOnes(bits));
  return b.CreateSelect(b.CreateICmpNE(back, x), limit, result);
}

Value* ThreeWay(llvm::IRBuilder<>& b, llvm::IntrinsicInst& call, Value* x, Value* y,
                bool is_signed) {
  Value* less = is_signed ? b.CreateICmpSLT(x, y) : b.CreateICmpULT(x, y);
  Value* more = is_signed ? b.CreateICmpSGT(x, y) : b.CreateICmpUGT(x, y);
  return b.CreateSub(b.CreateZExt(more, call.getType()),
                     b.CreateZExt(less, call.getType()));
}

Value* Select(llvm::IRBuilder<>& b, llvm::CmpInst::Predicate predicate, Value* x,
              Value* y) {
  return b.CreateSelect(b.CreateICmp(predicate, x, y), x, y);
}

}  // namespace

Value* MultiplyHigh(llvm::IRBuilder<>& b, Value* x, Value* y, bool is_signed) {
  const unsigned bits = Bits(x);
  if (bits <= 32) {
    llvm::Type* wide = b.getIntNTy(2 * bits);
    Value* product =
        b.CreateMul(is_signed ? b.CreateSExt(x, wide) : b.CreateZExt(x, wide),
                    is_signed ? b.CreateSExt(y, wide) : b.CreateZExt(y, wide));
    return b.CreateTrunc(b.CreateLShr(product, bits), x->getType());
  }
  const unsigned half = bits / 2;
  Value* mask = Constant(x, llvm::APInt::getLowBitsSet(bits, half));
  Value *x0 = b.CreateAnd(x, mask), *x1 = b.CreateLShr(x, half);
  Value *y0 = b.CreateAnd(y, mask), *y1 = b.CreateLShr(y, half);
  // No sum overflows: each is at most (2^half - 1)^2 + 2 * (2^half - 1).
  Value* middle =
      b.CreateAdd(b.CreateMul(x1, y0), b.CreateLShr(b.CreateMul(x0, y0), half));
  Value* cross = b.CreateAdd(b.CreateMul(x0, y1), b.CreateAnd(middle, mask));
  Value* high = b.CreateAdd(b.CreateMul(x1, y1), b.CreateLShr(middle, half));
  high = b.CreateAdd(high, b.CreateLShr(cross, half));
  if (!is_signed) return high;
  // A negative factor counts 2^bits too much as an unsigned one.
  high = b.CreateSub(high, b.CreateAnd(b.CreateAShr(x, bits - 1), y));
  return b.CreateSub(high, b.CreateAnd(b.CreateAShr(y, bits - 1), x));
}

Value* ExpandIntegerIntrinsic(llvm::IRBuilder<>& b, llvm::IntrinsicInst& call) {
  Value* x = call.getArgOperand(0);
  if (!x->getType()->isIntegerTy()) return nullptr;
  Value* y = call.arg_size() > 1 ? call.getArgOperand(1) : nullptr;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::ctpop:
      return PopCount(b, x);
    case llvm::Intrinsic::ctlz:
      return LeadingZeros(b, x);
    case llvm::Intrinsic::cttz:
      return TrailingZeros(b, x);
    case llvm::Intrinsic::bswap:
      return ReverseBytes(b, x);
    case llvm::Intrinsic::bitreverse:
      return ReverseBits(b, x);
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
      return FunnelShift(b, x, y, call.getArgOperand(2),
                         call.getIntrinsicID() == llvm::Intrinsic::fshl);
    case llvm::Intrinsic::uadd_sat: {
      Value* sum = b.CreateAdd(x, y);
      return b.CreateSelect(b.CreateICmpULT(sum, x),
                            Constant(x, llvm::APInt::getAllOnes(Bits(x))), sum);
    }
    case llvm::Intrinsic::usub_sat:
      return b.CreateSelect(b.CreateICmpULT(x, y), Constant(x, uint64_t{0}),
                            b.CreateSub(x, y));
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat:
      return Saturate(b, x, y, call.getIntrinsicID() == llvm::Intrinsic::ssub_sat);
    case llvm::Intrinsic::ushl_sat:
    case llvm::Intrinsic::sshl_sat:
      return ShiftSaturated(b, x, y, call.getIntrinsicID() == llvm::Intrinsic::sshl_sat);
    case llvm::Intrinsic::umin:
      return Select(b, llvm::CmpInst::ICMP_ULT, x, y);
    case llvm::Intrinsic::umax:
      return Select(b, llvm::CmpInst::ICMP_UGT, x, y);
    case llvm::Intrinsic::smin:
      return Select(b, llvm::CmpInst::ICMP_SLT, x, y);
    case llvm::Intrinsic::smax:
      return Select(b, llvm::CmpInst::ICMP_SGT, x, y);
    case llvm::Intrinsic::abs:
      return b.CreateSelect(b.CreateIsNeg(x), b.CreateNeg(x), x);
    case llvm::Intrinsic::ucmp:
    case llvm::Intrinsic::scmp:
      return ThreeWay(b, call, x, y, call.getIntrinsicID() == llvm::Intrinsic::scmp);
    default:
      return nullptr;
  }
}

}  // namespace tenon::compiler
