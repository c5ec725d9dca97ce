#include "tenon/compiler/codegen/fft/fft_emitter.h"

#include <functional>

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "tenon/compiler/codegen/contract/interleave.h"
#include "tenon/compiler/codegen/contract/transpose_square.h"
#include "tenon/compiler/codegen/fft/butterfly.h"

namespace tenon::codegen {
namespace {

using Complex = ComplexVector;
using Load = std::function<Complex(llvm::Value* index)>;
using Store = std::function<void(llvm::Value* index, Complex value)>;

class Emitter {
 public:
  Emitter(IrBuilder& b, const FftSpec& spec, const FftPlan& plan, const FftPhase& phase,
          const FftPointers& pointers, bool fma)
      : b_(b),
        plan_(plan),
        phase_(phase),
        pointers_(pointers),
        butterfly_(b, fma),
        sign_(spec.inverse ? 1 : -1),
        lanes_(plan.lanes),
        bytes_(spec.real == ElementType::kF64 ? 8 : 4),
        real_(bytes_ == 8 ? b.getDoubleTy() : b.getFloatTy()),
        vector_(llvm::FixedVectorType::get(real_, lanes_)),
        pairs_(llvm::FixedVectorType::get(real_, 2 * lanes_)),
        length_(phase.length) {}

  Status Emit(llvm::Value* chunk) {
    llvm::Value* workspace = OffsetPointer(
        b_, pointers_.scratch,
        AddI(b_, MulI(b_, chunk, 2 * plan_.buffer_bytes), plan_.temporary_bytes), 1);
    buffers_[0] = workspace;
    buffers_[1] = OffsetPointer(b_, workspace, plan_.buffer_bytes, 1);
    int64_t share = (phase_.units + phase_.chunks - 1) / phase_.chunks;
    llvm::Value* first = MulI(b_, chunk, share);
    llvm::Value* last = MinI(b_, AddI(b_, first, share), b_.getInt64(phase_.units));
    return EmitLoop(b_, first, last, 1, [&](llvm::Value* unit) {
      return phase_.kind == FftPhase::Kind::kRows ? Rows(unit) : Columns(unit);
    });
  }

 private:
  llvm::Value* Place(FftPlace place) {
    if (place == FftPlace::kInput) return pointers_.input;
    return place == FftPlace::kOutput ? pointers_.output : pointers_.scratch;
  }
  // A read-only array of complex numbers.
  llvm::Value* Table(int64_t count,
                     llvm::function_ref<std::complex<double>(int64_t)> value) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < count; ++i) {
      std::complex<double> number = value(i);
      numbers.push_back(number.real());
      numbers.push_back(number.imag());
    }
    return ConstantTable(numbers);
  }
  llvm::Value* ConstantTable(const std::vector<double>& numbers) {
    llvm::Constant* data;
    if (bytes_ == 8) {
      data = llvm::ConstantDataArray::get(b_.getContext(), numbers);
    } else {
      std::vector<float> rounded(numbers.begin(), numbers.end());
      data = llvm::ConstantDataArray::get(b_.getContext(), rounded);
    }
    auto* table = new llvm::GlobalVariable(
        *b_.GetInsertBlock()->getModule(), data->getType(), /*isConstant=*/true,
        llvm::GlobalValue::PrivateLinkage, data, "roots");
    table->setAlignment(llvm::Align(64));
    return table;
  }
  // Number `index` of a table, the same in all lanes.
  Complex Root(llvm::Value* table, llvm::Value* index) {
    llvm::Value* address = OffsetPointer(b_, table, index, 2 * bytes_);
    auto splat = [&](int part) {
      llvm::Value* number =
          b_.CreateAlignedLoad(real_, b_.CreateConstInBoundsGEP1_64(real_, address, part),
                               llvm::Align(bytes_));
      return b_.CreateVectorSplat(lanes_, number);
    };
    return {splat(0), splat(1)};
  }

