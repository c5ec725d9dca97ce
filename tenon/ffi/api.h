// The XLA FFI function table that handlers call, and the function that calls a handler.
//
// Thread-safe: handlers use the table from any thread.
#ifndef TENON_FFI_API_H_
#define TENON_FFI_API_H_

#include <cstdint>

#include "tenon/base/status.h"
#include "tenon/ffi/abi.h"

namespace tenon::ffi {

const Api& GetApi();

// The services that a run offers to the handlers that it calls. Outlives the call.
class CallEnvironment {
 public:
  virtual ~CallEnvironment() = default;
  // Runs task(data) on another thread. The task may block.
  virtual void Schedule(void (*task)(void* data), void* data) = 0;
  virtual int64_t num_threads() const = 0;
  // Null if the run has no user data of this type.
  virtual void* UserData(int64_t type_id) const = 0;
  virtual int64_t run_id() const = 0;
  virtual int32_t device_ordinal() const = 0;
};

// Owns an object that a handler creates at one stage and reads at later ones.
class StageState {
 public:
  StageState() = default;
  StageState(const StageState&) = delete;
  StageState& operator=(const StageState&) = delete;
  ~StageState();

  // Without `deleter`, the registered deleter of the type is used.
  Status Set(int64_t type_id, void* state, void (*deleter)(void* state) = nullptr);
  StatusOr<void*> Get(int64_t type_id) const;

 private:
  int64_t type_id_ = 0;
  void* state_ = nullptr;
  void (*deleter_)(void* state) = nullptr;
};

// A handler's context pointer points to this.
struct CallContext {
  CallEnvironment* environment = nullptr;  // null at stage kInstantiate
  // By stage. Null for a stage whose state cannot be set or read in this call.
  StageState* states[3] = {};
  int api_minor = kApiMinor;  // the version that the handler was built for
};

// Calls `handler` and waits for its future, if it sets one. C++ exceptions become
// INTERNAL errors. A forced unwind (the end of the thread) passes through.
Status CallHandler(Handler* handler, CallFrame* frame);

}  // namespace tenon::ffi

#endif  // TENON_FFI_API_H_
