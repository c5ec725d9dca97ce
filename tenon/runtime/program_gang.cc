#include "tenon/runtime/program_gang.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <utility>

#include "tenon/runtime/collectives.h"
#include "tenon/runtime/execution.h"
#include "tenon/runtime/gang.h"
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
        std::vector<GangMember> members)
      : program_(std::move(program)), runtime_(runtime), members_(std::move(members)) {
    const bool traced = Tracer::Global().active();
    for (const GangMember& member : members_) {
      executions_.emplace_back(runtime_, *program_, member.ids, traced);
    }
    owned_.resize(members_.size());
  }
  ~Tasks() override {
    for (void* arena : owned_) {
      if (arena) runtime_.allocator().Free(arena, arena_bytes());
    }
  }

  // Gives each member an arena that holds the state of a run that begins.
  Status Prepare() {
    if (std::ssize(members_) != program_->gang_plan()->num_devices()) {
      return Internal("program '" + program_->info().name + "' runs on " +
                      std::to_string(program_->gang_plan()->num_devices()) +
                      " devices, but was started on " + std::to_string(members_.size()));
    }
    for (size_t i = 0; i < members_.size(); ++i) {
      if (!members_[i].arena) {
        TENON_ASSIGN_OR_RETURN(owned_[i], runtime_.allocator().Allocate(arena_bytes()));
        members_[i].arena = owned_[i];
      }
      std::memset(members_[i].arena, 0, sizeof(int64_t));
    }
    return OkStatus();
  }

  Outcome Resume(int device) override {
    const auto d = static_cast<size_t>(device);
    const GangMember& member = members_[d];
    bool suspended = false;
    Outcome outcome;
    outcome.status =
        executions_[d].Run(member.args, member.results, member.arena, &suspended);
    outcome.kind = !outcome.status.ok() ? Outcome::Kind::kFailed
                   : suspended          ? Outcome::Kind::kArrived
                                        : Outcome::Kind::kEnded;
    outcome.site = executions_[d].site();
    return outcome;
  }

  Status Perform(int64_t site, const GangPlan::Group& group) override {
    const ImageCollective& collective =
        program_->info().collectives[static_cast<size_t>(site)];
    const bool ieee_denormals = program_->info().ieee_denormals;
    const FloatModeScope mode(runtime_.float_mode(), ieee_denormals);
    std::vector<CollectiveBuffers> buffers;
    for (int32_t member : group.members) {
      buffers.push_back(executions_[static_cast<size_t>(member)].buffers());
    }
    int64_t bytes = 0;
    for (const ImageTensor& operand : collective.operands) bytes += operand.ByteSize();
    const bool shared = bytes * std::ssize(buffers) >= kMinParallelBytes;
    Execution& first = executions_[static_cast<size_t>(group.members[0])];
    const auto parallel = [&](int64_t count, const std::function<void(int64_t)>& body) {
      if (!shared || count == 1) {
        for (int64_t chunk = 0; chunk < count; ++chunk) body(chunk);
        return;
      }
      runtime_.team().ParallelFor(
          first.context(),
          [](RunContext*, void* env, int64_t chunk) {
            (*static_cast<const std::function<void(int64_t)>*>(env))(chunk);
          },
          const_cast<std::function<void(int64_t)>*>(&body), count, ieee_denormals);
    };
    PerformCollective(collective, buffers, group.sources, first.combiner(),
                      first.context(), parallel);
    return OkStatus();
  }

  std::string SiteName(int64_t site) const override {
    const ImageCollective& collective =
        program_->info().collectives[static_cast<size_t>(site)];
    std::string name(CollectiveName(collective.kind));
    return collective.source.empty() ? name : name + " (" + collective.source + ")";
  }

 private:
  size_t arena_bytes() const { return program_->image()->code().arena_bytes; }

  const std::shared_ptr<const Program> program_;
  Runtime& runtime_;
  std::vector<GangMember> members_;
  std::deque<Execution> executions_;
  std::vector<void*> owned_;
};

void Begin(std::shared_ptr<const Program> program, Runtime& runtime,
           std::vector<GangMember> members, bool here, std::function<void(Status)> done) {
  auto tasks = std::make_unique<Tasks>(program, runtime, std::move(members));
  if (Status status = tasks->Prepare(); !status.ok()) {
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
               std::vector<GangMember> members, std::function<void(Status)> done) {
  Begin(std::move(program), runtime, std::move(members), /*here=*/false, std::move(done));
}

Status RunGang(std::shared_ptr<const Program> program, Runtime& runtime,
               std::vector<GangMember> members) {
  Status result;
  Begin(std::move(program), runtime, std::move(members), /*here=*/true,
        [&](Status status) { result = std::move(status); });
  return result;
}

}  // namespace tenon::runtime
