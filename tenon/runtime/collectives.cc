#include "tenon/runtime/collectives.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tenon/base/integer_division.h"
#include "tenon/runtime/ragged_all_to_all.h"
#include "tenon/runtime/reduction.h"
#include "tenon/runtime/streaming_copy.h"

namespace tenon::runtime {
namespace {

// The part of an input that all_gather copies to all members at a time.
constexpr int64_t kGatherPieceBytes = int64_t{32} << 10;

// What a permutation copies at a time: shares the parts of few members out to many
// threads.
constexpr int64_t kPermutePieceBytes = int64_t{256} << 10;

// A box of bytes in two row-major arrays: `rows` runs of `run` bytes.
struct Copy {
  char* to;
  const char* from;
  int64_t rows, run, to_stride, from_stride;

  void Run(const StreamingCopy& copy) const {
    for (int64_t row = 0; row < rows; ++row) {
      copy(to + row * to_stride, from + row * from_stride, run);
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

// Whether an output of all members is in the same memory.
bool HaveOneOutput(Members members, size_t operand) {
  return members.size() > 1 && !members[0].outputs.empty() &&
         !members[1].outputs.empty() &&
         members[0].outputs[operand] == members[1].outputs[operand];
}

// Every member gets the inputs of all members, joined along a dimension. A piece of an
// input is read once from memory and copied to all members while it is in the cache.
void Gather(const ImageCollective& site, Members members,
            const ParallelChunks& parallel) {
  const auto count = static_cast<int64_t>(members.size());
  for (size_t o = 0; o < site.operands.size(); ++o) {
    const Around in = AroundDim(site.operands[o], site.dimension);
    const int64_t run = in.size * in.inner;
    if (!run || !in.outer) continue;
    // A piece is some rows, or a part of a row.
    const int64_t rows = std::clamp<int64_t>(kGatherPieceBytes / run, 1, in.outer);
    const int64_t length = rows > 1 ? run : std::min(run, kGatherPieceBytes);
    const int64_t across = CeilDiv(run, length);
    const int64_t pieces = CeilDiv(in.outer, rows) * across;
    const Members targets = members.first(HaveOneOutput(members, o) ? 1 : members.size());
    const StreamingCopy copy(site.results[o].ByteSize() * std::ssize(targets));
    parallel(count * pieces, [&](int64_t chunk) {
      const int64_t from = chunk / pieces, piece = chunk % pieces;
      const int64_t row = piece / across * rows, start = piece % across * length;
      const char* input = Bytes(members[static_cast<size_t>(from)].inputs[o]);
      for (const CollectiveBuffers& member : targets) {
        if (member.outputs.empty()) continue;
        Copy{.to = Bytes(member.outputs[o]) + (row * count + from) * run + start,
             .from = input + row * run + start,
             .rows = std::min(rows, in.outer - row),
             .run = std::min(length, run - start),
             .to_stride = run * count,
             .from_stride = run}
            .Run(copy);
      }
      copy.Finish();
    });
  }
}

// A part of an all_to_all within an array: part number `part` along dimension `dim`.
struct PartPlace {
  const std::vector<int64_t>& dims;  // of the array
  size_t dim;
  int64_t part;
};

// The sizes of one of `count` parts.
std::vector<int64_t> PartSizes(const ImageCollective& site, size_t o, int64_t count) {
  std::vector<int64_t> sizes = site.operands[o].dims;
  sizes[static_cast<size_t>(site.dimension)] /= count;
  return sizes;
}

void CopyPart(const ImageCollective& site, size_t o, const std::vector<int64_t>& sizes,
              const char* from, const PartPlace& source, char* to,
              const PartPlace& target, const StreamingCopy& copy) {
  const int64_t element = ElementBytes(site.operands[o].type);
  // Dimensions behind both are contiguous.
  const auto last = static_cast<size_t>(std::max(site.dimension, site.concat_dimension));
  const int64_t run = Product(sizes, last, sizes.size()) * element;
  std::vector<int64_t> index(last, 0);
  if (Product(sizes, 0, last) * run == 0) return;
  const auto offset = [&](const PartPlace& place) {
    int64_t position = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      position = position * place.dims[d] + (d < last ? index[d] : 0) +
                 (d == place.dim ? place.part * sizes[d] : 0);
    }
    return position * element;
  };
  while (true) {
    copy(to + offset(target), from + offset(source), run);
    size_t d = last;
    while (d-- > 0 && ++index[d] == sizes[d]) index[d] = 0;
    if (d == static_cast<size_t>(-1)) break;
  }
  copy.Finish();
}

PartPlace OperandPart(const ImageCollective& site, size_t o, int64_t part) {
  return {site.operands[o].dims, static_cast<size_t>(site.dimension), part};
}
PartPlace ResultPart(const ImageCollective& site, size_t o, int64_t part) {
  return {site.results[o].dims, static_cast<size_t>(site.concat_dimension), part};
}

// Member j gets part j of the inputs of all members.
void AllToAll(const ImageCollective& site, Members members,
              const ParallelChunks& parallel) {
  const auto count = static_cast<int64_t>(members.size());
  for (size_t o = 0; o < site.operands.size(); ++o) {
    const std::vector<int64_t> sizes = PartSizes(site, o, count);
    const StreamingCopy copy(site.results[o].ByteSize() * count);
    parallel(count * count, [&](int64_t chunk) {
      const int64_t to = chunk / count, from = chunk % count;
      CopyPart(site, o, sizes, Bytes(members[static_cast<size_t>(from)].inputs[o]),
               OperandPart(site, o, to),
               Bytes(members[static_cast<size_t>(to)].outputs[o]),
               ResultPart(site, o, from), copy);
    });
  }
}

// For each result, the position of the member that sends it, as all members say.
StatusOr<std::vector<int32_t>> RootsOf(const ImageCollective& site, Members members) {
  std::vector<int32_t> roots(site.results.size());
  for (size_t m = 0; m < members.size(); ++m) {
    const auto* said = static_cast<const int32_t*>(members[m].inputs.back());
    for (size_t i = 0; i < roots.size(); ++i) {
      if (m > 0 && said[i] != roots[i]) {
        return InvalidArgument("collective_broadcast at " + site.source +
                               ": members of a group have roots " +
                               std::to_string(roots[i]) + " and " +
                               std::to_string(said[i]));
      }
      if (said[i] < 0 || said[i] >= std::ssize(members)) {
        return InvalidArgument("collective_broadcast at " + site.source + ": root " +
                               std::to_string(said[i]) + " in a group of " +
                               std::to_string(members.size()));
      }
      roots[i] = said[i];
    }
  }
  return roots;
}

// Each member gets the inputs of its source, or zeros. `roots`, if there are any, are the
// sources of the results of all members that have one.
void CopyFromSources(const ImageCollective& site, Members members,
                     std::span<const int32_t> sources, std::span<const int32_t> roots,
                     const ParallelChunks& parallel) {
  const auto count = static_cast<int64_t>(members.size());
  for (size_t o = 0; o < site.results.size(); ++o) {
    const int64_t size = site.operands[o].ByteSize();
    const int64_t pieces = CeilDiv(size, kPermutePieceBytes);
    const StreamingCopy copy(size * count);
    parallel(count * pieces, [&](int64_t chunk) {
      const auto member = static_cast<size_t>(chunk / pieces);
      if (members[member].outputs.empty()) return;
      const int64_t start = chunk % pieces * kPermutePieceBytes;
      const int64_t length = std::min(kPermutePieceBytes, size - start);
      char* to = Bytes(members[member].outputs[o]) + start;
      const int32_t source =
          sources[member] < 0 || roots.empty() ? sources[member] : roots[o];
      if (source < 0) {
        std::memset(to, 0, static_cast<size_t>(length));
        return;
      }
      copy(to, Bytes(members[static_cast<size_t>(source)].inputs[o]) + start, length);
      copy.Finish();
    });
  }
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
    // Of sums in place, the lines were read just before they are written.
    const bool in_place = members[0].outputs[o] == members[0].inputs[o];
    const Members targets = members.first(HaveOneOutput(members, o) ? 1 : members.size());
    const StreamingCopy copy(
        in_place ? 0 : site.operands[o].ByteSize() * std::ssize(targets));
    ForTiles(reduction, elements, site.tile_elements, element, parallel,
             [&](int64_t begin, int64_t count, Reduction::Scratch& scratch) {
               const char* from = reduction.Combine(rows, begin, count, scratch);
               for (const CollectiveBuffers& member : targets) {
                 char* to = Bytes(member.outputs[o]) + begin * element;
                 if (to != from) copy(to, from, count * element);
               }
               copy.Finish();
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
    // The lines of the results are not read: writing them past the caches leaves the
    // memory to the inputs.
    const StreamingCopy copy(site.operands[o].ByteSize() *
                             static_cast<int64_t>(members.size()));
    // One loop over the results of all members, each padded to whole tiles.
    const int64_t tile = site.tile_elements;
    const int64_t padded = CeilDiv(elements, tile) * tile;
    ForTiles(reduction, padded * static_cast<int64_t>(members.size()), tile, element,
             parallel, [&](int64_t begin, int64_t, Reduction::Scratch& scratch) {
               const int64_t member = begin / padded, at = begin % padded;
               const int64_t count = std::min(tile, elements - at);
               const Reduction::Rows rows{
                   .start = member * run, .run = run, .stride = stride};
               char* to = Bytes(members[static_cast<size_t>(member)].outputs[o]);
               copy(to + at * element, reduction.Combine(rows, at, count, scratch),
                    count * element);
               copy.Finish();
             });
  }
}

}  // namespace

void CopyPartOut(const ImageCollective& site, size_t o, const void* operand, int64_t part,
                 int64_t count, void* to) {
  const std::vector<int64_t> sizes = PartSizes(site, o, count);
  CopyPart(site, o, sizes, Bytes(operand), OperandPart(site, o, part), Bytes(to),
           {sizes, 0, 0}, StreamingCopy(0));
}

void CopyPartIn(const ImageCollective& site, size_t o, const void* from, int64_t place,
                int64_t count, void* result) {
  const std::vector<int64_t> sizes = PartSizes(site, o, count);
  CopyPart(site, o, sizes, Bytes(from), {sizes, 0, 0}, Bytes(result),
           ResultPart(site, o, place), StreamingCopy(0));
}

Status CopyBetweenMembers(const ImageCollective& collective, Members members,
                          std::span<const int32_t> sources,
                          const ParallelChunks& parallel) {
  if (collective.kind == CollectiveKind::kAllGather) {
    Gather(collective, members, parallel);
    return OkStatus();
  }
  std::vector<int32_t> roots;
  if (HasRoots(collective) && sources[0] >= 0) {
    TENON_ASSIGN_OR_RETURN(roots, RootsOf(collective, members));
  }
  CopyFromSources(collective, members, sources, roots, parallel);
  return OkStatus();
}

Status PerformCollective(const ImageCollective& collective, Members members,
                         std::span<const int32_t> sources, Combiner combiner,
                         RunContext* context, const ParallelChunks& parallel) {
  switch (collective.kind) {
    case CollectiveKind::kAllReduce:
      AllReduce(collective, members, combiner, context, parallel);
      break;
    case CollectiveKind::kReduceScatter:
      ReduceScatter(collective, members, combiner, context, parallel);
      break;
    case CollectiveKind::kAllToAll:
      AllToAll(collective, members, parallel);
      break;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kPermute:
    case CollectiveKind::kBroadcast:
      return CopyBetweenMembers(collective, members, sources, parallel);
    case CollectiveKind::kRaggedAllToAll:
      return PerformRaggedAllToAll(collective, members, parallel);
  }
  return OkStatus();
}

}  // namespace tenon::runtime
