#include "tenon/compiler/codegen/grid/group_fft.h"

#include <algorithm>
#include <bit>

#include "tenon/compiler/codegen/fft/fft_builder.h"
#include "tenon/compiler/codegen/fft/roots.h"
#include "tenon/compiler/plan/op_specs.h"

namespace tenon::codegen {
namespace {

using compiler::FftArray;
using compiler::FftSpec;
using compiler::FftStep;
using compiler::RealSide;

class GroupFft {
 public:
  GroupFft(GroupBody& body, ir::FftOp op, const GroupFftPhase& phase, llvm::Value* group)
      : body_(body),
        b_(static_cast<IrBuilder&>(body.builder())),
        op_(op),
        spec_(compiler::SpecOf(op)),
        phase_(phase),
        numbers_(phase.group_rows * phase.Padded()),
        fft_(b_, spec_.real, /*lane_count=*/1, body.target()),
        first_row_(b_.CreateMul(group, I64(phase.group_rows))) {
    const int64_t bytes = numbers_ * fft_.number_bytes();
    if (DynamicBytesOfFft(spec_, phase, body.device())) {
      buffers_[0] = body.local().Dynamic(LocalMemory::kAlignment);
      buffers_[1] = OffsetPointer(b_, buffers_[0], bytes, 1);
    } else {
      for (int number = 0; number < 2; ++number)
        buffers_[number] = body.local().Shared(number, bytes);
    }
  }

  void Emit() {
    const bool is_whole = phase_.part == GroupFftPhase::Part::kWhole;
    ForEachNumber(phase_.Loaded(), phase_.inner > 1,
                  [&](llvm::Value* row, llvm::Value* slot, llvm::Value* index) {
                    if (is_whole)
                      Load(row, slot, index);
                    else
                      ToBuffer(buffers_[0], slot, LoadOfLong(row, index));
                  });
    body_.Barrier();
    if (phase_.convolution) MultiplyByChirp();
    EmitSteps();
    if (phase_.convolution) {
      MultiplyByFilter();
      EmitSteps();
    }
    ForEachNumber(phase_.Stored(), phase_.inner > 1 || !is_whole,
                  [&](llvm::Value* row, llvm::Value* slot, llvm::Value* index) {
                    if (is_whole)
                      Store(row, Result(slot, index), index);
                    else
                      StoreOfLong(row, Result(slot, index), index);
                  });
  }

 private:
  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  ComplexVector FromBuffer(llvm::Value* buffer, llvm::Value* slot) {
    auto part = [&](int64_t number) {
      llvm::Value* index = b_.CreateAdd(slot, I64(number * numbers_));
      return b_.CreateLoad(fft_.real, b_.CreateGEP(fft_.real, buffer, index));
    };
    return {part(0), part(1)};
  }
  void ToBuffer(llvm::Value* buffer, llvm::Value* slot, ComplexVector value) {
    auto part = [&](int64_t number, llvm::Value* stored) {
      llvm::Value* index = b_.CreateAdd(slot, I64(number * numbers_));
      b_.CreateStore(stored, b_.CreateGEP(fft_.real, buffer, index));
    };
    part(0, value.re);
    part(1, value.im);
  }
  // A transform with exchanged parts is the inverse one.
  ComplexVector SwapIfInverse(ComplexVector value) {
    return spec_.inverse ? ComplexVector{value.im, value.re} : value;
  }

  void EmitSteps() {
    for (const FftStep& step : phase_.steps) {
      EmitStep(step, buffers_[current_], buffers_[1 - current_]);
      body_.Barrier();
      current_ = 1 - current_;
    }
  }

