#include "tenon/runtime/collectives.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>

namespace tenon::runtime {
namespace {

constexpr size_t kAlignment = 64;
// Elements per chunk of a reduction. Large enough that claiming a chunk costs little, and
// small enough that the inputs of some ten devices stay in the second-level cache.
constexpr int64_t kChunkBytes = int64_t{1} << 14;

// A box of bytes in two row-major arrays: `rows` runs of `run` bytes.
struct Copy {
  char* to;
  const char* from;
  int64_t rows, run, to_stride, from_stride;

  void Run() const {
    for (int64_t row = 0; row < rows; ++row) {
      std::memcpy(to + row * to_stride, from + row * from_stride,
                  static_cast<size_t>(run));
    }
  }
};

int64_t Product(const std::vector<int64_t>& dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t d = begin; d < end; ++d) product *= dims[d];
  return product;
}

// The bytes of an array seen from a dimension: `outer` times `size` times `inner`.
struct Around {
  int64_t outer, size, inner;
};

Around AroundDim(const ImageTensor& tensor, int64_t dim) {
  const auto d = static_cast<size_t>(dim);
  return {Product(tensor.dims, 0, d), tensor.dims[d],
          Product(tensor.dims, d + 1, tensor.dims.size()) * ElementBytes(tensor.type)};
}

char* Bytes(void* data) { return static_cast<char*>(data); }
const char* Bytes(const void* data) { return static_cast<const char*>(data); }

using Members = std::span<const CollectiveBuffers>;

// Every member gets the inputs of all members, joined along a dimension.
void Gather(const ImageCollective& site, Members members,
            const ParallelChunks& parallel) {
  const auto count = static_cast<int64_t>(members.size());
  for (size_t o = 0; o < site.operands.size(); ++o) {
    const Around in = AroundDim(site.operands[o], site.dimension);
    const int64_t run = in.size * in.inner;
    if (!run || !in.outer) continue;
    parallel(count * count, [&](int64_t chunk) {
      const auto to = static_cast<size_t>(chunk / count);
      const int64_t from = chunk % count;
      Copy{.to = Bytes(members[to].outputs[o]) + from * run,
           .from = Bytes(members[static_cast<size_t>(from)].inputs[o]),
           .rows = in.outer,
           .run = run,
           .to_stride = run * count,
           .from_stride = run}
          .Run();
    });
  }
}

// Copies part `part` of `from` along the split dimension to place `place` of `to` along
// the concatenated dimension.
void CopyPart(const ImageCollective& site, size_t o, const char* from, int64_t part,
              char* to, int64_t place, int64_t count) {
  std::vector<int64_t> sizes = site.operands[o].dims;
  const auto split = static_cast<size_t>(site.dimension);
  const auto concat = static_cast<size_t>(site.concat_dimension);
  const std::vector<int64_t>& in = site.operands[o].dims;
  const std::vector<int64_t>& out = site.results[o].dims;
  sizes[split] /= count;
  const int64_t element = ElementBytes(site.operands[o].type);
  // Dimensions behind both are contiguous.
  const size_t last = std::max(split, concat);
  const int64_t run = Product(sizes, last, sizes.size()) * element;
  std::vector<int64_t> index(last, 0);
  if (Product(sizes, 0, last) * run == 0) return;
  const auto offset = [&](const std::vector<int64_t>& dims, size_t dim, int64_t start) {
    int64_t position = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      position = position * dims[d] + (d < last ? index[d] : 0) + (d == dim ? start : 0);
    }
    return position * element;
  };
  while (true) {
    std::memcpy(to + offset(out, concat, place * sizes[concat]),
                from + offset(in, split, part * sizes[split]), static_cast<size_t>(run));
    size_t d = last;
    while (d-- > 0 && ++index[d] == sizes[d]) index[d] = 0;
    if (d == static_cast<size_t>(-1)) return;
  }
}

// Member j gets part j of the inputs of all members.
void AllToAll(const ImageCollective& site, Members members,
              const ParallelChunks& parallel) {
  const auto count = static_cast<int64_t>(members.size());
  for (size_t o = 0; o < site.operands.size(); ++o) {
    parallel(count * count, [&](int64_t chunk) {
      const int64_t to = chunk / count, from = chunk % count;
      CopyPart(site, o, Bytes(members[static_cast<size_t>(from)].inputs[o]), to,
               Bytes(members[static_cast<size_t>(to)].outputs[o]), from, count);
    });
  }
}

