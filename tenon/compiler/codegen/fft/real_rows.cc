// Rows of reals: as pairs of reals, or as sequences, between loads and stores.
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/fft/fft_rows.h"
#include "tenon/compiler/codegen/fft/roots.h"

namespace tenon::codegen {

llvm::Value* FftRows::SequencePlaces() {
  const int64_t split = phase_.split, count = phase_.length / split;
  // The parts of an inverse transform are exchanged.
  const int64_t part = inverse_ ? 1 : 0;
  std::vector<int32_t> places;
  for (int64_t i = 0; i < phase_.length; ++i) {
    const int64_t j = i % split, pair = std::min(j, split - j);
    places.push_back(static_cast<int32_t>(2 * (pair * count + i / split) +
                                          (j == pair ? part : 1 - part)));
  }
  return f_.IndexTable(places);
}

llvm::Value* FftRows::PlaceOf(llvm::Value* buffer, llvm::Value* places,
                              llvm::Value* number) {
  llvm::Value* place = b_.CreateAlignedLoad(
      b_.getInt32Ty(), OffsetPointer(b_, places, number, 4), llvm::Align(4));
  return OffsetPointer(b_, buffer, b_.CreateZExt(place, b_.getInt64Ty()),
                       f_.lanes * f_.bytes);
}

StatusOr<int> FftRows::TransformSequences(int current) {
  const int64_t count = phase_.length / phase_.split;
  if (phase_.real_side == RealSide::kInput)
    TENON_RETURN_IF_ERROR(ClearImaginaryParts(steps_.buffer(current), count));
  TENON_RETURN_IF_ERROR(EmitLoop(
      b_, b_.getInt64(0), b_.getInt64((phase_.split + 1) / 2), 1, [&](llvm::Value* j) {
        llvm::Value* buffers[2];
        for (int i : {0, 1})
          buffers[i] =
              OffsetPointer(b_, steps_.buffer(i), MulI(b_, j, count), f_.vector_bytes());
        return steps_.Run(phase_.steps, buffers, current).status();
      }));
  return phase_.steps.size() % 2 == 0 ? current : 1 - current;
}

// With z_j the transform of sequences j and split - j, y_j = conj(z_j[m - k]), and w a
// root of unity of order `length`: the transform of sequence j is (z_j + y_j) / 2, that
// of split - j is -i (z_j - y_j) / 2. Number k + m i of the spectrum is number i of the
// transform, over j, of number k of these times w^(j k).
//
// The transforms over j are a step of columns k to m / 2. Row `split` of the columns
// belongs to the imaginary part of j = 0: it is not used, or zero in the inverse.
StatusOr<int> FftRows::JoinSpectra(int current) {
  llvm::Value *first = steps_.buffer(1 - current), *second = steps_.buffer(current);
  TENON_RETURN_IF_ERROR(CallForPairs(
      "separate_sequences", second, first, 0.5,
      [&](llvm::ArrayRef<llvm::Value*> p, const PairPlace& at) {
        const ComplexVector z = f_.FromBuffer(p[0], at.number);
        const ComplexVector y = f_.FromBuffer(p[0], at.partner);
        const ComplexVector sum{b_.CreateFAdd(z.re, y.re), b_.CreateFSub(z.im, y.im)};
        const ComplexVector rest{b_.CreateFAdd(z.im, y.im), b_.CreateFSub(y.re, z.re)};
        f_.ToBuffer(p[1], at.row, f_.butterfly.Multiply(sum, at.twiddle));
        f_.ToBuffer(p[1], at.other_row, f_.butterfly.Multiply(rest, at.other_twiddle));
      }));
  TENON_RETURN_IF_ERROR(TransformOverSequences(first, second));
  TENON_RETURN_IF_ERROR(
      CallForHalf("half_of_columns", second, first,
                  [&](llvm::ArrayRef<llvm::Value*> p, llvm::Value* column,
                      llvm::Value* number, bool conjugate) {
                    ComplexVector value = f_.FromBuffer(p[0], column);
                    if (conjugate) value.im = b_.CreateFNeg(value.im);
                    f_.ToBuffer(p[1], number, value);
                  }));
  return 1 - current;
}

// The inverse of JoinSpectra, scaled by `split`. All numbers have their parts
// exchanged: of sequence j u + i v, of split - j r + i s, and together z_j[k] = (u + s) +
// i (v - r) and z_j[m - k] = (s - u) + i (v + r). The imaginary part of the first number
// is ignored.
Status FftRows::SplitSpectrum() {
  llvm::Value *first = steps_.buffer(0), *second = steps_.buffer(1);
  TENON_RETURN_IF_ERROR(ClearImaginaryParts(first, 1));
  TENON_RETURN_IF_ERROR(CallForHalf(
      "columns_of_half", first, second,
      [&](llvm::ArrayRef<llvm::Value*> p, llvm::Value* column, llvm::Value* number,
          bool conjugate) {
        const ComplexVector y = f_.FromBuffer(p[0], number);
        f_.ToBuffer(p[1], column, {conjugate ? b_.CreateFNeg(y.im) : y.im, y.re});
      }));
  TENON_RETURN_IF_ERROR(TransformOverSequences(second, first));
  return CallForPairs(
      "unite_sequences", first, second, 1,
      [&](llvm::ArrayRef<llvm::Value*> p, const PairPlace& at) {
        const auto [u, v] =
            f_.butterfly.Multiply(f_.FromBuffer(p[0], at.row), at.twiddle);
        const auto [r, s] =
            f_.butterfly.Multiply(f_.FromBuffer(p[0], at.other_row), at.other_twiddle);
        f_.ToBuffer(p[1], at.partner, {b_.CreateFSub(s, u), b_.CreateFAdd(v, r)});
        f_.ToBuffer(p[1], at.number, {b_.CreateFAdd(u, s), b_.CreateFSub(v, r)});
      });
}

Status FftRows::TransformOverSequences(llvm::Value* from, llvm::Value* to) {
  const int64_t columns = (phase_.length / phase_.split + 1) / 2;
  llvm::Value* buffers[] = {from, to};
  TENON_RETURN_IF_ERROR(
      steps_.Run({FftStep{phase_.split, 1, columns}}, buffers, 0).status());
  if (phase_.real_side == RealSide::kInput) return OkStatus();
  llvm::Value* row =
      OffsetPointer(b_, to, b_.getInt64(phase_.split * columns), f_.vector_bytes());
  return f_.CallShared("clear_numbers", {row, b_.getInt64(columns)}, [&](IrValues& p) {
    return EmitLoop(b_, b_.getInt64(0), p[1], 1, [&](llvm::Value* k) {
      f_.ToBuffer(p[0], k, {f_.Zero(), f_.Zero()});
      return OkStatus();
    });
  });
}

Status FftRows::ClearImaginaryParts(llvm::Value* buffer, int64_t count) {
  return f_.CallShared(
      "clear_imaginary_parts", {buffer, b_.getInt64(count)}, [&](IrValues& p) {
        return EmitLoop(b_, b_.getInt64(0), p[1], 1, [&](llvm::Value* k) {
          f_.ToBuffer(p[0], k, {f_.FromBuffer(p[0], k).re, f_.Zero()});
          return OkStatus();
        });
      });
}

// The twiddle factors are multiplied by `scale`.
Status FftRows::CallForPairs(
    llvm::StringRef name, llvm::Value* from, llvm::Value* to, double scale,
    llvm::function_ref<void(llvm::ArrayRef<llvm::Value*> p, const PairPlace& at)> body) {
  const int64_t count = phase_.length / phase_.split, half = (count + 1) / 2;
  UnityRoots roots(phase_.length);
  llvm::Value* table = f_.Table((phase_.split + 1) * half, [&](int64_t i) {
    return scale * roots(i / half * (i % half) % phase_.length);
  });
  IrValues arguments{
      from, to, b_.getInt64(count), b_.getInt64(half), b_.getInt64(phase_.split), table};
  return f_.CallShared(name, arguments, [&](IrValues& p) {
    llvm::Value *zero = b_.getInt64(0), *pairs = b_.CreateLShr(AddI(b_, p[4], 1), 1);
    return EmitLoop(b_, zero, pairs, 1, [&](llvm::Value* j) {
      llvm::Value* first = b_.CreateNSWMul(j, p[2]);
      llvm::Value* row = b_.CreateNSWMul(j, p[3]);
      llvm::Value* other_row = b_.CreateNSWMul(b_.CreateNSWSub(p[4], j), p[3]);
      return EmitLoop(b_, zero, p[3], 1, [&](llvm::Value* k) {
        llvm::Value* partner =
            b_.CreateSelect(b_.CreateICmpEQ(k, zero), zero, b_.CreateNSWSub(p[2], k));
        PairPlace at{b_.CreateNSWAdd(first, k), b_.CreateNSWAdd(first, partner),
                     b_.CreateNSWAdd(row, k), b_.CreateNSWAdd(other_row, k)};
        at.twiddle = f_.Broadcast(p[5], at.row);
        at.other_twiddle = f_.Broadcast(p[5], at.other_row);
        body(p, at);
        return OkStatus();
      });
    });
  });
}

Status FftRows::CallForHalf(
    llvm::StringRef name, llvm::Value* from, llvm::Value* to,
    llvm::function_ref<void(llvm::ArrayRef<llvm::Value*> p, llvm::Value* column,
                            llvm::Value* number, bool conjugate)>
        body) {
  const int64_t count = phase_.length / phase_.split;
  IrValues arguments{from, to, b_.getInt64(count), b_.getInt64((count + 1) / 2),
                     b_.getInt64(phase_.split)};
  return f_.CallShared(name, arguments, [&](IrValues& p) {
    llvm::Value *zero = b_.getInt64(0), *middle = b_.CreateLShr(AddI(b_, p[4], 1), 1);
    const auto rows = [&](llvm::Value* begin, llvm::Value* end, bool conjugate) {
      return EmitLoop(b_, begin, end, 1, [&](llvm::Value* i) {
        llvm::Value* row = b_.CreateNSWMul(i, p[3]);
        llvm::Value* first =
            b_.CreateNSWMul(conjugate ? b_.CreateNSWSub(p[4], i) : i, p[2]);
        return EmitLoop(b_, zero, p[3], 1, [&](llvm::Value* k) {
          body(p, b_.CreateNSWAdd(row, k),
               conjugate ? b_.CreateNSWSub(first, k) : b_.CreateNSWAdd(first, k),
               conjugate);
          return OkStatus();
        });
      });
    };
    TENON_RETURN_IF_ERROR(rows(zero, middle, false));
    return rows(middle, p[4], true);
  });
}

// z holds the even reals in its real parts and the odd ones in its imaginary parts. With
// m = length and y = conj(z[m - k]): x[k] = (z[k] + y) / 2 - i w_2m^k (z[k] - y) / 2.
Status FftRows::ToHalf(llvm::Value* from, llvm::Value* to) {
  int64_t length = phase_.length;
  UnityRoots roots(2 * length);
  llvm::Value* table =
      f_.Table(length, [&](int64_t k) { return roots(k) * std::complex<double>(0, -1); });
  return f_.CallShared(
      "rows_to_half" + Swapped(), {from, to, b_.getInt64(length), table},
      [&](IrValues& p) {
        ComplexVector first = f_.FromBuffer(p[0], b_.getInt64(0));
        f_.ToBuffer(p[1], b_.getInt64(0), {b_.CreateFAdd(first.re, first.im), f_.Zero()});
        f_.ToBuffer(p[1], p[2], {b_.CreateFSub(first.re, first.im), f_.Zero()});
        // Scaled first: the sum of x and y may overflow where the result does not.
        return CombineHalves(p, 0.5);
      });
}

// The inverse of ToHalf, scaled by 2: z[k] = (x[k] + y) + i w_2m^-k (x[k] - y). The
// imaginary parts of the first and last number are ignored.
Status FftRows::FromHalf(llvm::Value* from, llvm::Value* to) {
  int64_t length = phase_.length;
  UnityRoots roots(2 * length);
  llvm::Value* table = f_.Table(length, [&](int64_t k) {
    return std::conj(roots(k)) * std::complex<double>(0, 1);
  });
  return f_.CallShared("rows_from_half" + Swapped(),
                       {from, to, b_.getInt64(length), table}, [&](IrValues& p) {
                         ComplexVector first = f_.FromBuffer(p[0], b_.getInt64(0));
                         ComplexVector last = f_.FromBuffer(p[0], p[2]);
                         f_.ToBuffer(p[1], b_.getInt64(0),
                                     SwapIfInverse({b_.CreateFAdd(first.re, last.re),
                                                    b_.CreateFSub(first.re, last.re)}));
                         return CombineHalves(p, 1);
                       });
}

// to[k] = (x[k] + y) + (x[k] - y) * table[k], for 0 < k < m, where y = conj(x[m - k]). x
// is `from` times `scale`.
Status FftRows::CombineHalves(llvm::ArrayRef<llvm::Value*> p, double scale) {
  llvm::Value *from = p[0], *to = p[1], *length = p[2], *table = p[3];
  Butterfly& butterfly = f_.butterfly;
  return EmitLoop(b_, b_.getInt64(1), length, 1, [&](llvm::Value* k) {
    ComplexVector x = butterfly.Scale(f_.FromBuffer(from, k), scale);
    ComplexVector y =
        butterfly.Scale(f_.FromBuffer(from, b_.CreateSub(length, k)), scale);
    ComplexVector sum{b_.CreateFAdd(x.re, y.re), b_.CreateFSub(x.im, y.im)};
    ComplexVector difference{b_.CreateFSub(x.re, y.re), b_.CreateFAdd(x.im, y.im)};
    f_.ToBuffer(to, k,
                SwapIfInverse(butterfly.Add(
                    sum, butterfly.Multiply(difference, f_.Broadcast(table, k)))));
    return OkStatus();
  });
}

Status FftRows::Expand(llvm::Value* buffer) {
  const int64_t length = phase_.length;
  const bool even = length % 2 == 0;
  return f_.CallShared(
      (even ? "expand_even_rows" : "expand_rows") + Swapped(),
      {buffer, b_.getInt64(length), b_.getInt64((length + 1) / 2)}, [&](IrValues& p) {
        auto clear_imaginary_part = [&](llvm::Value* k) {
          ComplexVector x = f_.FromBuffer(p[0], k);
          f_.ToBuffer(p[0], k, SwapIfInverse({x.re, f_.Zero()}));
        };
        clear_imaginary_part(b_.getInt64(0));
        if (even) clear_imaginary_part(p[2]);
        return EmitLoop(b_, b_.getInt64(1), p[2], 1, [&](llvm::Value* k) {
          ComplexVector x = f_.FromBuffer(p[0], k);
          f_.ToBuffer(p[0], k, SwapIfInverse(x));
          f_.ToBuffer(p[0], b_.CreateSub(p[1], k),
                      SwapIfInverse({x.re, b_.CreateFNeg(x.im)}));
          return OkStatus();
        });
      });
}

}  // namespace tenon::codegen
