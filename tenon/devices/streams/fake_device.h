// For tests: devices with streams, each of which runs its commands on a thread. Tests
// hold them, and let calls and kernels fail. Kernels are those of testing.h.
//
// As most drivers do, the devices give the error of a kernel only to its own mark.
#ifndef TENON_DEVICES_STREAMS_FAKE_DEVICE_H_
#define TENON_DEVICES_STREAMS_FAKE_DEVICE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tenon/base/status.h"
#include "tenon/device/device.h"
#include "tenon/devices/streams/program.h"
#include "tenon/devices/streams/stream.h"
#include "tenon/devices/streams/system.h"
#include "tenon/devices/streams/testing.h"

namespace tenon::streams::testing {

// What a test does with the devices of a platform. Thread-safe.
class FakeControls {
 public:
  // Until Release, no command runs that has not begun.
  void Hold() { SetHeld(true); }
  void Release() { SetHeld(false); }
  void WaitUntilReleased() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !held_; });
  }

  // How many calls are left until one fails; negative: none does.
  std::atomic<int> launches_left{-1}, copies_left{-1}, records_left{-1};
  // How many kernels are left until one fails when it runs.
  std::atomic<int> kernels_left{-1};
  std::atomic<std::thread::id> launching_thread;  // of the last launch of a kernel
  std::atomic<int> num_marks{0};                  // that exist
  std::atomic<int> num_copies{0};                 // that have been started

 private:
  void SetHeld(bool held) {
    std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
};

class FakeMark final : public Mark {
 public:
  class State {
   public:
    void Reach(Status status) {
      std::lock_guard lock(mutex_);
      reached_ = true;
      status_ = std::move(status);
      time_ = std::chrono::steady_clock::now();
      changed_.notify_all();
    }
    Status Wait() {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return reached_; });
      return status_;
    }
    bool IsReached() {
      std::lock_guard lock(mutex_);
      return reached_;
    }
    auto time() {
      std::lock_guard lock(mutex_);
      return time_;
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool reached_ = false;
    Status status_;
    std::chrono::steady_clock::time_point time_;
  };

  explicit FakeMark(FakeControls& controls) : controls_(controls) {
    ++controls_.num_marks;
  }
  ~FakeMark() override { --controls_.num_marks; }

  bool IsReached() override { return state_->IsReached(); }
  Status Wait() override { return state_->Wait(); }
  int64_t NanosecondsSince(const Mark& earlier) const override {
    return (state_->time() - static_cast<const FakeMark&>(earlier).state_->time())
        .count();
  }
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  FakeControls& controls_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

class FakeStream final : public Stream {
 public:
  explicit FakeStream(FakeControls& controls)
      : controls_(controls), thread_([this] { Run(); }) {}
  ~FakeStream() override {
    Add(nullptr);
    thread_.join();
  }

  Status Copy(void* to, const void* from, size_t size) override {
    if (controls_.copies_left.fetch_sub(1) == 0) return Internal("no copy");
    ++controls_.num_copies;
    Add([=] { std::memcpy(to, from, size); });
    return OkStatus();
  }
  StatusOr<std::shared_ptr<Mark>> Record(bool) override {
    auto mark = std::make_shared<FakeMark>(controls_);
    Add([state = mark->state()] { state->Reach(OkStatus()); });
    if (controls_.records_left.fetch_sub(1) != 0) return std::shared_ptr<Mark>(mark);
    (void)mark->Wait();
    return Internal("no mark");
  }
  Status WaitFor(const Mark& mark) override {
    Add([state = static_cast<const FakeMark&>(mark).state()] { (void)state->Wait(); });
    return OkStatus();
  }
  intptr_t handle() override { return reinterpret_cast<intptr_t>(this); }
  StatusOr<std::shared_ptr<Mark>> RecordIn(intptr_t other) override {
    return reinterpret_cast<FakeStream*>(other)->Record(/*timed=*/false);
  }
  Status HoldBack(intptr_t other, const Mark& mark) override {
    return reinterpret_cast<FakeStream*>(other)->WaitFor(mark);
  }
  std::shared_ptr<Mark> Launch(std::function<void()> kernel) {
    auto end = std::make_shared<FakeMark>(controls_);
    Add([this, kernel = std::move(kernel), state = end->state()] {
      const bool fails = controls_.kernels_left.fetch_sub(1) == 0;
      if (!fails) kernel();
      state->Reach(fails ? Internal("no kernel") : OkStatus());
    });
    return end;
  }

