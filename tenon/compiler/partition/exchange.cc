#include "tenon/compiler/partition/exchange.h"

#include <algorithm>

#include "llvm/Support/MathExtras.h"

namespace tenon::compiler::partition {
namespace {

using Direction = stablehlo::ComparisonDirection;

mlir::NamedAttribute Channel(mlir::OpBuilder& b) {
  return b.getNamedAttr("channel_handle",
                        stablehlo::ChannelHandleAttr::get(b.getContext(), /*handle=*/1,
                                                          /*type=*/1));
}

// Which elements of the part of shard k + distance shard k needs, as the smallest range
// that has them for all k.
struct Piece {
  int64_t distance, begin, end;
};

// The number of the first element that shard k needs.
int64_t FirstOf(const Window& window, int64_t shard) {
  return window.start + shard * window.step;
}

// Whether shard k needs elements of shard k + distance, and which.
std::optional<Piece> NeededFrom(const SplitDim& split, const Window& window,
                                int64_t shard, int64_t distance) {
  const int64_t part = split.part(), source = shard + distance;
  if (source < 0 || source >= split.shards()) return std::nullopt;
  const int64_t begin = std::max<int64_t>(FirstOf(window, shard) - source * part, 0);
  const int64_t end =
      std::min<int64_t>(FirstOf(window, shard) + window.size - source * part, part);
  if (begin >= end) return std::nullopt;
  return Piece{distance, begin, end};
}

// All pieces, by distance.
std::vector<Piece> PiecesOf(const SplitDim& split, const Window& window) {
  std::vector<Piece> pieces;
  for (int64_t distance = 1 - split.shards(); distance < split.shards(); ++distance) {
    Piece piece{distance, split.part(), 0};
    for (int64_t shard = 0; shard < split.shards(); ++shard) {
      if (auto needed = NeededFrom(split, window, shard, distance)) {
        piece.begin = std::min(piece.begin, needed->begin);
        piece.end = std::max(piece.end, needed->end);
      }
    }
    if (piece.begin < piece.end) pieces.push_back(piece);
  }
  return pieces;
}

mlir::Value ZerosAlong(PartBuilder& p, mlir::Value like, int64_t dim, int64_t size) {
  llvm::SmallVector<int64_t> shape(TypeOf(like).getShape());
  shape[dim] = size;
  return p.Zeros(TypeOf(like).clone(shape));
}

mlir::Value Gather(PartBuilder& p, MeshCode& code, mlir::Value local,
                   const SplitDim& split) {
  llvm::SmallVector<int64_t> shape(TypeOf(local).getShape());
  shape[split.dim] = split.whole;
  mlir::OpBuilder& b = p.builder();
  mlir::OperationState state(p.location(), stablehlo::AllGatherOp::getOperationName());
  state.addOperands(local);
  state.addTypes(TypeOf(local).clone(shape));
  state.addAttributes({b.getNamedAttr("all_gather_dim", b.getI64IntegerAttr(split.dim)),
                       b.getNamedAttr("replica_groups", code.GlobalGroups(split.axes)),
                       b.getNamedAttr("use_global_device_ids", b.getUnitAttr()),
                       Channel(b)});
  return b.create(state)->getResult(0);
}

// The elements of `window` from `buffer`, whose first element has number
// `first + k * stride` for shard k.
mlir::Value TakeWindow(PartBuilder& p, MeshCode& code, mlir::Value buffer,
                       const SplitDim& split, const Window& window, int64_t first,
                       int64_t stride) {
  mlir::Value offset = code.ShardOffset(split.axes, window.step - stride);
  offset = p.Apply("stablehlo.add", offset, code.Constant(window.start - first));
  return p.Slice(buffer, split.dim, offset, window.size, code.Constant(0));
}

// The pieces of each distance from the first to the last, joined.
mlir::Value JoinPieces(PartBuilder& p, MeshCode& code, mlir::Value local,
                       const SplitDim& split, const Window& window,
                       llvm::ArrayRef<Piece> pieces) {
  const int64_t part = split.part();
  // With equal steps, every shard needs the same of its neighbors, and pieces follow each
  // other. Otherwise each piece is padded to a part.
  const bool exact = window.step == part;
  llvm::SmallVector<mlir::Value> joined;
  const auto receive = [&](const Piece& piece) {
    mlir::Value sent = p.Slice(local, split.dim, piece.begin, piece.end - piece.begin);
    if (piece.distance != 0) {
      sent = PermuteShards(p, code, sent, split.axes, [&](int64_t shard) {
        return NeededFrom(split, window, shard, piece.distance) ? shard + piece.distance
                                                                : -1;
      });
    }
    if (exact) return sent;
    llvm::SmallVector<mlir::Value> padded;
    if (piece.begin > 0) padded.push_back(ZerosAlong(p, local, split.dim, piece.begin));
    padded.push_back(sent);
    if (piece.end < part) {
      padded.push_back(ZerosAlong(p, local, split.dim, part - piece.end));
    }
    return p.Concatenate(padded, split.dim);
  };
  // The distances of all elements, those outside of the dimension included.
  int64_t first = 0, last = 0;
  for (int64_t shard = 0; shard < split.shards(); ++shard) {
    const int64_t begin = FirstOf(window, shard);
    const int64_t low = llvm::divideFloorSigned(begin, part) - shard;
    const int64_t high = llvm::divideFloorSigned(begin + window.size - 1, part) - shard;
    first = shard == 0 ? low : std::min(first, low);
    last = shard == 0 ? high : std::max(last, high);
  }
  for (int64_t distance = first; distance <= last; ++distance) {
    const auto* found = llvm::find_if(
        pieces, [&](const Piece& piece) { return piece.distance == distance; });
    if (found != pieces.end()) {
      joined.push_back(receive(*found));
      continue;
    }
    int64_t size = part;
    if (exact) {
      const int64_t begin = std::max<int64_t>(window.start - distance * part, 0);
      size =
          std::min<int64_t>(window.start + window.size - distance * part, part) - begin;
    }
    joined.push_back(ZerosAlong(p, local, split.dim, size));
  }
  mlir::Value buffer = p.Concatenate(joined, split.dim);
  if (exact) return buffer;
  return TakeWindow(p, code, buffer, split, window, first * part, part);
}

mlir::Value GatherWindow(PartBuilder& p, MeshCode& code, mlir::Value local,
                         const SplitDim& split, const Window& window) {
  int64_t low = 0, high = 0;
  for (int64_t shard : {int64_t{0}, split.shards() - 1}) {
    low = std::max(low, -FirstOf(window, shard));
    high = std::max(high, FirstOf(window, shard) + window.size - split.whole);
  }
  llvm::SmallVector<mlir::Value> parts;
  if (low > 0) parts.push_back(ZerosAlong(p, local, split.dim, low));
  parts.push_back(Gather(p, code, local, split));
  if (high > 0) parts.push_back(ZerosAlong(p, local, split.dim, high));
  return TakeWindow(p, code, p.Concatenate(parts, split.dim), split, window, -low, 0);
}

// Replaces elements outside of the dimension.
mlir::Value Fill(PartBuilder& p, MeshCode& code, mlir::Value value, const SplitDim& split,
                 const Window& window, mlir::Value fill) {
  bool is_outside = false;
  for (int64_t shard : {int64_t{0}, split.shards() - 1}) {
    const int64_t first = FirstOf(window, shard);
    is_outside |= first < 0 || first + window.size > split.whole;
  }
  if (!is_outside) return value;
  const llvm::ArrayRef<int64_t> shape = TypeOf(value).getShape();
  auto positions =
      mlir::RankedTensorType::get(shape[split.dim], p.builder().getI64Type());
  mlir::Value first = p.Apply("stablehlo.add", code.ShardOffset(split.axes, window.step),
                              code.Constant(window.start));
  mlir::Value position = p.Apply("stablehlo.add", p.Iota(positions, 0),
                                 p.Broadcast(first, positions.getShape()));
  mlir::Value inside =
      p.Apply("stablehlo.and", p.Compare(Direction::GE, position, p.Splat(positions, 0)),
              p.Compare(Direction::LT, position, p.Splat(positions, split.whole)));
  return p.Select(p.Broadcast(inside, shape, {split.dim}), value,
                  p.Broadcast(fill, shape));
}

bool IsGathered(llvm::ArrayRef<Piece> pieces) {
  return llvm::count_if(pieces, [](const Piece& piece) { return piece.distance != 0; }) >
         kMaxDistances;
}

}  // namespace

int64_t ReceivedElements(const SplitDim& split, const Window& window) {
  if (window.size == 0 || split.whole == 0) return 0;
  const std::vector<Piece> pieces = PiecesOf(split, window);
  if (IsGathered(pieces)) return split.whole - split.part();
  int64_t received = 0;
  for (const Piece& piece : pieces) {
    if (piece.distance != 0) received += piece.end - piece.begin;
  }
  return received;
}

mlir::Value FetchWindow(PartBuilder& p, MeshCode& code, mlir::Value local,
                        const SplitDim& split, const Window& window, mlir::Value fill) {
  mlir::Value fetched;
  if (window.size == 0 || split.whole == 0) {
    fetched = ZerosAlong(p, local, split.dim, window.size);
  } else {
    const std::vector<Piece> pieces = PiecesOf(split, window);
    fetched = IsGathered(pieces) ? GatherWindow(p, code, local, split, window)
                                 : JoinPieces(p, code, local, split, window, pieces);
  }
  return fill ? Fill(p, code, fetched, split, window, fill) : fetched;
}

mlir::Value PermuteShards(PartBuilder& p, MeshCode& code, mlir::Value local, AxesRef axes,
                          const std::function<int64_t(int64_t)>& source) {
  mlir::OpBuilder& b = p.builder();
  std::vector<int64_t> pairs;
  for (int64_t position = 0; position < code.mesh().num_devices(); ++position) {
    const int64_t shard = code.ShardAt(axes, position), from = source(shard);
    if (from < 0) continue;
    pairs.push_back(code.DeviceAt(code.PositionWithShard(axes, position, from)));
    pairs.push_back(code.DeviceAt(position));
  }
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(pairs.size()) / 2, 2},
                                          b.getI64Type());
  mlir::OperationState state(p.location(),
                             stablehlo::CollectivePermuteOp::getOperationName());
  state.addOperands(local);
  state.addTypes(local.getType());
  state.addAttributes(
      {b.getNamedAttr("source_target_pairs", mlir::DenseIntElementsAttr::get(
                                                 type, llvm::ArrayRef<int64_t>(pairs))),
       Channel(b)});
  return b.create(state)->getResult(0);
}

}  // namespace tenon::compiler::partition
