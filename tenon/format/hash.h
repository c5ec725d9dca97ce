// XXH64 with seed 0 (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md): the
// checksum of .tenon files. It finds damage, not forgery. A pure function.
#ifndef TENON_FORMAT_HASH_H_
#define TENON_FORMAT_HASH_H_

#include <cstddef>
#include <cstdint>

namespace tenon::format {

// Hashes bytes that arrive in pieces.
class Hasher {
 public:
  void Add(const void* bytes, uint64_t size);
  uint64_t Finish() const;

 private:
  static constexpr uint64_t kPrime1 = 0x9e3779b185ebca87, kPrime2 = 0xc2b2ae3d27d4eb4f;
  uint64_t lanes_[4] = {kPrime1 + kPrime2, kPrime2, 0, uint64_t{0} - kPrime1};
  uint64_t total_ = 0;
  uint8_t pending_[32] = {};  // the last total_ % 32 bytes
};

inline uint64_t Hash(const void* bytes, uint64_t size) {
  Hasher hasher;
  hasher.Add(bytes, size);
  return hasher.Finish();
}

}  // namespace tenon::format

#endif  // TENON_FORMAT_HASH_H_
