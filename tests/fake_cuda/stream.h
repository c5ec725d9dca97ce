// Streams and events. A stream's thread runs its commands one after the other.
#ifndef TESTS_FAKE_CUDA_STREAM_H_
#define TESTS_FAKE_CUDA_STREAM_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace tenon::fake_cuda {

// One recording of an event: a place in a stream that has been reached or not.
class Mark {
 public:
  void Reach();
  bool reached() const;
  void Wait() const;
  std::chrono::steady_clock::time_point time() const;  // when it was reached

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool reached_ = false;
  std::chrono::steady_clock::time_point time_;
};

class Event {
 public:
  explicit Event(bool timed) : timed_(timed) {}
  bool timed() const { return timed_; }
  // The last recording; null if there is none.
  std::shared_ptr<Mark> mark() const;
  void set_mark(std::shared_ptr<Mark> mark);

 private:
  const bool timed_;
  mutable std::mutex mutex_;
  std::shared_ptr<Mark> mark_;
};

class Stream {
 public:
  Stream();
  // Does not wait for the commands, which run nevertheless.
  ~Stream();
  void Enqueue(std::function<void()> command);
  void Record(const std::shared_ptr<Mark>& mark);
  void Wait();

 private:
  struct Commands;
  static void Run(const std::shared_ptr<Commands>& commands);
  const std::shared_ptr<Commands> commands_;
};

}  // namespace tenon::fake_cuda

#endif  // TESTS_FAKE_CUDA_STREAM_H_
