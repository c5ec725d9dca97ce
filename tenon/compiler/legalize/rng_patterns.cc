// Random numbers by counter-based generators (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011), as integer arithmetic on counters, which fuses with other
// ops. States and the order of the numbers are those of XLA's generators, bit for bit.
#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;
using mlir::Value;

// A counter or key as 32-bit words, the lowest first.
using Words2 = std::array<Value, 2>;
using Words4 = std::array<Value, 4>;

class RandomBits {
 public:
  explicit RandomBits(GraphBuilder& g)
      : g_(g),
        u32_(g.builder().getIntegerType(32, /*isSigned=*/false)),
        u64_(g.builder().getIntegerType(64, /*isSigned=*/false)) {}

  mlir::Type u32() const { return u32_; }
  mlir::Type u64() const { return u64_; }

  struct Output {
    Value bits;      // of type `element` and shape `shape`
    Values counter;  // the advanced words of the state after the key; scalars of 64 bits
  };

  // Threefry-2x32 with 20 rounds. `key` and `counter` are scalars of 64 bits; `element`
  // is unsigned.
  Output Threefry(Value key, Value counter, mlir::Type element, Dims shape);
  // Philox-4x32 with 10 rounds and a counter of 128 bits.
  Output Philox(Value key, Value low, Value high, mlir::Type element, Dims shape);

 private:
  Words2 Split(Value wide) {
    Value high =
        g_.Binary<stablehlo::ShiftRightLogicalOp>(wide, g_.IntegerLike(wide, 32));
    return {g_.Convert(wide, u32_), g_.Convert(high, u32_)};
  }
  Value Join(Value low, Value high) {
    Value wide = g_.Convert(high, u64_);
    wide = g_.Binary<stablehlo::ShiftLeftOp>(wide, g_.IntegerLike(wide, 32));
    return g_.Or(g_.Convert(low, u64_), wide);
  }
  Value Plus(Value x, uint64_t number) { return g_.Add(x, g_.IntegerLike(x, number)); }
  Value Broadcast(Value scalar, Dims shape) { return g_.Broadcast(scalar, shape, {}); }
  // counter + [0, 1, 2, ...] in row-major order of `shape`.
  Value Count(Value counter, Dims shape);
  Words2 ThreefryRounds(Words2 x, Words2 key);
  Words4 PhiloxRounds(Words4 x, Words2 key);

  GraphBuilder& g_;
  mlir::Type u32_, u64_;
};

Value RandomBits::Count(Value counter, Dims shape) {
  Value result = Broadcast(counter, shape);
  uint64_t stride = 1;
  for (int64_t d = shape.size(); d-- > 0;) {
    if (shape[d] < 2) continue;
    Value index = g_.Iota(u64_, shape, d);
    if (stride != 1) index = g_.Mul(index, g_.IntegerLike(index, stride));
    result = g_.Add(result, index);
    stride *= shape[d];
  }
  return result;
}

Words2 RandomBits::ThreefryRounds(Words2 x, Words2 key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr uint32_t kParity = 0x1BD11BDA;
  Value parity = g_.Xor(g_.Xor(key[0], key[1]), g_.IntegerLike(key[0], kParity));
  std::array<Value, 3> schedule = {key[0], key[1], parity};
  Dims shape = ShapeOf(x[0]);
  auto scheduled = [&](int number) { return Broadcast(schedule[number % 3], shape); };
  x[0] = g_.Add(x[0], scheduled(0));
  x[1] = g_.Add(x[1], scheduled(1));
  for (int group = 0; group < 5; ++group) {
    for (int distance : kRotations[group % 2]) {
      x[0] = g_.Add(x[0], x[1]);
      Value left =
          g_.Binary<stablehlo::ShiftLeftOp>(x[1], g_.IntegerLike(x[1], distance));
      Value right = g_.Binary<stablehlo::ShiftRightLogicalOp>(
          x[1], g_.IntegerLike(x[1], 32 - distance));
      x[1] = g_.Xor(x[0], g_.Or(left, right));
    }
    x[0] = g_.Add(x[0], scheduled(group + 1));
    x[1] = Plus(g_.Add(x[1], scheduled(group + 2)), group + 1);
  }
  return x;
}

Words4 RandomBits::PhiloxRounds(Words4 x, Words2 key) {
  constexpr uint32_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint32_t kWeyl[2] = {0x9E3779B9, 0xBB67AE85};
  auto multiply = [&](Value word, uint32_t factor) {
    Value wide = g_.Convert(word, u64_);
    return Split(g_.Mul(wide, g_.IntegerLike(wide, factor)));
  };
  for (int round = 0; round < 10; ++round) {
    Words2 first = multiply(x[0], kMultipliers[0]);
    Words2 second = multiply(x[2], kMultipliers[1]);
    auto mixed = [&](Value product, Value word, int which) {
      Value round_key = Plus(key[which], static_cast<uint32_t>(kWeyl[which] * round));
      return g_.Xor(g_.Xor(product, word), Broadcast(round_key, ShapeOf(word)));
    };
    x = {mixed(second[1], x[1], 0), second[0], mixed(first[1], x[3], 1), first[0]};
  }
  return x;
}

