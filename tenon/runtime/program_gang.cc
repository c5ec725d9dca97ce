#include "tenon/runtime/program_gang.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tenon/runtime/collectives.h"
#include "tenon/runtime/execution.h"
#include "tenon/runtime/gang.h"
#include "tenon/runtime/remote_collective.h"
#include "tenon/runtime/trace.h"

namespace tenon::runtime {
namespace {

// Collectives of fewer bytes are performed by one thread. Sharing them out would take
// longer: waking the team costs about 5 us, in which a core copies some 50 KiB.
constexpr int64_t kMinParallelBytes = int64_t{1} << 17;
// Copies that take less than this run one after the other on one thread, because handing
// them to other threads at every collective would take longer.
constexpr double kMinSharedNanoseconds = 20e3;

class Tasks final : public GangTasks {
 public:
  Tasks(std::shared_ptr<const Program> program, Runtime& runtime,
        std::vector<GangMember> members, device::SharedRun run)
      : program_(std::move(program)),
        runtime_(runtime),
        members_(std::move(members)),
        run_(std::move(run)) {
    const bool traced = Tracer::Global().active();
    for (const GangMember& member : members_) {
      executions_.emplace_back(runtime_, *program_, member.ids, traced, member.stream);
      executions_.back().set_running(&running_);
      packed_.push_back(program_->FindPacked(runtime_, member.companions));
      if (packed_.back()) executions_.back().set_packed(packed_.back()->data());
    }
    owned_.resize(members_.size());
    if (!run_.processes) return;
    const std::vector<int32_t>& process_of = *run_.process_of;
    for (int32_t process : process_of) {
      index_of_.push_back(process == run_.process ? num_here_++ : -1);
    }
  }
  ~Tasks() override {
    for (void* arena : owned_) {
      if (arena) runtime_.allocator().Free(arena, arena_bytes());
    }
    for (const auto& [block, bytes] : shared_) runtime_.allocator().Free(block, bytes);
  }

  // Gives each member an arena that holds the state of a run that begins.
  Status Prepare() {
    const int expected =
        run_.processes ? num_here_ : program_->gang_plan()->num_devices();
    if (std::ssize(members_) != expected) {
      return Internal("program '" + program_->info().name + "' runs on " +
                      std::to_string(expected) + " devices, but was started on " +
                      std::to_string(members_.size()));
    }
    for (size_t i = 0; i < members_.size(); ++i) {
      if (!members_[i].arena) {
        TENON_ASSIGN_OR_RETURN(owned_[i], runtime_.allocator().Allocate(arena_bytes()));
        members_[i].arena = owned_[i];
      }
      // The execution has the state of a launcher.
      if (!members_[i].stream) std::memset(members_[i].arena, 0, sizeof(int64_t));
    }
    const auto& segments = program_->image()->code().shared_segments;
    for (size_t k = 0; k < segments.size(); ++k) {
      for (const auto& group : program_->gang_plan()->grouping(segments[k].site).groups) {
        TENON_RETURN_IF_ERROR(ShareSegment(k, segments[k].bytes, group.members));
      }
    }
    return OkStatus();
  }

  Outcome Resume(int device) override {
    const size_t d = IndexOf(device);
    const GangMember& member = members_[d];
    bool suspended = false;
    Outcome outcome;
    running_.fetch_add(1, std::memory_order_relaxed);
    outcome.status =
        executions_[d].Run(member.args, member.results, member.arena, &suspended);
    running_.fetch_sub(1, std::memory_order_relaxed);
    outcome.kind = !outcome.status.ok() ? Outcome::Kind::kFailed
                   : suspended          ? Outcome::Kind::kArrived
                                        : Outcome::Kind::kEnded;
    outcome.site = executions_[d].site();
    return outcome;
  }

  Status Perform(int64_t site, const GangPlan::Group& group) override {
    const ImageCollective& collective = Site(site);
    const FloatModeScope mode(runtime_.float_mode(), program_->info().ieee_denormals);
    std::vector<CollectiveBuffers> buffers;
    for (int32_t member : group.members) {
      buffers.push_back(executions_[IndexOf(member)].buffers());
    }
    Execution& first = executions_[IndexOf(group.members[0])];
    running_.fetch_add(1, std::memory_order_relaxed);
    Status status = PerformCollective(collective, buffers, group.sources,
                                      first.combiner(), first.context(),
                                      Parallel(first, collective, std::ssize(buffers)));
    running_.fetch_sub(1, std::memory_order_relaxed);
    return status;
  }

