#include "tests/fake_cuda/stream.h"

#include <cstdlib>
#include <thread>
#include <utility>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace tenon::fake_cuda {

void Mark::Reach() {
  std::lock_guard lock(mutex_);
  reached_ = true;
  time_ = std::chrono::steady_clock::now();
  changed_.notify_all();
}

bool Mark::reached() const {
  std::lock_guard lock(mutex_);
  return reached_;
}

void Mark::Wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return reached_; });
}

std::chrono::steady_clock::time_point Mark::time() const {
  std::lock_guard lock(mutex_);
  return time_;
}

std::shared_ptr<Mark> Event::mark() const {
  std::lock_guard lock(mutex_);
  return mark_;
}

void Event::set_mark(std::shared_ptr<Mark> mark) {
  std::lock_guard lock(mutex_);
  mark_ = std::move(mark);
}

struct Stream::Commands {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  bool last = false;  // no others follow
};

Stream::Stream() : commands_(std::make_shared<Commands>()) {
  std::thread(Run, commands_).detach();
}

Stream::~Stream() {
  std::lock_guard lock(commands_->mutex);
  commands_->last = true;
  commands_->changed.notify_one();
}

void Stream::Run(const std::shared_ptr<Commands>& commands) {
#ifdef __x86_64__
  // As kernels flush subnormals on a device.
  constexpr unsigned kFlush = 0x8040;
  _mm_setcsr(_mm_getcsr() | kFlush);
#endif
  const char* text = std::getenv("TENON_FAKE_CUDA_DELAY");
  const std::chrono::microseconds delay(text ? std::atoi(text) : 0);
  while (true) {
    std::function<void()> command;
    {
      std::unique_lock lock(commands->mutex);
      commands->changed.wait(
          lock, [&] { return commands->last || !commands->waiting.empty(); });
      if (commands->waiting.empty()) return;
      command = std::move(commands->waiting.front());
      commands->waiting.pop_front();
    }
    if (delay.count() > 0) std::this_thread::sleep_for(delay);
    command();
  }
}

void Stream::Enqueue(std::function<void()> command) {
  std::lock_guard lock(commands_->mutex);
  commands_->waiting.push_back(std::move(command));
  commands_->changed.notify_one();
}

void Stream::Record(const std::shared_ptr<Mark>& mark) {
  Enqueue([mark] { mark->Reach(); });
}

void Stream::Wait() {
  const auto mark = std::make_shared<Mark>();
  Record(mark);
  mark->Wait();
}

}  // namespace tenon::fake_cuda