  // Bluestein: X[k] = chirp[k] times the sum of x[j] chirp[j] / chirp[k - j], which is a
  // convolution.
  void MultiplyByChirp() {
    if (!chirp_) {
      const auto chirp = Chirp(phase_.length);
      chirp_ = fft_.Table(phase_.length,
                          [&](int64_t j) { return chirp[static_cast<size_t>(j)]; });
    }
    ForEachNumber(phase_.Padded(), /*along_rows=*/false,
                  [&](llvm::Value*, llvm::Value* slot, llvm::Value* index) {
                    llvm::Value* exists = b_.CreateICmpSLT(index, I64(phase_.length));
                    llvm::Value* zero = llvm::Constant::getNullValue(fft_.real);
                    llvm::Value* known = b_.CreateSelect(exists, index, I64(0));
                    ComplexVector value = fft_.butterfly.Multiply(
                        FromBuffer(buffers_[current_], slot), Number(chirp_, known));
                    // What is not set in local memory may be a NaN.
                    ToBuffer(buffers_[current_], slot,
                             {b_.CreateSelect(exists, value.re, zero),
                              b_.CreateSelect(exists, value.im, zero)});
                  });
    body_.Barrier();
  }
  // Multiplies the spectrum by that of the chirp's inverse, and exchanges the parts for
  // the inverse transform.
  void MultiplyByFilter() {
    const auto padded = static_cast<size_t>(phase_.convolution);
    const auto chirp = Chirp(phase_.length);
    std::vector<std::complex<double>> filter(padded);
    for (size_t j = 0; j < chirp.size(); ++j) {
      filter[j] = std::conj(chirp[j]) / static_cast<double>(padded);
      if (j > 0) filter[padded - j] = filter[j];
    }
    TransformConstants(filter);
    llvm::Value* table = fft_.Table(
        phase_.convolution, [&](int64_t k) { return filter[static_cast<size_t>(k)]; });
    ForEachNumber(phase_.Padded(), /*along_rows=*/false,
                  [&](llvm::Value*, llvm::Value* slot, llvm::Value* index) {
                    ComplexVector value = fft_.butterfly.Multiply(
                        FromBuffer(buffers_[current_], slot), Number(table, index));
                    ToBuffer(buffers_[current_], slot, {value.im, value.re});
                  });
    body_.Barrier();
  }
  ComplexVector Result(llvm::Value* slot, llvm::Value* index) {
    ComplexVector value = FromBuffer(buffers_[current_], slot);
    if (!phase_.convolution) return value;
    return fft_.butterfly.Multiply({value.im, value.re}, Number(chirp_, index));
  }

  // Runs `emit` for `count` numbers of each row of the group that exists. It gets the
  // row, the place in local memory, and the index in the row. Neighbouring items have
  // neighbouring rows if `along_rows`, otherwise neighbouring numbers of a row.
  void ForEachNumber(
      int64_t count, bool along_rows,
      llvm::function_ref<void(llvm::Value*, llvm::Value*, llvm::Value*)> emit) {
    EmitForLoop(b_, body_.item(), I64(phase_.group_rows * count), body_.items(), {},
                [&](llvm::Value* number, auto) {
                  llvm::Value* inner = I64(along_rows ? phase_.group_rows : count);
                  llvm::Value* fast = b_.CreateURem(number, inner);
                  llvm::Value* slow = b_.CreateUDiv(number, inner);
                  llvm::Value *in_group = along_rows ? fast : slow,
                              *index = along_rows ? slow : fast;
                  llvm::Value* row = b_.CreateAdd(first_row_, in_group);
                  llvm::Value* slot =
                      b_.CreateAdd(b_.CreateMul(in_group, I64(phase_.Padded())), index);
                  EmitIf(b_, b_.CreateICmpSLT(row, I64(phase_.Rows())),
                         [&] { emit(row, slot, index); });
                  return Values();
                });
  }

  // The address of number `index` of a row that has `count` numbers.
  llvm::Value* Address(FftArray array, llvm::Value* row, llvm::Value* index,
                       int64_t count, bool is_real) {
    mlir::Value view = array == FftArray::kInput    ? op_.getInput()
                       : array == FftArray::kOutput ? op_.getOutput()
                                                    : op_.getScratch();
    llvm::Value* outer = b_.CreateUDiv(row, I64(phase_.inner));
    llvm::Value* inner = b_.CreateURem(row, I64(phase_.inner));
    llvm::Value* number = b_.CreateAdd(b_.CreateMul(outer, I64(count)), index);
    number = b_.CreateAdd(b_.CreateMul(number, I64(phase_.inner)), inner);
    if (!is_real) number = b_.CreateMul(number, I64(2));
    return b_.CreateGEP(fft_.real, body_.points().View(view), number);
  }