// Each member gets the inputs of its source, or zeros.
void CopyFromSources(const ImageCollective& site, Members members,
                     std::span<const int32_t> sources, const ParallelChunks& parallel) {
  const auto count = static_cast<int64_t>(members.size());
  const auto operands = static_cast<int64_t>(site.operands.size());
  parallel(count * operands, [&](int64_t chunk) {
    const auto member = static_cast<size_t>(chunk / operands);
    const auto o = static_cast<size_t>(chunk % operands);
    const auto size = static_cast<size_t>(site.operands[o].ByteSize());
    if (!size) return;
    void* to = members[member].outputs[o];
    const int32_t source = sources[member];
    if (source < 0) {
      std::memset(to, 0, size);
    } else {
      std::memcpy(to, members[static_cast<size_t>(source)].inputs[o], size);
    }
  });
}

struct AlignedDelete {
  void operator()(char* data) const {
    ::operator delete(data, std::align_val_t(kAlignment));
  }
};

// The reduction of one operand over a group. The elements that a target computes are rows
// of `run` contiguous elements of the inputs, `stride` elements apart.
class Reduction {
 public:
  Reduction(Members members, size_t operand, int64_t element_bytes, int64_t tile,
            Combiner combiner, RunContext* context)
      : members_(members),
        operand_(operand),
        element_(element_bytes),
        tile_(tile),
        combiner_(combiner),
        context_(context) {}

  // Where the elements begin, in elements of the input.
  struct Rows {
    int64_t start = 0, run = 0, stride = 0;
  };

  // Scratch memory of one thread: two tiles per level of the tree, and the result.
  class Scratch {
   public:
    explicit Scratch(const Reduction& reduction)
        : tile_bytes_((static_cast<size_t>(reduction.tile_ * reduction.element_) +
                       kAlignment - 1) /
                      kAlignment * kAlignment),
          data_(static_cast<char*>(::operator new(
              tile_bytes_ * (2 * Levels(reduction) + 4), std::align_val_t(kAlignment)))) {
      std::memset(data_.get(), 0, tile_bytes_ * (2 * Levels(reduction) + 4));
    }
    char* Tile(size_t number) { return data_.get() + number * tile_bytes_; }

   private:
    static size_t Levels(const Reduction& reduction) {
      return static_cast<size_t>(std::bit_width(reduction.members_.size()));
    }
    const size_t tile_bytes_;
    const std::unique_ptr<char, AlignedDelete> data_;
  };

  // Combines elements [begin, begin + count) of `rows` of all members, at most a tile,
  // and returns where they are: in `scratch`, or in the input if there is one member.
  const char* Combine(const Rows& rows, int64_t begin, int64_t count, Scratch& scratch) {
    return Tree({rows, begin, count, scratch}, 0, members_.size(), scratch.Tile(0), 1);
  }

 private:
  struct Range {
    const Rows& rows;
    int64_t begin, count;
    Scratch& scratch;
  };

  // Combines the members [low, high). The result is in `tile`, unless it is an input.
  const char* Tree(const Range& range, size_t low, size_t high, char* tile,
                   size_t level) {
    if (high - low == 1) return Input(range.rows, range.begin, range.count, low, tile);
    const size_t half = std::bit_floor(high - low - 1);
    char* const tiles[] = {range.scratch.Tile(2 * level),
                           range.scratch.Tile(2 * level + 1)};
    const char* left = Tree(range, low, low + half, tiles[0], level + 1);
    const char* right = Tree(range, low + half, high, tiles[1], level + 1);
    combiner_(context_, left, right, tile);
    return tile;
  }

  // A tile of the input of a member: in place if it is whole and aligned.
  const char* Input(const Rows& rows, int64_t begin, int64_t count, size_t member,
                    char* tile) {
    const char* input = Bytes(members_[member].inputs[operand_]);
    const auto address = [&](int64_t at) {
      return input +
             (rows.start + at / rows.run * rows.stride + at % rows.run) * element_;
    };
    const char* first = address(begin);
    if (count == tile_ && begin % rows.run + count <= rows.run &&
        reinterpret_cast<uintptr_t>(first) % kAlignment == 0) {
      return first;
    }
    for (int64_t at = begin; at < begin + count;) {
      const int64_t length = std::min(begin + count - at, rows.run - at % rows.run);
      std::memcpy(tile + (at - begin) * element_, address(at),
                  static_cast<size_t>(length * element_));
      at += length;
    }
    return tile;
  }

