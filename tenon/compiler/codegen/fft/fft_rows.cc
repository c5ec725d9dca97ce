#include "tenon/compiler/codegen/fft/fft_rows.h"

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/fft/roots.h"

namespace tenon::codegen {
namespace {

// From this many numbers on, a second copy of the transposing code pays off: 512
// transforms of 512 take 250 us with two passes over the buffer and 200 us with one.
// Below, the longer compile time counts for more.
constexpr int64_t kMinOnePassNumbers = 1 << 15;

}  // namespace

Status FftRows::Emit(llvm::Value* from, llvm::Value* to, llvm::Value* unit) {
  llvm::Value* first = MulI(b_, unit, f_.lanes);
  int64_t length = phase_.length, half = length / 2 + 1;
  RealSide side = phase_.real_side;
  bool pairs = phase_.real_pairs;
  const bool split = phase_.split != 1;
  int current = 0;
  if (side == RealSide::kOutput) {
    int64_t count = pairs ? length + 1 : half;
    TENON_RETURN_IF_ERROR(Load(from, first, count, false, false, steps_.buffer(0)));
    if (pairs) {
      TENON_RETURN_IF_ERROR(FromHalf(steps_.buffer(0), steps_.buffer(1)));
      current = 1;
    } else if (split) {
      TENON_RETURN_IF_ERROR(SplitSpectrum());
      current = 1;
    } else {
      TENON_RETURN_IF_ERROR(Expand(steps_.buffer(0)));
    }
  } else {
    bool reals = side == RealSide::kInput && !pairs;
    TENON_RETURN_IF_ERROR(Load(from, first, length, reals, true, steps_.buffer(0)));
  }
  if (split) {
    TENON_ASSIGN_OR_RETURN(current, TransformSequences(current));
  } else {
    TENON_ASSIGN_OR_RETURN(current, steps_.Run(phase_.steps, current));
  }
  int64_t count = length;
  if (side == RealSide::kInput) {
    count = half;
    if (pairs) {
      TENON_RETURN_IF_ERROR(ToHalf(steps_.buffer(current), steps_.buffer(1 - current)));
      current = 1 - current;
      count = length + 1;
    } else if (split) {
      TENON_ASSIGN_OR_RETURN(current, JoinSpectra(current));
    }
  }
  bool reals = side == RealSide::kOutput && !pairs;
  return Store(steps_.buffer(current), to, first, count, reals,
               steps_.buffer(1 - current));
}

Status FftRows::Load(llvm::Value* from, llvm::Value* first, int64_t count, bool reals,
                     bool swap, llvm::Value* buffer) {
  int lanes = f_.lanes;
  int64_t number_bytes = reals ? f_.bytes : f_.number_bytes();
  llvm::Align align(f_.bytes);
  auto row = [&](llvm::Value* lane) {
    llvm::Value* number = AddI(b_, first, lane);
    if (phase_.outer % lanes != 0)
      number = MinI(b_, number, b_.getInt64(phase_.outer - 1));
    return OffsetPointer(b_, from, MulI(b_, number, count), number_bytes);
  };
  if (reals && count >= lanes) return LoadReals(from, first, count, buffer);
  if (!reals && count >= lanes / 2)
    return LoadNumbers(from, first, count, swap && inverse_, buffer);
  return EmitLoop(b_, b_.getInt64(0), b_.getInt64(count), 1, [&](llvm::Value* position) {
    ComplexVector value{llvm::PoisonValue::get(f_.vector), f_.Zero()};
    for (int lane = 0; lane < lanes; ++lane) {
      llvm::Value* address =
          OffsetPointer(b_, row(b_.getInt64(lane)), position, number_bytes);
      auto part = [&](llvm::Value* into, int number) {
        llvm::Value* loaded = b_.CreateAlignedLoad(
            f_.real, b_.CreateConstInBoundsGEP1_64(f_.real, address, number), align);
        return b_.CreateInsertElement(into, loaded, uint64_t(lane));
      };
      value.re = part(value.re, 0);
      if (!reals) value.im = part(value.im, 1);
    }
    f_.ToBuffer(buffer, position, swap ? SwapIfInverse(value) : value);
    return OkStatus();
  });
}

Status FftRows::Store(llvm::Value* buffer, llvm::Value* to, llvm::Value* first,
                      int64_t count, bool reals, llvm::Value* unused) {
  int lanes = f_.lanes;
  int64_t number_bytes = reals ? f_.bytes : f_.number_bytes();
  llvm::Align align(f_.bytes);
  auto row = [&](llvm::Value* lane) {
    llvm::Value* number = AddI(b_, first, lane);
    llvm::Value* address = OffsetPointer(b_, to, MulI(b_, number, count), number_bytes);
    if (phase_.outer % lanes == 0) return address;
    return b_.CreateSelect(b_.CreateICmpSLT(number, b_.getInt64(phase_.outer)), address,
                           unused);
  };
  if (reals && count >= lanes) return StoreReals(buffer, to, first, count, unused);
  if (!reals && count >= lanes / 2) return StoreNumbers(buffer, to, first, count, unused);
  auto load = [&](llvm::Value* position) {
    return SwapIfInverse(
        f_.butterfly.Scale(f_.FromBuffer(buffer, position), phase_.scale));
  };
  // Lanes that never have a row need no code.
  int stored = static_cast<int>(std::min<int64_t>(phase_.outer, lanes));
  return EmitLoop(b_, b_.getInt64(0), b_.getInt64(count), 1, [&](llvm::Value* position) {
    ComplexVector value = load(position);
    for (int lane = 0; lane < stored; ++lane) {
      llvm::Value* address =
          OffsetPointer(b_, row(b_.getInt64(lane)), position, number_bytes);
      b_.CreateAlignedStore(b_.CreateExtractElement(value.re, uint64_t(lane)), address,
                            align);
      if (reals) continue;
      b_.CreateAlignedStore(b_.CreateExtractElement(value.im, uint64_t(lane)),
                            b_.CreateConstInBoundsGEP1_64(f_.real, address, 1), align);
    }
    return OkStatus();
  });
}

FftRows::SharedRows FftRows::SharedRowsOf(llvm::Value* array, llvm::Value* first,
                                          int64_t count, int64_t number_bytes,
                                          bool exchange) const {
  const int64_t row_bytes = count * number_bytes;
  SharedRows rows;
  rows.in_one_pass =
      number_bytes == f_.number_bytes() && phase_.outer * count >= kMinOnePassNumbers;
  rows.name = rows.in_one_pass ? "_in_one_pass" : "";
  if (exchange) rows.name += "_swapped";
  rows.arguments = {OffsetPointer(b_, array, MulI(b_, first, row_bytes), 1),
                    b_.getInt64(row_bytes), b_.getInt64(count)};
  rows.below = phase_.outer % f_.lanes != 0;
  if (rows.below) {
    rows.name += "_below";
    rows.arguments.push_back(b_.CreateNSWSub(b_.getInt64(phase_.outer), first));
  }
  return rows;
}

Status FftRows::LoadNumbers(llvm::Value* from, llvm::Value* first, int64_t count,
                            bool exchange, llvm::Value* buffer) {
  SharedRows shared = SharedRowsOf(from, first, count, f_.number_bytes(), exchange);
  shared.arguments.push_back(buffer);
  return f_.CallShared("read_rows" + shared.name, shared.arguments, [&](IrValues& p) {
    auto row = [&](llvm::Value* lane) { return RowToRead(shared, p, lane); };
    FftBuilder::Rows rows{row};
    if (!shared.below) rows.distance = p[1];
    return shared.in_one_pass ? f_.LoadRowsInOnePass(rows, p[2], p.back(), exchange)
                              : f_.LoadRows(rows, p[2], p.back(), exchange);
  });
}

llvm::Value* FftRows::RowToRead(const SharedRows& rows, llvm::ArrayRef<llvm::Value*> p,
                                llvm::Value* lane) {
  if (rows.below) lane = MinI(b_, lane, AddI(b_, p[3], -1));
  return OffsetPointer(b_, p[0], b_.CreateNSWMul(lane, p[1]), 1);
}

llvm::Value* FftRows::RowToWrite(const SharedRows& rows, llvm::ArrayRef<llvm::Value*> p,
                                 llvm::Value* lane, llvm::Value* unused) {
  llvm::Value* address = OffsetPointer(b_, p[0], b_.CreateNSWMul(lane, p[1]), 1);
  if (!rows.below) return address;
  return b_.CreateSelect(b_.CreateICmpSLT(lane, p[3]), address, unused);
}

Status FftRows::LoadReals(llvm::Value* from, llvm::Value* first, int64_t count,
                          llvm::Value* buffer) {
  SharedRows shared = SharedRowsOf(from, first, count, f_.bytes, /*exchange=*/false);
  shared.arguments.push_back(buffer);
  const bool split = phase_.split != 1;
  if (split) {
    shared.name += "_split";
    shared.arguments.push_back(SequencePlaces());
  }
  const size_t next = shared.arguments.size() - (split ? 2 : 1);
  return f_.CallShared("read_reals" + shared.name, shared.arguments, [&](IrValues& p) {
    return ForEachTile(p[2], [&](llvm::Value* position) {
      llvm::SmallVector<llvm::Value*> tile;
      for (int lane = 0; lane < f_.lanes; ++lane)
        tile.push_back(b_.CreateAlignedLoad(
            f_.vector,
            OffsetPointer(b_, RowToRead(shared, p, b_.getInt64(lane)), position,
                          f_.bytes),
            llvm::Align(f_.bytes)));
      f_.Transpose(tile, 1);
      for (int i = 0; i < f_.lanes; ++i) {
        llvm::Value* number = AddI(b_, position, i);
        if (split)
          b_.CreateAlignedStore(tile[i], PlaceOf(p[next], p[next + 1], number),
                                llvm::Align(f_.lanes * f_.bytes));
        else
          f_.ToBuffer(p[next], number, {tile[i], f_.Zero()});
      }
    });
  });
}

Status FftRows::StoreReals(llvm::Value* buffer, llvm::Value* to, llvm::Value* first,
                           int64_t count, llvm::Value* unused) {
  SharedRows shared = SharedRowsOf(to, first, count, f_.bytes, inverse_);
  const size_t next = shared.arguments.size();
  shared.arguments.append({buffer, unused, llvm::ConstantFP::get(f_.real, phase_.scale)});
  const bool split = phase_.split != 1;
  if (split) {
    shared.name += "_split";
    shared.arguments.push_back(SequencePlaces());
  }
  return f_.CallShared("write_reals" + shared.name, shared.arguments, [&](IrValues& p) {
    llvm::Value* scale = b_.CreateVectorSplat(f_.lanes, p[next + 2]);
    return ForEachTile(p[2], [&](llvm::Value* position) {
      llvm::SmallVector<llvm::Value*> tile;
      for (int i = 0; i < f_.lanes; ++i) {
        llvm::Value* number = AddI(b_, position, i);
        llvm::Value* value =
            split ? b_.CreateAlignedLoad(f_.vector, PlaceOf(p[next], p.back(), number),
                                         llvm::Align(f_.lanes * f_.bytes))
                  : SwapIfInverse(f_.FromBuffer(p[next], number)).re;
        tile.push_back(b_.CreateFMul(value, scale));
      }
      f_.Transpose(tile, 1);
      for (int lane = 0; lane < f_.lanes; ++lane)
        b_.CreateAlignedStore(
            tile[lane],
            OffsetPointer(b_, RowToWrite(shared, p, b_.getInt64(lane), p[next + 1]),
                          position, f_.bytes),
            llvm::Align(f_.bytes));
    });
  });
}

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

// Calls `body` for positions of tiles of as many numbers as lanes. The last may overlap.
Status FftRows::ForEachTile(llvm::Value* count,
                            llvm::function_ref<void(llvm::Value* position)> body) {
  llvm::Value* last = AddI(b_, count, -f_.lanes);
  return EmitLoop(b_, b_.getInt64(0), count, f_.lanes, [&](llvm::Value* iv) {
    body(MinI(b_, iv, last));
    return OkStatus();
  });
}

Status FftRows::StoreNumbers(llvm::Value* buffer, llvm::Value* to, llvm::Value* first,
                             int64_t count, llvm::Value* unused) {
  SharedRows shared = SharedRowsOf(to, first, count, f_.number_bytes(), inverse_);
  const bool scaled = phase_.scale != 1;
  const size_t next = shared.arguments.size();
  shared.arguments.append({buffer, unused});
  if (scaled) {
    shared.name += "_scaled";
    shared.arguments.push_back(llvm::ConstantFP::get(f_.real, phase_.scale));
  }
  return f_.CallShared("write_rows" + shared.name, shared.arguments, [&](IrValues& p) {
    auto row = [&](llvm::Value* lane) {
      return RowToWrite(shared, p, lane, p[next + 1]);
    };
    llvm::Value* scale = scaled ? b_.CreateVectorSplat(f_.lanes, p.back()) : nullptr;
    auto load = [&](llvm::Value* position) {
      ComplexVector value = f_.FromBuffer(p[next], position);
      if (scale) value = {b_.CreateFMul(value.re, scale), b_.CreateFMul(value.im, scale)};
      return SwapIfInverse(value);
    };
    FftBuilder::Rows rows{row};
    if (!shared.below) rows.distance = p[1];
    return shared.in_one_pass ? f_.StoreRowsInOnePass(p[2], load, rows)
                              : f_.StoreRows(p[next], p[2], load, rows);
  });
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
