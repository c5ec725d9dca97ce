// Threads that the compiler runs on. Their stacks are large, because deeply nested
// programs cause deep recursion in MLIR and LLVM. Failures that would end the process
// become errors.
#ifndef TENON_COMPILER_PIPELINE_COMPILE_THREAD_H_
#define TENON_COMPILER_PIPELINE_COMPILE_THREAD_H_

#include <pthread.h>

#include <functional>
#include <utility>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "tenon/base/leaked_on_exception.h"
#include "tenon/base/status.h"

namespace tenon::compiler {

// Runs one function. The object must not move, and must be joined before it is destroyed.
class CompileThread {
 public:
  explicit CompileThread(std::function<Status()> body) : body_(std::move(body)) {}
  CompileThread(const CompileThread&) = delete;
  CompileThread& operator=(const CompileThread&) = delete;

  // Starts the thread, with a stack of 32 MiB. Returns false if the system cannot create
  // it; then nothing runs. Allocates no memory, so that threads started earlier can be
  // joined.
  bool Start();
  // Waits for the function and returns its status: RESOURCE_EXHAUSTED if memory ran out,
  // INTERNAL for an error that LLVM cannot return.
  Status Join();

 private:
  std::function<Status()> body_;
  Status status_;
  pthread_t thread_ = {};
};

// Runs `body` on this thread with the same protection.
Status RunProtected(llvm::function_ref<Status()> body);

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_PIPELINE_COMPILE_THREAD_H_
