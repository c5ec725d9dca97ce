// How the processor's floating-point arithmetic is set up on a thread that computes.
//
// The device provides the two functions, because they are machine instructions. Both act
// on the calling thread only.
#ifndef TENON_RUNTIME_FLOAT_MODE_H_
#define TENON_RUNTIME_FLOAT_MODE_H_

#include <cstdint>

namespace tenon::runtime {

struct FloatMode {
  // Rounds to nearest, masks exceptions, and flushes denormals to zero unless
  // `ieee_denormals`. Returns what was set before, for `leave`.
  uint64_t (*enter)(bool ieee_denormals);
  void (*leave)(uint64_t previous);
};

class FloatModeScope {
 public:
  FloatModeScope(const FloatMode& mode, bool ieee_denormals)
      : mode_(mode), previous_(mode.enter(ieee_denormals)) {}
  FloatModeScope(const FloatModeScope&) = delete;
  FloatModeScope& operator=(const FloatModeScope&) = delete;
  ~FloatModeScope() { mode_.leave(previous_); }

  uint64_t previous() const { return previous_; }

 private:
  const FloatMode& mode_;
  const uint64_t previous_;
};

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_FLOAT_MODE_H_
