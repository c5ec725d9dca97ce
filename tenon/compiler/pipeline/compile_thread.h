// Threads that the compiler runs on. They have large stacks, since deep programs make
// deep recursions in MLIR and LLVM, and turn what would end the process into errors.
#ifndef TENON_COMPILER_PIPELINE_COMPILE_THREAD_H_
#define TENON_COMPILER_PIPELINE_COMPILE_THREAD_H_

#include <pthread.h>

#include <exception>
#include <functional>
#include <utility>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Runs one function. The object must stay where it is, and be joined before it ends.
class CompileThread {
 public:
  explicit CompileThread(std::function<Status()> body) : body_(std::move(body)) {}
  CompileThread(const CompileThread&) = delete;
  CompileThread& operator=(const CompileThread&) = delete;

  // Starts the thread, with a stack of 32 MiB. False if the system has none, and then
  // nothing runs. Allocates no memory, so that threads started before can be joined.
  bool Start();
  // Waits for the function and gives its status. Memory that cannot be had is
  // RESOURCE_EXHAUSTED, an error in LLVM that it cannot return INTERNAL.
  Status Join();

 private:
  std::function<Status()> body_;
  Status status_;
  pthread_t thread_ = {};
};

// Runs `body` on this thread with the same protection.
Status RunProtected(llvm::function_ref<Status()> body);

// Owns a T, which is leaked if an exception leaves the scope. LLVM and MLIR are built
// without exceptions: one that passes through them leaves their objects half changed, and
// destroying those may crash.
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

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_COMPILE_THREAD_H_
