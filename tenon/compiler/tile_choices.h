// Which tile a kernel for a product or a convolution on a device has. Without choices it
// is what the cost model proposes.
#ifndef TENON_COMPILER_TILE_CHOICES_H_
#define TENON_COMPILER_TILE_CHOICES_H_

#include <string>

namespace tenon::compiler {

struct TileQuestion {
  // A StableHLO program that has just this product, and for which the compiler asks once,
  // for the same candidates. Equal programs have the same answer on the same device.
  std::string program;
  int num_candidates = 1;  // number 0 is the cost model's
};

class TileChoices {
 public:
  virtual ~TileChoices() = default;
  // Returns a number below num_candidates. Thread-safe.
  virtual int Choose(const TileQuestion& question) = 0;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_TILE_CHOICES_H_
