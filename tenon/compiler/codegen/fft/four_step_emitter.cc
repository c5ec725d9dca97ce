#include "tenon/compiler/codegen/fft/four_step_emitter.h"

#include "llvm/IR/Constants.h"
#include "tenon/base/integer_division.h"
#include "tenon/compiler/codegen/fft/roots.h"
#include "tenon/compiler/codegen/ir/interleave.h"

namespace tenon::codegen {
namespace {

// Size limit of a full table of the twiddle factors between the parts. For longer
// transforms a factor is the product of entries of two shorter tables; entries of the
// full table are exact except for one rounding.
constexpr int64_t kMaxRootTable = 1 << 14;
// Powers of a root that one operation computes.
constexpr int64_t kPowers = 8;
// Parts of roots below this are 0: others of a transform of 2^31 numbers are larger.
constexpr double kSmallestPart = 1e-9;

}  // namespace

Status FourStepEmitter::EmitPart(FftPart part, llvm::Value* from, llvm::Value* to,
                                 llvm::Value* memory, llvm::Value* row,
                                 llvm::Value* unit) {
  memory_ = memory;
  switch (part) {
    case FftPart::kHermitian:
      return FillByHermitianSymmetry(from, row, unit);
    case FftPart::kFromHalf:
      return FromHalf(from, row, unit);
    case FftPart::kFirst:
      return First(from, row, unit);
    case FftPart::kMiddle:
      return Middle(unit);
    case FftPart::kLast:
      return Last(to, row, unit);
    case FftPart::kToHalf:
      return ToHalf(to, row, unit);
  }
  return Internal("unknown part of a Fourier transform");
}

Status FourStepEmitter::First(llvm::Value* from, llvm::Value* row, llvm::Value* block) {
  bool passed = Has(FftPart::kHermitian) || Has(FftPart::kFromHalf);
  int64_t number_bytes = fft_.real_input ? f_.bytes : f_.number_bytes();
  llvm::Value* source =
      passed ? Numbers()
             : OffsetPointer(b_, from, MulI(b_, row, fft_.length), number_bytes);
  llvm::Value* column = MulI(b_, block, f_.lanes);
  FftColumns columns;
  columns.base = OffsetPointer(b_, source, column, number_bytes);
  columns.stride = b_.getInt64(fft_.b * number_bytes);
  columns.real = fft_.real_input;
  columns.swapped = inverse_ && !passed;
  if (fft_.convolution)
    SetChirp(columns, column, fft_.length, fft_.b);
  else if (fft_.b % f_.lanes != 0 && !passed)
    columns.left = b_.CreateNSWSub(b_.getInt64(fft_.b), column);
  TENON_ASSIGN_OR_RETURN(int current, steps_.RunFrom(fft_.steps_a, columns));
  return StoreRows(current, Memory(fft_.first_offset), fft_.a, fft_.b, fft_.stride_a,
                   block);
}

// Lets numbers of columns, of `count` in all, be multiplied by the chirp.
void FourStepEmitter::SetChirp(FftColumns& columns, llvm::Value* column, int64_t count,
                               int64_t inner) {
  columns.end = b_.CreateNSWSub(b_.getInt64(count), column);
  columns.inner = b_.getInt64(inner);
  columns.chirp = OffsetPointer(b_, ChirpTable(), column, f_.bytes);
  columns.to_imaginary = b_.getInt64(ChirpSize() * f_.bytes);
}

FftColumns FourStepEmitter::ColumnsOf(llvm::Value* rows, int64_t stride,
                                      llvm::Value* column) {
  FftColumns columns;
  columns.base = OffsetPointer(b_, rows, column, f_.number_bytes());
  columns.stride = b_.getInt64(stride * f_.number_bytes());
  return columns;
}

// Multiplies a convolution's spectrum by the filter's. Real and imaginary parts of the
// product are swapped, so that forward transforms compute the inverse.
Status FourStepEmitter::Middle(llvm::Value* block) {
  TENON_ASSIGN_OR_RETURN(
      int current,
      steps_.RunFrom(fft_.steps_b, ColumnsOf(Memory(fft_.first_offset), fft_.stride_a,
                                             MulI(b_, block, f_.lanes))));
  llvm::Value* filter =
      OffsetPointer(b_, FilterTable(), MulI(b_, block, fft_.b), f_.vector_bytes());
  TENON_RETURN_IF_ERROR(f_.CallShared(
      "filter", {steps_.buffer(current), filter, b_.getInt64(fft_.b)}, [&](IrValues& p) {
        return EmitLoop(b_, b_.getInt64(0), p[2], 1, [&](llvm::Value* index) {
          ComplexVector product = f_.butterfly.Multiply(f_.FromBuffer(p[0], index),
                                                        f_.FromBuffer(p[1], index));
          f_.ToBuffer(p[0], index, {product.im, product.re});
          return OkStatus();
        });
      }));
  TENON_ASSIGN_OR_RETURN(current, steps_.Run(fft_.steps_b, current));
  return StoreRows(current, Memory(fft_.middle_offset), fft_.b, fft_.a, fft_.stride_b,
                   block);
}

Status FourStepEmitter::Last(llvm::Value* to, llvm::Value* row, llvm::Value* block) {
  bool convolution = fft_.convolution;
  bool passes = Has(FftPart::kToHalf);
  int64_t inner = convolution ? fft_.b : fft_.a;
  int64_t count = fft_.half_output ? fft_.length / 2 + 1 : fft_.length;
  int64_t number_bytes = fft_.real_output ? f_.bytes : f_.number_bytes();
  llvm::Value* target =
      passes ? Numbers() : OffsetPointer(b_, to, MulI(b_, row, count), number_bytes);
  llvm::Value* column = MulI(b_, block, f_.lanes);
  // The last columns may overlap those before them, which costs less than masks: both are
  // stored with the same bits, as no factor depends on the lane.
  const bool overlaps = !convolution && inner >= f_.lanes;
  if (overlaps && inner % f_.lanes != 0)
    column = MinI(b_, column, b_.getInt64(inner - f_.lanes));
  FftColumns columns;
  columns.base = OffsetPointer(b_, target, column, number_bytes);
  columns.stride = b_.getInt64(inner * number_bytes);
  columns.real = fft_.real_output;
  columns.swapped = inverse_ && !passes;
  if (inner % f_.lanes != 0 && !overlaps)
    columns.left = b_.CreateNSWSub(b_.getInt64(inner), column);
  // Convolutions are scaled in both directions, so that these share their functions.
  if (phase_.scale != 1 || convolution)
    columns.scale = llvm::ConstantFP::get(f_.real, phase_.scale);
  if (convolution) {
    SetChirp(columns, column, count, inner);
  } else if (fft_.half_output) {
    columns.end = b_.CreateNSWSub(b_.getInt64(count), column);
    columns.inner = b_.getInt64(inner);
  }
  return steps_.RunFromTo(
      convolution ? fft_.steps_a : fft_.steps_b,
      convolution ? ColumnsOf(Memory(fft_.middle_offset), fft_.stride_b, column)
                  : ColumnsOf(Memory(fft_.first_offset), fft_.stride_a, column),
      columns);
}

// Number k of column c is multiplied by w^(k c). The factors come from a table by blocks
// of columns, or are products of those of the block's first column and of the lane. In
// single precision, those of the first column are computed when the transform runs, as a
// table of them takes longer to compile than everything else.
llvm::Value* FourStepEmitter::Roots(int64_t count, int64_t columns, int64_t stride) {
  auto& [lanes_table, blocks_table] = roots_[count];
  if (lanes_table) return lanes_table;
  int64_t n = fft_.a * fft_.b, blocks = CeilDiv(columns, f_.lanes);
  UnityRoots roots(n);
  auto vectors = [&](int64_t first_column, std::vector<double>& numbers) {
    for (int64_t k = 0; k < stride; ++k) {
      for (bool imaginary : {false, true}) {
        for (int lane = 0; lane < f_.lanes; ++lane) {
          std::complex<double> root = roots(k * (first_column + lane) % n);
          numbers.push_back(imaginary ? root.imag() : root.real());
        }
      }
    }
  };
  std::vector<double> numbers;
  if (n <= kMaxRootTable) {
    for (int64_t block = 0; block < blocks; ++block) vectors(block * f_.lanes, numbers);
  } else {
    vectors(0, numbers);
    blocks_table = f_.bytes == 8 ? BlocksTable(roots, blocks, stride)
                                 : FirstPowersTable(roots, blocks);
  }
  return lanes_table = f_.RealTable(numbers);
}

// For each block of columns the powers of its first column's root.
llvm::Value* FourStepEmitter::BlocksTable(const UnityRoots& roots, int64_t blocks,
                                          int64_t stride) {
  return f_.Table(blocks * stride, [&](int64_t i) {
    return roots((i / stride) * f_.lanes * (i % stride) % (fft_.a * fft_.b));
  });
}

// For each block of columns the first powers of its first column's root, real parts and
// then imaginary parts, and the factor from each to the one that is kPowers further.
llvm::Value* FourStepEmitter::FirstPowersTable(const UnityRoots& roots, int64_t blocks) {
  std::vector<double> numbers;
  for (int64_t block = 0; block < blocks; ++block) {
    auto power = [&](int64_t k) {
      return roots(k * block * f_.lanes % (fft_.a * fft_.b));
    };
    for (int64_t k = 0; k < kPowers; ++k) numbers.push_back(power(k).real());
    for (int64_t k = 0; k < kPowers; ++k) numbers.push_back(power(k).imag());
    numbers.push_back(power(kPowers).real());
    numbers.push_back(power(kPowers).imag());
  }
  return f_.DoubleTable(numbers);
}

// Writes `count` powers to `target`, from a block of FirstPowersTable. Each is the
// product of the first ones and of a factor in double precision, which is exact for
// single precision. At quarters of the circle a part is 0, as in tables.
Status FourStepEmitter::WritePowers(llvm::Value* first, llvm::Value* count,
                                    llvm::Value* target) {
  return f_.CallShared("powers", {first, count, target}, [&](IrValues& p) {
    auto* type = llvm::FixedVectorType::get(b_.getDoubleTy(), kPowers);
    auto load = [&](int64_t number) {
      return b_.CreateAlignedLoad(
          type, b_.CreateConstInBoundsGEP1_64(b_.getDoubleTy(), p[0], number),
          llvm::Align(8));
    };
    auto factor = [&](int64_t number) {
      return b_.CreateVectorSplat(
          kPowers, b_.CreateLoad(b_.getDoubleTy(), b_.CreateConstInBoundsGEP1_64(
                                                       b_.getDoubleTy(), p[0], number)));
    };
    const ComplexVector step{factor(2 * kPowers), factor(2 * kPowers + 1)};
    auto rounded = [&](llvm::Value* part) {
      llvm::Value* is_zero =
          b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, part),
                           llvm::ConstantFP::get(type, kSmallestPart));
      part = b_.CreateSelect(is_zero, llvm::Constant::getNullValue(type), part);
      return b_.CreateFPTrunc(part, llvm::FixedVectorType::get(f_.real, kPowers));
    };
    IrValues powers{load(0), load(kPowers)};
    return EmitLoop(
        b_, b_.getInt64(0), p[1], kPowers, powers,
        [&](llvm::Value* k, IrValues& carried) {
          b_.CreateAlignedStore(
              Interleave(b_, rounded(carried[0]), rounded(carried[1]), 0, kPowers),
              OffsetPointer(b_, p[2], k, f_.number_bytes()), llvm::Align(f_.bytes));
          const ComplexVector next =
              f_.butterfly.Multiply({carried[0], carried[1]}, step);
          carried = {next.re, next.im};
          return OkStatus();
        });
  });
}