  void PerformShared(int64_t site, const GangPlan::Group& group, int64_t visit,
                     std::function<void(Status)> done) override {
    auto shared = std::make_shared<Shared>();
    std::vector<CollectiveBuffers> buffers(group.members.size());
    Execution* first = nullptr;
    for (size_t i = 0; i < group.members.size(); ++i) {
      const int32_t index = index_of_[static_cast<size_t>(group.members[i])];
      if (index < 0) continue;
      Execution& execution = executions_[static_cast<size_t>(index)];
      buffers[i] = execution.buffers();
      if (!first) first = &execution;
    }
    const GangPlan::Grouping& grouping = program_->gang_plan()->grouping(site);
    shared->key = {.run = run_.key,
                   .site = site,
                   .group = &group - grouping.groups.data(),
                   .visit = visit};
    shared->parallel = Parallel(*first, Site(site), std::ssize(buffers));
    shared->collective.emplace(Site(site), group, *run_.process_of, run_.process,
                               std::move(buffers), first->combiner(), first->context());
    shared->done = std::move(done);
    StatusOr<RemoteCollective::Messages> messages = Internal("");
    try {
      const FloatModeScope mode(runtime_.float_mode(), program_->info().ieee_denormals);
      messages = shared->collective->Begin(shared->parallel);
    } catch (const std::bad_alloc&) {
      return shared->done(NoMemory(site));
    }
    if (!messages.ok()) return shared->done(messages.status());
    Send(shared, *std::move(messages));
  }

  void Cancel(const Status& status) override { device::EndSharedRun(run_, status); }

  std::string SiteName(int64_t site) const override {
    const ImageCollective& collective = Site(site);
    std::string name(CollectiveName(collective.kind));
    return collective.source.empty() ? name : name + " (" + collective.source + ")";
  }

 private:
  // Gives the members of a group one memory for shared segment number `k`. If some of
  // them are in other processes, each of the others gets its own, which messages fill.
  Status ShareSegment(size_t k, size_t bytes, std::span<const int32_t> group) {
    const auto is_here = [&](int32_t device) {
      return index_of_.empty() || index_of_[static_cast<size_t>(device)] >= 0;
    };
    const bool share = std::ranges::all_of(group, is_here);
    void* block = nullptr;
    for (int32_t device : group) {
      if (!is_here(device)) continue;
      if (!block || !share) {
        TENON_ASSIGN_OR_RETURN(block, runtime_.allocator().Allocate(bytes));
        shared_.emplace_back(block, bytes);
      }
      auto* addresses = static_cast<uint8_t*>(members_[IndexOf(device)].arena) +
                        kSegmentAddressesOffset;
      std::memcpy(addresses + k * sizeof block, &block, sizeof block);
    }
    return OkStatus();
  }

  // A collective with other processes.
  struct Shared {
    device::ExchangeKey key;
    ParallelChunks parallel;
    std::optional<RemoteCollective> collective;
    std::function<void(Status)> done;
  };

  // Of a device of this process.
  size_t IndexOf(int32_t device) const {
    const auto d = static_cast<size_t>(device);
    return index_of_.empty() ? d : static_cast<size_t>(index_of_[d]);
  }
  const ImageCollective& Site(int64_t site) const {
    return program_->info().collectives[static_cast<size_t>(site)];
  }

  // Loops over chunks of a collective: on the compute team if that pays off.
  ParallelChunks Parallel(Execution& first, const ImageCollective& collective,
                          int64_t num_members) {
    int64_t bytes = 0;
    for (const ImageTensor& operand : collective.operands) bytes += operand.ByteSize();
    const bool shared = bytes * num_members >= kMinParallelBytes;
    return [&first, shared](int64_t count, const std::function<void(int64_t)>& body) {
      if (!shared || count == 1) {
        for (int64_t chunk = 0; chunk < count; ++chunk) body(chunk);
        return;
      }
      first.ParallelFor(
          [](RunContext*, void* env, int64_t chunk) {
            (*static_cast<const std::function<void(int64_t)>*>(env))(chunk);
          },
          const_cast<std::function<void(int64_t)>*>(&body), count);
    };
  }