  // Buffers: for each number a vector of real parts, then one of imaginary parts.
  Complex FromBuffer(llvm::Value* buffer, llvm::Value* index) {
    llvm::Value* address = OffsetPointer(b_, buffer, index, 2 * lanes_ * bytes_);
    llvm::Align align(lanes_ * bytes_);
    return {b_.CreateAlignedLoad(vector_, address, align),
            b_.CreateAlignedLoad(
                vector_, b_.CreateConstInBoundsGEP1_64(vector_, address, 1), align)};
  }
  void ToBuffer(llvm::Value* buffer, llvm::Value* index, Complex value) {
    llvm::Value* address = OffsetPointer(b_, buffer, index, 2 * lanes_ * bytes_);
    llvm::Align align(lanes_ * bytes_);
    b_.CreateAlignedStore(value.re, address, align);
    b_.CreateAlignedStore(value.im, b_.CreateConstInBoundsGEP1_64(vector_, address, 1),
                          align);
  }
  Load Loader(llvm::Value* buffer) {
    return [this, buffer](llvm::Value* index) { return FromBuffer(buffer, index); };
  }
  Store Storer(llvm::Value* buffer) {
    return [this, buffer](llvm::Value* index, Complex value) {
      ToBuffer(buffer, index, value);
    };
  }

  // Pairs in memory to parts, and back.
  Complex Split(llvm::Value* low, llvm::Value* high) {
    auto [re, im] = Deinterleave(b_, low, high, lanes_);
    return {re, im};
  }
  llvm::Value* Pairs(Complex value, int first, int count) {
    return Interleave(b_, value.re, value.im, first, count);
  }

  // All steps, from and to anywhere. `in_buffer`: the buffer that `from` reads, or -1.
  Status Steps(const Load& from, const Store& to, int in_buffer) {
    int next = in_buffer == 0 ? 1 : 0;
    Load source = from;
    for (auto [number, step] : llvm::enumerate(phase_.steps)) {
      bool last = number + 1 == phase_.steps.size();
      TENON_RETURN_IF_ERROR(Step(step, source, last ? to : Storer(buffers_[next])));
      source = Loader(buffers_[next]);
      next = 1 - next;
    }
    return OkStatus();
  }
  // The buffer that the last of the steps writes if all go from buffer to buffer.
  int LastBuffer() const { return phase_.steps.size() % 2 == 0 ? 0 : 1; }

  Status Step(const FftStep& step, const Load& load, const Store& store) {
    int64_t radix = step.radix, n = step.radix * step.rest;
    llvm::Value* table = nullptr;
    if (step.rest > 1) {
      table = Table(step.rest * (radix - 1), [&](int64_t i) {
        return RootOfUnity((i / (radix - 1)) * (i % (radix - 1) + 1), n, sign_);
      });
    }
    return EmitLoop(b_, b_.getInt64(0), b_.getInt64(step.rest), 1, [&](llvm::Value* i) {
      llvm::Value* from = MulI(b_, i, step.columns);
      llvm::Value* to = MulI(b_, i, step.columns * radix);
      return EmitLoop(
          b_, b_.getInt64(0), b_.getInt64(step.columns), 1, [&](llvm::Value* column) {
            llvm::SmallVector<Complex> x;
            for (int64_t k = 0; k < radix; ++k)
              x.push_back(
                  load(AddI(b_, AddI(b_, from, column), k * step.rest * step.columns)));
            butterfly_.Transform(x, sign_);
            for (int64_t k = 0; k < radix; ++k) {
              if (table && k > 0)
                x[k] = butterfly_.Multiply(
                    x[k], Root(table, AddI(b_, MulI(b_, i, radix - 1), k - 1)));
              store(AddI(b_, AddI(b_, to, column), k * step.columns), x[k]);
            }
            return OkStatus();
          });
    });
  }

  // ---- lanes along contiguous columns ----