  void Load(llvm::Value* row, llvm::Value* slot, llvm::Value* index) {
    const bool is_real = phase_.real_side == RealSide::kInput;
    llvm::Value* address = Address(phase_.from, row, index, phase_.Loaded(), is_real);
    llvm::Value* zero = llvm::Constant::getNullValue(fft_.real);
    ComplexVector value{b_.CreateLoad(fft_.real, address), zero};
    if (!is_real)
      value.im = b_.CreateLoad(fft_.real, b_.CreateConstGEP1_64(fft_.real, address, 1));
    if (phase_.real_side != RealSide::kOutput) {
      ToBuffer(buffers_[0], slot, SwapIfInverse(value));
      return;
    }
    // The upper half of the spectrum is the mirror image of the lower one. The first
    // number, and the middle one, are taken as real.
    const int64_t length = phase_.length;
    llvm::Value* is_first = b_.CreateICmpEQ(index, I64(0));
    llvm::Value* is_own_image = is_first;
    if (length % 2 == 0)
      is_own_image = b_.CreateOr(is_first, b_.CreateICmpEQ(index, I64(length / 2)));
    value.im = b_.CreateSelect(is_own_image, zero, value.im);
    ToBuffer(buffers_[0], slot, SwapIfInverse(value));
    EmitIf(b_, b_.CreateNot(is_own_image), [&] {
      llvm::Value* image =
          b_.CreateAdd(b_.CreateSub(slot, index), b_.CreateSub(I64(length), index));
      ToBuffer(buffers_[0], image, SwapIfInverse({value.re, b_.CreateFNeg(value.im)}));
    });
  }

  void Store(llvm::Value* row, ComplexVector value, llvm::Value* index) {
    const bool is_real = phase_.real_side == RealSide::kOutput;
    value = SwapIfInverse(fft_.butterfly.Scale(value, phase_.scale));
    llvm::Value* address = Address(phase_.to, row, index, phase_.Stored(), is_real);
    b_.CreateStore(value.re, address);
    if (!is_real) b_.CreateStore(value.im, b_.CreateConstGEP1_64(fft_.real, address, 1));
  }

  // ---- long transforms ----

  // The address of complex or real number `number` of array number `outer` in `view`,
  // whose arrays have `count` numbers.
  llvm::Value* LongAddress(mlir::Value view, llvm::Value* outer, int64_t count,
                           llvm::Value* number, bool is_real) {
    llvm::Value* at = AddI(b_, MulI(b_, outer, count), number);
    return b_.CreateGEP(fft_.real, body_.points().View(view),
                        is_real ? at : MulI(b_, at, 2));
  }
  ComplexVector LoadNumber(llvm::Value* address) {
    return {b_.CreateLoad(fft_.real, address),
            b_.CreateLoad(fft_.real, b_.CreateConstGEP1_64(fft_.real, address, 1))};
  }
  void StoreNumber(ComplexVector value, llvm::Value* address) {
    b_.CreateStore(value.re, address);
    b_.CreateStore(value.im, b_.CreateConstGEP1_64(fft_.real, address, 1));
  }

