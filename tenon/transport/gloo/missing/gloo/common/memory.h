// The header of Gloo that Debian's libgloo-dev 0.0~git20220518 leaves out, although
// others include it: what the layout of Gloo's classes depends on.
#ifndef TENON_TRANSPORT_GLOO_MISSING_GLOO_COMMON_MEMORY_H_
#define TENON_TRANSPORT_GLOO_MISSING_GLOO_COMMON_MEMORY_H_

#include <memory>

namespace gloo {

template <typename T>
class NonOwningPtr final {
  std::shared_ptr<T> object_;
};

template <typename T>
class WeakNonOwningPtr final {
  std::weak_ptr<T> object_;
};

}  // namespace gloo

#endif  // TENON_TRANSPORT_GLOO_MISSING_GLOO_COMMON_MEMORY_H_