Status FourStepEmitter::StoreRows(int number, llvm::Value* target, int64_t count,
                                  int64_t columns, int64_t stride, llvm::Value* block) {
  int64_t padded = AlignUp(count, f_.lanes / 2);
  llvm::Value* roots = Roots(count, columns, padded);
  llvm::Value* blocks = roots_[count].second;
  std::string name = blocks ? "store_rows2" : "store_rows";
  llvm::Value* first_row =
      OffsetPointer(b_, target, MulI(b_, block, f_.lanes * stride), f_.number_bytes());
  IrValues arguments{steps_.buffer(number), first_row, b_.getInt64(padded),
                     b_.getInt64(stride * f_.number_bytes())};
  if (!blocks) {
    arguments.push_back(
        OffsetPointer(b_, roots, MulI(b_, block, padded), f_.vector_bytes()));
  } else if (f_.bytes == 8) {
    arguments.append(
        {roots, OffsetPointer(b_, blocks, MulI(b_, block, padded), f_.number_bytes())});
  } else {
    // The other buffer is free, and larger than the powers of one column.
    llvm::Value* powers = steps_.buffer(1 - number);
    TENON_RETURN_IF_ERROR(WritePowers(
        OffsetPointer(b_, blocks, MulI(b_, block, 2 * kPowers + 2), sizeof(double)),
        b_.getInt64(padded), powers));
    arguments.append({roots, powers});
  }
  return f_.CallShared(name, arguments, [&](IrValues& p) {
    auto address = [&](llvm::Value* lane) {
      return b_.CreateGEP(b_.getInt8Ty(), p[1], b_.CreateNSWMul(lane, p[3]));
    };
    return f_.StoreRows(p[0], p[2],
                        [&](llvm::Value* index) {
                          ComplexVector root = f_.FromBuffer(p[4], index);
                          if (p.size() > 5)
                            root = f_.butterfly.Multiply(root, f_.Broadcast(p[5], index));
                          return f_.butterfly.Multiply(f_.FromBuffer(p[0], index), root);
                        },
                        {address, p[3]});
  });
}

