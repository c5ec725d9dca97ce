#include "tenon/types/random_literal.h"

#include "tenon/types/small_floats.h"

namespace tenon {
namespace {

// SplitMix64: a full-period counter generator, defined by these constants.
class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Uniform in [-1, 1), a multiple of 2^-23 and so exact in f32.
  double NextUniform() { return static_cast<double>(Next() >> 40) * 0x1p-23 - 1.0; }

 private:
  uint64_t state_;
};

template <typename T>
void FillFloats(Literal& literal, int64_t parts, Generator& generator) {
  auto* out = reinterpret_cast<T*>(literal.mutable_data());
  for (int64_t i = 0; i < literal.count() * parts; ++i)
    out[i] = static_cast<T>(generator.NextUniform());
}

template <typename T>
void FillInts(Literal& literal, uint64_t span, int64_t low, Generator& generator) {
  for (T& value : literal.mutable_values<T>())
    value = static_cast<T>(static_cast<int64_t>(generator.Next() % span) + low);
}

}  // namespace

Literal RandomLiteral(ElementType type, Dims dims, uint64_t seed) {
  Literal literal(type, std::move(dims));
  Generator generator(seed);
  switch (type) {
    case ElementType::kPred:
      FillInts<uint8_t>(literal, 2, 0, generator);
      break;
    case ElementType::kS2:
      FillInts<int8_t>(literal, 4, -2, generator);
      break;
    case ElementType::kU2:
      FillInts<uint8_t>(literal, 4, 0, generator);
      break;
    case ElementType::kS4:
    case ElementType::kS8:
      FillInts<int8_t>(literal, 16, -8, generator);
      break;
    case ElementType::kU4:
    case ElementType::kU8:
      FillInts<uint8_t>(literal, 16, 0, generator);
      break;
    case ElementType::kS16:
      FillInts<int16_t>(literal, 16, -8, generator);
      break;
    case ElementType::kU16:
      FillInts<uint16_t>(literal, 16, 0, generator);
      break;
    case ElementType::kS32:
      FillInts<int32_t>(literal, 16, -8, generator);
      break;
    case ElementType::kU32:
      FillInts<uint32_t>(literal, 16, 0, generator);
      break;
    case ElementType::kS64:
      FillInts<int64_t>(literal, 16, -8, generator);
      break;
    case ElementType::kU64:
      FillInts<uint64_t>(literal, 16, 0, generator);
      break;
    case ElementType::kF32:
      FillFloats<float>(literal, 1, generator);
      break;
    case ElementType::kF64:
      FillFloats<double>(literal, 1, generator);
      break;
    case ElementType::kC64:
      FillFloats<float>(literal, 2, generator);
      break;
    case ElementType::kC128:
      FillFloats<double>(literal, 2, generator);
      break;
    case ElementType::kToken:
    case ElementType::kInvalid:
      break;
    default: {
      const int64_t bytes = ElementBytes(type);
      uint8_t* out = literal.mutable_data();
      for (int64_t i = 0; i < literal.count(); ++i) {
        const double value = generator.NextUniform();
        EncodeSmallFloats(type, &value, out + i * bytes, 1);
      }
    }
  }
  return literal;
}

}  // namespace tenon
