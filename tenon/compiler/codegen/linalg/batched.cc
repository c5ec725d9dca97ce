#include "tenon/compiler/codegen/linalg/batched.h"

#include <limits>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/linalg/kinds.h"

namespace tenon::codegen {
namespace {

// Jacobi methods take five to nine sweeps, the last two of which change little.
constexpr int64_t kMaxSweeps = 30;

}  // namespace

Status LaneEmitter::ForUnits(llvm::Value* chunk, llvm::function_ref<Status()> body) {
  memory_ = OffsetPointer(b, pointers_.scratch, chunk, plan_.panel_bytes);
  return EmitUnits(b, plan_, chunk, [&](llvm::Value* unit) {
    first_ = MulI(b, unit, plan_.lanes);
    taken_ = 0;
    return body();
  });
}

LaneMatrix LaneEmitter::Take(int64_t rows, int64_t columns) {
  LaneMatrix m{panel_.Vectors(memory_, b.getInt64(taken_), 0), rows, columns, columns, 1};
  taken_ += rows * columns;
  return m;
}

llvm::Value* LaneEmitter::At(const LaneMatrix& m, llvm::Value* row, llvm::Value* column) {
  return panel_.Vectors(
      m.base, AddI(b, MulI(b, row, m.row_stride), MulI(b, column, m.column_stride)), 0);
}

llvm::Value* LaneEmitter::Load(const LaneMatrix& m, llvm::Value* row,
                               llvm::Value* column) {
  return panel_.Load(At(m, row, column), b.getInt64(0), 0).re;
}

void LaneEmitter::Store(llvm::Value* x, const LaneMatrix& m, llvm::Value* row,
                        llvm::Value* column) {
  panel_.Store({x}, At(m, row, column), b.getInt64(0), 0);
}

Status LaneEmitter::Read(llvm::Value* array, const LaneMatrix& m) {
  int64_t size = m.rows * m.columns;
  return panel_.Read(array, {size, spec_.batch, 1, size}, first_, b.getInt64(size),
                     m.base);
}

Status LaneEmitter::Write(const LaneMatrix& m, llvm::Value* array) {
  int64_t size = m.rows * m.columns;
  return panel_.Write(m.base, array, {size, spec_.batch, 1, size}, first_,
                      b.getInt64(size));
}

void LaneEmitter::WriteStatus(llvm::Value* failed, llvm::Value* array) {
  llvm::Value* status =
      b.CreateZExt(failed, llvm::FixedVectorType::get(b.getInt32Ty(), plan_.lanes));
  llvm::Value* to = OffsetPointer(b, array, first_, 4);
  llvm::Value* mask = panel_.ColumnMask({1, spec_.batch, 1, 1}, first_);
  if (mask)
    b.CreateMaskedStore(status, to, llvm::Align(4), mask);
  else
    b.CreateAlignedStore(status, to, llvm::Align(4));
}

Status LaneEmitter::ForAll(
    const LaneMatrix& m,
    llvm::function_ref<Status(llvm::Value* row, llvm::Value* column)> body) {
  return EmitLoop(b, b.getInt64(0), b.getInt64(m.rows), 1, [&](llvm::Value* row) {
    return EmitLoop(b, b.getInt64(0), b.getInt64(m.columns), 1,
                    [&](llvm::Value* column) { return body(row, column); });
  });
}

Status LaneEmitter::SetIdentity(const LaneMatrix& m) {
  return ForAll(m, [&](llvm::Value* row, llvm::Value* column) {
    Store(b.CreateSelect(b.CreateICmpEQ(row, column), Number(1), Number(0)), m, row,
          column);
    return OkStatus();
  });
}

llvm::Value* LaneEmitter::Abs(llvm::Value* x) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}

llvm::Value* LaneEmitter::Sqrt(llvm::Value* x) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
}

llvm::Value* LaneEmitter::Max(llvm::Value* x, llvm::Value* y) {
  return b.CreateSelect(b.CreateFCmpOGT(x, y), x, y);
}

llvm::Value* LaneEmitter::Fma(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
  return panel_.Fma(x, y, z);
}

llvm::Value* LaneEmitter::CopySign(llvm::Value* x, llvm::Value* y) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, y);
}

std::pair<llvm::Value*, llvm::Value*> LaneEmitter::Scales(llvm::Value* size) {
  bool is_double = spec_.type == ElementType::kF64;
  int fraction = is_double ? 52 : 23;
  int64_t twice_bias = is_double ? 2046 : 254;
  auto* integers = llvm::VectorType::getInteger(vector());
  auto number = [&](int64_t x) { return llvm::ConstantInt::get(integers, x); };
  llvm::Value* exponent = b.CreateLShr(b.CreateBitCast(size, integers), number(fraction));
  // The exponent is neither that of zero nor that of a denormal.
  llvm::Value* down = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::smax, b.CreateSub(number(twice_bias), exponent), number(1));
  llvm::Value* up = b.CreateSub(number(twice_bias), down);
  auto power = [&](llvm::Value* x) {
    return b.CreateBitCast(b.CreateShl(x, number(fraction)), vector());
  };
  return {power(down), power(up)};
}

