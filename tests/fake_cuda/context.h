// A primary context, and what the driver keeps for the process.
#ifndef TESTS_FAKE_CUDA_CONTEXT_H_
#define TESTS_FAKE_CUDA_CONTEXT_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tenon/devices/cuda/driver.h"
#include "tests/fake_cuda/memory.h"
#include "tests/fake_cuda/module.h"
#include "tests/fake_cuda/stream.h"

namespace tenon::fake_cuda {

inline constexpr cuda::CUresult kContextIsDestroyed{709};
// Local memory of a group that a kernel may use without asking for more.
inline constexpr int kUsualLocalBytes = 48 << 10;

// A kernel, and what the caller has set for it.
struct Function {
  Function(std::shared_ptr<Module> of, const Kernel* launched)
      : module(std::move(of)), kernel(launched) {}
  const std::shared_ptr<Module> module;
  const Kernel* const kernel;
  std::atomic<int> allowed_local_bytes{kUsualLocalBytes};
};

// A kernel with its arguments.
struct Launch {
  std::shared_ptr<Function> function;
  unsigned groups = 0, items = 0, local_bytes = 0;
  std::vector<uint64_t> words;
};

struct Graph {
  std::vector<Launch> launches;
};

struct GraphInstance {
  explicit GraphInstance(const Graph& graph) : launches(graph.launches) {}
  std::vector<Launch> launches;
};

// Objects by their addresses, which are the handles of the interface. Thread-safe.
template <typename T>
class Handles {
 public:
  template <typename Handle>
  void Add(std::shared_ptr<T> object, Handle* handle) {
    *handle = reinterpret_cast<Handle>(object.get());
    std::lock_guard lock(mutex_);
    objects_[object.get()] = std::move(object);
  }
  // Null if there is no such object.
  std::shared_ptr<T> Find(const void* handle) const {
    std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  bool Remove(const void* handle) {
    std::lock_guard lock(mutex_);
    return objects_.erase(handle) > 0;
  }
  std::vector<std::shared_ptr<T>> All() const {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> all;
    for (const auto& [handle, object] : objects_) all.push_back(object);
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::shared_ptr<T>> objects_;
};

// What a reset of the context loses.
struct Resources {
  explicit Resources(size_t memory_limit) : memory(memory_limit) {}
  Memory memory;
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Module> modules;
  Handles<Function> functions;
  Handles<Graph> graphs;
  Handles<GraphInstance> instances;
  // The error of a kernel, which all later calls return.
  std::atomic<int> error{0};

  void Wait() const {
    for (const auto& stream : streams.All()) stream->Wait();
  }
};

class Context {
 public:
  // Null if nobody has retained the context.
  std::shared_ptr<Resources> resources() const {
    std::lock_guard lock(mutex_);
    return resources_;
  }
  void Retain(size_t memory_limit) {
    std::lock_guard lock(mutex_);
    ++retained_;
    if (!resources_) resources_ = std::make_shared<Resources>(memory_limit);
    if (lost_) resources_->error = lost_;
  }
  bool Release() {
    std::lock_guard lock(mutex_);
    if (retained_ == 0) return false;
    if (--retained_ > 0) return true;
    lost_ = resources_->error;
    resources_ = nullptr;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  int retained_ = 0;
  int lost_ =
      0;  // the error of a kernel, which no later context of the process is without
  std::shared_ptr<Resources> resources_;
};

}  // namespace tenon::fake_cuda

#endif  // TESTS_FAKE_CUDA_CONTEXT_H_
