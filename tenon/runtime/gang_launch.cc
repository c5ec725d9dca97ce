#include "tenon/runtime/gang_launch.h"

#include <atomic>
#include <utility>

namespace tenon::runtime {
namespace {

struct Pending {
  explicit Pending(GangLaunch given)
      : gang(std::move(given)), waiting(gang.launches.size()) {}

  GangLaunch gang;
  std::atomic<size_t> waiting;
};

void Finish(Pending& pending, Status status) {
  if (pending.gang.end) status = pending.gang.end(std::move(status));
  for (device::Launch* launch : pending.gang.launches) launch->Finish(status);
}

// Called when all arguments are ready.
void Begin(const std::shared_ptr<Pending>& pending) {
  std::vector<GangMember> members;
  Status status;
  for (size_t i = 0; i < pending->gang.launches.size() && status.ok(); ++i) {
    device::LaunchBuffers buffers;
    status = pending->gang.launches[i]->Prepare(&buffers);
    if (!status.ok()) break;
    StatusOr<GangMember> member = pending->gang.prepare(i, buffers);
    status = member.status();
    if (!status.ok()) break;
    members.push_back(*std::move(member));
    members.back().ids = pending->gang.launches[i]->ids();
  }
  if (!status.ok()) {
    device::EndSharedRun(pending->gang.run, status);
    return Finish(*pending, status);
  }
  StartGang(pending->gang.program, pending->gang.runtime, std::move(members),
            pending->gang.run,
            [pending](const Status& result) { Finish(*pending, result); });
}

}  // namespace

void SubmitGangLaunch(GangLaunch gang) {
  auto pending = std::make_shared<Pending>(std::move(gang));
  // A copy, because the gang may end within the last call.
  const std::vector<device::Launch*> launches = pending->gang.launches;
  for (device::Launch* launch : launches) {
    launch->WhenArgumentsReady([pending] {
      if (pending->waiting.fetch_sub(1, std::memory_order_acq_rel) == 1) Begin(pending);
    });
  }
}

}  // namespace tenon::runtime
