// Faults that the create option `faults` injects into simulated accelerators.
//
// The option is a list such as "launch@3,copy@1:2,lost@10,slow@4:1": the third launch of
// device 0 fails, the first copy of device 2 fails, device 0 is lost at its tenth
// operation, and device 1 takes four times as long. Plain values.
#ifndef TENON_DEVICES_SIM_FAULTS_H_
#define TENON_DEVICES_SIM_FAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/base/status.h"

namespace tenon::sim {

struct Faults {
  int64_t launch = 0;  // the launch that fails, counted from 1; 0 means none
  int64_t copy = 0;    // the copy that fails, counted from 1; 0 means none
  int64_t lost = 0;    // the launch or copy from which on all fail; 0 means none
  int64_t slow = 1;    // the factor by which all operations are slower
};

// One element per device. INVALID_ARGUMENT, naming the fault, if it is malformed or names
// a device that does not exist.
StatusOr<std::vector<Faults>> ParseFaults(const std::string& text, int64_t num_devices);

}  // namespace tenon::sim

#endif  // TENON_DEVICES_SIM_FAULTS_H_
