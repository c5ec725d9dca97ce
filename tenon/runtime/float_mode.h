// The processor's floating-point mode on threads that compute.
//
// The device provides the two functions, because they use machine instructions. Both act
// on the calling thread only.
#ifndef TENON_RUNTIME_FLOAT_MODE_H_
#define TENON_RUNTIME_FLOAT_MODE_H_

#include <cstdint>

namespace tenon::runtime {

struct FloatMode {
  // Sets rounding to nearest, masks exceptions, and flushes denormals to zero unless
  // `ieee_denormals`. Returns the previous mode, to be passed to `leave`.
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