llvm::Value* FourStepEmitter::PlanarTable(
    int64_t count, int64_t padded,
    llvm::function_ref<std::complex<double>(int64_t)> value) {
  std::vector<double> numbers(2 * padded);
  for (int64_t i = 0; i < count; ++i) {
    std::complex<double> number = value(i);
    numbers[i] = number.real();
    numbers[padded + i] = number.imag();
  }
  return f_.RealTable(numbers);
}

ComplexVector FourStepEmitter::LoadPlanar(llvm::Value* table, llvm::Value* padded,
                                          llvm::Value* index) {
  llvm::Value* address = OffsetPointer(b_, table, index, f_.bytes);
  llvm::Align align(f_.bytes);
  return {b_.CreateAlignedLoad(f_.vector, address, align),
          b_.CreateAlignedLoad(f_.vector, OffsetPointer(b_, address, padded, f_.bytes),
                               align)};
}

llvm::Value* FourStepEmitter::ChirpTable() {
  if (!chirp_) {
    std::vector<std::complex<double>> chirp = Chirp(fft_.length);
    chirp_ = PlanarTable(fft_.length, ChirpSize(), [&](int64_t j) { return chirp[j]; });
  }
  return chirp_;
}

// The transform of the chirp's conjugate, divided by the length of the convolution.
// Ordered by blocks of columns of [b, a].
llvm::Value* FourStepEmitter::FilterTable() {
  const int64_t padded = fft_.a * fft_.b;
  const std::vector<std::complex<double>> filter =
      ChirpFilter(fft_.length, padded, 1 / static_cast<double>(padded));
  int64_t blocks = CeilDiv(fft_.a, f_.lanes);
  std::vector<double> numbers(blocks * fft_.b * 2 * f_.lanes);
  for (int64_t k = 0; k < padded; ++k) {
    int64_t row = k / fft_.a, column = k % fft_.a;
    double* vectors =
        &numbers[((column / f_.lanes) * fft_.b + row) * 2 * f_.lanes + column % f_.lanes];
    vectors[0] = filter[k].real();
    vectors[f_.lanes] = filter[k].imag();
  }
  return f_.RealTable(numbers);
}