  ComplexVector LoadOfLong(llvm::Value* row, llvm::Value* index) {
    if (phase_.part == GroupFftPhase::Part::kRows)
      return LoadNumber(LongAddress(op_.getScratch(), row, phase_.length, index, false));
    const int64_t whole = phase_.Whole();
    llvm::Value* outer = b_.CreateUDiv(row, I64(phase_.inner));
    llvm::Value* column = b_.CreateURem(row, I64(phase_.inner));
    llvm::Value* number = AddI(b_, MulI(b_, index, phase_.inner), column);
    llvm::Value* zero = llvm::Constant::getNullValue(fft_.real);
    ComplexVector value;
    switch (phase_.real_side) {
      case RealSide::kNone:
        value = LoadNumber(LongAddress(op_.getInput(), outer, whole, number, false));
        break;
      case RealSide::kInput:
        value = {b_.CreateLoad(fft_.real,
                               LongAddress(op_.getInput(), outer, whole, number, true)),
                 zero};
        break;
      case RealSide::kOutput: {
        // The upper half of the spectrum is the mirror image of the lower one. The first
        // number, and the middle one, are taken as real.
        llvm::Value* image = b_.CreateSub(I64(whole), number);
        llvm::Value* is_lower = b_.CreateICmpULE(number, image);
        llvm::Value* stored = b_.CreateSelect(is_lower, number, image);
        value =
            LoadNumber(LongAddress(op_.getInput(), outer, whole / 2 + 1, stored, false));
        value.im = b_.CreateSelect(is_lower, value.im, b_.CreateFNeg(value.im));
        llvm::Value* is_real =
            b_.CreateOr(b_.CreateICmpEQ(number, I64(0)), b_.CreateICmpEQ(number, image));
        value.im = b_.CreateSelect(is_real, zero, value.im);
      }
    }
    return SwapIfInverse(value);
  }

  void StoreOfLong(llvm::Value* row, ComplexVector value, llvm::Value* index) {
    const int64_t whole = phase_.Whole(), half = whole / 2 + 1;
    if (phase_.part == GroupFftPhase::Part::kColumns) {
      llvm::Value* outer = b_.CreateUDiv(row, I64(phase_.inner));
      llvm::Value* column = b_.CreateURem(row, I64(phase_.inner));
      value = fft_.butterfly.Multiply(value, RootOfLong(b_.CreateMul(index, column)));
      llvm::Value* number = AddI(b_, MulI(b_, index, phase_.inner), column);
      StoreNumber(value, LongAddress(op_.getScratch(), outer, whole, number, false));
      return;
    }
    value = SwapIfInverse(fft_.butterfly.Scale(value, phase_.scale));
    llvm::Value* outer = b_.CreateUDiv(row, I64(phase_.matrix_rows));
    llvm::Value* in_column = b_.CreateURem(row, I64(phase_.matrix_rows));
    llvm::Value* number = AddI(b_, MulI(b_, index, phase_.matrix_rows), in_column);
    switch (phase_.real_side) {
      case RealSide::kNone:
        StoreNumber(value, LongAddress(op_.getOutput(), outer, whole, number, false));
        break;
      case RealSide::kInput:
        EmitIf(b_, b_.CreateICmpULT(number, I64(half)), [&] {
          StoreNumber(value, LongAddress(op_.getOutput(), outer, half, number, false));
        });
        break;
      case RealSide::kOutput:
        b_.CreateStore(value.re,
                       LongAddress(op_.getOutput(), outer, whole, number, true));
    }
  }

  // exp(-2 pi i * number / Whole()), as the product of two roots.
  ComplexVector RootOfLong(llvm::Value* number) {
    constexpr int64_t kFine = 1024;
    UnityRoots roots(phase_.Whole());
    llvm::Value* fine = fft_.Table(std::min(kFine, phase_.Whole()), [&](int64_t n) {
      return roots(static_cast<uint64_t>(n));
    });
    llvm::Value* coarse =
        fft_.Table((phase_.Whole() + kFine - 1) / kFine,
                   [&](int64_t n) { return roots(static_cast<uint64_t>(n * kFine)); });
    return fft_.butterfly.Multiply(Number(coarse, b_.CreateUDiv(number, I64(kFine))),
                                   Number(fine, b_.CreateURem(number, I64(kFine))));
  }

