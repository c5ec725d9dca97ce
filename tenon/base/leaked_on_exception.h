#ifndef TENON_BASE_LEAKED_ON_EXCEPTION_H_
#define TENON_BASE_LEAKED_ON_EXCEPTION_H_

#include <exception>
#include <utility>

namespace tenon {

// Owns a T, which is leaked if an exception leaves the scope. LLVM and MLIR are built
// without exceptions: one that passes through them leaves their objects half modified,
// and destroying these may crash.
template <typename T>
class LeakedOnException {
 public:
  template <typename... Args>
  explicit LeakedOnException(Args&&... args)
      : object_(new T(std::forward<Args>(args)...)) {}
  ~LeakedOnException() {
    if (std::uncaught_exceptions() == exceptions_) delete object_;
  }
  LeakedOnException(const LeakedOnException&) = delete;
  LeakedOnException& operator=(const LeakedOnException&) = delete;

  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  T* const object_;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace tenon

#endif  // TENON_BASE_LEAKED_ON_EXCEPTION_H_
