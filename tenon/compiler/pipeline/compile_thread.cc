#include "tenon/compiler/pipeline/compile_thread.h"

#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

#include "llvm/Support/ErrorHandling.h"
#include "tenon/compiler/pipeline/held_locks.h"

namespace tenon::compiler {
namespace {

constexpr size_t kStackBytes = size_t{32} << 20;

struct LlvmError : std::exception {
  explicit LlvmError(const char* reason) : reason(reason) {}
  const char* what() const noexcept override { return reason.c_str(); }
  std::string reason;
};

// LLVM ends the process if it cannot allocate, or on an error that its functions cannot
// return. Its error handlers are variables of this library's own copy of LLVM. They throw
// an exception that is caught in the compile thread's first frame. LLVM's code has unwind
// tables, although it is built without exceptions.
void InstallHandlers() {
  static const bool installed = [] {
    llvm::install_bad_alloc_error_handler(
        [](void*, const char*, bool) { throw std::bad_alloc(); });
    llvm::install_fatal_error_handler(
        [](void*, const char* reason, bool) { throw LlvmError(reason); });
    return true;
  }();
  (void)installed;
}

// An exception that passes through one of glibc's own functions (pthread_once) is
// continued by an unwinder that glibc loads on the first such exception. glibc ends the
// process if there is no memory to load it. So one such exception is thrown when this
// library is loaded.
bool LoadUnwinder() {
  static std::once_flag flag;
  try {
    std::call_once(flag, [] { throw std::bad_alloc(); });
  } catch (const std::bad_alloc&) {
  }
  return true;
}
[[maybe_unused]] const bool unwinder_is_loaded = LoadUnwinder();

// Created before the first use, because later there may be no memory for it.
const Status& OutOfMemory() {
  static const Status& status =
      *new Status(ResourceExhausted("out of memory while compiling"));
  return status;
}

}  // namespace

Status RunProtected(llvm::function_ref<Status()> body) {
  try {
    InstallHandlers();
    OutOfMemory();
    const HeldLocks locks;  // of LLVM, if an exception leaves the body
    try {
      return body();
    } catch (const LlvmError& error) {
      return Internal("the code generator failed: " + error.reason);
    }
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {
    return OutOfMemory();  // of a size larger than any memory
  } catch (const std::exception& error) {
    return Internal(std::string("the compiler failed: ") + error.what());
  }
}

bool CompileThread::Start() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const int error = pthread_create(
      &thread_, &attributes,
      [](void* argument) -> void* {
        auto* self = static_cast<CompileThread*>(argument);
        self->status_ = RunProtected(self->body_);
        return nullptr;
      },
      this);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

Status CompileThread::Join() {
  pthread_join(thread_, nullptr);
  return std::move(status_);
}

}  // namespace tenon::compiler

// The linker's --wrap replaces malloc, calloc and realloc by these in LLVM, MLIR and our
// own code, and nowhere else. MLIR uses malloc for operations and interfaces without a
// check of its result.
#ifdef TENON_WRAP_FUNCTIONS
namespace tenon::compiler {
namespace {

// Checks the result of malloc, calloc or realloc. LLVM and MLIR do not expect null, so a
// failure throws an exception if that is possible: it is not while another exception is
// in flight.
void* Checked(void* memory, size_t size) {
  if (memory == nullptr && size != 0 && HeldLocks::Innermost() != nullptr &&
      std::uncaught_exceptions() == 0)
    throw std::bad_alloc();
  return memory;
}

}  // namespace
}  // namespace tenon::compiler

extern "C" {
void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* old, size_t size);

void* __wrap_malloc(size_t size) {
  return tenon::compiler::Checked(__real_malloc(size), size);
}
void* __wrap_calloc(size_t count, size_t size) {
  return tenon::compiler::Checked(__real_calloc(count, size), count && size);
}
void* __wrap_realloc(void* old, size_t size) {
  return tenon::compiler::Checked(__real_realloc(old, size), size);
}
}
#endif
