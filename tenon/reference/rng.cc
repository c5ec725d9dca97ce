// rng_bit_generator and rng.
#include <cmath>
#include <cstring>
#include <numbers>

#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/reference/accumulate.h"
#include "tenon/reference/evaluator.h"
#include "tenon/reference/random_bits.h"
#include "tenon/types/small_floats.h"

namespace tenon::reference {
namespace {

std::array<uint32_t, 2> Halves(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

uint64_t Joined(uint32_t low, uint32_t high) {
  return low | static_cast<uint64_t>(high) << 32;
}

// Stores the low bits of `bits` as element `i`.
void StoreBits(Literal& result, int64_t i, uint64_t bits) {
  const int width = ElementBits(result.type());
  if (width < 8) {
    // Types below 8 bits take a byte, signed ones sign-extended.
    bits &= (1u << width) - 1;
    const uint64_t sign = uint64_t{1} << (width - 1);
    const bool is_signed =
        result.type() == ElementType::kS2 || result.type() == ElementType::kS4;
    if (is_signed) bits = (bits ^ sign) - sign;
  }
  const int64_t bytes = ElementBytes(result.type());
  std::memcpy(result.mutable_data() + i * bytes, &bits, bytes);
}

// A block gives one 64-bit word or two 32-bit words. The two become neighbours along the
// first even dimension, or else along the largest one, rounded up to an even size.
uint64_t FillThreeFry(uint64_t key, uint64_t counter, Literal& result) {
  const int bits = ElementBits(result.type());
  const Dims& dims = result.dims();
  if (bits == 64) {
    for (int64_t i = 0; i < result.count(); ++i) {
      const auto words = ThreeFry2x32(Halves(counter + i), Halves(key));
      StoreBits(result, i, Joined(words[0], words[1]));
    }
    return counter + result.count();
  }
  if (dims.empty()) {
    StoreBits(result, 0, ThreeFry2x32(Halves(counter), Halves(key))[0]);
    return counter + 1;
  }
  size_t split = 0;
  while (split < dims.size() && dims[split] % 2 != 0) ++split;
  if (split == dims.size()) {
    split = 0;
    for (size_t d = 1; d < dims.size(); ++d)
      if (dims[d] > dims[split]) split = d;
  }
  Dims half = dims;
  half[split] = (dims[split] + 1) / 2;
  const Dims strides = RowMajorStrides(dims);
  Dims index(dims.size(), 0);
  const int64_t blocks = ElementCount(half);
  for (int64_t block = 0; block < blocks; ++block, NextIndex(half, index)) {
    const auto words = ThreeFry2x32(Halves(counter + block), Halves(key));
    int64_t element = 0;
    for (size_t d = 0; d < dims.size(); ++d)
      element += (d == split ? 2 * index[d] : index[d]) * strides[d];
    StoreBits(result, element, words[0]);
    if (2 * index[split] + 1 < dims[split])
      StoreBits(result, element + strides[split], words[1]);
  }
  return counter + blocks;
}

// A block gives four 32-bit or two 64-bit words, in order. Returns the next 128-bit
// counter.
std::array<uint64_t, 2> FillPhilox(uint64_t key, std::array<uint64_t, 2> counter,
                                   Literal& result) {
  const int bits = ElementBits(result.type());
  const int64_t per_block = bits == 64 ? 2 : 4;
  for (int64_t i = 0; i < result.count(); i += per_block) {
    const auto low = Halves(counter[0]), high = Halves(counter[1]);
    const auto words = Philox4x32({low[0], low[1], high[0], high[1]}, Halves(key));
    for (int64_t k = 0; k < per_block && i + k < result.count(); ++k)
      StoreBits(result, i + k,
                bits == 64 ? Joined(words[2 * k], words[2 * k + 1]) : words[k]);
    if (++counter[0] == 0) ++counter[1];
  }
  return counter;
}

}  // namespace

// The default algorithm is Philox, as in XLA's built-in CPU backend. The state is a key
// and a counter. ThreeFry's counter is one 64-bit word, Philox's two. If a Philox state
// has only one, it is the low word, and the key is also the high word.
Status EvalRngBitGenerator(OpContext& context) {
  auto op = llvm::cast<stablehlo::RngBitGeneratorOp>(context.op);
  const Literal& initial = context.operands[0];
  if (ElementBytes(initial.type()) == 4) {
    if (initial.count() < 4)
      return InvalidArgument("state of " + std::to_string(initial.count()) +
                             " 32-bit words is too small");
  } else if (initial.type() != ElementType::kU64 || initial.count() < 2) {
    return Unimplemented("state of type " + ShapeString(initial.type(), initial.dims()));
  }
  std::vector<uint64_t> state(initial.byte_size() / 8);
  std::memcpy(state.data(), initial.data(), state.size() * 8);
  TENON_ASSIGN_OR_RETURN(Literal output, context.NewResult(1));
  if (ElementBits(output.type()) == 128 || output.type() == ElementType::kC64)
    return Unimplemented("random bits of type " +
                         std::string(ElementTypeName(output.type())));
  if (output.count()) {
    if (op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY) {
      state[1] = FillThreeFry(state[0], state[1], output);
    } else if (state.size() >= 3) {
      const auto counter = FillPhilox(state[0], {state[1], state[2]}, output);
      state[1] = counter[0];
      state[2] = counter[1];
    } else {
      state[1] = FillPhilox(state[0], {state[1], state[0]}, output)[0];
    }
  }
  context.results.push_back(Literal::Copy(initial.type(), initial.dims(), state.data()));
  context.results.push_back(std::move(output));
  return OkStatus();
}

// Every call of an op gives the same values, because this generator has no state.
Status EvalRng(OpContext& context) {
  auto op = llvm::cast<stablehlo::RngOp>(context.op);
  TENON_ASSIGN_OR_RETURN(Literal result, context.NewResult());
  if (AccumulationOf(result.type()) == Accumulation::kComplex)
    return Unimplemented("on " + std::string(ElementTypeName(result.type())));
  const double a = context.operands[0].ValueAsDouble(0);
  const double b = context.operands[1].ValueAsDouble(0);
  const bool normal = op.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
  const bool real = AccumulationOf(result.type()) == Accumulation::kReal;
  // Uses no more bits than the type has, because rounding would reach the upper bound.
  const FloatFormat format = SmallFloatFormat(result.type());
  const int mantissa_bits = result.type() == ElementType::kF32 ? 23
                            : real && format.bits > 0          ? format.mantissa_bits
                                                               : 32;
  std::vector<double> values(result.count());
  for (int64_t i = 0; i < result.count(); ++i) {
    const auto words = Philox4x32(
        {static_cast<uint32_t>(i), static_cast<uint32_t>(i >> 32), 0, 0}, {0, 0});
    // Multiples of 2^-32 in [0, 1).
    const double u = words[0] * 0x1p-32, v = words[1] * 0x1p-32;
    if (normal)
      values[i] =
          a + b * std::sqrt(-2 * std::log1p(-u)) * std::cos(2 * std::numbers::pi * v);
    else
      values[i] = real ? a + std::ldexp(uint64_t{words[0]} >> (32 - mantissa_bits),
                                        -mantissa_bits) *
                                 (b - a)
                       : a + std::floor(u * (b - a));
  }
  if (result.count())
    FromAccumulator(result.type(), values.data(), result.mutable_data(), result.count(),
                    context.flush_denormals());
  context.results.push_back(std::move(result));
  return OkStatus();
}

}  // namespace tenon::reference