 private:
  void Add(std::function<void()> command) {
    std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    added_.notify_all();
  }
  void Run() {
    while (true) {
      std::function<void()> command;
      {
        std::unique_lock lock(mutex_);
        added_.wait(lock, [&] { return !commands_.empty(); });
        command = std::move(commands_.front());
        commands_.pop_front();
      }
      if (!command) return;
      controls_.WaitUntilReleased();
      command();
    }
  }

  FakeControls& controls_;
  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<std::function<void()>> commands_;
  std::thread thread_;
};

class FakeKernels final : public streams::Kernels {
 public:
  explicit FakeKernels(FakeControls& controls) : controls_(controls) {}
  StatusOr<std::shared_ptr<Mark>> Launch(size_t, Stream& stream, size_t kernel,
                                         const uint64_t* arguments,
                                         uint64_t) const override {
    if (controls_.launches_left.fetch_sub(1) == 0) return Internal("no launch");
    controls_.launching_thread = std::this_thread::get_id();
    const auto* a = reinterpret_cast<const int32_t*>(arguments[0]);
    auto* out = reinterpret_cast<int32_t*>(arguments[2]);
    const auto size = static_cast<int64_t>(arguments[3]);
    return static_cast<FakeStream&>(stream).Launch([=, b = arguments[1]] {
      for (int64_t i = 0; i < size; ++i) {
        out[i] = a[i] + (kernel == kAddScalar ? static_cast<int32_t>(b)
                                              : reinterpret_cast<const int32_t*>(b)[i]);
      }
    });
  }

 private:
  FakeControls& controls_;
};

class FakeLoader final : public KernelLoader {
 public:
  explicit FakeLoader(FakeControls& controls) : controls_(controls) {}
  // Contexts of devices have ended when marks of others still exist.
  ~FakeLoader() override {
    if (controls_.num_marks != 0) std::abort();
  }
  std::string format() const override { return "fake"; }
  std::string missing() const override { return "code for a fake device"; }
  StatusOr<std::unique_ptr<streams::Kernels>> Load(const KernelSource&) const override {
    return std::unique_ptr<streams::Kernels>(new FakeKernels(controls_));
  }

 private:
  FakeControls& controls_;
};

class FakePlatform final : public device::Platform {
 public:
  std::string_view name() const override { return "tenon_fake"; }
  std::string_view device_kind() const override { return "fake"; }
  const Machine& host() const override { return LauncherMachine(); }
  std::span<const device::Option> options() const override { return {}; }
  StatusOr<std::vector<device::DeviceFacts>> Describe(
      const device::SystemOptions& options) const override {
    std::vector<device::DeviceFacts> facts(static_cast<size_t>(options.device_count));
    for (size_t d = 0; d < facts.size(); ++d) facts[d].id = static_cast<int>(d);
    return facts;
  }
  StatusOr<std::unique_ptr<device::System>> Start(
      const device::SystemOptions& options) const override {
    const auto allocate = [](size_t size) -> StatusOr<void*> {
      return std::aligned_alloc(64, size);
    };
    auto system =
        std::make_unique<System>(options, std::make_unique<FakeLoader>(controls_));
    system->AddPinnedMemory("host memory", allocate, std::free);
    for (int64_t d = 0; d < options.device_count; ++d) {
      system->AddDevice(
          {.name = "device " + std::to_string(d),
           .memory = {.owner = "device " + std::to_string(d),
                      .limit = options.memory_limit
                                   ? static_cast<size_t>(options.memory_limit)
                                   : 1 << 30,
                      .largest_block = 1 << 30,
                      .allocate = allocate,
                      .free = std::free},
           .streams = {.compute = std::make_unique<FakeStream>(controls_),
                       .to_device = std::make_unique<FakeStream>(controls_),
                       .to_host = std::make_unique<FakeStream>(controls_),
                       .external = [this]() -> StatusOr<std::unique_ptr<Stream>> {
                         return std::make_unique<FakeStream>(controls_);
                       }}});
    }
    return system;
  }

  FakeControls& controls() const { return controls_; }

 private:
  mutable FakeControls controls_;
};

}  // namespace tenon::streams::testing

#endif  // TENON_DEVICES_STREAMS_FAKE_DEVICE_H_
