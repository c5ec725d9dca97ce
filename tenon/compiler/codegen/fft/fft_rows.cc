#include "tenon/compiler/codegen/fft/fft_rows.h"

#include "llvm/IR/Constants.h"

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

}  // namespace tenon::codegen
