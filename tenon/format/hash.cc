#include "tenon/format/hash.h"

#include <cstring>

namespace tenon::format {
namespace {

constexpr uint64_t kPrime1 = 0x9e3779b185ebca87, kPrime2 = 0xc2b2ae3d27d4eb4f,
                   kPrime3 = 0x165667b19e3779f9, kPrime4 = 0x85ebca77c2b2ae63,
                   kPrime5 = 0x27d4eb2f165667c5;

uint64_t Rotate(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

uint64_t Round(uint64_t lane, uint64_t input) {
  return Rotate(lane + input * kPrime2, 31) * kPrime1;
}

template <typename T>
uint64_t Load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

void Hasher::Add(const void* bytes, uint64_t size) {
  const auto* at = static_cast<const uint8_t*>(bytes);
  const auto stripe = [this](const uint8_t* from) {
    for (int i = 0; i < 4; ++i)
      lanes_[i] = Round(lanes_[i], Load<uint64_t>(from + 8 * i));
  };
  const uint64_t pending = total_ % 32;
  total_ += size;
  if (pending != 0) {
    const uint64_t taken = size < 32 - pending ? size : 32 - pending;
    std::memcpy(pending_ + pending, at, taken);
    at += taken;
    size -= taken;
    if (pending + taken < 32) return;
    stripe(pending_);
  }
  for (; size >= 32; at += 32, size -= 32) stripe(at);
  if (size != 0) std::memcpy(pending_, at, size);
}

uint64_t Hasher::Finish() const {
  uint64_t hash = kPrime5;
  if (total_ >= 32) {
    hash = Rotate(lanes_[0], 1) + Rotate(lanes_[1], 7) + Rotate(lanes_[2], 12) +
           Rotate(lanes_[3], 18);
    for (uint64_t lane : lanes_) hash = (hash ^ Round(0, lane)) * kPrime1 + kPrime4;
  }
  hash += total_;
  const uint8_t* at = pending_;
  uint64_t left = total_ % 32;
  for (; left >= 8; at += 8, left -= 8)
    hash = Rotate(hash ^ Round(0, Load<uint64_t>(at)), 27) * kPrime1 + kPrime4;
  if (left >= 4) {
    hash = Rotate(hash ^ Load<uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    at += 4;
    left -= 4;
  }
  for (; left > 0; ++at, --left) hash = Rotate(hash ^ *at * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace tenon::format