  Status Columns(llvm::Value* unit) {
    int64_t blocks = (phase_.inner + lanes_ - 1) / lanes_;
    llvm::Value* outer = b_.CreateUDiv(unit, b_.getInt64(blocks));
    llvm::Value* block = b_.CreateURem(unit, b_.getInt64(blocks));
    llvm::Value* column = MulI(b_, block, lanes_);
    llvm::Value* mask = nullptr;
    if (phase_.inner % lanes_ != 0) {
      llvm::SmallVector<llvm::Constant*> numbers;
      for (int lane = 0; lane < 2 * lanes_; ++lane)
        numbers.push_back(b_.getInt64(lane / 2));
      llvm::Value* left = b_.CreateSub(b_.getInt64(phase_.inner), column);
      mask = b_.CreateICmpSLT(llvm::ConstantVector::get(numbers),
                              b_.CreateVectorSplat(2 * lanes_, left));
    }
    auto address = [&](FftPlace place, llvm::Value* index) {
      llvm::Value* row = AddI(b_, MulI(b_, outer, length_), index);
      return OffsetPointer(b_, Place(place),
                           AddI(b_, MulI(b_, row, phase_.inner), column), 2 * bytes_);
    };
    llvm::Align align(bytes_);
    Load load = [&](llvm::Value* index) {
      llvm::Value* from = address(phase_.from, index);
      llvm::Value* pairs =
          mask ? static_cast<llvm::Value*>(b_.CreateMaskedLoad(
                     pairs_, from, align, mask, llvm::Constant::getNullValue(pairs_)))
               : b_.CreateAlignedLoad(pairs_, from, align);
      return Split(pairs, nullptr);
    };
    if (phase_.kind == FftPhase::Kind::kTwisted)
      return Twisted(load, outer, block, column);
    Store store = [&](llvm::Value* index, Complex value) {
      llvm::Value* pairs = Pairs(butterfly_.Scale(value, phase_.scale), 0, lanes_);
      llvm::Value* to = address(phase_.to, index);
      if (mask)
        b_.CreateMaskedStore(pairs, to, align, mask);
      else
        b_.CreateAlignedStore(pairs, to, align);
    };
    return Steps(load, store, -1);
  }

  // n = length * inner: number k of column c takes the root w_n^(k c), which is the
  // product of that of the block's first column and that of the lane.
  Status Twisted(const Load& load, llvm::Value* outer, llvm::Value* block,
                 llvm::Value* column) {
    int64_t blocks = (phase_.inner + lanes_ - 1) / lanes_;
    int64_t n = length_ * phase_.inner;
    llvm::Value* of_blocks = Table(blocks * length_, [&](int64_t i) {
      return RootOfUnity((i / length_) * lanes_ * (i % length_), n, sign_);
    });
    std::vector<double> numbers;
    for (int64_t k = 0; k < length_; ++k) {
      for (bool imaginary : {false, true}) {
        for (int lane = 0; lane < lanes_; ++lane) {
          std::complex<double> root = RootOfUnity(k * lane, n, sign_);
          numbers.push_back(imaginary ? root.imag() : root.real());
        }
      }
    }
    llvm::Value* of_lanes = ConstantTable(numbers);
    int last = phase_.steps.size() % 2 == 0 ? 1 : 0;
    Store store = [&](llvm::Value* index, Complex value) {
      Complex root =
          butterfly_.Multiply(FromBuffer(of_lanes, index),
                              Root(of_blocks, AddI(b_, MulI(b_, block, length_), index)));
      ToBuffer(buffers_[last], index, butterfly_.Multiply(value, root));
    };
    TENON_RETURN_IF_ERROR(Steps(load, store, -1));
    return StoreRows(buffers_[last], length_, column, phase_.inner,
                     MulI(b_, outer, phase_.inner));
  }

  // ---- a lane a row ----

  Status Rows(llvm::Value* unit) {
    llvm::Value* first = MulI(b_, unit, lanes_);
    bool from_real = phase_.real_side == RealSide::kInput;
    bool to_real = phase_.real_side == RealSide::kOutput;
    TENON_RETURN_IF_ERROR(LoadRows(to_real ? length_ + 1 : length_, first));
    int at = 0;
    if (to_real) {
      TENON_RETURN_IF_ERROR(FromHalf(buffers_[0], buffers_[1]));
      at = 1;
    }
    int end = at == 0 ? LastBuffer() : 1 - LastBuffer();
    TENON_RETURN_IF_ERROR(Steps(Loader(buffers_[at]), Storer(buffers_[end]), at));
    if (from_real) {
      TENON_RETURN_IF_ERROR(ToHalf(buffers_[end], buffers_[1 - end]));
      end = 1 - end;
    }
    return StoreRows(buffers_[end], from_real ? length_ + 1 : length_, first,
                     phase_.outer, b_.getInt64(0));
  }

