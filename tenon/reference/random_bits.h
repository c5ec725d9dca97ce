// The counter-based generators of rng_bit_generator: ThreeFry-2x32 with 20 rounds and
// Philox-4x32 with 10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3").
// Pure functions.
#ifndef TENON_REFERENCE_RANDOM_BITS_H_
#define TENON_REFERENCE_RANDOM_BITS_H_

#include <array>
#include <cstdint>

namespace tenon::reference {

std::array<uint32_t, 2> ThreeFry2x32(std::array<uint32_t, 2> counter,
                                     std::array<uint32_t, 2> key);
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter,
                                   std::array<uint32_t, 2> key);

}  // namespace tenon::reference

#endif  // TENON_REFERENCE_RANDOM_BITS_H_
