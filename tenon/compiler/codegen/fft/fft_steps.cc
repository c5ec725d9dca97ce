#include "tenon/compiler/codegen/fft/fft_steps.h"

#include "llvm/IR/Constants.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/fft/roots.h"

namespace tenon::codegen {
namespace {

// From this length on, the first step reads the input and the last step writes the result
// directly. Shorter transforms are copied to and from buffers, which stay in the L1
// cache. Then all their steps are shared functions, which compile in half the time.
constexpr int64_t kMinFusedLength = 256;

// Sums are accumulated in chains of this many terms, which are then added. The error of a
// sum of 48 terms is 0.6 of the error of one chain.
constexpr int64_t kChain = 8;

// The values that exist, which shared functions have as parameters.
llvm::SmallVector<llvm::Value**> ValuesOf(FftColumns& columns) {
  llvm::SmallVector<llvm::Value**> values;
  for (llvm::Value** value :
       {&columns.base, &columns.stride, &columns.left, &columns.scale, &columns.end,
        &columns.inner, &columns.chirp, &columns.to_imaginary})
    if (*value) values.push_back(value);
  return values;
}

}  // namespace

FftSteps::Source FftSteps::FromBuffer(llvm::Value* buffer) {
  Source source;
  source.access = [this, buffer](llvm::Value* index) {
    return f_.FromBuffer(buffer, index);
  };
  source.buffer = buffer;
  source.bind = [this](llvm::ArrayRef<llvm::Value*> p) { return FromBuffer(p[0]); };
  source.arguments = {buffer};
  return source;
}

FftSteps::Target FftSteps::ToBuffer(llvm::Value* buffer) {
  Target target;
  target.access = [this, buffer](llvm::Value* index, ComplexVector value) {
    f_.ToBuffer(buffer, index, value);
  };
  target.buffer = buffer;
  target.bind = [this](llvm::ArrayRef<llvm::Value*> p) { return ToBuffer(p[0]); };
  target.arguments = {buffer};
  return target;
}

FftSteps::Source FftSteps::FromColumns(const FftColumns& columns) {
  Source source;
  source.access = [this, columns](llvm::Value* index) {
    llvm::FixedVectorType* type = columns.real ? f_.vector : f_.pairs;
    const auto [address, left, chirp] = Find(columns, index);
    const llvm::Align align(f_.bytes);
    llvm::Value* loaded;
    if (left)
      loaded = b_.CreateMaskedLoad(type, address, align, ColumnMask(columns, left),
                                   llvm::Constant::getNullValue(type));
    else
      loaded = b_.CreateAlignedLoad(type, address, align);
    if (columns.real && chirp.re)
      return ComplexVector{b_.CreateFMul(loaded, chirp.re),
                           b_.CreateFMul(loaded, chirp.im)};
    if (columns.real) return ComplexVector{loaded, f_.Zero()};
    ComplexVector value = f_.Split(loaded);
    if (columns.swapped) std::swap(value.re, value.im);
    return chirp.re ? f_.butterfly.Multiply(value, chirp) : value;
  };
  Share(source, "_from", columns,
        [this](const FftColumns& bound) { return FromColumns(bound); });
  return source;
}

FftSteps::Target FftSteps::ToColumns(const FftColumns& columns) {
  Target target;
  target.access = [this, columns](llvm::Value* index, ComplexVector value) {
    const ColumnPlace place = Find(columns, index);
    if (place.chirp.re) value = f_.butterfly.Multiply({value.im, value.re}, place.chirp);
    if (columns.swapped) std::swap(value.re, value.im);
    if (columns.scale) {
      llvm::Value* scale = b_.CreateVectorSplat(f_.lanes, columns.scale);
      value = {b_.CreateFMul(value.re, scale), b_.CreateFMul(value.im, scale)};
    }
    llvm::Value* stored = columns.real ? value.re : f_.Pairs(value, 0, f_.lanes);
    const llvm::Align align(f_.bytes);
    auto store = [&] { b_.CreateAlignedStore(stored, place.address, align); };
    auto store_part = [&] {
      b_.CreateMaskedStore(stored, place.address, align, ColumnMask(columns, place.left));
    };
    if (!place.left) return store();
    if (!columns.end) return store_part();
    // Most numbers are before or behind the end, and a masked store takes longer than a
    // branch.
    EmitIf(b_, b_.CreateICmpSGE(place.left, b_.getInt64(f_.lanes)), store,
           [&] { EmitIf(b_, b_.CreateICmpSGT(place.left, b_.getInt64(0)), store_part); });
  };
  Share(target, "_to", columns,
        [this](const FftColumns& bound) { return ToColumns(bound); });
  return target;
}

FftSteps::ColumnPlace FftSteps::Find(const FftColumns& columns, llvm::Value* index) {
  llvm::Value* offset = b_.CreateNSWMul(index, columns.stride);
  llvm::Value* number = columns.inner ? b_.CreateNSWMul(index, columns.inner) : nullptr;
  ColumnPlace place{nullptr, columns.left, {}};
  if (columns.end) {
    llvm::Value* numbers = b_.CreateNSWSub(columns.end, number);
    // Addresses beyond the end must not be accessed, even with all lanes masked.
    llvm::Value* exists = b_.CreateICmpSGT(numbers, b_.getInt64(0));
    offset = b_.CreateSelect(exists, offset, b_.getInt64(0));
    if (columns.chirp) number = b_.CreateSelect(exists, number, b_.getInt64(0));
    place.left = place.left ? MinI(b_, place.left, numbers) : numbers;
  }
  place.address = b_.CreateGEP(b_.getInt8Ty(), columns.base, offset);
  if (columns.chirp) {
    llvm::Value* re = OffsetPointer(b_, columns.chirp, number, f_.bytes);
    llvm::Value* im = OffsetPointer(b_, re, columns.to_imaginary, 1);
    const llvm::Align align(f_.bytes);
    place.chirp = {b_.CreateAlignedLoad(f_.vector, re, align),
                   b_.CreateAlignedLoad(f_.vector, im, align)};
  }
  return place;
}

llvm::Value* FftSteps::ColumnMask(const FftColumns& columns, llvm::Value* left) {
  return columns.real ? f_.LanesBelow(left, f_.lanes, 1)
                      : f_.LanesBelow(left, 2 * f_.lanes, 2);
}

template <typename Access, typename Make>
void FftSteps::Share(Numbers<Access>& numbers, llvm::StringRef name, FftColumns columns,
                     Make make) {
  numbers.name = name.str() + (columns.real ? "_reals" : "") +
                 (columns.swapped ? "_swapped" : "") + (columns.left ? "_part" : "") +
                 (columns.scale ? "_scaled" : "") + (columns.end ? "_end" : "") +
                 (columns.chirp ? "_chirp" : "");
  for (llvm::Value** value : ValuesOf(columns)) numbers.arguments.push_back(*value);
  numbers.bind = [columns, make](llvm::ArrayRef<llvm::Value*> parameters) {
    FftColumns bound = columns;
    for (auto [value, parameter] : llvm::zip(ValuesOf(bound), parameters))
      *value = parameter;
    return make(bound);
  };
}

Status FftSteps::Copy(int64_t count, const Source& from, const Target& to) {
  auto emit = [this](llvm::Value* end, const Source& source, const Target& target) {
    return EmitLoop(b_, b_.getInt64(0), end, 1, [&](llvm::Value* index) {
      target.access(index, source.access(index));
      return OkStatus();
    });
  };
  if (!from.bind || !to.bind) return emit(b_.getInt64(count), from, to);
  IrValues arguments = from.arguments;
  arguments.append(to.arguments);
  arguments.push_back(b_.getInt64(count));
  return f_.CallShared("copy" + from.name + to.name, arguments, [&](IrValues& p) {
    const size_t sources = from.arguments.size();
    return emit(p.back(), from.bind(llvm::ArrayRef(p).take_front(sources)),
                to.bind(llvm::ArrayRef(p).drop_front(sources)));
  });
}

llvm::Value* FftSteps::TableOf(const FftStep& step) {
  if (step.rest == 1) return nullptr;
  llvm::Value*& table = tables_[{step.radix, step.rest}];
  if (!table) {
    UnityRoots roots(step.radix * step.rest);
    int64_t factors = step.radix - 1;
    table = f_.Table(step.rest * factors,
                     [&](int64_t i) { return roots((i / factors) * (i % factors + 1)); });
  }
  return table;
}

Status FftSteps::Call(const FftStep& step, const Source& from, const Target& to) {
  llvm::Value* table = TableOf(step);
  llvm::Value* rest = b_.getInt64(step.rest);
  llvm::Value* columns = b_.getInt64(step.columns);
  const bool large = step.radix > kMaxButterfly;
  const int64_t radix = large ? 0 : step.radix;
  std::optional<LargePrime> prime;
  if (large) prime = LargePrime{b_.getInt64(step.radix), LargeTable(step.radix)};
  if (!from.bind || !to.bind)
    return Emit(radix, prime, rest, columns, table, temporary_, from, to);
  const std::string name = std::string(table ? "step" : "last_step") +
                           (large ? "_prime" : std::to_string(radix)) + from.name +
                           to.name;
  const size_t sources = from.arguments.size(), targets = to.arguments.size();
  IrValues arguments = from.arguments;
  arguments.append(to.arguments);
  arguments.append({temporary_, columns});
  if (table) arguments.append({rest, table});
  if (large) arguments.append({prime->radix, prime->table});
  return f_.CallShared(name, arguments, [&](IrValues& p) {
    llvm::ArrayRef<llvm::Value*> others = llvm::ArrayRef(p).drop_front(sources + targets);
    if (large) prime = LargePrime{p[p.size() - 2], p.back()};
    return Emit(radix, prime, table ? others[2] : b_.getInt64(1), others[1],
                table ? others[3] : nullptr, others[0],
                from.bind(llvm::ArrayRef(p).take_front(sources)),
                to.bind(llvm::ArrayRef(p).slice(sources, targets)));
  });
}

StatusOr<int> FftSteps::Run(llvm::ArrayRef<FftStep> steps,
                            llvm::ArrayRef<llvm::Value*> buffers, int current) {
  for (const FftStep& step : steps) {
    llvm::Value *from = buffers[current], *to = buffers[1 - current];
    TENON_RETURN_IF_ERROR(step.convolved ? Convolve(step, from, to)
                                         : Call(step, FromBuffer(from), ToBuffer(to)));
    current = 1 - current;
  }
  return current;
}

StatusOr<int> FftSteps::RunFrom(llvm::ArrayRef<FftStep> steps, const Source& from) {
  const FftStep& first = steps.front();
  if (first.radix * first.rest >= kMinFusedLength || steps.size() == 1) {
    TENON_RETURN_IF_ERROR(Call(first, from, ToBuffer(buffers_[0])));
    return Run(steps.drop_front(), 0);
  }
  TENON_RETURN_IF_ERROR(Copy(first.radix * first.rest, from, ToBuffer(buffers_[0])));
  return Run(steps, 0);
}

Status FftSteps::RunFromTo(llvm::ArrayRef<FftStep> steps, const Source& from,
                           const Target& to) {
  const FftStep& last = steps.back();
  if (steps.size() == 1) return Call(last, from, to);
  int64_t length = last.radix * last.columns;
  if (length < kMinFusedLength) {
    TENON_ASSIGN_OR_RETURN(int current, RunFrom(steps, from));
    return Copy(length, FromBuffer(buffers_[current]), to);
  }
  TENON_ASSIGN_OR_RETURN(int current, RunFrom(steps.drop_back(), from));
  return Call(last, FromBuffer(buffers_[current]), to);
}

StatusOr<int> FftSteps::RunFrom(llvm::ArrayRef<FftStep> steps, const FftColumns& from) {
  return RunFrom(steps, FromColumns(from));
}

Status FftSteps::RunFromTo(llvm::ArrayRef<FftStep> steps, const FftColumns& from,
                           const FftColumns& to) {
  return RunFromTo(steps, FromColumns(from), ToColumns(to));
}

Status FftSteps::Emit(int64_t radix, std::optional<LargePrime> prime, llvm::Value* rest,
                      llvm::Value* columns, llvm::Value* table, llvm::Value* temporary,
                      const Source& from, const Target& to) {
  llvm::Value* inputs = prime ? prime->radix : b_.getInt64(radix);
  llvm::Value* stride = b_.CreateNSWMul(rest, columns);
  llvm::Value* load_bytes = MulI(b_, stride, f_.vector_bytes());
  llvm::Value* store_bytes = MulI(b_, columns, f_.vector_bytes());
  return EmitLoop(b_, b_.getInt64(0), rest, 1, [&](llvm::Value* i) {
    llvm::Value* first_in = b_.CreateNSWMul(i, columns);
    llvm::Value* first_out = b_.CreateNSWMul(first_in, inputs);
    llvm::Value* roots =
        table ? OffsetPointer(b_, table, b_.CreateNSWMul(i, AddI(b_, inputs, -1)),
                              f_.number_bytes())
              : nullptr;
    auto twiddle = [&](llvm::Value* k, ComplexVector value) {
      auto* constant = llvm::dyn_cast<llvm::ConstantInt>(k);
      if (!roots || (constant && constant->isZero())) return value;
      return f_.butterfly.Multiply(value, f_.Broadcast(roots, AddI(b_, k, -1)));
    };
    return EmitLoop(b_, b_.getInt64(0), columns, 1, [&](llvm::Value* column) {
      llvm::Value* in = AddI(b_, first_in, column);
      llvm::Value* out = AddI(b_, first_out, column);
      auto load = [&](llvm::Value* k) {
        return from.access(AddI(b_, in, b_.CreateNSWMul(k, stride)));
      };
      auto store = [&](llvm::Value* k, ComplexVector value) {
        to.access(AddI(b_, out, b_.CreateNSWMul(k, columns)), twiddle(k, value));
      };
      if (prime) return LargeButterfly(*prime, temporary, load, store);
      llvm::SmallVector<ComplexVector> x;
      llvm::Value* address =
          from.buffer ? OffsetPointer(b_, from.buffer, in, f_.vector_bytes()) : nullptr;
      for (int64_t k = 0; k < radix; ++k) {
        x.push_back(address ? f_.LoadParts(address) : load(b_.getInt64(k)));
        if (address) address = OffsetPointer(b_, address, load_bytes, 1);
      }
      f_.butterfly.Transform(x);
      address =
          to.buffer ? OffsetPointer(b_, to.buffer, out, f_.vector_bytes()) : nullptr;
      for (int64_t k = 0; k < radix; ++k) {
        if (!address) {
          store(b_.getInt64(k), x[k]);
          continue;
        }
        f_.StoreParts(address, twiddle(b_.getInt64(k), x[k]));
        address = OffsetPointer(b_, address, store_bytes, 1);
      }
      return OkStatus();
    });
  });
}

// The algorithm of Butterfly::TransformOdd. Sums and differences are stored in
// `temporary`. The last outputs may be computed twice, so that every iteration computes
// f_.outputs pairs.
Status FftSteps::LargeButterfly(LargePrime prime, llvm::Value* temporary,
                                const ComplexLoad& in, const ComplexStore& out) {
  Butterfly& butterfly = f_.butterfly;
  llvm::Value* half = b_.CreateLShr(prime.radix, 1);
  llvm::Value* after_half = AddI(b_, half, 1);
  ComplexVector first = in(b_.getInt64(0));
  IrValues total{first.re, first.im};
  auto add_pair = [&](llvm::Value* k, IrValues& sums) {
    ComplexVector x = in(k), y = in(b_.CreateNSWSub(prime.radix, k));
    ComplexVector sum = butterfly.Add(x, y);
    llvm::Value* slot = AddI(b_, MulI(b_, k, 2), -2);
    f_.ToBuffer(temporary, slot, sum);
    f_.ToBuffer(temporary, AddI(b_, slot, 1), butterfly.Sub(x, y));
    sums = {b_.CreateFAdd(sums[0], sum.re), b_.CreateFAdd(sums[1], sum.im)};
    return OkStatus();
  };
  TENON_RETURN_IF_ERROR(EmitLoop(
      b_, b_.getInt64(1), after_half, kChain, total,
      [&](llvm::Value* begin, IrValues& totals) {
        llvm::Value* end = MinI(b_, AddI(b_, begin, kChain), after_half);
        IrValues chain(2, f_.Zero());
        TENON_RETURN_IF_ERROR(EmitLoop(b_, begin, end, 1, chain, add_pair));
        totals = {b_.CreateFAdd(totals[0], chain[0]), b_.CreateFAdd(totals[1], chain[1])};
        return OkStatus();
      }));
  out(b_.getInt64(0), {total[0], total[1]});
  llvm::Value* blocks =
      b_.CreateUDiv(AddI(b_, half, f_.outputs - 1), b_.getInt64(f_.outputs));
  return EmitLoop(b_, b_.getInt64(0), blocks, 1, [&](llvm::Value* block) {
    IrValues sums;
    for (int64_t i = 0; i < f_.outputs; ++i) {
      sums.append({first.re, first.im});
      sums.append(2, f_.Zero());
    }
    auto add_term = [&](llvm::Value* k, IrValues& values) {
      llvm::Value* slot = MulI(b_, k, 2);
      ComplexVector sum = f_.FromBuffer(temporary, slot);
      ComplexVector difference = f_.FromBuffer(temporary, AddI(b_, slot, 1));
      llvm::Value* row = MulI(b_, AddI(b_, b_.CreateNSWMul(block, half), k), f_.outputs);
      for (int64_t i = 0; i < f_.outputs; ++i) {
        auto [cosine, sine] = f_.Broadcast(prime.table, AddI(b_, row, i));
        llvm::Value** value = &values[4 * i];
        value[0] = butterfly.MulAdd(sum.re, cosine, value[0]);
        value[1] = butterfly.MulAdd(sum.im, cosine, value[1]);
        value[2] = butterfly.MulAdd(difference.re, sine, value[2]);
        value[3] = butterfly.MulAdd(difference.im, sine, value[3]);
      }
      return OkStatus();
    };
    TENON_RETURN_IF_ERROR(
        EmitLoop(b_, b_.getInt64(0), half, kChain, sums,
                 [&](llvm::Value* begin, IrValues& totals) {
                   llvm::Value* end = MinI(b_, AddI(b_, begin, kChain), half);
                   IrValues chains(totals.size(), f_.Zero());
                   TENON_RETURN_IF_ERROR(EmitLoop(b_, begin, end, 1, chains, add_term));
                   for (auto [total, chain] : llvm::zip_equal(totals, chains))
                     total = b_.CreateFAdd(total, chain);
                   return OkStatus();
                 }));
    llvm::Value* m = MinI(b_, AddI(b_, MulI(b_, block, f_.outputs), 1),
                          AddI(b_, after_half, -f_.outputs));
    for (int64_t i = 0; i < f_.outputs; ++i) {
      ComplexVector with_cosines{sums[4 * i], sums[4 * i + 1]};
      ComplexVector with_sines{sums[4 * i + 2], sums[4 * i + 3]};
      llvm::Value* to = AddI(b_, m, i);
      out(to, butterfly.AddRotated(with_cosines, with_sines, -1));
      out(b_.CreateNSWSub(prime.radix, to),
          butterfly.AddRotated(with_cosines, with_sines, 1));
    }
    return OkStatus();
  });
}

Status FftSteps::Convolve(const FftStep& step, llvm::Value* from, llvm::Value* to) {
  llvm::Value* columns = b_.getInt64(step.columns);
  if (step.columns == 1) return ConvolveColumn(step, from, to, columns);
  return EmitLoop(b_, b_.getInt64(0), columns, 1, [&](llvm::Value* column) {
    return ConvolveColumn(step, OffsetPointer(b_, from, column, f_.vector_bytes()),
                          OffsetPointer(b_, to, column, f_.vector_bytes()), columns);
  });
}

Status FftSteps::ConvolveColumn(const FftStep& step, llvm::Value* from, llvm::Value* to,
                                llvm::Value* stride) {
  const int64_t length = step.radix, padded = step.convolved;
  const std::vector<std::complex<double>> chirp = Chirp(length);
  const std::vector<std::complex<double>> filter =
      ChirpFilter(length, padded, 1 / static_cast<double>(padded));
  llvm::Value* chirps = f_.Table(length, [&](int64_t k) { return chirp[k]; });
  llvm::Value* filters = f_.Table(padded, [&](int64_t k) { return filter[k]; });
  llvm::Value* buffers[] = {from, to};
  if (!step.in_place) {
    buffers[0] = temporary_;
    buffers[1] = OffsetPointer(b_, temporary_, b_.getInt64(ConvolutionBuffer(step)),
                               f_.vector_bytes());
  }
  llvm::Value *start = b_.getInt64(0), *end = b_.getInt64(length);
  llvm::Value* padded_end = b_.getInt64(padded);
  const auto multiply = [&](ComplexVector x, llvm::Value* table, llvm::Value* k) {
    return f_.butterfly.Multiply(x, f_.Broadcast(table, k));
  };
  TENON_RETURN_IF_ERROR(f_.CallShared(
      "pad_rows", {from, stride, buffers[0], chirps, end, padded_end},
      [&](IrValues& p) -> Status {
        TENON_RETURN_IF_ERROR(EmitLoop(b_, start, p[4], 1, [&](llvm::Value* k) {
          ComplexVector value = f_.FromBuffer(p[0], b_.CreateNSWMul(k, p[1]));
          f_.ToBuffer(p[2], k, multiply(value, p[3], k));
          return OkStatus();
        }));
        return EmitLoop(b_, p[4], p[5], 1, [&](llvm::Value* k) {
          f_.ToBuffer(p[2], k, {f_.Zero(), f_.Zero()});
          return OkStatus();
        });
      }));
  const llvm::SmallVector<FftStep> steps = compiler::FftStepsOf(padded);
  TENON_ASSIGN_OR_RETURN(int current, Run(steps, buffers, 0));
  // The parts of the products are exchanged, so that a forward transform is the inverse.
  TENON_RETURN_IF_ERROR(f_.CallShared(
      "filter_rows", {buffers[current], filters, padded_end}, [&](IrValues& p) {
        return EmitLoop(b_, start, p[2], 1, [&](llvm::Value* k) {
          const ComplexVector product = multiply(f_.FromBuffer(p[0], k), p[1], k);
          f_.ToBuffer(p[0], k, {product.im, product.re});
          return OkStatus();
        });
      }));
  TENON_ASSIGN_OR_RETURN(current, Run(steps, buffers, current));
  // The parts of the inverse are exchanged.
  return f_.CallShared("chirp_rows", {buffers[current], to, stride, chirps, end},
                       [&](IrValues& p) {
                         return EmitLoop(b_, start, p[4], 1, [&](llvm::Value* k) {
                           const ComplexVector value = f_.FromBuffer(p[0], k);
                           f_.ToBuffer(p[1], b_.CreateNSWMul(k, p[2]),
                                       multiply({value.im, value.re}, p[3], k));
                           return OkStatus();
                         });
                       });
}

llvm::Value* FftSteps::LargeTable(int64_t radix) {
  const int64_t half = radix / 2, blocks = CeilDiv(half, f_.outputs);
  auto first_output = [&](int64_t block) {
    return std::min(1 + block * f_.outputs, half + 1 - f_.outputs);
  };
  return f_.Table(blocks * half * f_.outputs, [&](int64_t i) {
    int64_t m = first_output(i / f_.outputs / half) + i % f_.outputs;
    return RootOfUnity(m * (i / f_.outputs % half + 1), radix, 1);
  });
}

}  // namespace tenon::codegen
