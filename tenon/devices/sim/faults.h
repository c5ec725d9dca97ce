// Faults that a simulated accelerator is told to have.
//
// Written as a list, "launch@3,copy@1:2,lost@10,slow@4:1": the third launch of device 0
// fails, the first copy of device 2, device 0 is lost at its tenth operation, device 1
// takes four times as long. Plain values.
#ifndef TENON_DEVICES_SIM_FAULTS_H_
#define TENON_DEVICES_SIM_FAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/base/status.h"

namespace tenon::sim {

struct Faults {
  int64_t launch = 0;  // the number, from 1, of the launch that fails; 0: none
  int64_t copy = 0;    // the same of copies
  int64_t lost = 0;    // the operation, launch or copy, from which on all fail
  int64_t slow = 1;    // how many times as long everything takes
};

// By device. INVALID_ARGUMENT naming what is malformed or of a device that is not there.
StatusOr<std::vector<Faults>> ParseFaults(const std::string& text, int64_t num_devices);

}  // namespace tenon::sim

#endif  // TENON_DEVICES_SIM_FAULTS_H_
