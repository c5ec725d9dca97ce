#include "tenon/reference/random_bits.h"

#include <bit>

namespace tenon::reference {

std::array<uint32_t, 2> ThreeFry2x32(std::array<uint32_t, 2> counter,
                                     std::array<uint32_t, 2> key) {
  constexpr uint32_t kParity = 0x1bd11bda;
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t schedule[3] = {key[0], key[1], kParity ^ key[0] ^ key[1]};
  uint32_t x = counter[0] + schedule[0], y = counter[1] + schedule[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x += y;
      y = std::rotl(y, rotation) ^ x;
    }
    x += schedule[(group + 1) % 3];
    y += schedule[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter,
                                   std::array<uint32_t, 2> key) {
  constexpr uint64_t kMultipliers[2] = {0xd2511f53, 0xcd9e8d57};
  constexpr uint32_t kWeyl[2] = {0x9e3779b9, 0xbb67ae85};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = kMultipliers[0] * counter[0];
    const uint64_t second = kMultipliers[1] * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(first)};
    key[0] += kWeyl[0];
    key[1] += kWeyl[1];
  }
  return counter;
}

}  // namespace tenon::reference
