#include "tenon/device/processes.h"

#include <algorithm>

namespace tenon::device {

void EndSharedRun(const SharedRun& run, const Status& status) {
  if (!run.processes) return;
  std::vector<int> others;
  if (!status.ok()) {
    others.assign(run.process_of->begin(), run.process_of->end());
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    std::erase(others, run.process);
  }
  run.processes->EndRun(run.key, status, others);
}

}  // namespace tenon::device