  // One butterfly for each item at a time. Butterfly (i, column) of a row reads numbers
  // i * columns + column + k * rest * columns.
  void EmitStep(const FftStep& step, llvm::Value* from, llvm::Value* to) {
    const int64_t butterflies = step.rest * step.columns;
    llvm::Value* table = nullptr;
    if (step.rest > 1) {
      UnityRoots roots(step.radix * step.rest);
      const int64_t factors = step.radix - 1;
      table = fft_.Table(step.rest * factors, [&](int64_t n) {
        return roots(static_cast<uint64_t>((n / factors) * (n % factors + 1)));
      });
    }
    EmitForLoop(
        b_, body_.item(), I64(phase_.group_rows * butterflies), body_.items(), {},
        [&](llvm::Value* number, auto) {
          llvm::Value* in_row = b_.CreateURem(number, I64(butterflies));
          llvm::Value* start =
              b_.CreateMul(b_.CreateUDiv(number, I64(butterflies)), I64(phase_.Padded()));
          llvm::Value* i = b_.CreateUDiv(in_row, I64(step.columns));
          llvm::SmallVector<ComplexVector> x;
          for (int64_t k = 0; k < step.radix; ++k)
            x.push_back(FromBuffer(
                from, b_.CreateAdd(b_.CreateAdd(start, in_row), I64(k * butterflies))));
          fft_.butterfly.Transform(x);
          llvm::Value* column = b_.CreateURem(in_row, I64(step.columns));
          llvm::Value* first = b_.CreateAdd(
              start,
              b_.CreateAdd(b_.CreateMul(i, I64(step.columns * step.radix)), column));
          for (int64_t k = 0; k < step.radix; ++k) {
            ComplexVector& value = x[static_cast<size_t>(k)];
            if (table && k > 0)
              value = fft_.butterfly.Multiply(value, Root(table, i, step.radix, k));
            ToBuffer(to, b_.CreateAdd(first, I64(k * step.columns)), value);
          }
          return Values();
        });
  }

  ComplexVector Root(llvm::Value* table, llvm::Value* i, int64_t radix, int64_t k) {
    llvm::Value* number = b_.CreateAdd(b_.CreateMul(i, I64(radix - 1)), I64(k - 1));
    return Number(table, number);
  }
  ComplexVector Number(llvm::Value* table, llvm::Value* index) {
    llvm::Value* address = OffsetPointer(b_, table, index, fft_.number_bytes());
    return {b_.CreateLoad(fft_.real, address),
            b_.CreateLoad(fft_.real, b_.CreateConstGEP1_64(fft_.real, address, 1))};
  }

  GroupBody& body_;
  IrBuilder& b_;
  ir::FftOp op_;
  const FftSpec spec_;
  const GroupFftPhase& phase_;
  const int64_t numbers_;  // of a buffer: all real parts, then all imaginary parts
  FftBuilder fft_;
  llvm::Value* const first_row_;
  llvm::Value* buffers_[2];
  int current_ = 0;  // the buffer with the numbers
  llvm::Value* chirp_ = nullptr;
};

}  // namespace

int ItemsOfFft(const GroupFftPhase& phase, const compiler::DeviceTarget& device) {
  constexpr int64_t kNumbersPerItem = 4;
  const auto items = static_cast<uint64_t>(
      std::max<int64_t>(1, phase.group_rows * phase.Padded() / kNumbersPerItem));
  return static_cast<int>(std::min<uint64_t>(
      std::bit_ceil(items), static_cast<uint64_t>(device.max_group_items)));
}

int64_t DynamicBytesOfFft(const FftSpec& spec, const GroupFftPhase& phase,
                          const compiler::DeviceTarget& device) {
  const int64_t bytes = phase.LocalBytes(2 * ElementBytes(spec.real));
  return bytes > device.local_bytes ? bytes : 0;
}

Status EmitGroupFft(GroupBody& body, ir::FftOp op, const GroupFftPhase& phase,
                    llvm::Value* group) {
  GroupFft(body, op, phase, group).Emit();
  return OkStatus();
}

}  // namespace tenon::codegen
