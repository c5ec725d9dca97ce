// A program that a device can run: an image whose code the device has loaded.
//
// Each device derives its own class, to keep what it needs to run the code. Programs are
// immutable and reference-counted. Several executions, on several devices of the System
// that loaded the program, may run at a time.
#ifndef TENON_DEVICE_PROGRAM_H_
#define TENON_DEVICE_PROGRAM_H_

#include <optional>
#include <string>

#include "tenon/executable/image.h"

namespace tenon::device {

// Keeps what drivers make of the code of programs, for later processes. Thread-safe. No
// failure is an error: Load finds nothing and Store does nothing.
class CodeStore {
 public:
  virtual ~CodeStore() = default;
  // `key` has everything that determines the value, and is compared as a whole. What Load
  // returns was given to Store, by a process of the same user.
  virtual std::optional<std::string> Load(const std::string& key) const = 0;
  virtual void Store(const std::string& key, const std::string& value) const = 0;
};

struct LoadOptions {
  // The name of the platform whose FFI handlers custom calls are bound to.
  std::string platform;
  // Whether to list host functions in /tmp/perf-PID.map for Linux perf. A device without
  // host code ignores it.
  bool perf_map = false;
  // Null if nothing is kept. Lives as long as the System.
  const CodeStore* store = nullptr;
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
  // Whether runs use LaunchBuffers::companions.
  virtual bool keeps_companions() const { return false; }
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_PROGRAM_H_
