#include "tenon/types/literal_compare.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "tenon/types/small_floats.h"

namespace tenon {
namespace {

bool IsComplex(ElementType type) {
  return type == ElementType::kC64 || type == ElementType::kC128;
}

bool IsFloat(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF64 || IsSmallFloat(type);
}

// The type of the parts of a complex type.
ElementType PartType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

// Real and imaginary parts as an array of twice as many floats.
Literal AsParts(const Literal& literal) {
  if (!IsComplex(literal.type())) return literal;
  Dims dims = literal.dims();
  dims.push_back(2);
  return Literal::Copy(PartType(literal.type()), std::move(dims), literal.data());
}

// The distance between two elements, and whether it exceeds the tolerance.
struct Difference {
  bool mismatch = false;
  double amount = 0;
};
using ElementCompare =
    std::function<Difference(const Literal& a, const Literal& b, int64_t)>;

Status CompareElements(const Literal& actual, const Literal& expected, const char* unit,
                       const ElementCompare& compare) {
  if (actual.type() != expected.type() || actual.dims() != expected.dims())
    return InvalidArgument("compared literals have different types: got " +
                           ShapeString(actual.type(), actual.dims()) + ", expected " +
                           ShapeString(expected.type(), expected.dims()));
  if (actual.byte_size() == 0 ||
      std::memcmp(actual.data(), expected.data(), actual.byte_size()) == 0)
    return OkStatus();
  const Literal a = AsParts(actual), b = AsParts(expected);
  int64_t mismatches = 0, first = -1;
  double largest = 0;
  for (int64_t i = 0; i < a.count(); ++i) {
    const Difference difference = compare(a, b, i);
    if (!difference.mismatch) continue;
    if (mismatches++ == 0) first = i;
    largest = std::max(largest, difference.amount);
  }
  if (mismatches == 0) return OkStatus();
  const int64_t element = IsComplex(actual.type()) ? first / 2 : first;
  std::string report =
      ShapeString(actual.type(), actual.dims()) + ": " + std::to_string(mismatches) +
      " of " + std::to_string(a.count()) + " values differ; first at " +
      DimsString(UnflattenIndex(element, actual.dims())) + ": got " +
      actual.ValueAsText(element) + ", expected " + expected.ValueAsText(element);
  if (unit) report += "; largest difference " + std::to_string(largest) + " " + unit;
  return FailedPrecondition(std::move(report));
}

// Maps floats of one type to integers so that neighbours differ by one.
int64_t Order(ElementType type, double value) {
  uint64_t magnitude, sign;
  if (type == ElementType::kF64) {
    magnitude = std::bit_cast<uint64_t>(value);
    sign = uint64_t{1} << 63;
  } else if (type == ElementType::kF32) {
    magnitude = std::bit_cast<uint32_t>(static_cast<float>(value));
    sign = uint64_t{1} << 31;
  } else {
    const FloatFormat format = SmallFloatFormat(type);
    magnitude = EncodeSmallFloat(format, value);
    sign = format.specials == FloatSpecials::kExponentOnly
               ? uint64_t{1} << 63
               : uint64_t{1} << (format.bits - 1);
  }
  const auto order = static_cast<int64_t>(magnitude & (sign - 1));
  return magnitude & sign ? -order : order;
}

// The distance from 1 to the next greater value.
double Epsilon(ElementType type) {
  if (type == ElementType::kF64) return std::numeric_limits<double>::epsilon();
  if (type == ElementType::kF32) return std::numeric_limits<float>::epsilon();
  return std::ldexp(1.0, -SmallFloatFormat(type).mantissa_bits);
}

}  // namespace

int64_t UlpDistance(ElementType type, double a, double b) {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b)) return kFar;
  if (std::isinf(a) && std::isinf(b)) return a == b ? 0 : kFar;
  int64_t distance;
  if (__builtin_sub_overflow(Order(type, a), Order(type, b), &distance)) return kFar;
  return distance < 0 ? -distance : distance;
}

Status CompareEqual(const Literal& actual, const Literal& expected) {
  return CompareElements(
      actual, expected, nullptr, [](const Literal& a, const Literal& b, int64_t i) {
        const int64_t bytes = ElementBytes(a.type());
        if (std::memcmp(a.data() + i * bytes, b.data() + i * bytes, bytes) == 0)
          return Difference{};
        const bool nans = IsFloat(a.type()) && std::isnan(a.ValueAsDouble(i)) &&
                          std::isnan(b.ValueAsDouble(i));
        return Difference{!nans, 0};
      });
}

Status CompareUlps(const Literal& actual, const Literal& expected, int64_t max_ulps) {
  return CompareElements(
      actual, expected, "ulp", [=](const Literal& a, const Literal& b, int64_t i) {
        if (!IsFloat(a.type()))
          return Difference{a.ValueAsInt(i) != b.ValueAsInt(i),
                            std::fabs(a.ValueAsDouble(i) - b.ValueAsDouble(i))};
        const int64_t distance =
            UlpDistance(a.type(), a.ValueAsDouble(i), b.ValueAsDouble(i));
        return Difference{distance > max_ulps, static_cast<double>(distance)};
      });
}

Status CompareUlpsOrNorm(const Literal& actual, const Literal& expected, int64_t max_ulps,
                         double norm_epsilons) {
  const ElementType part = PartType(expected.type());
  if (!IsFloat(part) || norm_epsilons <= 0)
    return CompareUlps(actual, expected, max_ulps);
  const Literal parts = AsParts(expected);
  double largest = 0;
  for (int64_t i = 0; i < parts.count(); ++i) {
    const double magnitude = std::fabs(parts.ValueAsDouble(i));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  const double bound = norm_epsilons * Epsilon(part) * largest;
  return CompareElements(
      actual, expected, "ulp", [=](const Literal& a, const Literal& b, int64_t i) {
        const double x = a.ValueAsDouble(i), y = b.ValueAsDouble(i);
        const int64_t distance = UlpDistance(a.type(), x, y);
        // Both comparisons are false if only one operand is NaN.
        const bool close = distance <= max_ulps || std::fabs(x - y) <= bound;
        return Difference{!close, static_cast<double>(distance)};
      });
}

Status CompareClose(const Literal& actual, const Literal& expected, double relative,
                    double absolute) {
  return CompareElements(
      actual, expected, "absolute", [=](const Literal& a, const Literal& b, int64_t i) {
        const double x = a.ValueAsDouble(i), y = b.ValueAsDouble(i);
        if (x == y || (std::isnan(x) && std::isnan(y))) return Difference{};
        const double difference = std::fabs(x - y);
        // A NaN or an infinity that the other operand does not have is a mismatch.
        const bool close = std::isfinite(x) && std::isfinite(y) &&
                           difference <= absolute + relative * std::fabs(y);
        return Difference{!close, difference};
      });
}

}  // namespace tenon
