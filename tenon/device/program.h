// A program that a device can run: an image whose code the device has loaded.
//
// Immutable and shared by reference count; any number of runs at a time.
#ifndef TENON_DEVICE_PROGRAM_H_
#define TENON_DEVICE_PROGRAM_H_

#include <string>

#include "tenon/executable/image.h"

namespace tenon::device {

struct LoadOptions {
  std::string platform;  // whose handlers custom calls are bound to
  // Names the program's functions for the Linux profiler.
  bool perf_map = false;
};

class Program {
 public:
  virtual ~Program() = default;

  // Whether Queue::Run is the better way to run it, because that takes less time than a
  // hand-over to another thread. The answer may change from run to run.
  virtual bool RunsInCall() const { return false; }
  // Whether an execution must end before the call that asks for it returns.
  virtual bool synchronous() const { return false; }
};

}  // namespace tenon::device

#endif  // TENON_DEVICE_PROGRAM_H_
