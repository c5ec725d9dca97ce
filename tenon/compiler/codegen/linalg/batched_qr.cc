// Householder reflections with one matrix per lane.
#include "tenon/compiler/codegen/linalg/batched.h"

namespace tenon::codegen {
namespace {

// Columns that are reflected together, so that their sums hide each other's latency.
constexpr int kColumns = 4;

}  // namespace

Status LaneEmitter::ReflectColumns(const LaneMatrix& m, llvm::Value* pivot,
                                   llvm::Value* tau, llvm::Value* first, int count) {
  auto column = [&](int c) { return AddI(b, first, c); };
  llvm::Value *below = AddI(b, pivot, 1), *rows = b.getInt64(m.rows);
  IrValues sums;
  for (int c = 0; c < count; ++c) sums.push_back(Load(m, pivot, column(c)));
  TENON_RETURN_IF_ERROR(
      EmitLoop(b, below, rows, 1, sums, [&](llvm::Value* i, IrValues& parts) {
        llvm::Value* v = Load(m, i, pivot);
        for (int c = 0; c < count; ++c)
          parts[c] = Fma(v, Load(m, i, column(c)), parts[c]);
        return OkStatus();
      }));
  for (int c = 0; c < count; ++c) {
    sums[c] = b.CreateFNeg(b.CreateFMul(sums[c], tau));
    Store(b.CreateFAdd(Load(m, pivot, column(c)), sums[c]), m, pivot, column(c));
  }
  return EmitLoop(b, below, rows, 1, [&](llvm::Value* i) {
    llvm::Value* v = Load(m, i, pivot);
    for (int c = 0; c < count; ++c)
      Store(Fma(v, sums[c], Load(m, i, column(c))), m, i, column(c));
    return OkStatus();
  });
}

Status LaneEmitter::Reflect(const LaneMatrix& m, llvm::Value* pivot, llvm::Value* tau) {
  llvm::Value *first = AddI(b, pivot, 1), *end = b.getInt64(m.columns);
  llvm::Value* whole = b.CreateAnd(b.CreateNSWSub(end, first), b.getInt64(-kColumns));
  llvm::Value* rest = AddI(b, first, whole);
  TENON_RETURN_IF_ERROR(EmitLoop(b, first, rest, kColumns, [&](llvm::Value* c) {
    return ReflectColumns(m, pivot, tau, c, kColumns);
  }));
  return EmitLoop(b, rest, end, 1,
                  [&](llvm::Value* c) { return ReflectColumns(m, pivot, tau, c, 1); });
}

// A column is scaled by a power of two while its norm is computed, so that the norm
// neither overflows nor underflows.
Status LaneEmitter::Factor(const LaneMatrix& m, const LaneMatrix& taus) {
  llvm::Value *zero = b.getInt64(0), *rows = b.getInt64(m.rows);
  return EmitLoop(b, zero, b.getInt64(taus.columns), 1, [&](llvm::Value* j) -> Status {
    llvm::Value* below = AddI(b, j, 1);
    llvm::Value* alpha = Load(m, j, j);
    IrValues size{Abs(alpha)};
    TENON_RETURN_IF_ERROR(
        EmitLoop(b, below, rows, 1, size, [&](llvm::Value* i, IrValues& largest) {
          largest[0] = Max(Abs(Load(m, i, j)), largest[0]);
          return OkStatus();
        }));
    auto [down, up] = Scales(size[0]);
    IrValues squares{Number(0)};
    TENON_RETURN_IF_ERROR(
        EmitLoop(b, below, rows, 1, squares, [&](llvm::Value* i, IrValues& sum) {
          llvm::Value* x = b.CreateFMul(Load(m, i, j), down);
          sum[0] = Fma(x, x, sum[0]);
          return OkStatus();
        }));
    llvm::Value* is_flat = b.CreateFCmpOEQ(squares[0], Number(0));
    llvm::Value* scaled = b.CreateFMul(alpha, down);
    llvm::Value* norm = Sqrt(Fma(scaled, scaled, squares[0]));
    // The sign is opposite to alpha's, so that the difference does not cancel.
    llvm::Value* beta = b.CreateFNeg(CopySign(norm, scaled));
    beta = b.CreateSelect(is_flat, Number(1), beta);
    llvm::Value* tau = b.CreateFDiv(b.CreateFSub(beta, scaled), beta);
    tau = b.CreateSelect(is_flat, Number(0), tau);
    llvm::Value* divisor = b.CreateSelect(is_flat, Number(1), b.CreateFSub(scaled, beta));
    llvm::Value* by = b.CreateFDiv(Number(1), divisor);
    TENON_RETURN_IF_ERROR(EmitLoop(b, below, rows, 1, [&](llvm::Value* i) {
      llvm::Value* x = b.CreateFMul(b.CreateFMul(Load(m, i, j), down), by);
      Store(b.CreateSelect(is_flat, Number(0), x), m, i, j);
      return OkStatus();
    }));
    Store(tau, taus, zero, j);
    Store(b.CreateSelect(is_flat, alpha, b.CreateFMul(beta, up)), m, j, j);
    return Reflect(m, j, tau);
  });
}

// From the last reflection to the first: column j is the unit vector until then.
Status LaneEmitter::Product(const LaneMatrix& m, const LaneMatrix& taus) {
  llvm::Value *zero = b.getInt64(0), *rows = b.getInt64(m.rows);
  llvm::Value* count = b.getInt64(taus.columns);
  TENON_RETURN_IF_ERROR(EmitLoop(b, count, b.getInt64(m.columns), 1, [&](llvm::Value* j) {
    return EmitLoop(b, zero, rows, 1, [&](llvm::Value* i) {
      Store(b.CreateSelect(b.CreateICmpEQ(i, j), Number(1), Number(0)), m, i, j);
      return OkStatus();
    });
  }));
  return EmitLoop(b, zero, count, 1, [&](llvm::Value* back) -> Status {
    llvm::Value* j = b.CreateNSWSub(b.getInt64(taus.columns - 1), back);
    llvm::Value* tau = Load(taus, zero, j);
    TENON_RETURN_IF_ERROR(Reflect(m, j, tau));
    llvm::Value* minus = b.CreateFNeg(tau);
    TENON_RETURN_IF_ERROR(EmitLoop(b, AddI(b, j, 1), rows, 1, [&](llvm::Value* i) {
      Store(b.CreateFMul(minus, Load(m, i, j)), m, i, j);
      return OkStatus();
    }));
    Store(b.CreateFAdd(Number(1), minus), m, j, j);
    return EmitLoop(b, zero, j, 1, [&](llvm::Value* i) {
      Store(Number(0), m, i, j);
      return OkStatus();
    });
  });
}

}  // namespace tenon::codegen