RandomBits::Output RandomBits::Threefry(Value key, Value counter, mlir::Type element,
                                        Dims shape) {
  Words2 words = Split(key);
  int64_t width = element.getIntOrFloatBitWidth();
  if (width == 64) {
    int64_t count = mlir::ShapedType::getNumElements(shape);
    Words2 x = ThreefryRounds(Split(Count(counter, shape)), words);
    return {Join(x[0], x[1]), {Plus(counter, count)}};
  }
  // A block gives two words, which become neighbours along one dimension: the first of
  // even size, or else the longest.
  DimList half(shape);
  size_t dim = 0;
  if (half.empty()) half.push_back(1);
  while (dim < half.size() && half[dim] % 2 != 0) ++dim;
  if (dim == half.size()) dim = llvm::max_element(half) - half.begin();
  half[dim] = (half[dim] + 1) / 2;
  half.insert(half.begin() + dim + 1, 1);
  Words2 x = ThreefryRounds(Split(Count(counter, half)), words);
  Value bits;
  if (shape.empty()) {
    bits = g_.Reshape(x[0], {});
  } else {
    bits = g_.Concatenate({x[0], x[1]}, dim + 1);
    DimList whole(shape);
    whole[dim] = half[dim] * 2;
    bits = g_.SliceDim(g_.Reshape(bits, whole), dim, 0, shape[dim]);
  }
  return {g_.Convert(bits, element),
          {Plus(counter, mlir::ShapedType::getNumElements(half))}};
}

RandomBits::Output RandomBits::Philox(Value key, Value low, Value high,
                                      mlir::Type element, Dims shape) {
  bool wide = element.getIntOrFloatBitWidth() == 64;
  int64_t count = mlir::ShapedType::getNumElements(shape);
  int64_t per_block = wide ? 2 : 4;
  int64_t blocks = (count + per_block - 1) / per_block;
  auto carry = [&](Value sum, Value before, Value above) {
    Value overflow = g_.Compare(sum, before, stablehlo::ComparisonDirection::LT);
    return g_.Select(overflow, Plus(above, 1), above);
  };
  Value counts = g_.Add(Broadcast(low, {blocks}), g_.Iota(u64_, {blocks}, 0));
  Words2 lows = Split(counts);
  Words2 highs =
      Split(carry(counts, Broadcast(low, {blocks}), Broadcast(high, {blocks})));
  Words4 x = PhiloxRounds({lows[0], lows[1], highs[0], highs[1]}, Split(key));
  Values numbers;
  if (wide)
    numbers = {Join(x[0], x[1]), Join(x[2], x[3])};
  else
    numbers = {x[0], x[1], x[2], x[3]};
  for (Value& number : numbers) number = g_.Reshape(number, {1, blocks});
  Value bits = g_.Transpose(g_.Concatenate(numbers, 0), {1, 0});
  bits = g_.SliceDim(g_.Reshape(bits, {blocks * per_block}), 0, 0, count);
  Value next = Plus(low, blocks);
  return {g_.Convert(g_.Reshape(bits, shape), element), {next, carry(next, low, high)}};
}

// Returns the state as scalars of 64 bits.
Values StateWords(GraphBuilder& g, const RandomBits& random, Value state) {
  if (ElementOf(state).getIntOrFloatBitWidth() == 32) {  // pairs of halves, low first
    state = g.Bitcast(state, random.u32());
    Values words;
    for (int64_t i = 0; i + 1 < ShapeOf(state)[0]; i += 2) {
      auto half = [&](int64_t index) {
        return g.Convert(g.Reshape(g.SliceDim(state, 0, index, index + 1), {}),
                         random.u64());
      };
      Value high = half(i + 1);
      high = g.Binary<stablehlo::ShiftLeftOp>(high, g.IntegerLike(high, 32));
      words.push_back(g.Or(half(i), high));
    }
    return words;
  }
  state = g.Bitcast(state, random.u64());
  Values words;
  for (int64_t i = 0; i < ShapeOf(state)[0]; ++i)
    words.push_back(g.Reshape(g.SliceDim(state, 0, i, i + 1), {}));
  return words;
}

Value StateOf(GraphBuilder& g, const RandomBits& random, llvm::ArrayRef<Value> words,
              mlir::RankedTensorType type) {
  Values parts;
  bool halves = type.getElementTypeBitWidth() == 32;
  for (Value word : words) {
    if (halves) {
      Value high =
          g.Binary<stablehlo::ShiftRightLogicalOp>(word, g.IntegerLike(word, 32));
      parts.push_back(g.Reshape(g.Convert(word, random.u32()), {1}));
      parts.push_back(g.Reshape(g.Convert(high, random.u32()), {1}));
    } else {
      parts.push_back(g.Reshape(word, {1}));
    }
  }
  return g.Bitcast(g.Concatenate(parts, 0), type.getElementType());
}