// ---- passes of transforms with a real input or output ----

Status FourStepEmitter::Pass(llvm::Value* unit, llvm::Value* end,
                             llvm::function_ref<void(llvm::Value* k)> body) {
  llvm::Value* first = AddI(b_, MulI(b_, unit, kPassNumbers), 1);
  llvm::Value* stop = MinI(b_, AddI(b_, first, kPassNumbers), end);
  llvm::Value* last = b_.CreateNSWSub(end, b_.getInt64(f_.lanes));
  return EmitLoop(b_, first, stop, f_.lanes, [&](llvm::Value* k) {
    body(MinI(b_, k, last));
    return OkStatus();
  });
}

ComplexVector FourStepEmitter::LoadReversedConjugate(llvm::Value* from,
                                                     llvm::Value* last) {
  llvm::Value* first = AddI(b_, last, 1 - f_.lanes);
  ComplexVector value = f_.LoadPairs(OffsetPointer(b_, from, first, f_.number_bytes()));
  return {f_.Reverse(value.re), b_.CreateFNeg(f_.Reverse(value.im))};
}

llvm::Value* FourStepEmitter::HalfTable(std::complex<double> factor, bool conjugate) {
  UnityRoots roots(2 * fft_.length);
  return PlanarTable(fft_.length, ChirpSize(), [&](int64_t k) {
    std::complex<double> root = roots(k);
    return (conjugate ? std::conj(root) : root) * factor;
  });
}

