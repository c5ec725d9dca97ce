// The part of zlib that Tenon uses, for processors without a zlib in the system.
#ifndef TENON_TESTS_IMAGES_ZLIB_ZLIB_H_
#define TENON_TESTS_IMAGES_ZLIB_ZLIB_H_

#include <stddef.h>

inline unsigned long crc32_z(unsigned long crc, const unsigned char* bytes, size_t size) {
  constexpr unsigned kPolynomial = 0xedb88320;
  auto sum = ~static_cast<unsigned>(crc);
  for (size_t i = 0; i < size; ++i) {
    sum ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? kPolynomial : 0);
  }
  return ~sum;
}

#endif  // TENON_TESTS_IMAGES_ZLIB_ZLIB_H_
