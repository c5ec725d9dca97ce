// A program that a device can run: an image whose code the device has loaded.
//
// Each device derives its own class, to keep what it needs to run the code. Programs are
// immutable and reference-counted. Several executions, on several devices of the System
// that loaded the program, may run at a time.
#ifndef TENON_DEVICE_PROGRAM_H_
#define TENON_DEVICE_PROGRAM_H_

#include <string>

#include "tenon/executable/image.h"

namespace tenon::device {

struct LoadOptions {
  // The name of the platform whose FFI handlers custom calls are bound to.
  std::string platform;
  // Whether to list host functions in /tmp/perf-PID.map for Linux perf. A device without
  // host code ignores it.
  bool perf_map = false;
};

class Program {
 public:
  virtual ~Program() = default;

  // Whether the client should call Queue::Run instead of Queue::Submit once the arguments
  // are ready. Answer true for programs that run for less time than it takes to wake
  // another thread (about 50 us). The answer may change from one execution to the next.
  virtual bool RunsInline() const { return false; }
  // The same for a program whose copies on several devices exchange data: whether to call
  // System::RunGang instead of SubmitGang. All copies together must be that short.
  virtual bool RunsGangInline() const { return false; }
  // Whether PJRT_LoadedExecutable_Execute must not return before the execution has ended.
  // Custom-call handlers can ask for that.
  virtual bool synchronous() const { return false; }
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_PROGRAM_H_
