// FloatMath's reduction of all finite angles to [-pi/4, pi/4].
//
// Moderate angles use Cody and Waite's method: n = round(x 2/pi), then x - n pi/2 in
// three steps. If a lane has a larger angle, a cold block multiplies by enough bits of
// 1/(2 pi) (Payne and Hanek's method).
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "tenon/compiler/codegen/elementwise/float_math.h"

namespace tenon::compiler {
namespace {

constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiTail = 0x1.1a62633145c07p-54;
// pi/2 as a sum of three floats.
constexpr double kHalfPi32[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
constexpr double kHalfPi64[] = {kHalfPi, kHalfPiTail, -0x1.f1976b7ed8fbcp-110};
// The largest angles for Cody and Waite's method. n must be exact, and n times the error
// of the sum must be small.
constexpr double kLimit32 = 0x1p17, kLimit64 = 0x1p30;
// Angles up to this one need no reduction. With few lanes the time is the latency of the
// dependence chain, so a branch around the reduction pays.
constexpr double kReduced = 0.78;
constexpr int kFewLanes = 4;

// 1/(2 pi) in pieces of 29 bits. The product of a piece and an f32 is exact in f64.
constexpr double kInverseTwoPi[] = {0x1.45f306cp-3,  0x1.c9c882ap-31,  0x1.4fe13a8p-61,
                                    0x1.f47d4d3p-88, 0x1.dc0db62p-118, 0x1.2b32788p-147,
                                    0x1.c820ffp-177};

// 64 zero bits, then the fraction bits of 2/pi.
constexpr uint64_t kTwoOverPiBits[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
};

llvm::GlobalVariable* TwoOverPiTable(llvm::Module& module) {
  constexpr char kName[] = "tenon.two_over_pi";
  if (auto* table = module.getNamedGlobal(kName)) return table;
  auto* bits = llvm::ConstantDataArray::get(module.getContext(),
                                            llvm::ArrayRef<uint64_t>(kTwoOverPiBits));
  auto* table = new llvm::GlobalVariable(module, bits->getType(), /*isConstant=*/true,
                                         llvm::GlobalValue::PrivateLinkage, bits, kName);
  table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return table;
}

}  // namespace

FloatMath::Angle FloatMath::ReduceAngle(Value* x, bool with_tail) {
  llvm::LLVMContext& context = builder_.getContext();
  llvm::BasicBlock *before = builder_.GetInsertBlock(), *join = nullptr;
  if (lanes() <= kFewLanes) {
    Value* larger = Gt(x, Const(kReduced));
    auto* reduce = llvm::BasicBlock::Create(context, "reduce", before->getParent());
    join = llvm::BasicBlock::Create(context, "reduced", before->getParent());
    builder_.CreateCondBr(lanes() > 1 ? builder_.CreateOrReduce(larger) : larger, reduce,
                          join);
    builder_.SetInsertPoint(reduce);
  }
  Value* shifter = Pick(0x1.8p23, 0x1.8p52);
  Value* shifted = Fma(x, Const(kTwoOverPi), shifter);
  Value* n = Sub(shifted, shifter);
  const double* parts = is_f64_ ? kHalfPi64 : kHalfPi32;
  Value* first = ExactFma(n, Const(-parts[0]), x);
  Angle common{nullptr, nullptr, ToBits(shifted)};
  if (with_tail) {
    Pair second = TwoProduct(n, Const(-parts[1]));
    Pair sum = TwoSum(first, second.hi);
    common.r = sum.hi;
    common.tail = Fma(n, Const(-parts[2]), Add(sum.lo, second.lo));
  } else {
    Value* second = ExactFma(n, Const(-parts[1]), first);
    common.r = Fma(n, Const(-parts[2]), second);
  }

  llvm::SmallVector<Value*, 3> values = {common.r, common.quadrant};
  if (with_tail) values.push_back(common.tail);
  Value* huge = Gt(x, Pick(kLimit32, kLimit64));
  ReplaceOnRarePath(huge, values, [&](llvm::MutableArrayRef<Value*> replaced) {
    Angle angle = is_f64_ ? ReduceHugeF64(x) : ReduceHugeF32(x);
    // An infinite angle gives NaN.
    replaced[0] = Select(Eq(x, Inf()), Nan(), angle.r);
    replaced[1] = angle.quadrant;
    if (with_tail) replaced[2] = angle.tail;
  });
  if (join) {
    llvm::BasicBlock* reduced = builder_.GetInsertBlock();
    builder_.CreateBr(join);
    builder_.SetInsertPoint(join);
    Value* unreduced[] = {x, Int(0), Const(0)};
    for (auto [value, other] : llvm::zip(values, unreduced)) {
      llvm::PHINode* phi = builder_.CreatePHI(value->getType(), 2);
      phi->addIncoming(other, before);
      phi->addIncoming(value, reduced);
      value = phi;
    }
  }
  return {values[0], with_tail ? values[2] : nullptr, values[1]};
}

FloatMath::Angle FloatMath::ReduceHugeF32(Value* x) {
  llvm::Type* wide = type_->getWithNewType(builder_.getDoubleTy());
  FloatMath f64(builder_, wide, options_);
  Value* angle = builder_.CreateFPExt(x, wide);
  // The angle in turns, without the whole turns. Each product and its fraction are exact,
  // and so are the sums until their last bit is below 2^-53.
  Value* turns = f64.Const(0);
  for (double piece : kInverseTwoPi) {
    Value* product = f64.Mul(angle, f64.Const(piece));
    turns = f64.Add(turns, f64.Sub(product, f64.RoundEven(product)));
    turns = f64.Sub(turns, f64.RoundEven(turns));
  }
  Value* quarters = f64.Mul(turns, f64.Const(4));
  Value* n = f64.RoundEven(quarters);
  Value* r = f64.Mul(f64.Sub(quarters, n), f64.Const(kHalfPi));
  // |n| is at most 2, or n is NaN for infinity. The low bits of the shifted sum hold n.
  Value* shifted = f64.ToBits(f64.Add(n, f64.Const(0x1.8p52)));
  Value* head = builder_.CreateFPTrunc(r, type_);
  Value* tail =
      builder_.CreateFPTrunc(f64.Sub(r, builder_.CreateFPExt(head, wide)), type_);
  return {head, tail, builder_.CreateTrunc(shifted, int_type_)};
}

FloatMath::Angle FloatMath::ReduceHugeF64(Value* x) {
  // Lanes that are not huge are not used; they get any number in range.
  Value* limit = Const(kLimit64);
  x = Select(Gt(x, limit), x, limit);
  if (lanes() == 1) return ReduceHugeF64Lane(x);

  // A loop over the lanes, which passes values through stack slots.
  llvm::LLVMContext& context = builder_.getContext();
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::Function* function = before->getParent();
  llvm::BasicBlock& entry = function->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
  Value* x_slot = at_entry.CreateAlloca(type_);
  Value* r_slot = at_entry.CreateAlloca(type_);
  Value* tail_slot = at_entry.CreateAlloca(type_);
  Value* quadrant_slot = at_entry.CreateAlloca(int_type_);
  builder_.CreateStore(x, x_slot);
  auto* loop = llvm::BasicBlock::Create(context, "huge_angle_lane", function);
  auto* end = llvm::BasicBlock::Create(context, "huge_angle_end", function);
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  llvm::Type* f64 = builder_.getDoubleTy();
  llvm::Type* i64 = builder_.getInt64Ty();
  llvm::PHINode* lane = builder_.CreatePHI(i64, 2);
  lane->addIncoming(builder_.getInt64(0), before);
  FloatMath scalar(builder_, f64, options_);
  Angle angle = scalar.ReduceHugeF64Lane(
      builder_.CreateLoad(f64, builder_.CreateGEP(f64, x_slot, lane)));
  builder_.CreateStore(angle.r, builder_.CreateGEP(f64, r_slot, lane));
  builder_.CreateStore(angle.tail, builder_.CreateGEP(f64, tail_slot, lane));
  builder_.CreateStore(angle.quadrant, builder_.CreateGEP(i64, quadrant_slot, lane));
  Value* next = builder_.CreateAdd(lane, builder_.getInt64(1));
  lane->addIncoming(next, loop);
  builder_.CreateCondBr(builder_.CreateICmpULT(next, builder_.getInt64(lanes())), loop,
                        end);
  builder_.SetInsertPoint(end);
  Value* r = builder_.CreateLoad(type_, r_slot);
  Value* tail = builder_.CreateLoad(type_, tail_slot);
  return {r, tail, builder_.CreateLoad(int_type_, quadrant_slot)};
}

FloatMath::Angle FloatMath::ReduceHugeF64Lane(Value* x) {
  llvm::IRBuilderBase& b = builder_;
  llvm::Type* i64 = b.getInt64Ty();
  llvm::Type* i128 = b.getInt128Ty();
  auto wide = [&](Value* v) { return b.CreateZExt(v, i128); };
  // x = m 2^e. The bits of 2/pi of weight 2^(2 - e) and above only add multiples of 4 to
  // m 2^e 2/pi. The next 192 bits times m give the quadrant and its fraction.
  Value* bits = ToBits(x);
  Value* e = b.CreateSub(b.CreateLShr(bits, Int(52)), Int(1023 + 52));
  Value* m =
      b.CreateOr(b.CreateAnd(bits, Int((uint64_t{1} << 52) - 1)), Int(uint64_t{1} << 52));
  Value* first_bit = b.CreateAdd(e, Int(64 - 2));
  Value* word = b.CreateLShr(first_bit, Int(6));
  Value* shift = b.CreateAnd(first_bit, Int(63));
  llvm::GlobalVariable* table = TwoOverPiTable(*b.GetInsertBlock()->getModule());
  Value* words[4];
  for (int i = 0; i < 4; ++i)
    words[i] =
        b.CreateLoad(i64, b.CreateInBoundsGEP(i64, table, b.CreateAdd(word, Int(i))));
  auto window = [&](int i) {
    return b.CreateIntrinsic(llvm::Intrinsic::fshl, {i64},
                             {words[i], words[i + 1], shift});
  };
  Value* low = b.CreateLShr(b.CreateMul(wide(m), wide(window(2))), 64);
  Value* product = b.CreateAdd(low, b.CreateMul(wide(m), wide(window(1))));
  Value* high = b.CreateMul(m, window(0));
  product = b.CreateAdd(product, b.CreateShl(wide(high), 64));

  // The two top bits are the quadrant, the rest is a signed fraction. Fractions of at
  // least one half round up.
  Value* top = b.CreateTrunc(b.CreateLShr(product, 64), i64);
  Value* fraction = b.CreateShl(product, 2);
  Value* negative = b.CreateICmpSLT(fraction, llvm::ConstantInt::get(i128, 0));
  Value* quadrant = b.CreateAdd(b.CreateLShr(top, Int(62)), b.CreateZExt(negative, i64));
  fraction = b.CreateSelect(negative, b.CreateNeg(fraction), fraction);
  Value* hi = b.CreateTrunc(b.CreateLShr(fraction, 64), i64);
  Value* lo = b.CreateTrunc(fraction, i64);
  // No double is nearer than 2^-61 to a multiple of pi/2, so hi is not zero.
  Value* zeros = b.CreateIntrinsic(llvm::Intrinsic::ctlz, {i64}, {hi, b.getTrue()});
  Value* leading = b.CreateIntrinsic(llvm::Intrinsic::fshl, {i64}, {hi, lo, zeros});
  // Two integers of 53 and 11 bits, each exact as a double, times 2^-(zeros + 53).
  Value* head = b.CreateSIToFP(b.CreateLShr(leading, Int(11)), type_);
  Value* after = b.CreateSIToFP(b.CreateAnd(leading, Int(0x7ff)), type_);
  after = Mul(after, Const(0x1p-11));
  Value* scale = FromBits(b.CreateShl(b.CreateSub(Int(1023 - 53), zeros), Int(52)));
  Value* r = Mul(head, Const(kHalfPi));
  Value* error = ExactFma(head, Const(kHalfPi), Neg(r));
  error = Fma(head, Const(kHalfPiTail), error);
  error = Fma(after, Const(kHalfPi), error);
  Pair sum = FastTwoSum(r, error);
  scale = Select(negative, Neg(scale), scale);
  return {Mul(sum.hi, scale), Mul(sum.lo, scale), quadrant};
}

}  // namespace tenon::compiler