  const Members members_;
  const size_t operand_;
  const int64_t element_, tile_;
  const Combiner combiner_;
  RunContext* const context_;
};

// Runs `body(begin, count, scratch)` for tiles that cover `elements`.
template <typename Body>
void ForTiles(Reduction& reduction, int64_t elements, int64_t tile, int64_t element_bytes,
              const ParallelChunks& parallel, Body body) {
  const int64_t tiles = (elements + tile - 1) / tile;
  const int64_t per_chunk = std::max<int64_t>(kChunkBytes / (tile * element_bytes), 1);
  parallel((tiles + per_chunk - 1) / per_chunk, [&](int64_t chunk) {
    Reduction::Scratch scratch(reduction);
    const int64_t end = std::min((chunk + 1) * per_chunk, tiles);
    for (int64_t t = chunk * per_chunk; t < end; ++t) {
      body(t * tile, std::min(tile, elements - t * tile), scratch);
    }
  });
}

// Every member gets the combination of all inputs.
void AllReduce(const ImageCollective& site, Members members, Combiner combiner,
               RunContext* context, const ParallelChunks& parallel) {
  for (size_t o = 0; o < site.operands.size(); ++o) {
    const int64_t element = ElementBytes(site.operands[o].type);
    const int64_t elements = site.operands[o].ByteSize() / std::max<int64_t>(element, 1);
    if (!elements) continue;
    Reduction reduction(members, o, element, site.tile_elements, combiner, context);
    const Reduction::Rows rows{.start = 0, .run = elements, .stride = elements};
    ForTiles(reduction, elements, site.tile_elements, element, parallel,
             [&](int64_t begin, int64_t count, Reduction::Scratch& scratch) {
               const char* from = reduction.Combine(rows, begin, count, scratch);
               for (const CollectiveBuffers& member : members) {
                 std::memcpy(Bytes(member.outputs[o]) + begin * element, from,
                             static_cast<size_t>(count * element));
               }
             });
  }
}

// Each member gets its part of the combination of all inputs.
void ReduceScatter(const ImageCollective& site, Members members, Combiner combiner,
                   RunContext* context, const ParallelChunks& parallel) {
  for (size_t o = 0; o < site.operands.size(); ++o) {
    const int64_t element = ElementBytes(site.operands[o].type);
    const int64_t elements = site.results[o].ByteSize() / std::max<int64_t>(element, 1);
    if (!elements) continue;
    const Around in = AroundDim(site.operands[o], site.dimension);
    const int64_t stride = in.size * in.inner / element;
    const int64_t run = stride / static_cast<int64_t>(members.size());
    Reduction reduction(members, o, element, site.tile_elements, combiner, context);
    for (size_t m = 0; m < members.size(); ++m) {
      const Reduction::Rows rows{
          .start = static_cast<int64_t>(m) * run, .run = run, .stride = stride};
      char* to = Bytes(members[m].outputs[o]);
      ForTiles(reduction, elements, site.tile_elements, element, parallel,
               [&](int64_t begin, int64_t count, Reduction::Scratch& scratch) {
                 std::memcpy(to + begin * element,
                             reduction.Combine(rows, begin, count, scratch),
                             static_cast<size_t>(count * element));
               });
    }
  }
}

}  // namespace

void PerformCollective(const ImageCollective& collective, Members members,
                       std::span<const int32_t> sources, Combiner combiner,
                       RunContext* context, const ParallelChunks& parallel) {
  switch (collective.kind) {
    case CollectiveKind::kAllReduce:
      return AllReduce(collective, members, combiner, context, parallel);
    case CollectiveKind::kReduceScatter:
      return ReduceScatter(collective, members, combiner, context, parallel);
    case CollectiveKind::kAllGather:
      return Gather(collective, members, parallel);
    case CollectiveKind::kAllToAll:
      return AllToAll(collective, members, parallel);
    case CollectiveKind::kPermute:
    case CollectiveKind::kBroadcast:
      return CopyFromSources(collective, members, sources, parallel);
  }
}

}  // namespace tenon::runtime
