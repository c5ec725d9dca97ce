#include "tenon/reference/compute.h"

#include <bit>
#include <cassert>
#include <complex>
#include <cstring>

#include "tenon/types/small_floats.h"

namespace tenon::reference {
namespace {

template <typename From, typename To>
void Cast(const void* from, void* to, int64_t count) {
  const auto* in = static_cast<const From*>(from);
  auto* out = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<To>(in[i]);
}

// Stores the low `bits` of each value, sign-extended.
template <typename To>
void StoreSigned(const void* from, void* to, int64_t count, int bits) {
  const auto* in = static_cast<const int64_t*>(from);
  auto* out = static_cast<To*>(to);
  const int shift = 64 - bits;
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<To>(
        static_cast<int64_t>(static_cast<uint64_t>(in[i]) << shift) >> shift);
}

template <typename To>
void StoreUnsigned(const void* from, void* to, int64_t count, int bits) {
  const auto* in = static_cast<const uint64_t*>(from);
  auto* out = static_cast<To*>(to);
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<To>(in[i] & mask);
}

template <typename Bits>
bool AnyDenormal(const void* compute, int64_t count, Bits mantissa, Bits exponent) {
  const auto* in = static_cast<const Bits*>(compute);
  bool any = false;
  for (int64_t i = 0; i < count; ++i)
    any |= (in[i] & exponent) == 0 && (in[i] & mantissa) != 0;
  return any;
}

template <typename Bits>
void Flush(void* compute, int64_t count, Bits mantissa, Bits exponent) {
  auto* values = static_cast<Bits*>(compute);
  for (int64_t i = 0; i < count; ++i)
    if ((values[i] & exponent) == 0) values[i] &= ~mantissa;
}

constexpr uint32_t kMantissa32 = 0x007fffff, kExponent32 = 0x7f800000;
constexpr uint64_t kMantissa64 = 0x000fffffffffffff, kExponent64 = 0x7ff0000000000000;

}  // namespace

ComputeKind ComputeKindOf(ElementType type) {
  switch (type) {
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8:
    case ElementType::kS16:
    case ElementType::kS32:
    case ElementType::kS64:
      return ComputeKind::kSigned;
    case ElementType::kPred:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8:
    case ElementType::kU16:
    case ElementType::kU32:
    case ElementType::kU64:
      return ComputeKind::kUnsigned;
    case ElementType::kF64:
      return ComputeKind::kF64;
    case ElementType::kC64:
      return ComputeKind::kC64;
    case ElementType::kC128:
      return ComputeKind::kC128;
    default:
      return ComputeKind::kF32;
  }
}

int64_t ComputeBytes(ComputeKind kind) {
  switch (kind) {
    case ComputeKind::kF32:
      return 4;
    case ComputeKind::kSigned:
    case ComputeKind::kUnsigned:
    case ComputeKind::kF64:
    case ComputeKind::kC64:
      return 8;
    case ComputeKind::kC128:
      return 16;
  }
  return 0;
}

bool IsStoredAsComputed(ElementType type) {
  switch (type) {
    case ElementType::kS64:
    case ElementType::kU64:
    case ElementType::kF32:
    case ElementType::kF64:
    case ElementType::kC64:
    case ElementType::kC128:
      return true;
    default:
      return false;
  }
}

void LoadElements(ElementType type, const void* storage, void* compute, int64_t count) {
  switch (type) {
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8:
      return Cast<int8_t, int64_t>(storage, compute, count);
    case ElementType::kS16:
      return Cast<int16_t, int64_t>(storage, compute, count);
    case ElementType::kS32:
      return Cast<int32_t, int64_t>(storage, compute, count);
    case ElementType::kPred:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8:
      return Cast<uint8_t, uint64_t>(storage, compute, count);
    case ElementType::kU16:
      return Cast<uint16_t, uint64_t>(storage, compute, count);
    case ElementType::kU32:
      return Cast<uint32_t, uint64_t>(storage, compute, count);
    default:
      break;
  }
  if (IsStoredAsComputed(type)) {
    if (count) std::memcpy(compute, storage, count * ElementBytes(type));
    return;
  }
  assert(IsSmallFloat(type));
  DecodeSmallFloats(type, storage, static_cast<float*>(compute), count);
}

void StoreElements(ElementType type, const void* compute, void* storage, int64_t count) {
  const int bits = ElementBits(type);
  switch (type) {
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8:
      return StoreSigned<int8_t>(compute, storage, count, bits);
    case ElementType::kS16:
      return StoreSigned<int16_t>(compute, storage, count, bits);
    case ElementType::kS32:
      return StoreSigned<int32_t>(compute, storage, count, bits);
    case ElementType::kPred:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8:
      return StoreUnsigned<uint8_t>(compute, storage, count, bits);
    case ElementType::kU16:
      return StoreUnsigned<uint16_t>(compute, storage, count, bits);
    case ElementType::kU32:
      return StoreUnsigned<uint32_t>(compute, storage, count, bits);
    default:
      break;
  }
  if (IsStoredAsComputed(type)) {
    if (count) std::memcpy(storage, compute, count * ElementBytes(type));
    return;
  }
  assert(IsSmallFloat(type));
  EncodeSmallFloats(type, static_cast<const float*>(compute), storage, count);
}

void WrapElements(ElementType type, void* compute, int64_t count) {
  if (IsStoredAsComputed(type)) return;
  const int bits = ElementBits(type);
  switch (ComputeKindOf(type)) {
    case ComputeKind::kSigned:
      return StoreSigned<int64_t>(compute, compute, count, bits);
    case ComputeKind::kUnsigned:
      return StoreUnsigned<uint64_t>(compute, compute, count, bits);
    default:
      return RoundToSmallFloats(type, static_cast<float*>(compute), count);
  }
}

bool HasDenormals(ComputeKind kind, const void* compute, int64_t count) {
  switch (kind) {
    case ComputeKind::kF32:
      return AnyDenormal<uint32_t>(compute, count, kMantissa32, kExponent32);
    case ComputeKind::kC64:
      return AnyDenormal<uint32_t>(compute, 2 * count, kMantissa32, kExponent32);
    case ComputeKind::kF64:
      return AnyDenormal<uint64_t>(compute, count, kMantissa64, kExponent64);
    case ComputeKind::kC128:
      return AnyDenormal<uint64_t>(compute, 2 * count, kMantissa64, kExponent64);
    default:
      return false;
  }
}

void FlushDenormals(ComputeKind kind, void* compute, int64_t count) {
  switch (kind) {
    case ComputeKind::kF32:
      return Flush<uint32_t>(compute, count, kMantissa32, kExponent32);
    case ComputeKind::kC64:
      return Flush<uint32_t>(compute, 2 * count, kMantissa32, kExponent32);
    case ComputeKind::kF64:
      return Flush<uint64_t>(compute, count, kMantissa64, kExponent64);
    case ComputeKind::kC128:
      return Flush<uint64_t>(compute, 2 * count, kMantissa64, kExponent64);
    default:
      return;
  }
}

ComputeArray::ComputeArray(const Literal& literal) : literal_(literal) {
  if (IsStoredAsComputed(literal.type())) {
    data_ = literal_.data();
    return;
  }
  const int64_t bytes = literal.count() * ComputeBytes(literal.type());
  converted_ = std::unique_ptr<uint8_t[]>(new uint8_t[bytes + 1]);
  LoadElements(literal.type(), literal.data(), converted_.get(), literal.count());
  data_ = converted_.get();
}

}  // namespace tenon::reference
