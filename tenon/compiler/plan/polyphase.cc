// Splits convolutions of dilated inputs into phases, whose inputs are not dilated.
#include <numeric>

#include "tenon/base/integer_division.h"
#include "tenon/compiler/plan/tile_plan.h"

namespace tenon::compiler {
namespace {

int64_t Modulo(int64_t x, int64_t divisor) {
  int64_t remainder = x % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

}  // namespace

int64_t Polyphase::FirstTap(int64_t phase) const {
  int64_t divisor = dilation / tap_step;
  int64_t remainder = Modulo(low - phase * stride, dilation);
  if (remainder % divisor != 0) return window;
  return remainder / divisor * inverse % tap_step;
}

Polyphase MakePolyphase(int64_t stride, int64_t step, int64_t low, int64_t dilation,
                        int64_t window, int64_t output) {
  Polyphase phases{stride, step, low, dilation, window, output};
  phases.count = dilation / std::gcd(stride, dilation);
  int64_t divisor = std::gcd(step, dilation);
  phases.tap_step = dilation / divisor;
  while (phases.tap_step > 1 && step / divisor * phases.inverse % phases.tap_step != 1)
    ++phases.inverse;
  // The elements that are read reach from `first` to `last`, which may lie outside the
  // input.
  int64_t first = 0, last = 0;
  for (int64_t phase = 0; phase < phases.count; ++phase) {
    int64_t tap = phases.FirstTap(phase);
    if (tap >= window) continue;
    int64_t start = (phase * stride + tap * step - low) / dilation;
    int64_t taps = CeilDiv(window - tap, phases.tap_step) - 1;
    first = std::min(first, start);
    last = std::max(last, start + (phases.outputs() - 1) * phases.output_step() +
                              taps * (phases.tap_step * step / dilation));
  }
  phases.origin = -first;
  phases.size = phases.origin + last + 1;
  return phases;
}

}  // namespace tenon::compiler
