#include "tenon/devices/cuda/graphs.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace tenon::cuda {

using streams::Sequence;

Graphs::~Graphs() {
  const Context::Current current(context_);
  for (const Graph& graph : graphs_) Destroy(graph);
}

void Graphs::Destroy(const Graph& graph) const {
  const Driver& driver = context_.driver();
  if (graph.instance) driver.GraphExecDestroy(graph.instance);
  if (graph.graph) driver.GraphDestroy(graph.graph);
}

StatusOr<bool> Graphs::Launch(CUstream stream, const Sequence& sequence) {
  if (sequence.items.size() < kMinItems ||
      std::ranges::any_of(sequence.items, [](const Sequence::Item& item) {
        return item.num_groups > kMaxGroups;
      })) {
    return false;
  }
  std::lock_guard lock(mutex_);
  if (disabled_) return false;
  Graph* best = nullptr;
  size_t fewest = std::numeric_limits<size_t>::max();
  for (Graph& graph : graphs_) {
    if (graph.sequence.items != sequence.items) continue;
    const size_t changes = CountChanges(graph, sequence);
    if (changes >= fewest) continue;
    fewest = changes;
    best = &graph;
  }
  CUresult code = CUDA_SUCCESS;
  // To change an item takes a part of the time of a launch, so that a program whose
  // arguments alternate has a graph for each.
  const bool change =
      best && (fewest <= sequence.items.size() / 2 || graphs_.size() == kMaxGraphs);
  if (change) {
    if (fewest > 0) code = Update(sequence, *best);
  } else {
    if (!best && !WasSeen(sequence)) return false;
    if (graphs_.size() == kMaxGraphs) {
      const auto oldest = std::ranges::min_element(graphs_, {}, &Graph::last_use);
      disabled_ = oldest->uses < kMinUses && ++wasted_ == kMaxWasted;
      if (disabled_) return false;
      Destroy(*oldest);
      graphs_.erase(oldest);
    }
    best = &graphs_.emplace_back();
    code = Build(sequence, best);
  }
  if (code != CUDA_SUCCESS) {
    if (LosesContext(code)) return context_.Check(code, "making a graph of kernels");
    disabled_ = true;
    return false;
  }
  best->last_use = ++uses_;
  ++best->uses;
  TENON_RETURN_IF_ERROR(context_.Check(
      context_.driver().GraphLaunch(best->instance, stream),
      "the launch of " + std::to_string(sequence.items.size()) + " kernels"));
  return true;
}

size_t Graphs::CountChanges(const Graph& graph, const Sequence& sequence) const {
  size_t changes = 0, word = 0;
  for (const Sequence::Item& item : sequence.items) {
    const size_t count = kernels_[item.kernel].arguments.size();
    const uint64_t* const words = sequence.words.data() + word;
    if (!std::equal(words, words + count, graph.sequence.words.data() + word)) ++changes;
    word += count;
  }
  return changes;
}

CUDA_KERNEL_NODE_PARAMS_v2 Graphs::ParametersOf(const Sequence::Item& item,
                                                const uint64_t* words,
                                                std::vector<void*>* pointers) const {
  const DeviceKernel& kernel = kernels_[item.kernel];
  pointers->clear();
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    pointers->push_back(const_cast<uint64_t*>(&words[i]));
  }
  return {.func = functions_[item.kernel],
          .gridDimX = static_cast<unsigned>(item.num_groups),
          .gridDimY = 1,
          .gridDimZ = 1,
          .blockDimX = kernel.group_size,
          .blockDimY = 1,
          .blockDimZ = 1,
          .sharedMemBytes = kernel.dynamic_local_bytes,
          .kernelParams = pointers->data(),
          .extra = nullptr,
          .kern = nullptr,
          .ctx = nullptr};
}

CUresult Graphs::Build(const Sequence& sequence, Graph* graph) const {
  const Driver& driver = context_.driver();
  graph->sequence = sequence;
  CUresult code = driver.GraphCreate(&graph->graph, /*flags=*/0);
  std::vector<void*> pointers;
  const uint64_t* words = graph->sequence.words.data();
  for (const Sequence::Item& item : sequence.items) {
    if (code != CUDA_SUCCESS) return code;
    const auto parameters = ParametersOf(item, words, &pointers);
    // Kernels share the arena, so each waits for the one before.
    const CUgraphNode* const before =
        graph->nodes.empty() ? nullptr : &graph->nodes.back();
    CUgraphNode node = nullptr;
    code = driver.GraphAddKernelNode(&node, graph->graph, before, before ? 1 : 0,
                                     &parameters);
    graph->nodes.push_back(node);
    words += kernels_[item.kernel].arguments.size();
  }
  return code != CUDA_SUCCESS
             ? code
             : driver.GraphInstantiate(&graph->instance, graph->graph, /*flags=*/0);
}

CUresult Graphs::Update(const Sequence& sequence, Graph& graph) const {
  std::vector<void*> pointers;
  size_t word = 0;
  for (size_t i = 0; i < sequence.items.size(); ++i) {
    const Sequence::Item& item = sequence.items[i];
    const size_t count = kernels_[item.kernel].arguments.size();
    const uint64_t* const words = sequence.words.data() + word;
    if (!std::equal(words, words + count, graph.sequence.words.data() + word)) {
      const auto parameters = ParametersOf(item, words, &pointers);
      const CUresult code = context_.driver().GraphExecKernelNodeSetParams(
          graph.instance, graph.nodes[i], &parameters);
      if (code != CUDA_SUCCESS) return code;
    }
    word += count;
  }
  graph.sequence.words = sequence.words;
  return CUDA_SUCCESS;
}

bool Graphs::WasSeen(const Sequence& sequence) {
  if (std::ranges::find(seen_, sequence.items) != seen_.end()) return true;
  if (seen_.size() == kMaxSeen) seen_.erase(seen_.begin());
  seen_.push_back(sequence.items);
  return false;
}

}  // namespace tenon::cuda
