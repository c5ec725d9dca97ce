// The function table that handlers call back into, and how a handler is called.
//
// Thread-safe: handlers use it from any thread.
#ifndef TENON_FFI_API_H_
#define TENON_FFI_API_H_

#include <cstdint>

#include "tenon/base/status.h"
#include "tenon/ffi/abi.h"

namespace tenon::ffi {

const Api& GetApi();

// What a run lends to the handlers it calls. Outlives the call.
class CallEnvironment {
 public:
  virtual ~CallEnvironment() = default;
  // Runs task(data) on a thread that may block.
  virtual void Schedule(void (*task)(void* data), void* data) = 0;
  virtual int64_t num_threads() const = 0;
  // Null if the run has no user data of this type.
  virtual void* UserData(int64_t type_id) const = 0;
  virtual int64_t run_id() const = 0;
  virtual int32_t device_ordinal() const = 0;
};

// An object that a handler keeps from one stage to the later ones. Owns it.
class StageState {
 public:
  StageState() = default;
  StageState(const StageState&) = delete;
  StageState& operator=(const StageState&) = delete;
  ~StageState();

  // Without a deleter the type knows how to delete it.
  Status Set(int64_t type_id, void* state, void (*deleter)(void* state) = nullptr);
  StatusOr<void*> Get(int64_t type_id) const;

 private:
  int64_t type_id_ = 0;
  void* state_ = nullptr;
  void (*deleter_)(void* state) = nullptr;
};

// What a handler's context pointer points to.
struct CallContext {
  CallEnvironment* environment = nullptr;  // null at stage kInstantiate
  // By stage; null where a state can be neither set nor read.
  StageState* states[3] = {};
  int api_minor = kApiMinor;  // the version that the handler was built for
};

// Calls `handler` and waits for its future, if it gives one. Its C++ exceptions become
// INTERNAL errors; a forced unwind (the thread's end) passes through.
Status CallHandler(Handler* handler, CallFrame* frame);

}  // namespace tenon::ffi

#endif  // TENON_FFI_API_H_
