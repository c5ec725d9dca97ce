// Runs a program whose copies on several devices communicate. Any thread.
#ifndef TENON_RUNTIME_PROGRAM_GANG_H_
#define TENON_RUNTIME_PROGRAM_GANG_H_

#include <functional>
#include <memory>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/processes.h"
#include "tenon/executable/run_context.h"
#include "tenon/executable/run_ids.h"
#include "tenon/runtime/program.h"
#include "tenon/runtime/runtime.h"

namespace tenon::runtime {

// The copy of the program on one device.
struct GangMember {
  const RunBuffer* args = nullptr;
  const RunBuffer* results = nullptr;
  RunIds ids;
  // CodeObject::arena_bytes bytes, 64-byte aligned. Null: from the runtime's allocator.
  void* arena = nullptr;
  // Of a launcher; null for host code. All memory of the member is then of its device,
  // and the collectives work on copies in host memory.
  KernelStream* stream = nullptr;
  // LaunchBuffers::companions.
  std::atomic<device::Companion*>* const* companions = nullptr;
};

// Runs the program on all of its devices, on threads of `runtime`, and calls `done` once
// at the end. The members are in the order of their numbers, and their buffers stay valid
// until then. If one device fails, all end with its error. Of a run that other processes
// share, the members are those of this process, and the run ends here and in `run`.
void StartGang(std::shared_ptr<const Program> program, Runtime& runtime,
               std::vector<GangMember> members, device::SharedRun run,
               std::function<void(Status)> done);

// The same on this thread alone, apart from parallel loops. Returns at the end.
Status RunGang(std::shared_ptr<const Program> program, Runtime& runtime,
               std::vector<GangMember> members);

}  // namespace tenon::runtime

#endif  // TENON_RUNTIME_PROGRAM_GANG_H_
