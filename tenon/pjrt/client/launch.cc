#include "tenon/pjrt/client/launch.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "tenon/types/shape.h"

namespace tenon::pjrt {
namespace {

// Devices share larger results only: of smaller ones, writing copies costs less than the
// misses of several processors that count references to one storage.
constexpr size_t kMinSharedBytes = 4096;

size_t AlignUp(size_t size) {
  constexpr size_t kAlign = alignof(std::max_align_t);
  return (size + kAlign - 1) / kAlign * kAlign;
}

std::string ArgumentName(size_t index, const LocalExecutable& executable) {
  return "argument " + std::to_string(index) + " of '" + std::string(executable.name()) +
         "'";
}

}  // namespace

Launch::Ptr Launch::Create(const LaunchTarget& target, LocalDevice* device) {
  const size_t num_arguments = target.executable->parameter_shapes().size();
  const size_t num_results = target.executable->output_shapes().size();
  const size_t size = AlignUp(sizeof(Launch)) +
                      AlignUp(num_arguments * sizeof(Argument)) +
                      AlignUp(num_results * sizeof(Result)) +
                      (num_arguments + num_results) * sizeof(RunBuffer) +
                      (target.program->keeps_companions() ? num_arguments : 0) *
                          sizeof(std::atomic<device::Companion*>*);
  return Ptr(new (::operator new(size)) Launch(target, device));
}

Launch::Launch(const LaunchTarget& target, LocalDevice* device)
    : target_(&target), device_(device) {
  char* address = reinterpret_cast<char*>(this) + AlignUp(sizeof(Launch));
  arguments_ = {reinterpret_cast<Argument*>(address), num_arguments()};
  std::uninitialized_value_construct(arguments_.begin(), arguments_.end());
  address += AlignUp(arguments_.size_bytes());
  results_ = {reinterpret_cast<Result*>(address), num_results()};
  std::uninitialized_value_construct(results_.begin(), results_.end());
  address += AlignUp(results_.size_bytes());
  run_buffers_ = reinterpret_cast<RunBuffer*>(address);
  if (target.program->keeps_companions()) {
    companions_ = reinterpret_cast<std::atomic<device::Companion*>**>(
        run_buffers_ + num_arguments() + num_results());
  }
}

Launch::~Launch() {
  std::destroy(arguments_.begin(), arguments_.end());
  std::destroy(results_.begin(), results_.end());
}

void Launch::Deleter::operator()(Launch* launch) const {
  launch->~Launch();
  ::operator delete(launch);
}

Status Launch::Acquire(std::span<Buffer* const> arguments,
                       std::span<const int64_t> non_donatable, const RunIds& ids) {
  ids_ = ids;
  if (arguments.size() != arguments_.size()) {
    return InvalidArgument("'" + std::string(executable().name()) + "' takes " +
                           std::to_string(arguments_.size()) + " arguments, but got " +
                           std::to_string(arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    // A linear search: few programs have aliases, and frameworks pass few indices then.
    const bool donatable = executable().result_of_parameter(i) >= 0 &&
                           std::find(non_donatable.begin(), non_donatable.end(),
                                     static_cast<int64_t>(i)) == non_donatable.end();
    TENON_RETURN_IF_ERROR(AcquireOne(i, arguments[i], donatable));
  }
  return OkStatus();
}

Status Launch::AcquireOne(size_t index, Buffer* argument, bool donatable) {
  auto* buffer = static_cast<LocalBuffer*>(argument);
  Argument& slot = arguments_[index];
  const TensorShape& expected = executable().parameter_shapes()[index];
  if (buffer->local_memory()->local_device() != device_) [[unlikely]] {
    return InvalidArgument(ArgumentName(index, executable()) + " is on device " +
                           buffer->device()->description().to_string +
                           ", but the program runs on " +
                           device_->description().to_string);
  }
  // Tokens have no contents, so frameworks may pass any buffer for one.
  if (!buffer->shape().SameAs(expected) && expected.type() != ElementType::kToken)
      [[unlikely]] {
    return InvalidArgument(ArgumentName(index, executable()) + " is " +
                           ShapeString(buffer->element_type(), buffer->dims()) +
                           " with layout " + DimsString(buffer->minor_to_major()) +
                           ", but must be " +
                           ShapeString(expected.type(), expected.dims()) +
                           " with layout " + DimsString(expected.minor_to_major()));
  }
  bool seen = false;
  const uint64_t run = static_cast<uint64_t>(ids_.run_id);
  if (donatable) {
    StorageRef storage = buffer->Donate(run, &seen);
    if (storage && seen) buffer->UndoDonation(std::move(storage));
    slot.donated = std::move(storage);
    slot.buffer = buffer;
  } else {
    slot.use = buffer->Use(run, &seen);
  }
  if (!slot.use && !slot.donated) [[unlikely]] {
    slot.buffer = nullptr;
    return InvalidArgument(ArgumentName(index, executable()) +
                           (seen ? " is passed more than once, but donated"
                                 : " is a buffer that has been deleted or donated"));
  }
  const Event& ready = buffer->ready();
  if (!ready.IsReady()) {
    slot.ready = ready;
    ++num_pending_;
  } else if (!ready.status().ok() && argument_error_.ok()) {
    argument_error_ = ready.status();
  }
  return OkStatus();
}

void Launch::Rollback() {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    Argument& slot = arguments_[i];
    if (!slot.buffer) continue;
    const int result = executable().result_of_parameter(i);
    StorageRef& in_result = results_[static_cast<size_t>(result)].storage;
    // AllocateResults may have moved the storage to a result.
    slot.buffer->UndoDonation(slot.donated ? std::move(slot.donated)
                                           : std::move(in_result));
    slot.buffer = nullptr;
  }
}

device::MemorySpace& Launch::SpaceOf(size_t r) const {
  return device_->memory(executable().output_memory_kinds()[r])->space();
}

Status Launch::AllocateResults(std::span<const Ptr> launches) {
  TENON_RETURN_IF_ERROR(ShareResults(launches));
  for (const Ptr& launch : launches) {
    TENON_RETURN_IF_ERROR(launch->AllocateResults(/*now=*/false));
  }
  return OkStatus();
}

Status Launch::ShareResults(std::span<const Ptr> launches) {
  const LaunchTarget& target = *launches[0]->target_;
  // Results of devices in other processes come in messages.
  if (target.remote) return OkStatus();
  const ExecutableInfo& info = target.executable->info();
  for (size_t r = 0; r < info.results.size(); ++r) {
    const int64_t site = info.results[r].shared_by;
    if (site < 0 || target.executable->output_shapes()[r].byte_size() < kMinSharedBytes) {
      continue;
    }
    for (const auto& numbers : info.collectives[static_cast<size_t>(site)].groups) {
      std::vector<Launch*> group;
      for (int64_t number : numbers) {
        group.push_back(launches[static_cast<size_t>(number)].get());
      }
      TENON_RETURN_IF_ERROR(ShareResult(group, r));
    }
  }
  return OkStatus();
}

Status Launch::ShareResult(std::span<Launch* const> group, size_t r) {
  Launch& first = *group[0];
  device::MemorySpace& space = first.SpaceOf(r);
  const auto has_other_space = [&](Launch* launch) {
    return &launch->SpaceOf(r) != &space;
  };
  if (std::ranges::any_of(group, has_other_space)) return OkStatus();
  const auto sharers = static_cast<uint32_t>(group.size());
  if (first.executable().parameter_of_result(r) >= 0) {
    if (ShareDonated(group, r)) first.results_[r].storage->ShareAmong(sharers);
    return OkStatus();
  }
  TENON_ASSIGN_OR_RETURN(
      const StorageRef storage,
      Storage::Deferred(space, first.executable().output_shapes()[r].byte_size()));
  storage->ShareAmong(sharers);
  for (Launch* launch : group) launch->results_[r].storage = storage;
  return OkStatus();
}

// Changes nothing and returns false if they cannot share.
bool Launch::ShareDonated(std::span<Launch* const> group, size_t r) {
  const auto p = static_cast<size_t>(group[0]->executable().parameter_of_result(r));
  Storage* const first = group[0]->arguments_[p].donated.get();
  if (!first || &first->space() != &group[0]->SpaceOf(r)) return false;
  const auto has_first = [&](Launch* launch) {
    return launch->arguments_[p].donated.get() == first;
  };
  if (std::ranges::all_of(group, has_first)) {
    if (!first->MayOverwrite(group.size())) return false;
    for (Launch* launch : group) {
      launch->results_[r].storage = std::move(launch->arguments_[p].donated);
    }
    return true;
  }
  const auto is_equal = [&](Launch* launch) {
    const Argument& argument = launch->arguments_[p];
    return argument.donated && !argument.ready && launch->argument_error_.ok() &&
           argument.donated->host_addressable() &&
           std::memcmp(argument.donated->host_data(), first->host_data(),
                       first->size()) == 0;
  };
  if (!first->MayOverwrite(1) || !std::ranges::all_of(group, is_equal)) return false;
  group[0]->results_[r].storage = std::move(group[0]->arguments_[p].donated);
  for (Launch* launch : group.subspan(1)) {
    launch->results_[r] = {group[0]->results_[r].storage, /*has_argument=*/true};
  }
  return true;
}

Status Launch::AllocateResults(bool now) {
  for (size_t r = 0; r < results_.size(); ++r) {
    if (results_[r].storage) continue;
    device::MemorySpace& space = SpaceOf(r);
    const int parameter = executable().parameter_of_result(r);
    if (parameter >= 0) {
      Argument& argument = arguments_[static_cast<size_t>(parameter)];
      if (argument.donated && &argument.donated->space() == &space &&
          argument.donated->MayOverwrite(/*count=*/1)) {
        results_[r].storage = std::move(argument.donated);
        continue;
      }
    }
    const size_t size = executable().output_shapes()[r].byte_size();
    TENON_ASSIGN_OR_RETURN(results_[r].storage, now ? Storage::Owned(space, size)
                                                    : Storage::Deferred(space, size));
  }
  return OkStatus();
}

void Launch::MakeOutputs(std::span<std::unique_ptr<Buffer>> outputs, const Event& ready) {
  for (size_t r = 0; r < results_.size(); ++r) {
    outputs[r] = std::make_unique<LocalBuffer>(
        executable().output_shapes()[r],
        device_->memory(executable().output_memory_kinds()[r]), results_[r].storage,
        ready, target_->context);
  }
}

Status Launch::Prepare(device::LaunchBuffers* buffers) {
  if (!argument_error_.ok()) return argument_error_;
  RunBuffer* const args = run_buffers_;
  RunBuffer* const results = run_buffers_ + arguments_.size();
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    Storage* storage = argument.use       ? argument.use.get()
                       : argument.donated ? argument.donated.get()
                                          : nullptr;
    args[i] = {storage ? storage->address() : nullptr, nullptr};
    if (companions_) companions_[i] = argument.use ? storage->companion() : nullptr;
  }
  for (size_t r = 0; r < results_.size(); ++r) {
    Storage& storage = *results_[r].storage.get();
    if (!storage.address()) TENON_RETURN_IF_ERROR(storage.Allocate());
    storage.DropCompanion();
    results[r] = {storage.address(), nullptr};
    const int parameter = executable().parameter_of_result(r);
    if (parameter < 0) continue;
    RunBuffer& argument = args[parameter];
    if (!argument.data || results_[r].has_argument) {
      argument.data = storage.address();  // donated in place
    } else if (storage.size()) {
      buffers->copies.push_back({storage.address(), argument.data, storage.size()});
    }
  }
  buffers->arguments = args;
  buffers->companions = companions_;
  buffers->results = results;
  return OkStatus();
}

Event Launch::RunInline() {
  device::LaunchBuffers buffers;
  Status status = Prepare(&buffers);
  if (status.ok()) {
    status = device_->device().compute().Run(*target_->program, buffers, ids_);
  }
  return status.ok() ? Event::Ready() : Event::Failed(std::move(status));
}

Launch* Launch::Begin(Ptr owned, std::shared_ptr<const LaunchTarget> target,
                      std::shared_ptr<const ExecuteContext> context, Event done) {
  Launch* launch = owned.release();
  launch->held_target_ = std::move(target);
  launch->held_context_ = std::move(context);
  launch->ids_.user_data_context = launch->held_context_.get();
  launch->done_ = std::move(done);
  launch->target_->context.in_flight.Begin();
  return launch;
}

void Launch::Submit(Ptr owned, std::shared_ptr<const LaunchTarget> target,
                    std::shared_ptr<const ExecuteContext> context, Event done,
                    std::shared_ptr<Event::Work> work) {
  Launch* launch =
      Begin(std::move(owned), std::move(target), std::move(context), std::move(done));
  launch->device_->device().compute().Submit(launch, std::move(work));
}

void Launch::WhenArgumentsReady(std::function<void()> ready) {
  if (num_pending_ == 0) {
    ready();
    return;
  }
  ready_ = std::move(ready);
  // One more than the number of events, so that the launch cannot end before all
  // callbacks are registered.
  waiting_.store(num_pending_ + 1, std::memory_order_relaxed);
  for (Argument& argument : arguments_) {
    if (!argument.ready) continue;
    const Event event = std::exchange(argument.ready, Event());
    event.OnReady([this](const Status& status) { ArgumentReady(status); });
  }
  ArgumentReady(OkStatus());
}

std::vector<Event> Launch::PendingArguments() const {
  std::vector<Event> pending;
  for (const Argument& argument : arguments_) {
    if (argument.ready) pending.push_back(argument.ready);
  }
  return pending;
}

void Launch::AwaitArguments() {
  for (Argument& argument : arguments_) {
    if (!argument.ready) continue;
    const Event event = std::exchange(argument.ready, Event());
    const Status& status = event.Await();
    if (!status.ok() && argument_error_.ok()) argument_error_ = status;
  }
}

void Launch::ArgumentReady(const Status& status) {
  // Only the first failing event writes. Acquire may have set an earlier error.
  if (!status.ok() && !argument_failed_.exchange(true, std::memory_order_relaxed) &&
      argument_error_.ok()) {
    argument_error_ = status;
  }
  if (waiting_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  // Moved out, because the call may destroy the launch.
  const std::function<void()> ready = std::move(ready_);
  ready();
}

void Launch::Finish(Status status) {
  Event done = std::move(done_);
  // Release the target before in_flight.End, after which the client may be destroyed.
  std::shared_ptr<const LaunchTarget> target = std::move(held_target_);
  runtime::InFlight& in_flight = target->context.in_flight;
  // End the uses of the arguments before the results become ready, because the framework
  // may donate the arguments then.
  Deleter()(this);
  done.Set(std::move(status));
  done = Event();
  target = nullptr;
  in_flight.End();
}

}  // namespace tenon::pjrt
