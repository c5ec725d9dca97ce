// Runs the launches of a program whose copies on several devices communicate. For devices
// whose programs are host code.
#ifndef TENON_RUNTIME_GANG_LAUNCH_H_
#define TENON_RUNTIME_GANG_LAUNCH_H_

#include <functional>
#include <memory>
#include <vector>

#include "tenon/device/launch.h"
#include "tenon/runtime/program.h"
#include "tenon/runtime/program_gang.h"
#include "tenon/runtime/runtime.h"

namespace tenon::runtime {

struct GangLaunch {
  std::vector<device::Launch*> launches;  // in the order of the devices' numbers
  std::shared_ptr<const Program> program;
  Runtime& runtime;
  device::SharedRun run;  // if other processes take part
  // Makes the copies that the buffers of launch number `i` list, and returns the
  // addresses at which host code sees them. Called once per launch.
  std::function<StatusOr<GangMember>(size_t i, const device::LaunchBuffers&)> prepare;
  // Called at the end, with the status of the run. Returns the one that the launches are
  // finished with. May be null.
  std::function<Status(Status)> end;
};

// Takes ownership of the launches. Starts the program when all arguments of all launches
// are ready, and finishes the launches. Does not block.
void SubmitGangLaunch(GangLaunch gang);

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_GANG_LAUNCH_H_
