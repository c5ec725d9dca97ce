// Eigenvalues of symmetric matrices and singular values by Jacobi methods, and QR, with
// one matrix per lane.
#include <cmath>

#include "tenon/compiler/codegen/linalg/batched.h"

namespace tenon::codegen {
namespace {

// Off-diagonal elements below this part of the largest element change no eigenvalue by
// more than their own rounding.
constexpr double kNegligible = 0.25;

Status EmitQr(LaneEmitter& e, const LinalgSpec& spec, const LinalgPointers& pointers) {
  LaneMatrix a = e.Take(spec.a.rows, spec.a.columns);
  LaneMatrix taus = e.Take(1, spec.reflections);
  TENON_RETURN_IF_ERROR(e.Read(pointers.a, a));
  if (spec.algorithm == LinalgAlgorithm::kQr) {
    TENON_RETURN_IF_ERROR(e.Factor(a, taus));
    TENON_RETURN_IF_ERROR(e.Write(taus, pointers.outputs[1]));
  } else {
    TENON_RETURN_IF_ERROR(e.Read(pointers.b, taus));
    TENON_RETURN_IF_ERROR(e.Product(a, taus));
  }
  return e.Write(a, pointers.outputs[0]);
}

// Rotates rows and columns p < q of a symmetric matrix, of which only the upper triangle
// is kept.
Status RotateSymmetric(LaneEmitter& e, const LaneMatrix& a, llvm::Value* p,
                       llvm::Value* q, const Rotation& rotation) {
  IrBuilder& b = e.b;
  llvm::Value *zero = b.getInt64(0), *next = AddI(b, p, 1);
  int64_t n = a.rows;
  // Elements above both, between them, and right of both.
  TENON_RETURN_IF_ERROR(e.Apply(rotation, e.At(a, zero, p), a.row_stride,
                                e.At(a, zero, q), a.row_stride, p));
  TENON_RETURN_IF_ERROR(e.Apply(rotation, e.At(a, p, next), a.column_stride,
                                e.At(a, next, q), a.row_stride, b.CreateNSWSub(q, next)));
  llvm::Value* after = AddI(b, q, 1);
  return e.Apply(rotation, e.At(a, p, after), a.column_stride, e.At(a, q, after),
                 a.column_stride, b.CreateNSWSub(b.getInt64(n), after));
}

Status ForPairs(IrBuilder& b, int64_t n,
                llvm::function_ref<Status(llvm::Value* p, llvm::Value* q)> body) {
  return EmitLoop(b, b.getInt64(0), b.getInt64(n - 1), 1, [&](llvm::Value* p) {
    return EmitLoop(b, AddI(b, p, 1), b.getInt64(n), 1,
                    [&](llvm::Value* q) { return body(p, q); });
  });
}

// Jacobi's method, row by row of the upper triangle.
Status EmitEigh(LaneEmitter& e, const LinalgSpec& spec, const LinalgPointers& pointers) {
  IrBuilder& b = e.b;
  int64_t n = spec.a.rows;
  llvm::Value *zero = b.getInt64(0), *size = b.getInt64(n);
  LaneMatrix a = e.Take(n, n), w = e.Take(1, n), v;
  TENON_RETURN_IF_ERROR(e.Read(pointers.a, a));
  // The triangle that is not read may hold any numbers; the other triangle replaces it.
  LaneMatrix given = spec.lower ? a.Transposed() : a;
  TENON_RETURN_IF_ERROR(ForPairs(b, n, [&](llvm::Value* p, llvm::Value* q) {
    e.Store(e.Load(given, p, q), given, q, p);
    return OkStatus();
  }));
  llvm::Value *largest, *failed;
  TENON_RETURN_IF_ERROR(e.Sizes(a, largest, failed));
  auto [down, up] = e.Scales(largest);
  TENON_RETURN_IF_ERROR(e.ForAll(a, [&](llvm::Value* i, llvm::Value* j) {
    e.Store(b.CreateFMul(e.Load(a, i, j), down), a, i, j);
    return OkStatus();
  }));
  if (spec.vectors) {
    v = e.Take(n, n);
    TENON_RETURN_IF_ERROR(e.SetIdentity(v));
  }
  llvm::Value* negligible = e.Number(kNegligible * e.epsilon());
  TENON_RETURN_IF_ERROR(e.Sweeps([&](llvm::Value* changed) {
    return ForPairs(b, n, [&](llvm::Value* p, llvm::Value* q) {
      llvm::Value* x = e.Load(a, p, q);
      llvm::Value* active = b.CreateFCmpOGT(e.Abs(x), negligible);
      return EmitIfElse(b, b.CreateOrReduce(active), [&]() -> Status {
        b.CreateStore(b.getInt64(1), changed);
        llvm::Value *pp = e.Load(a, p, p), *qq = e.Load(a, q, q);
        Rotation rotation = e.Rotate(pp, qq, x, active);
        llvm::Value* change = b.CreateFMul(rotation.tangent, x);
        e.Store(b.CreateFSub(pp, change), a, p, p);
        e.Store(b.CreateFAdd(qq, change), a, q, q);
        e.Store(b.CreateSelect(active, e.Number(0), x), a, p, q);
        TENON_RETURN_IF_ERROR(RotateSymmetric(e, a, p, q, rotation));
        if (!spec.vectors) return OkStatus();
        return e.Apply(rotation, e.At(v, zero, p), n, e.At(v, zero, q), n, size);
      });
    });
  }));
  TENON_RETURN_IF_ERROR(EmitLoop(b, zero, size, 1, [&](llvm::Value* i) {
    e.Store(b.CreateFMul(e.Load(a, i, i), up), w, zero, i);
    return OkStatus();
  }));
  llvm::SmallVector<LaneMatrix> with;
  if (spec.vectors) with.push_back(v);
  TENON_RETURN_IF_ERROR(e.Sort(w, /*descending=*/false, with));
  TENON_RETURN_IF_ERROR(e.Write(w, pointers.outputs[1]));
  if (spec.vectors) TENON_RETURN_IF_ERROR(e.Write(v, pointers.outputs[0]));
  e.WriteStatus(failed, pointers.outputs[2]);
  return OkStatus();
}

// The matrices of a singular value decomposition of x, which has at least as many rows as
// columns: x = q s w^T. q starts as x and gets all of its columns at the end.
struct Svd {
  LaneMatrix q, x, w, s, taus;
};

// Hestenes' method: rotations from the right until the columns are orthogonal.
Status OrthogonaliseColumns(LaneEmitter& e, const LinalgSpec& spec, const Svd& svd) {
  IrBuilder& b = e.b;
  llvm::Value *zero = b.getInt64(0), *rows = b.getInt64(svd.x.rows);
  const LaneMatrix &x = svd.x, &w = svd.w;
  llvm::Value* tolerance =
      e.Number(4 * e.epsilon() * std::sqrt(static_cast<double>(x.rows)));
  llvm::Value* negligible = e.Number(kNegligible * e.epsilon());
  return e.Sweeps([&](llvm::Value* changed) {
    return ForPairs(b, x.columns, [&](llvm::Value* p, llvm::Value* q) -> Status {
      IrValues sums(3, e.Number(0));
      TENON_RETURN_IF_ERROR(
          EmitLoop(b, zero, rows, 1, sums, [&](llvm::Value* i, IrValues& parts) {
            llvm::Value *c = e.Load(x, i, p), *d = e.Load(x, i, q);
            parts = {e.Fma(c, c, parts[0]), e.Fma(d, d, parts[1]), e.Fma(c, d, parts[2])};
            return OkStatus();
          }));
      // The product relative to the larger column is an element of R.
      llvm::Value *norm_p = e.Sqrt(sums[0]), *norm_q = e.Sqrt(sums[1]);
      llvm::Value* larger = e.Max(norm_p, norm_q);
      llvm::Value* smaller =
          b.CreateSelect(b.CreateFCmpOGT(norm_p, norm_q), norm_q, norm_p);
      llvm::Value* threshold = e.Max(b.CreateFMul(tolerance, smaller), negligible);
      llvm::Value* active =
          b.CreateFCmpOGT(e.Abs(sums[2]), b.CreateFMul(larger, threshold));
      return EmitIfElse(b, b.CreateOrReduce(active), [&]() -> Status {
        b.CreateStore(b.getInt64(1), changed);
        Rotation rotation = e.Rotate(sums[0], sums[1], sums[2], active);
        TENON_RETURN_IF_ERROR(e.Apply(rotation, e.At(x, zero, p), x.row_stride,
                                      e.At(x, zero, q), x.row_stride, rows));
        if (!spec.vectors) return OkStatus();
        return e.Apply(rotation, e.At(w, zero, p), w.row_stride, e.At(w, zero, q),
                       w.row_stride, b.getInt64(w.rows));
      });
    });
  });
}

// Sorts the columns of x by their norms, in descending order, and stores the norms to s.
Status SortByNorms(LaneEmitter& e, const LinalgSpec& spec, const Svd& svd) {
  IrBuilder& b = e.b;
  llvm::Value* zero = b.getInt64(0);
  const LaneMatrix& x = svd.x;
  TENON_RETURN_IF_ERROR(
      EmitLoop(b, zero, b.getInt64(x.columns), 1, [&](llvm::Value* j) -> Status {
        IrValues sum{e.Number(0)};
        TENON_RETURN_IF_ERROR(EmitLoop(b, zero, b.getInt64(x.rows), 1, sum,
                                       [&](llvm::Value* i, IrValues& part) {
                                         llvm::Value* y = e.Load(x, i, j);
                                         part[0] = e.Fma(y, y, part[0]);
                                         return OkStatus();
                                       }));
        e.Store(e.Sqrt(sum[0]), svd.s, zero, j);
        return OkStatus();
      }));
  llvm::SmallVector<LaneMatrix> with;
  if (spec.vectors) with = {svd.x, svd.w};
  return e.Sort(svd.s, /*descending=*/true, with);
}

// Factors x = q r, where r is diagonal except for rounding. q is orthogonal even if
// columns of x are zero. A negative element of r negates a column of w.
Status SplitColumns(LaneEmitter& e, const Svd& svd) {
  IrBuilder& b = e.b;
  TENON_RETURN_IF_ERROR(e.Factor(svd.x, svd.taus));
  TENON_RETURN_IF_ERROR(e.ForAll(svd.w, [&](llvm::Value* i, llvm::Value* j) {
    llvm::Value* sign = e.CopySign(e.Number(1), e.Load(svd.x, j, j));
    e.Store(b.CreateFMul(sign, e.Load(svd.w, i, j)), svd.w, i, j);
    return OkStatus();
  }));
  return e.Product(svd.q, svd.taus);
}

// q and w have such strides that they are the results u and v^T in row-major order.
Status EmitSvd(LaneEmitter& e, const LinalgSpec& spec, const LinalgPointers& pointers) {
  IrBuilder& b = e.b;
  LaneMatrix a = e.Take(spec.a.rows, spec.a.columns);
  bool wide = a.rows < a.columns;
  LaneMatrix tall = wide ? a.Transposed() : a;
  int64_t m = tall.rows, n = tall.columns;
  Svd svd;
  svd.s = e.Take(1, n);
  svd.taus = e.Take(1, n);
  LaneMatrix first, second;  // u and v^T
  svd.q = svd.x = tall;
  if (spec.vectors) {
    int64_t columns = spec.full ? m : n;
    first = wide ? e.Take(n, n) : e.Take(m, columns);
    second = wide ? e.Take(columns, m) : e.Take(n, n);
    svd.q = wide ? second.Transposed() : first;
    svd.w = wide ? first : second.Transposed();
    svd.x = svd.q;
    svd.x.columns = n;
    TENON_RETURN_IF_ERROR(e.SetIdentity(svd.w));
  }
  TENON_RETURN_IF_ERROR(e.Read(pointers.a, a));
  llvm::Value *largest, *failed;
  TENON_RETURN_IF_ERROR(e.Sizes(a, largest, failed));
  auto [down, up] = e.Scales(largest);
  TENON_RETURN_IF_ERROR(e.ForAll(tall, [&](llvm::Value* i, llvm::Value* j) {
    e.Store(b.CreateFMul(e.Load(tall, i, j), down), svd.x, i, j);
    return OkStatus();
  }));
  TENON_RETURN_IF_ERROR(OrthogonaliseColumns(e, spec, svd));
  TENON_RETURN_IF_ERROR(SortByNorms(e, spec, svd));
  if (spec.vectors) TENON_RETURN_IF_ERROR(SplitColumns(e, svd));
  TENON_RETURN_IF_ERROR(e.ForAll(svd.s, [&](llvm::Value* i, llvm::Value* j) {
    e.Store(b.CreateFMul(e.Load(svd.s, i, j), up), svd.s, i, j);
    return OkStatus();
  }));
  TENON_RETURN_IF_ERROR(e.Write(svd.s, pointers.outputs[1]));
  if (spec.vectors) {
    TENON_RETURN_IF_ERROR(e.Write(first, pointers.outputs[2]));
    TENON_RETURN_IF_ERROR(e.Write(second, pointers.outputs[3]));
  }
  e.WriteStatus(failed, pointers.outputs[4]);
  return OkStatus();
}

}  // namespace

Status EmitBatched(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
                   const LinalgPointers& pointers, llvm::Value* chunk,
                   const TargetTraits& target) {
  LaneEmitter emitter(b, spec, plan, pointers, target);
  return emitter.ForUnits(chunk, [&] {
    if (spec.algorithm == LinalgAlgorithm::kEigh)
      return EmitEigh(emitter, spec, pointers);
    if (spec.algorithm == LinalgAlgorithm::kSvd) return EmitSvd(emitter, spec, pointers);
    return EmitQr(emitter, spec, pointers);
  });
}

}  // namespace tenon::codegen