  // Rows first..first+lanes of `count` numbers into buffer 0. Rows that are not there are
  // the last one once more.
  Status LoadRows(int64_t count, llvm::Value* first) {
    llvm::Value* source = Place(phase_.from);
    int width = lanes_ / 2;  // complex numbers in a vector
    bool whole = phase_.outer % lanes_ == 0;
    auto row = [&](int lane) {
      llvm::Value* number = AddI(b_, first, lane);
      return whole ? number : MinI(b_, number, b_.getInt64(phase_.outer - 1));
    };
    int64_t main = count / width * width;
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, b_.getInt64(0), b_.getInt64(main), width, [&](llvm::Value* position) {
          llvm::SmallVector<llvm::Value*> halves[2];
          for (int lane = 0; lane < lanes_; ++lane) {
            llvm::Value* index = AddI(b_, MulI(b_, row(lane), count), position);
            halves[lane / width].push_back(b_.CreateAlignedLoad(
                vector_, OffsetPointer(b_, source, index, 2 * bytes_),
                llvm::Align(bytes_)));
          }
          for (auto& half : halves) TransposeSquare(b_, half, 2);
          for (int i = 0; i < width; ++i)
            ToBuffer(buffers_[0], AddI(b_, position, i),
                     Split(halves[0][i], halves[1][i]));
          return OkStatus();
        }));
    return EmitLoop(
        b_, b_.getInt64(main), b_.getInt64(count), 1, [&](llvm::Value* position) {
          Complex value{llvm::PoisonValue::get(vector_), llvm::PoisonValue::get(vector_)};
          for (int lane = 0; lane < lanes_; ++lane) {
            llvm::Value* index = AddI(b_, MulI(b_, row(lane), count), position);
            llvm::Value* address = OffsetPointer(b_, source, index, 2 * bytes_);
            auto part = [&](llvm::Value* into, int number) {
              llvm::Value* loaded = b_.CreateAlignedLoad(
                  real_, b_.CreateConstInBoundsGEP1_64(real_, address, number),
                  llvm::Align(bytes_));
              return b_.CreateInsertElement(into, loaded, uint64_t(lane));
            };
            value = {part(value.re, 0), part(value.im, 1)};
          }
          ToBuffer(buffers_[0], position, value);
          return OkStatus();
        });
  }

  // `buffer` to rows first..first+lanes (those before `rows`) of `count` numbers each,
  // which start at row `base` of the target.
  Status StoreRows(llvm::Value* buffer, int64_t count, llvm::Value* first, int64_t rows,
                   llvm::Value* base) {
    llvm::Value* target = Place(phase_.to);
    int width = lanes_ / 2;
    bool whole = rows % lanes_ == 0;
    auto address = [&](int lane, llvm::Value* position) {
      llvm::Value* row = AddI(b_, AddI(b_, base, first), lane);
      return OffsetPointer(b_, target, AddI(b_, MulI(b_, row, count), position),
                           2 * bytes_);
    };
    auto if_row = [&](int lane, auto body) {
      if (whole) return body();
      llvm::Value* there = b_.CreateICmpSLT(AddI(b_, first, lane), b_.getInt64(rows));
      return EmitIfElse(b_, there, body);
    };
    int64_t main = count / width * width;
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, b_.getInt64(0), b_.getInt64(main), width,
        [&](llvm::Value* position) -> Status {
          llvm::SmallVector<llvm::Value*> halves[2];
          for (int i = 0; i < width; ++i) {
            Complex value =
                butterfly_.Scale(FromBuffer(buffer, AddI(b_, position, i)), phase_.scale);
            for (int half = 0; half < 2; ++half)
              halves[half].push_back(Pairs(value, half * width, width));
          }
          for (auto& half : halves) TransposeSquare(b_, half, 2);
          for (int lane = 0; lane < lanes_; ++lane) {
            TENON_RETURN_IF_ERROR(if_row(lane, [&]() -> Status {
              b_.CreateAlignedStore(halves[lane / width][lane % width],
                                    address(lane, position), llvm::Align(bytes_));
              return OkStatus();
            }));
          }
          return OkStatus();
        }));
    return EmitLoop(
        b_, b_.getInt64(main), b_.getInt64(count), 1,
        [&](llvm::Value* position) -> Status {
          Complex value = butterfly_.Scale(FromBuffer(buffer, position), phase_.scale);
          for (int lane = 0; lane < lanes_; ++lane) {
            TENON_RETURN_IF_ERROR(if_row(lane, [&]() -> Status {
              llvm::Value* to = address(lane, position);
              b_.CreateAlignedStore(b_.CreateExtractElement(value.re, uint64_t(lane)), to,
                                    llvm::Align(bytes_));
              b_.CreateAlignedStore(b_.CreateExtractElement(value.im, uint64_t(lane)),
                                    b_.CreateConstInBoundsGEP1_64(real_, to, 1),
                                    llvm::Align(bytes_));
              return OkStatus();
            }));
          }
          return OkStatus();
        });
  }

  // Even reals are the real parts of z, odd ones its imaginary parts. With m = length, y
  // = conj(z[m - k]): x[k] = (z[k] + y) / 2 - i w_2m^k (z[k] - y) / 2.
  Status ToHalf(llvm::Value* from, llvm::Value* to) {
    llvm::Value* zero = llvm::Constant::getNullValue(vector_);
    Complex first = FromBuffer(from, b_.getInt64(0));
    ToBuffer(to, b_.getInt64(0), {b_.CreateFAdd(first.re, first.im), zero});
    ToBuffer(to, b_.getInt64(length_), {b_.CreateFSub(first.re, first.im), zero});
    llvm::Value* table = Table(length_, [&](int64_t k) {
      return RootOfUnity(k, 2 * length_, -1) * std::complex<double>(0, -0.5);
    });
    return Mirror(from, to, table, 0.5);
  }

  // The way back, twice as large: z[k] = (x[k] + y) + i w_2m^-k (x[k] - y). The imaginary
  // parts at the ends count as zero.
  Status FromHalf(llvm::Value* from, llvm::Value* to) {
    Complex first = FromBuffer(from, b_.getInt64(0));
    Complex last = FromBuffer(from, b_.getInt64(length_));
    ToBuffer(to, b_.getInt64(0),
             {b_.CreateFAdd(first.re, last.re), b_.CreateFSub(first.re, last.re)});
    llvm::Value* table = Table(length_, [&](int64_t k) {
      return RootOfUnity(k, 2 * length_, 1) * std::complex<double>(0, 1);
    });
    return Mirror(from, to, table, 1);
  }

  // to[k] = (x[k] + conj(x[m - k])) * half + (x[k] - conj(x[m - k])) * table[k], 0 < k <
  // m.
  Status Mirror(llvm::Value* from, llvm::Value* to, llvm::Value* table, double half) {
    return EmitLoop(b_, b_.getInt64(1), b_.getInt64(length_), 1, [&](llvm::Value* k) {
      Complex x = FromBuffer(from, k);
      Complex y = FromBuffer(from, b_.CreateSub(b_.getInt64(length_), k));
      Complex sum{b_.CreateFAdd(x.re, y.re), b_.CreateFSub(x.im, y.im)};
      Complex difference{b_.CreateFSub(x.re, y.re), b_.CreateFAdd(x.im, y.im)};
      ToBuffer(to, k,
               butterfly_.Add(butterfly_.Scale(sum, half),
                              butterfly_.Multiply(difference, Root(table, k))));
      return OkStatus();
    });
  }

  IrBuilder& b_;
  const FftPlan& plan_;
  const FftPhase& phase_;
  FftPointers pointers_;
  Butterfly butterfly_;
  int sign_;
  int lanes_;
  int64_t bytes_;
  llvm::Type* real_;
  llvm::FixedVectorType* vector_;
  llvm::FixedVectorType* pairs_;
  int64_t length_;
  llvm::Value* buffers_[2];
};

}  // namespace

Status EmitFftPhase(IrBuilder& b, const FftSpec& spec, const FftPlan& plan, int phase,
                    const FftPointers& pointers, llvm::Value* chunk, bool fma) {
  return Emitter(b, spec, plan, plan.phases[phase], pointers, fma).Emit(chunk);
}

}  // namespace tenon::codegen