// The imaginary parts of the first and last number are ignored.
Status FourStepEmitter::FillByHermitianSymmetry(llvm::Value* from, llvm::Value* row,
                                                llvm::Value* unit) {
  int64_t length = fft_.length;
  llvm::Value* source =
      OffsetPointer(b_, from, MulI(b_, row, length / 2 + 1), f_.number_bytes());
  IrValues arguments{source, Numbers(), unit, b_.getInt64(length),
                     b_.getInt64((length + 1) / 2)};
  return f_.CallShared("fill_half" + Swapped(), arguments, [&](IrValues& p) {
    auto store = [&](llvm::Value* k, ComplexVector value) {
      f_.StorePairs(NumberAt(p[1], k), SwapIfInverse(value));
    };
    TENON_RETURN_IF_ERROR(Pass(p[2], p[4], [&](llvm::Value* k) {
      store(k, f_.LoadPairs(NumberAt(p[0], k)));
      llvm::Value* upper = b_.CreateNSWSub(AddI(b_, p[3], 1 - f_.lanes), k);
      llvm::Value* last = AddI(b_, k, f_.lanes - 1);
      store(upper, LoadReversedConjugate(p[0], last));
    }));
    return EmitIfElse(b_, b_.CreateICmpEQ(p[2], b_.getInt64(0)), [&] {
      llvm::Value* re = b_.CreateAlignedLoad(f_.real, p[0], llvm::Align(f_.bytes));
      llvm::Value* zero = llvm::Constant::getNullValue(f_.real);
      llvm::Value* second = b_.CreateConstInBoundsGEP1_64(f_.real, p[1], 1);
      b_.CreateAlignedStore(inverse_ ? zero : re, p[1], llvm::Align(f_.bytes));
      b_.CreateAlignedStore(inverse_ ? re : zero, second, llvm::Align(f_.bytes));
      return OkStatus();
    });
  });
}

// Of FromHalf and ToHalf, whose shared functions have the parameters `p`: from, to, unit,
// length, table, size of the table's halves. Returns x + y and (x - y) * table[k] for
// number k and its partner, both times `scale`.
std::pair<ComplexVector, ComplexVector> FourStepEmitter::CombineHalves(
    llvm::ArrayRef<llvm::Value*> p, llvm::Value* k, double scale) {
  const ComplexVector x = f_.butterfly.Scale(f_.LoadPairs(NumberAt(p[0], k)), scale);
  const ComplexVector y =
      f_.butterfly.Scale(LoadReversedConjugate(p[0], b_.CreateNSWSub(p[3], k)), scale);
  return {f_.butterfly.Add(x, y),
          f_.butterfly.Multiply(f_.butterfly.Sub(x, y), LoadPlanar(p[4], p[5], k))};
}