Status LaneEmitter::Sizes(const LaneMatrix& m, llvm::Value*& largest,
                          llvm::Value*& infinite) {
  llvm::Value* zero = Number(0);
  IrValues carried{zero, zero};
  LaneMatrix row{m.base, 1, m.rows * m.columns, 0, 1};  // all elements of a dense matrix
  TENON_RETURN_IF_ERROR(EmitLoop(b, b.getInt64(0), b.getInt64(row.columns), 1, carried,
                                 [&](llvm::Value* i, IrValues& values) {
                                   llvm::Value* x = Load(row, b.getInt64(0), i);
                                   values[0] = Max(Abs(x), values[0]);
                                   // Zero, and NaN from the first infinity or NaN on.
                                   values[1] =
                                       b.CreateFAdd(values[1], b.CreateFMul(x, zero));
                                   return OkStatus();
                                 }));
  infinite = b.CreateFCmpUNO(carried[1], carried[1]);
  largest = b.CreateSelect(infinite, zero, carried[0]);
  return EmitIfElse(b, b.CreateOrReduce(infinite), [&] {
    return EmitLoop(b, b.getInt64(0), b.getInt64(row.columns), 1, [&](llvm::Value* i) {
      llvm::Value* x = Load(row, b.getInt64(0), i);
      Store(b.CreateSelect(infinite, zero, x), row, b.getInt64(0), i);
      return OkStatus();
    });
  });
}

// The smaller root t of t^2 + 2 z t - 1 = 0, z = (yy - xx) / (2 xy), so that the angle is
// at most an eighth of the circle. With larger angles Jacobi methods need not converge.
Rotation LaneEmitter::Rotate(llvm::Value* xx, llvm::Value* yy, llvm::Value* xy,
                             llvm::Value* active) {
  llvm::Value* one = Number(1);
  llvm::Value* divisor = b.CreateSelect(active, b.CreateFAdd(xy, xy), one);
  llvm::Value* z = b.CreateFDiv(b.CreateFSub(yy, xx), divisor);
  llvm::Value* root = Sqrt(Fma(z, z, one));
  llvm::Value* t = b.CreateFDiv(CopySign(one, z), b.CreateFAdd(Abs(z), root));
  t = b.CreateSelect(active, t, Number(0));
  llvm::Value* cosine = b.CreateFDiv(one, Sqrt(Fma(t, t, one)));
  return {cosine, b.CreateFMul(t, cosine), t};
}

Status LaneEmitter::Apply(const Rotation& rotation, llvm::Value* x, int64_t step_x,
                          llvm::Value* y, int64_t step_y, llvm::Value* count) {
  llvm::Value* minus_sine = b.CreateFNeg(rotation.sine);
  llvm::Value* zero = b.getInt64(0);
  return EmitLoop(b, zero, count, 1, [&](llvm::Value* i) {
    llvm::Value* at_x = panel_.Vectors(x, MulI(b, i, step_x), 0);
    llvm::Value* at_y = panel_.Vectors(y, MulI(b, i, step_y), 0);
    llvm::Value* a = panel_.Load(at_x, zero, 0).re;
    llvm::Value* c = panel_.Load(at_y, zero, 0).re;
    panel_.Store({Fma(rotation.cosine, a, b.CreateFMul(minus_sine, c))}, at_x, zero, 0);
    panel_.Store({Fma(rotation.cosine, c, b.CreateFMul(rotation.sine, a))}, at_y, zero,
                 0);
    return OkStatus();
  });
}

Status LaneEmitter::Sort(const LaneMatrix& values, bool descending,
                         llvm::ArrayRef<LaneMatrix> with) {
  llvm::Value *zero = b.getInt64(0), *count = b.getInt64(values.columns);
  auto exchange = [&](llvm::Value* swap, const LaneMatrix& m, llvm::Value* row,
                      llvm::Value* i, llvm::Value* j) {
    llvm::Value *x = Load(m, row, i), *y = Load(m, row, j);
    Store(b.CreateSelect(swap, y, x), m, row, i);
    Store(b.CreateSelect(swap, x, y), m, row, j);
  };
  return EmitLoop(b, zero, count, 1, [&](llvm::Value* i) {
    return EmitLoop(b, AddI(b, i, 1), count, 1, [&](llvm::Value* j) -> Status {
      llvm::Value *x = Load(values, zero, i), *y = Load(values, zero, j);
      llvm::Value* swap = descending ? b.CreateFCmpOGT(y, x) : b.CreateFCmpOLT(y, x);
      return EmitIfElse(b, b.CreateOrReduce(swap), [&]() -> Status {
        exchange(swap, values, zero, i, j);
        for (const LaneMatrix& m : with) {
          TENON_RETURN_IF_ERROR(
              EmitLoop(b, zero, b.getInt64(m.rows), 1, [&](llvm::Value* row) {
                exchange(swap, m, row, i, j);
                return OkStatus();
              }));
        }
        return OkStatus();
      });
    });
  });
}

Status LaneEmitter::Sweeps(llvm::function_ref<Status(llvm::Value* changed)> sweep) {
  llvm::Value* changed = EmitEntryAlloca(b, 8);
  b.CreateStore(b.getInt64(1), changed);
  return EmitLoop(b, b.getInt64(0), b.getInt64(kMaxSweeps), 1, [&](llvm::Value*) {
    llvm::Value* before = b.CreateLoad(b.getInt64Ty(), changed);
    return EmitIfElse(b, b.CreateICmpNE(before, b.getInt64(0)), [&]() -> Status {
      b.CreateStore(b.getInt64(0), changed);
      return sweep(changed);
    });
  });
}

}  // namespace tenon::codegen