  void Send(const std::shared_ptr<Shared>& shared, RemoteCollective::Messages messages) {
    device::Exchange exchange;
    exchange.key = shared->key;
    ++shared->key.step;
    exchange.name = SiteName(shared->key.site) + " of '" + program_->info().name + "'";
    exchange.send = std::move(messages.send);
    exchange.receive = std::move(messages.receive);
    exchange.done = [this, shared](StatusOr<std::vector<AlignedBytes>> received) {
      if (!received.ok()) return shared->done(received.status());
      // The caller must not be blocked by the computation.
      auto data = std::make_shared<std::vector<AlignedBytes>>(*std::move(received));
      runtime_.runners().Schedule([this, shared, data] { Take(shared, *data); });
    };
    run_.processes->Start(std::move(exchange));
  }

  // Ends the step of a collective whose messages have come.
  void Take(const std::shared_ptr<Shared>& shared, std::vector<AlignedBytes>& received) {
    RemoteCollective::Messages next;
    StatusOr<bool> more = false;
    try {
      const FloatModeScope mode(runtime_.float_mode(), program_->info().ieee_denormals);
      more = shared->collective->Take(std::move(received), shared->parallel, &next);
    } catch (const std::bad_alloc&) {
      return shared->done(NoMemory(shared->key.site));
    }
    if (!more.ok()) return shared->done(more.status());
    if (*more) return Send(shared, std::move(next));
    shared->done(OkStatus());
  }

  Status NoMemory(int64_t site) const {
    return ResourceExhausted("no memory for the messages of " + SiteName(site) + " of '" +
                             program_->info().name + "'");
  }

  size_t arena_bytes() const { return program_->image()->code().arena_bytes; }

  const std::shared_ptr<const Program> program_;
  Runtime& runtime_;
  std::vector<GangMember> members_;
  const device::SharedRun run_;
  std::vector<int32_t> index_of_;  // by device; -1 elsewhere. Empty if all are here
  int num_here_ = 0;
  // Devices and collectives that occupy a thread.
  std::atomic<int> running_{0};
  std::deque<Execution> executions_;
  std::vector<std::unique_ptr<PackedOperands>> packed_;  // by member
  std::vector<void*> owned_;
  std::vector<std::pair<void*, size_t>> shared_;  // blocks for shared segments
};

void Begin(std::shared_ptr<const Program> program, Runtime& runtime,
           std::vector<GangMember> members, device::SharedRun run, bool here,
           std::function<void(Status)> done) {
  if (run.processes) {
    done = [run, done = std::move(done)](const Status& status) {
      device::EndSharedRun(run, status);
      done(status);
    };
  }
  std::unique_ptr<Tasks> tasks;
  Status status;
  try {
    tasks = std::make_unique<Tasks>(program, runtime, std::move(members), run);
    status = tasks->Prepare();
  } catch (const std::bad_alloc&) {
    status = ResourceExhausted("no memory to run '" + program->info().name + "'");
  }
  if (!status.ok()) {
    tasks.reset();
    return done(std::move(status));
  }
  Gang::Options options;
  ThreadPool& pool = program->may_block() ? runtime.blocking() : runtime.runners();
  const GangPlan& plan = *program->gang_plan();
  if (program->may_block()) {
    options.max_workers = plan.num_devices();
  } else if (!here &&
             program->image()->code().estimated_nanoseconds >= kMinSharedNanoseconds) {
    options.max_workers = runtime.team().num_threads();
  }
  if (here) options.max_workers = 1;
  options.process_of = run.process_of;
  options.process = run.process;
  options.schedule = [&pool](std::function<void()> task) {
    pool.Schedule(std::move(task));
  };
  // Keeps the plan.
  options.done = [program, done = std::move(done)](Status status) {
    done(std::move(status));
  };
  auto gang = std::make_shared<Gang>(std::move(tasks), plan, std::move(options));
  if (here) {
    gang->RunHere();
  } else {
    gang->Start();
  }
}

}  // namespace

void StartGang(std::shared_ptr<const Program> program, Runtime& runtime,
               std::vector<GangMember> members, device::SharedRun run,
               std::function<void(Status)> done) {
  Begin(std::move(program), runtime, std::move(members), std::move(run), /*here=*/false,
        std::move(done));
}

Status RunGang(std::shared_ptr<const Program> program, Runtime& runtime,
               std::vector<GangMember> members) {
  Status result;
  Begin(std::move(program), runtime, std::move(members), {}, /*here=*/true,
        [&](Status status) { result = std::move(status); });
  return result;
}

}  // namespace tenon::runtime
