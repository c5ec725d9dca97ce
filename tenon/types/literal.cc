#include "tenon/types/literal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tenon/types/small_floats.h"

namespace tenon {
namespace {

template <typename T>
T Read(const uint8_t* data, int64_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
std::string Text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  }
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end);
}

template <typename T>
std::string ComplexText(const uint8_t* data, int64_t i) {
  return "(" + Text(Read<T>(data, 2 * i)) + "," + Text(Read<T>(data, 2 * i + 1)) + ")";
}

}  // namespace

Literal::Literal(ElementType type, Dims dims)
    : type_(type), dims_(std::move(dims)), count_(ElementCount(dims_)) {
  if (!Allocate(/*zero=*/true)) std::abort();
}

bool Literal::Allocate(bool zero) {
  const size_t bytes = static_cast<size_t>(byte_size());
  writable_ = true;
  if (bytes == 0) return true;
  constexpr size_t kAlignment = 64;
  void* memory =
      std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) & ~(kAlignment - 1));
  if (!memory) return false;
  if (zero) std::memset(memory, 0, bytes);
  data_ = static_cast<const uint8_t*>(memory);
  owner_ = std::shared_ptr<const void>(memory, std::free);
  return true;
}

StatusOr<Literal> Literal::Create(ElementType type, Dims dims) {
  TENON_ASSIGN_OR_RETURN(int64_t bytes, CountBytes(type, dims));
  Literal literal;
  literal.type_ = type;
  literal.dims_ = std::move(dims);
  literal.count_ = ElementCount(literal.dims_);
  if (!literal.Allocate(/*zero=*/true))
    return ResourceExhausted("no memory for " + ShapeString(type, literal.dims_) + ", " +
                             std::to_string(bytes) + " bytes");
  return literal;
}

Literal Literal::Share(ElementType type, Dims dims, const void* data,
                       std::shared_ptr<const void> owner) {
  Literal literal;
  literal.type_ = type;
  literal.dims_ = std::move(dims);
  literal.count_ = ElementCount(literal.dims_);
  literal.data_ = static_cast<const uint8_t*>(data);
  literal.owner_ = std::move(owner);
  return literal;
}

Literal Literal::Copy(ElementType type, Dims dims, const void* data) {
  Literal literal;
  literal.type_ = type;
  literal.dims_ = std::move(dims);
  literal.count_ = ElementCount(literal.dims_);
  if (!literal.Allocate(/*zero=*/false)) std::abort();
  if (literal.count_)
    std::memcpy(const_cast<uint8_t*>(literal.data_), data,
                static_cast<size_t>(literal.byte_size()));
  return literal;
}

uint8_t* Literal::mutable_data() {
  if (!writable_ || owner_.use_count() > 1) *this = Copy(type_, dims_, data_);
  return const_cast<uint8_t*>(data_);
}

Literal Literal::Reshaped(Dims dims) const& {
  Literal copy = *this;
  return std::move(copy).Reshaped(std::move(dims));
}

Literal Literal::Reshaped(Dims dims) && {
  assert(ElementCount(dims) == count_);
  dims_ = std::move(dims);
  return std::move(*this);
}

Literal Literal::Retyped(ElementType type) const {
  assert(ElementBytes(type) == ElementBytes(type_));
  Literal copy = *this;
  copy.type_ = type;
  return copy;
}

double Literal::ValueAsDouble(int64_t i) const {
  switch (type_) {
    case ElementType::kF32:
    case ElementType::kC64:
      return Read<float>(data_, type_ == ElementType::kF32 ? i : 2 * i);
    case ElementType::kF64:
    case ElementType::kC128:
      return Read<double>(data_, type_ == ElementType::kF64 ? i : 2 * i);
    case ElementType::kU64:
      return static_cast<double>(Read<uint64_t>(data_, i));
    default:
      break;
  }
  const FloatFormat format = SmallFloatFormat(type_);
  if (format.bits == 0) return static_cast<double>(ValueAsInt(i));
  return DecodeSmallFloat(format,
                          format.bits == 16 ? Read<uint16_t>(data_, i) : data_[i]);
}

int64_t Literal::ValueAsInt(int64_t i) const {
  switch (type_) {
    case ElementType::kPred:
      return data_[i] != 0;
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8:
      return Read<int8_t>(data_, i);
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8:
      return data_[i];
    case ElementType::kS16:
      return Read<int16_t>(data_, i);
    case ElementType::kU16:
      return Read<uint16_t>(data_, i);
    case ElementType::kS32:
      return Read<int32_t>(data_, i);
    case ElementType::kU32:
      return Read<uint32_t>(data_, i);
    case ElementType::kS64:
    case ElementType::kU64:
      return Read<int64_t>(data_, i);
    default:
      assert(false && "not an integer literal");
      return 0;
  }
}

std::string Literal::ValueAsText(int64_t i) const {
  switch (type_) {
    case ElementType::kPred:
      return data_[i] ? "true" : "false";
    case ElementType::kF32:
      return Text(Read<float>(data_, i));
    case ElementType::kF64:
      return Text(Read<double>(data_, i));
    case ElementType::kC64:
      return ComplexText<float>(data_, i);
    case ElementType::kC128:
      return ComplexText<double>(data_, i);
    case ElementType::kU64:
      return Text(Read<uint64_t>(data_, i));
    case ElementType::kToken:
    case ElementType::kInvalid:
      return std::string(ElementTypeName(type_));
    default:
      break;
  }
  if (IsSmallFloat(type_)) return Text(static_cast<float>(ValueAsDouble(i)));
  return Text(ValueAsInt(i));
}

std::string Literal::ToString(int64_t limit) const {
  std::string text = ShapeString(type_, dims_) + " {";
  for (int64_t i = 0; i < count_ && i < limit; ++i) {
    if (i) text += ", ";
    text += ValueAsText(i);
  }
  if (count_ > limit) text += ", ...";
  return text + "}";
}

}  // namespace tenon