// See FftRows::FromHalf.
Status FourStepEmitter::FromHalf(llvm::Value* from, llvm::Value* row, llvm::Value* unit) {
  int64_t length = fft_.length;
  llvm::Value* source =
      OffsetPointer(b_, from, MulI(b_, row, length + 1), f_.number_bytes());
  IrValues arguments{source,
                     Numbers(),
                     unit,
                     b_.getInt64(length),
                     HalfTable({0, 1}, /*conjugate=*/true),
                     b_.getInt64(ChirpSize())};
  return f_.CallShared("from_half" + Swapped(), arguments, [&](IrValues& p) {
    TENON_RETURN_IF_ERROR(Pass(p[2], p[3], [&](llvm::Value* k) {
      const auto [sum, rotated] = CombineHalves(p, k, 1);
      f_.StorePairs(NumberAt(p[1], k), SwapIfInverse(f_.butterfly.Add(sum, rotated)));
    }));
    return EmitIfElse(b_, b_.CreateICmpEQ(p[2], b_.getInt64(0)), [&] {
      llvm::Align align(f_.bytes);
      llvm::Value* first = b_.CreateAlignedLoad(f_.real, p[0], align);
      llvm::Value* last = b_.CreateAlignedLoad(f_.real, NumberAt(p[0], p[3]), align);
      llvm::Value* sum = b_.CreateFAdd(first, last);
      llvm::Value* difference = b_.CreateFSub(first, last);
      llvm::Value* second = b_.CreateConstInBoundsGEP1_64(f_.real, p[1], 1);
      b_.CreateAlignedStore(inverse_ ? difference : sum, p[1], align);
      b_.CreateAlignedStore(inverse_ ? sum : difference, second, align);
      return OkStatus();
    });
  });
}

// See FftRows::ToHalf.
Status FourStepEmitter::ToHalf(llvm::Value* to, llvm::Value* row, llvm::Value* unit) {
  int64_t length = fft_.length;
  llvm::Value* target =
      OffsetPointer(b_, to, MulI(b_, row, length + 1), f_.number_bytes());
  IrValues arguments{Numbers(),
                     target,
                     unit,
                     b_.getInt64(length),
                     HalfTable({0, -1}, /*conjugate=*/false),
                     b_.getInt64(ChirpSize())};
  return f_.CallShared("to_half", arguments, [&](IrValues& p) {
    TENON_RETURN_IF_ERROR(Pass(p[2], p[3], [&](llvm::Value* k) {
      const auto [sum, rotated] = CombineHalves(p, k, 0.5);
      f_.StorePairs(NumberAt(p[1], k), f_.butterfly.Add(sum, rotated));
    }));
    return EmitIfElse(b_, b_.CreateICmpEQ(p[2], b_.getInt64(0)), [&] {
      llvm::Align align(f_.bytes);
      llvm::Value* re = b_.CreateAlignedLoad(f_.real, p[0], align);
      llvm::Value* im = b_.CreateAlignedLoad(
          f_.real, b_.CreateConstInBoundsGEP1_64(f_.real, p[0], 1), align);
      auto store = [&](llvm::Value* k, llvm::Value* value) {
        llvm::Value* to = NumberAt(p[1], k);
        b_.CreateAlignedStore(value, to, align);
        b_.CreateAlignedStore(llvm::Constant::getNullValue(f_.real),
                              b_.CreateConstInBoundsGEP1_64(f_.real, to, 1), align);
      };
      store(b_.getInt64(0), b_.CreateFAdd(re, im));
      store(p[3], b_.CreateFSub(re, im));
      return OkStatus();
    });
  });
}

}  // namespace tenon::codegen
