// CUDA graphs of the sequences of kernels that a program repeats on one GPU. To start a
// graph is one call of the driver, and kernels of a graph follow each other sooner.
#ifndef TENON_DEVICES_CUDA_GRAPHS_H_
#define TENON_DEVICES_CUDA_GRAPHS_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "tenon/devices/cuda/context.h"
#include "tenon/devices/streams/stream.h"
#include "tenon/executable/device_code.h"

namespace tenon::cuda {

// A GPU starts at most so many groups of a kernel.
inline constexpr uint64_t kMaxGroups = 2147483647;

// Thread-safe.
class Graphs {
 public:
  // All must outlive the object. `functions` are those of `kernels`.
  Graphs(const Context& context, const std::vector<DeviceKernel>& kernels,
         const std::vector<CUfunction>& functions)
      : context_(context), kernels_(kernels), functions_(functions) {}
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;
  ~Graphs();

  // Starts the sequence as a graph, if it is worth it: from the second time on that the
  // same kernels are started. Returns false if nothing was started. The context is
  // current.
  StatusOr<bool> Launch(CUstream stream, const streams::Sequence& sequence);

 private:
  // Shorter sequences are not slower one by one.
  static constexpr size_t kMinItems = 6;
  // Of one program on one device. Other addresses change a graph rather than need one.
  static constexpr size_t kMaxGraphs = 4;
  // How many sequences without a graph are remembered.
  static constexpr size_t kMaxSeen = 16;
  // A graph costs as much as some launches of its kernels. After so many that gave way to
  // others before they were used as often, the program gets no more.
  static constexpr int kMinUses = 4, kMaxWasted = 16;

  struct Graph {
    streams::Sequence sequence;
    CUgraph graph = nullptr;
    CUgraphExec instance = nullptr;
    std::vector<CUgraphNode> nodes;  // of the items
    uint64_t last_use = 0;
    int uses = 0;
  };
  // How many items have other arguments in `sequence`, which has the same kernels.
  size_t CountChanges(const Graph& graph, const streams::Sequence& sequence) const;
  CUDA_KERNEL_NODE_PARAMS_v2 ParametersOf(const streams::Sequence::Item& item,
                                          const uint64_t* words,
                                          std::vector<void*>* pointers) const;
  CUresult Build(const streams::Sequence& sequence, Graph* graph) const;
  CUresult Update(const streams::Sequence& sequence, Graph& graph) const;
  void Destroy(const Graph& graph) const;
  // Whether the same kernels were started before; remembers them.
  bool WasSeen(const streams::Sequence& sequence);

  const Context& context_;
  const std::vector<DeviceKernel>& kernels_;
  const std::vector<CUfunction>& functions_;
  std::mutex mutex_;
  uint64_t uses_ = 0;
  int wasted_ = 0;
  bool disabled_ = false;  // the driver refuses graphs of this program, or all are wasted
  std::vector<Graph> graphs_;
  std::vector<std::vector<streams::Sequence::Item>> seen_;  // the oldest first
};

}  // namespace tenon::cuda

#endif  // TENON_DEVICES_CUDA_GRAPHS_H_