LogicalResult RewriteBitGenerator(stablehlo::RngBitGeneratorOp op,
                                  PatternRewriter& rewriter) {
  GraphBuilder g(rewriter, op.getLoc());
  RandomBits random(g);
  auto state_type = TypeOf(op.getInitialState());
  auto type = TypeOf(op.getOutput());
  int state_width = state_type.getElementTypeBitWidth();
  if (state_type.getRank() != 1 || (state_width != 32 && state_width != 64))
    return mlir::failure();
  Values words = StateWords(g, random, op.getInitialState());
  if (words.size() < 2 || words.size() > 3) return mlir::failure();
  unsigned width = type.getElementTypeBitWidth();
  mlir::Type bits_type = rewriter.getIntegerType(width, /*isSigned=*/false);
  RandomBits::Output output;
  if (op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY) {
    if (words.size() != 2) return mlir::failure();
    output = random.Threefry(words[0], words[1], bits_type, type.getShape());
  } else {
    // A state of two words has no room for the counter's high half; the key takes its
    // place.
    Value high = words.size() == 3 ? words[2] : words[0];
    output = random.Philox(words[0], words[1], high, bits_type, type.getShape());
    if (words.size() == 2) output.counter.pop_back();
  }
  Values next = {words[0]};
  llvm::append_range(next, output.counter);
  rewriter.replaceOp(op, {StateOf(g, random, next, state_type),
                          g.Bitcast(output.bits, type.getElementType())});
  return mlir::success();
}

// Replaces stablehlo.rng, which is defined by a generator state that the device keeps.
// Here the numbers are Philox's, with a key derived from the op's place in the program.
// So every run of a program, and every iteration of a loop, draws the same numbers.
// Programs that need others pass a state through rng_bit_generator.
struct RewriteRng : mlir::OpRewritePattern<stablehlo::RngOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::RngOp op,
                                PatternRewriter& rewriter) const override {
    auto type = TypeOf(op.getResult());
    mlir::Type element = type.getElementType();
    GraphBuilder g(rewriter, op.getLoc());
    RandomBits random(g);
    Value key = g.Integer(random.u64(), {}, 0x5EED5EED00000000u + next_key_);
    bool normal = op.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
    bool is_float = llvm::isa<mlir::FloatType>(element);
    if (normal && !is_float) return mlir::failure();
    ++next_key_;
    auto broadcast = [&](Value scalar, mlir::Type as) {
      return g.Broadcast(g.Convert(scalar, as), type.getShape(), {});
    };
    auto draw = [&](uint64_t stream, mlir::Type bits_type) {
      return random
          .Philox(key, g.Integer(random.u64(), {}, 0),
                  g.Integer(random.u64(), {}, stream), bits_type, type.getShape())
          .bits;
    };
    if (!is_float) {
      // a + bits mod (b - a), in 64 bits.
      mlir::Type wide = rewriter.getIntegerType(64);
      Value from = broadcast(op.getA(), wide), to = broadcast(op.getB(), wide);
      Value range = g.Bitcast(g.Sub(to, from), random.u64());
      Value offset = g.Binary<stablehlo::RemOp>(draw(0, random.u64()), range);
      rewriter.replaceOp(op, g.Convert(g.Add(from, g.Bitcast(offset, wide)), element));
      return mlir::success();
    }
    // Uniform numbers in [0, 1) with as many bits as the result's type has, so that
    // rounding never reaches the upper bound.
    mlir::Type real = element.isF64() ? element : mlir::Type(rewriter.getF32Type());
    unsigned width = real.getIntOrFloatBitWidth();
    mlir::Type bits_type = rewriter.getIntegerType(width, /*isSigned=*/false);
    int mantissa =
        static_cast<int>(llvm::APFloat::semanticsPrecision(
            llvm::cast<mlir::FloatType>(normal ? real : element).getFloatSemantics())) -
        1;
    auto uniform = [&](uint64_t stream) {
      Value bits = draw(stream, bits_type);
      Value shift = g.IntegerLike(bits, width - mantissa);
      bits = g.Binary<stablehlo::ShiftRightLogicalOp>(bits, shift);
      Value number = g.Convert(bits, real);
      return g.Mul(number, g.Like(number, std::ldexp(1.0, -mantissa)));
    };
    Value a = broadcast(op.getA(), real), b = broadcast(op.getB(), real);
    Value number;
    if (normal) {  // Box-Muller: mean a, standard deviation b
      Value u = uniform(0);
      u = g.Sub(g.Like(u, 1), u);  // in (0, 1]
      Value angle = uniform(1);
      angle = g.Mul(angle, g.Like(angle, 2 * M_PI));
      Value radius =
          g.Unary<stablehlo::SqrtOp>(g.Mul(g.Unary<stablehlo::LogOp>(u), g.Like(u, -2)));
      number = g.Add(a, g.Mul(b, g.Mul(radius, g.Unary<stablehlo::CosineOp>(angle))));
    } else {
      number = g.Add(a, g.Mul(uniform(0), g.Sub(b, a)));
    }
    rewriter.replaceOp(op, g.Convert(number, element));
    return mlir::success();
  }

  mutable uint64_t next_key_ = 0;
};

}  // namespace

void PopulateRngPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add(RewriteBitGenerator);
  patterns.add<RewriteRng>(patterns.getContext());
}

}  // namespace tenon::compiler
