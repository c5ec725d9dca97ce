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

// The number of outputs of a large butterfly that are accumulated together: enough chains
// of additions to hide their latency, in 16 registers.
constexpr int64_t kOutputs = 4;
// Sums are accumulated in chains of this many terms, which are then added. The error of a
// sum of 48 terms is 0.6 of the error of one chain.
constexpr int64_t kChain = 8;

}  // namespace

FftSteps::Source FftSteps::FromBuffer(llvm::Value* buffer) {
  return {[this, buffer](llvm::Value* index) { return f_.FromBuffer(buffer, index); },
          buffer};
}

FftSteps::Target FftSteps::ToBuffer(llvm::Value* buffer) {
  return {[this, buffer](llvm::Value* index, ComplexVector value) {
            f_.ToBuffer(buffer, index, value);
          },
          buffer};
}

Status FftSteps::Copy(int64_t count, const ComplexLoad& load, const ComplexStore& store) {
  return EmitLoop(b_, b_.getInt64(0), b_.getInt64(count), 1, [&](llvm::Value* index) {
    store(index, load(index));
    return OkStatus();
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

Status FftSteps::Call(const FftStep& step, llvm::Value* from, llvm::Value* to) {
  llvm::Value* table = TableOf(step);
  std::string name = (table ? "step" : "last_step") + std::to_string(step.radix);
  llvm::Value* rest = b_.getInt64(step.rest);
  llvm::Value* columns = b_.getInt64(step.columns);
  if (!table)
    return f_.CallShared(name, {from, to, temporary_, columns}, [&](IrValues& p) {
      return Emit(step.radix, b_.getInt64(1), p[3], nullptr, p[2], FromBuffer(p[0]),
                  ToBuffer(p[1]));
    });
  return f_.CallShared(
      name, {from, to, temporary_, columns, rest, table}, [&](IrValues& p) {
        return Emit(step.radix, p[4], p[3], p[5], p[2], FromBuffer(p[0]), ToBuffer(p[1]));
      });
}

StatusOr<int> FftSteps::Run(llvm::ArrayRef<FftStep> steps, int current) {
  for (const FftStep& step : steps) {
    TENON_RETURN_IF_ERROR(Call(step, buffers_[current], buffers_[1 - current]));
    current = 1 - current;
  }
  return current;
}

StatusOr<int> FftSteps::RunFrom(llvm::ArrayRef<FftStep> steps, const ComplexLoad& load) {
  const FftStep& first = steps.front();
  if (first.radix * first.rest >= kMinFusedLength || steps.size() == 1) {
    TENON_RETURN_IF_ERROR(EmitInline(first, {load}, ToBuffer(buffers_[0])));
    return Run(steps.drop_front(), 0);
  }
  TENON_RETURN_IF_ERROR(
      Copy(first.radix * first.rest, load, ToBuffer(buffers_[0]).access));
  return Run(steps, 0);
}

Status FftSteps::RunFromTo(llvm::ArrayRef<FftStep> steps, const ComplexLoad& load,
                           const ComplexStore& store) {
  const FftStep& last = steps.back();
  if (steps.size() == 1) return EmitInline(last, {load}, {store});
  int64_t length = last.radix * last.columns;
  if (length < kMinFusedLength) {
    TENON_ASSIGN_OR_RETURN(int current, RunFrom(steps, load));
    return Copy(length, FromBuffer(buffers_[current]).access, store);
  }
  TENON_ASSIGN_OR_RETURN(int current, RunFrom(steps.drop_back(), load));
  return EmitInline(last, FromBuffer(buffers_[current]), {store});
}

Status FftSteps::Emit(int64_t radix, llvm::Value* rest, llvm::Value* columns,
                      llvm::Value* table, llvm::Value* temporary, const Source& from,
                      const Target& to) {
  llvm::Value* stride = b_.CreateNSWMul(rest, columns);
  llvm::Value* load_bytes = MulI(b_, stride, f_.vector_bytes());
  llvm::Value* store_bytes = MulI(b_, columns, f_.vector_bytes());
  return EmitLoop(b_, b_.getInt64(0), rest, 1, [&](llvm::Value* i) {
    llvm::Value* first_in = b_.CreateNSWMul(i, columns);
    llvm::Value* first_out = MulI(b_, first_in, radix);
    llvm::Value* roots =
        table ? OffsetPointer(b_, table, MulI(b_, i, radix - 1), f_.number_bytes())
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
      if (radix > kMaxButterfly) return LargeButterfly(radix, temporary, load, store);
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
// kOutputs pairs.
Status FftSteps::LargeButterfly(int64_t radix, llvm::Value* temporary,
                                const ComplexLoad& in, const ComplexStore& out) {
  Butterfly& butterfly = f_.butterfly;
  int64_t half = radix / 2, blocks = CeilDiv(half, kOutputs);
  auto first_output = [&](int64_t block) {
    return std::min(1 + block * kOutputs, half + 1 - kOutputs);
  };
  ComplexVector first = in(b_.getInt64(0));
  IrValues total{first.re, first.im};
  TENON_RETURN_IF_ERROR(
      EmitLoop(b_, b_.getInt64(1), b_.getInt64(half + 1), 1, total,
               [&](llvm::Value* k, IrValues& sums) {
                 ComplexVector x = in(k), y = in(b_.CreateNSWSub(b_.getInt64(radix), k));
                 ComplexVector sum = butterfly.Add(x, y);
                 llvm::Value* slot = AddI(b_, MulI(b_, k, 2), -2);
                 f_.ToBuffer(temporary, slot, sum);
                 f_.ToBuffer(temporary, AddI(b_, slot, 1), butterfly.Sub(x, y));
                 sums = {b_.CreateFAdd(sums[0], sum.re), b_.CreateFAdd(sums[1], sum.im)};
                 return OkStatus();
               }));
  out(b_.getInt64(0), {total[0], total[1]});
  llvm::Value* table = f_.Table(blocks * half * kOutputs, [&](int64_t i) {
    int64_t m = first_output(i / kOutputs / half) + i % kOutputs;
    return RootOfUnity(m * (i / kOutputs % half + 1), radix, 1);
  });
  return EmitLoop(b_, b_.getInt64(0), b_.getInt64(blocks), 1, [&](llvm::Value* block) {
    IrValues sums;
    for (int64_t i = 0; i < kOutputs; ++i) {
      sums.append({first.re, first.im});
      sums.append(2, f_.Zero());
    }
    auto add_term = [&](llvm::Value* k, IrValues& values) {
      llvm::Value* slot = MulI(b_, k, 2);
      ComplexVector sum = f_.FromBuffer(temporary, slot);
      ComplexVector difference = f_.FromBuffer(temporary, AddI(b_, slot, 1));
      llvm::Value* row = MulI(b_, AddI(b_, MulI(b_, block, half), k), kOutputs);
      for (int64_t i = 0; i < kOutputs; ++i) {
        auto [cosine, sine] = f_.Broadcast(table, AddI(b_, row, i));
        llvm::Value** value = &values[4 * i];
        value[0] = butterfly.MulAdd(sum.re, cosine, value[0]);
        value[1] = butterfly.MulAdd(sum.im, cosine, value[1]);
        value[2] = butterfly.MulAdd(difference.re, sine, value[2]);
        value[3] = butterfly.MulAdd(difference.im, sine, value[3]);
      }
      return OkStatus();
    };
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, b_.getInt64(0), b_.getInt64(half), kChain, sums,
        [&](llvm::Value* begin, IrValues& totals) {
          llvm::Value* end = MinI(b_, AddI(b_, begin, kChain), b_.getInt64(half));
          IrValues chains(totals.size(), f_.Zero());
          TENON_RETURN_IF_ERROR(EmitLoop(b_, begin, end, 1, chains, add_term));
          for (auto [total, chain] : llvm::zip_equal(totals, chains))
            total = b_.CreateFAdd(total, chain);
          return OkStatus();
        }));
    llvm::Value* m = MinI(b_, AddI(b_, MulI(b_, block, kOutputs), 1),
                          b_.getInt64(half + 1 - kOutputs));
    for (int64_t i = 0; i < kOutputs; ++i) {
      ComplexVector with_cosines{sums[4 * i], sums[4 * i + 1]};
      ComplexVector with_sines{sums[4 * i + 2], sums[4 * i + 3]};
      llvm::Value* to = AddI(b_, m, i);
      out(to, butterfly.AddRotated(with_cosines, with_sines, -1));
      out(b_.CreateNSWSub(b_.getInt64(radix), to),
          butterfly.AddRotated(with_cosines, with_sines, 1));
    }
    return OkStatus();
  });
}

}  // namespace tenon::codegen
