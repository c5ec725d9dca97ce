#include "tenon/pjrt/client/job.h"

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "tenon/pjrt/client/local_client.h"
#include "tenon/pjrt/client/local_loaded_executable.h"
#include "tenon/transport/links.h"

namespace tenon::pjrt {
namespace {

// Values of ProcessInfo::state.
constexpr int kDisconnected = 2, kFailed = 4;

uint64_t Hash(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (unsigned char byte : text) hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

// The number of a program in messages, equal in all processes. Programs that only differ
// in addresses in custom calls have the same number, and are counted together.
uint64_t ProgramNumber(const ExecutableInfo& info, const DeviceAssignment& assignment) {
  std::string text = info.fingerprint + ";";
  for (int id : assignment.device_ids) text += std::to_string(id) + ",";
  return Hash(text);
}

// The number of a client among those that this process has created for a node. All
// processes of a job create clients in the same order, so that clients with equal numbers
// find each other. (Tests have several nodes in one process.)
int64_t NextClient(int64_t node) {
  static std::mutex mutex;
  static std::map<int64_t, int64_t> next;
  std::lock_guard lock(mutex);
  return next[node]++;
}

}  // namespace

std::unique_ptr<runtime::Exchanges> MakeExchanges(const LocalTopology& topology,
                                                  std::shared_ptr<KeyValueStore> store) {
  const CreateOptions& options = topology.options();
  transport::LinkOptions links;
  links.process = static_cast<int>(options.node_id);
  links.num_processes = static_cast<int>(options.num_nodes);
  links.library = options.collectives_library.empty()
                      ? transport::LibraryBesidePlugin("tenon_gloo.so")
                      : options.collectives_library;
  links.interface = options.collectives_interface;
  links.hostname = options.collectives_hostname;
  if (links.hostname.empty() && links.interface.empty()) {
    links.hostname = transport::HostAddress(topology.job().OnOneHost());
  }
  links.prefix = "transport/" + std::to_string(NextClient(options.node_id)) + "/";
  // Collectives have a deadline. A process that connects after it can still take part in
  // later ones.
  links.timeout = std::chrono::hours(24 * 365);
  links.get = [store](const std::string& key, std::chrono::milliseconds timeout) {
    return store->Get(key, timeout);
  };
  links.put = [store](const std::string& key, const std::string& value) {
    return store->Put(key, value);
  };
  return std::make_unique<runtime::Exchanges>(
      links.process, std::chrono::seconds(options.collectives_timeout),
      [&](transport::Receiver& receiver) {
        return transport::MakeLinks(std::move(links), receiver);
      });
}

StatusOr<std::shared_ptr<const RemoteCopies>> LocalClient::FindRemoteCopies(
    const LocalExecutable& executable, const DeviceAssignment& assignment) const {
  const std::shared_ptr<const RemoteCopies> none;
  if (!exchanges_ || executable.info().collectives.empty()) return none;
  auto process_of = std::make_shared<std::vector<int32_t>>();
  for (int id : assignment.device_ids) {
    process_of->push_back(devices_[static_cast<size_t>(id)]->description().process_index);
  }
  const std::set<int32_t> processes(process_of->begin(), process_of->end());
  if (processes.size() < 2 || !processes.contains(process_index())) return none;
  if (topology_->options().collectives == "none") {
    return FailedPrecondition(
        "'" + std::string(executable.name()) +
        "' has collectives between processes, but create option 'collectives' is none "
        "(in JAX: jax_cpu_collectives_implementation)");
  }
  return std::shared_ptr<const RemoteCopies>(std::make_shared<RemoteCopies>(
      RemoteCopies{*exchanges_, ProgramNumber(executable.info(), assignment),
                   process_index(), std::move(process_of)}));
}

void LocalClient::UpdateGlobalProcessInfo(std::span<const ProcessInfo> processes) {
  if (!exchanges_) return;
  for (const ProcessInfo& info : processes) {
    if (info.state != kDisconnected && info.state != kFailed) continue;
    if (info.task_id == process_index()) continue;
    std::string text = "process " + std::to_string(info.task_id) + " has ended";
    if (!info.error.ok()) text += ": " + std::string(info.error.message());
    exchanges_->FailProcess(info.task_id, Status(StatusCode::kUnavailable, text));
  }
}

}  // namespace tenon::pjrt
