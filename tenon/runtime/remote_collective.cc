#include "tenon/runtime/remote_collective.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tenon/runtime/reduction.h"

namespace tenon::runtime {
namespace {

// Reductions of at most this many bytes are combined whole by every process, in one step.
// Longer ones take two steps, in which each process sends 2 (P - 1) / P times its bytes
// instead of P - 1 times. 32 KiB take about as long as one more step on a local network.
constexpr int64_t kMaxWholeBytes = int64_t{32} << 10;
// Slices begin at multiples of this many elements, so that most tiles are aligned.
constexpr int64_t kSliceElements = 64;

size_t Aligned(size_t size) {
  constexpr size_t kUnit = AlignedBytes::kAlignment;
  return (size + kUnit - 1) / kUnit * kUnit;
}

bool Reduces(const ImageCollective& site) {
  return site.kind == CollectiveKind::kAllReduce ||
         site.kind == CollectiveKind::kReduceScatter;
}

}  // namespace

RemoteCollective::RemoteCollective(const ImageCollective& site,
                                   const GangPlan::Group& group,
                                   const std::vector<int32_t>& process_of, int process,
                                   std::vector<CollectiveBuffers> members,
                                   Combiner combiner, RunContext* context)
    : site_(site),
      group_(group),
      members_(std::move(members)),
      combiner_(combiner),
      context_(context) {
  const auto process_at = [&](size_t position) {
    return process_of[static_cast<size_t>(group_.members[position])];
  };
  for (size_t i = 0; i < group_.members.size(); ++i) processes_.push_back(process_at(i));
  std::ranges::sort(processes_);
  processes_.erase(std::unique(processes_.begin(), processes_.end()), processes_.end());
  positions_.resize(processes_.size());
  const auto index_of = [&](int p) {
    return static_cast<size_t>(std::ranges::lower_bound(processes_, p) -
                               processes_.begin());
  };
  own_ = index_of(process);
  for (size_t i = 0; i < group_.members.size(); ++i) {
    positions_[index_of(process_at(i))].push_back(i);
  }
  if (Reduces(site_)) AddSubtrees(0, group_.members.size());
}

int64_t RemoteCollective::ElementSize(size_t operand) const {
  return std::max<int64_t>(ElementBytes(site_.operands[operand].type), 1);
}

void RemoteCollective::AddSubtrees(size_t low, size_t high) {
  for (size_t p = 0; p < positions_.size(); ++p) {
    const auto first = std::ranges::lower_bound(positions_[p], low);
    const auto last = std::ranges::lower_bound(positions_[p], high);
    if (static_cast<size_t>(last - first) != high - low) continue;
    subtrees_.push_back({low, high - low, p});
    return;
  }
  const size_t middle = low + std::bit_floor(high - low - 1);
  AddSubtrees(low, middle);
  AddSubtrees(middle, high);
}

StatusOr<RemoteCollective::Messages> RemoteCollective::Begin(
    const ParallelChunks& parallel) {
  if (site_.kind == CollectiveKind::kRaggedAllToAll) return RaggedSizes();
  if (Reduces(site_)) return ReduceMessages(parallel);
  if (site_.kind == CollectiveKind::kAllToAll) return PartMessages();
  return CopyMessages();
}

StatusOr<bool> RemoteCollective::Take(std::vector<AlignedBytes> received,
                                      const ParallelChunks& parallel, Messages* next) {
  ++step_;
  if (site_.kind == CollectiveKind::kRaggedAllToAll) {
    if (step_ == 2) {
      TakeRaggedRows(received, parallel);
      return false;
    }
    TENON_RETURN_IF_ERROR(TakeRaggedSizes(received, next));
    return true;
  }
  if (Reduces(site_)) {
    if (step_ == 1) return TakeSlices(received, parallel, next);
    TakeSums(received);
  } else if (site_.kind == CollectiveKind::kAllToAll) {
    TakeParts(received, parallel);
  } else {
    TENON_RETURN_IF_ERROR(TakeCopies(received, parallel));
  }
  return false;
}

std::vector<size_t> RemoteCollective::NeededInputs(size_t from, size_t to) const {
  // Of a broadcast whose roots are known at run time, every process checks them.
  if (site_.kind == CollectiveKind::kAllGather || HasRoots(site_)) {
    return positions_[from];
  }
  std::vector<size_t> needed;
  for (size_t position : positions_[to]) {
    const int32_t source = group_.sources[position];
    if (source < 0) continue;
    if (std::ranges::binary_search(positions_[from], static_cast<size_t>(source))) {
      needed.push_back(static_cast<size_t>(source));
    }
  }
  std::ranges::sort(needed);
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

// Whole operands, one member after another.
RemoteCollective::Messages RemoteCollective::CopyMessages() const {
  Messages messages;
  size_t size = 0;
  for (const ImageTensor& operand : site_.operands) {
    size += Aligned(static_cast<size_t>(operand.ByteSize()));
  }
  for (size_t p = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    const std::vector<size_t> needed = NeededInputs(own(), p);
    if (!needed.empty()) {
      AlignedBytes data(size * needed.size());
      char* to = data.data();
      for (size_t position : needed) {
        for (size_t o = 0; o < site_.operands.size(); ++o) {
          const auto bytes = static_cast<size_t>(site_.operands[o].ByteSize());
          if (bytes) std::memcpy(to, members_[position].inputs[o], bytes);
          to += Aligned(bytes);
        }
      }
      messages.send.push_back({processes_[p], std::move(data)});
    }
    const size_t expected = NeededInputs(p, own()).size();
    if (expected) messages.receive.push_back({processes_[p], size * expected});
  }
  return messages;
}

Status RemoteCollective::TakeCopies(const std::vector<AlignedBytes>& received,
                                    const ParallelChunks& parallel) {
  size_t message = 0;
  for (size_t p = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    const std::vector<size_t> needed = NeededInputs(p, own());
    if (needed.empty()) continue;
    const char* from = received[message++].data();
    for (size_t position : needed) {
      for (const ImageTensor& operand : site_.operands) {
        members_[position].inputs.push_back(from);
        from += Aligned(static_cast<size_t>(operand.ByteSize()));
      }
    }
  }
  return CopyBetweenMembers(site_, members_, group_.sources, parallel);
}

// The parts from each member of this process to each member of the other.
RemoteCollective::Messages RemoteCollective::PartMessages() const {
  Messages messages;
  const auto count = static_cast<int64_t>(members_.size());
  size_t size = 0;
  for (const ImageTensor& operand : site_.operands) {
    size += Aligned(static_cast<size_t>(operand.ByteSize() / count));
  }
  for (size_t p = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    const size_t bytes = size * positions_[own()].size() * positions_[p].size();
    AlignedBytes data(bytes);
    char* at = data.data();
    for (size_t from : positions_[own()]) {
      for (size_t to : positions_[p]) {
        for (size_t o = 0; o < site_.operands.size(); ++o) {
          CopyPartOut(site_, o, members_[from].inputs[o], static_cast<int64_t>(to), count,
                      at);
          at += Aligned(static_cast<size_t>(site_.operands[o].ByteSize() / count));
        }
      }
    }
    messages.send.push_back({processes_[p], std::move(data)});
    messages.receive.push_back({processes_[p], bytes});
  }
  return messages;
}

void RemoteCollective::TakeParts(const std::vector<AlignedBytes>& received,
                                 const ParallelChunks& parallel) {
  const auto count = static_cast<int64_t>(members_.size());
  // Between members of this process.
  const std::vector<size_t>& mine = positions_[own()];
  const auto pairs = static_cast<int64_t>(mine.size() * mine.size());
  parallel(pairs, [&](int64_t pair) {
    const size_t from = mine[static_cast<size_t>(pair) / mine.size()];
    const size_t to = mine[static_cast<size_t>(pair) % mine.size()];
    for (size_t o = 0; o < site_.operands.size(); ++o) {
      AlignedBytes part(static_cast<size_t>(site_.operands[o].ByteSize() / count));
      CopyPartOut(site_, o, members_[from].inputs[o], static_cast<int64_t>(to), count,
                  part.data());
      CopyPartIn(site_, o, part.data(), static_cast<int64_t>(from), count,
                 members_[to].outputs[o]);
    }
  });
  size_t message = 0;
  for (size_t p = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    const char* at = received[message++].data();
    for (size_t from : positions_[p]) {
      for (size_t to : mine) {
        for (size_t o = 0; o < site_.operands.size(); ++o) {
          CopyPartIn(site_, o, at, static_cast<int64_t>(from), count,
                     members_[to].outputs[o]);
          at += Aligned(static_cast<size_t>(site_.operands[o].ByteSize() / count));
        }
      }
    }
  }
}

std::vector<RemoteCollective::Slice> RemoteCollective::SlicesOf(size_t to) const {
  std::vector<Slice> slices;
  for (size_t o = 0; o < site_.operands.size(); ++o) {
    const int64_t element = ElementSize(o);
    const int64_t elements = site_.operands[o].ByteSize() / element;
    if (site_.kind == CollectiveKind::kAllReduce) {
      Slice slice{.operand = o, .run = elements, .stride = elements};
      if (in_slices_) {
        const auto parts = static_cast<int64_t>(processes_.size());
        const int64_t units = (elements + kSliceElements - 1) / kSliceElements;
        const auto edge = [&](int64_t part) {
          return std::min(units * part / parts * kSliceElements, elements);
        };
        slice.start = edge(static_cast<int64_t>(to));
        slice.run = slice.stride = edge(static_cast<int64_t>(to) + 1) - slice.start;
      }
      slice.elements = slice.run;
      slices.push_back(slice);
      continue;
    }
    const std::vector<int64_t>& dims = site_.operands[o].dims;
    const auto dim = static_cast<size_t>(site_.dimension);
    int64_t inner = 1;
    for (size_t d = dim; d < dims.size(); ++d) inner *= dims[d];
    const int64_t run = inner / static_cast<int64_t>(members_.size());
    for (size_t position : positions_[to]) {
      slices.push_back({.operand = o,
                        .start = static_cast<int64_t>(position) * run,
                        .run = run,
                        .stride = inner,
                        .elements = elements / static_cast<int64_t>(members_.size())});
    }
  }
  return slices;
}

size_t RemoteCollective::BytesOf(std::span<const Slice> slices) const {
  size_t bytes = 0;
  for (const Slice& slice : slices) {
    bytes += Aligned(static_cast<size_t>(slice.elements * ElementSize(slice.operand)));
  }
  return bytes;
}

void RemoteCollective::CombineOwnSubtrees(const ParallelChunks& parallel) {
  sums_.resize(subtrees_.size());
  for (size_t t = 0; t < subtrees_.size(); ++t) {
    const Subtree& tree = subtrees_[t];
    if (tree.process != own() || tree.width == 1) continue;
    const Members leaves = Members(members_).subspan(tree.position, tree.width);
    for (size_t o = 0; o < site_.operands.size(); ++o) {
      const int64_t element = ElementSize(o);
      AlignedBytes& sum =
          sums_[t].emplace_back(static_cast<size_t>(site_.operands[o].ByteSize()));
      const int64_t elements = site_.operands[o].ByteSize() / element;
      if (!elements) continue;
      Reduction reduction(leaves, o, element, site_.tile_elements, combiner_, context_);
      const Reduction::Rows rows{.start = 0, .run = elements, .stride = elements};
      ForTiles(reduction, elements, site_.tile_elements, element, parallel,
               [&](int64_t begin, int64_t count, Reduction::Scratch& scratch) {
                 std::memcpy(sum.data() + begin * element,
                             reduction.Combine(rows, begin, count, scratch),
                             static_cast<size_t>(count * element));
               });
    }
  }
}

const void* RemoteCollective::SubtreeInput(size_t tree, size_t operand) const {
  const Subtree& subtree = subtrees_[tree];
  return subtree.width == 1 ? members_[subtree.position].inputs[operand]
                            : sums_[tree][operand].data();
}

void RemoteCollective::Pack(size_t tree, const Slice& slice, char* to) const {
  if (!slice.elements) return;
  const int64_t element = ElementSize(slice.operand);
  const char* from = static_cast<const char*>(SubtreeInput(tree, slice.operand));
  for (int64_t row = 0; row < slice.elements / slice.run; ++row) {
    std::memcpy(to + row * slice.run * element,
                from + (slice.start + row * slice.stride) * element,
                static_cast<size_t>(slice.run * element));
  }
}

// For each own subtree the slices of the receiver.
RemoteCollective::Messages RemoteCollective::ReduceMessages(
    const ParallelChunks& parallel) {
  int64_t bytes = 0;
  for (const ImageTensor& operand : site_.operands) bytes += operand.ByteSize();
  in_slices_ = site_.kind == CollectiveKind::kAllReduce && bytes > kMaxWholeBytes;
  CombineOwnSubtrees(parallel);
  std::vector<size_t> count(processes_.size());
  for (const Subtree& tree : subtrees_) ++count[tree.process];
  Messages messages;
  const size_t own_size = BytesOf(SlicesOf(own()));
  for (size_t p = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    const std::vector<Slice> slices = SlicesOf(p);
    AlignedBytes data(BytesOf(slices) * count[own()]);
    char* to = data.data();
    for (size_t t = 0; t < subtrees_.size(); ++t) {
      if (subtrees_[t].process != own()) continue;
      for (const Slice& slice : slices) {
        Pack(t, slice, to);
        to += Aligned(static_cast<size_t>(slice.elements * ElementSize(slice.operand)));
      }
    }
    messages.send.push_back({processes_[p], std::move(data)});
    messages.receive.push_back({processes_[p], own_size * count[p]});
  }
  return messages;
}

AlignedBytes RemoteCollective::CombineSlices(const std::vector<AlignedBytes>& received,
                                             const ParallelChunks& parallel) const {
  const std::vector<Slice> slices = SlicesOf(own());
  const size_t size = BytesOf(slices);
  // Where the next subtree of each process begins.
  std::vector<const char*> next(processes_.size());
  for (size_t p = 0, message = 0; p < processes_.size(); ++p) {
    if (p != own()) next[p] = received[message++].data();
  }
  // One member per position, of which those with a subtree have an input per slice.
  std::vector<CollectiveBuffers> leaves(members_.size());
  std::vector<int32_t> widths(members_.size(), 0);
  std::vector<AlignedBytes> packed;
  for (size_t t = 0; t < subtrees_.size(); ++t) {
    const Subtree& tree = subtrees_[t];
    widths[tree.position] = static_cast<int32_t>(tree.width);
    const char* at = next[tree.process];
    if (tree.process == own()) {
      AlignedBytes& data = packed.emplace_back(size);
      char* to = data.data();
      for (const Slice& slice : slices) {
        Pack(t, slice, to);
        to += Aligned(static_cast<size_t>(slice.elements * ElementSize(slice.operand)));
      }
      at = data.data();
    } else {
      next[tree.process] += size;
    }
    for (const Slice& slice : slices) {
      leaves[tree.position].inputs.push_back(at);
      at += Aligned(static_cast<size_t>(slice.elements * ElementSize(slice.operand)));
    }
  }
  AlignedBytes result(size);
  char* to = result.data();
  for (size_t s = 0; s < slices.size(); ++s) {
    const int64_t elements = slices[s].elements;
    const int64_t element = ElementSize(slices[s].operand);
    if (elements) {
      Reduction reduction(leaves, s, element, site_.tile_elements, combiner_, context_,
                          widths);
      const Reduction::Rows rows{.start = 0, .run = elements, .stride = elements};
      ForTiles(reduction, elements, site_.tile_elements, element, parallel,
               [&](int64_t begin, int64_t count, Reduction::Scratch& scratch) {
                 std::memcpy(to + begin * element,
                             reduction.Combine(rows, begin, count, scratch),
                             static_cast<size_t>(count * element));
               });
    }
    to += Aligned(static_cast<size_t>(elements * element));
  }
  return result;
}

bool RemoteCollective::TakeSlices(const std::vector<AlignedBytes>& received,
                                  const ParallelChunks& parallel, Messages* next) {
  own_slices_ = CombineSlices(received, parallel);
  WriteSlices(own(), own_slices_.data());
  if (!in_slices_) return false;
  for (size_t p = 0; p < processes_.size(); ++p) {
    if (p == own()) continue;
    AlignedBytes copy(own_slices_.size());
    if (copy.size()) std::memcpy(copy.data(), own_slices_.data(), copy.size());
    next->send.push_back({processes_[p], std::move(copy)});
    next->receive.push_back({processes_[p], BytesOf(SlicesOf(p))});
  }
  return true;
}

void RemoteCollective::TakeSums(const std::vector<AlignedBytes>& received) {
  for (size_t p = 0, message = 0; p < processes_.size(); ++p) {
    if (p != own()) WriteSlices(p, received[message++].data());
  }
}

void RemoteCollective::WriteSlices(size_t from, const char* at) {
  const std::vector<size_t>& mine = positions_[own()];
  const std::vector<Slice> slices = SlicesOf(from);
  for (size_t s = 0; s < slices.size(); ++s) {
    const Slice& slice = slices[s];
    const int64_t element = ElementSize(slice.operand);
    const auto bytes = static_cast<size_t>(slice.elements * element);
    if (site_.kind == CollectiveKind::kReduceScatter) {
      // One slice per member, in the order of positions, for each operand.
      char* to =
          static_cast<char*>(members_[mine[s % mine.size()]].outputs[slice.operand]);
      if (bytes) std::memcpy(to, at, bytes);
    } else if (bytes) {
      for (size_t position : mine) {
        char* to = static_cast<char*>(members_[position].outputs[slice.operand]);
        std::memcpy(to + slice.start * element, at, bytes);
      }
    }
    at += Aligned(bytes);
  }
}

}  // namespace tenon::runtime
