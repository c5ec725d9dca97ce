#include "tenon/compiler/partition/localize_joins.h"

#include "tenon/compiler/partition/exchange.h"
#include "tenon/compiler/partition/rule_builder.h"

namespace tenon::compiler::partition {
namespace {

// Whether the slice takes contiguous elements of `dim`, and all of other dimensions.
bool SlicesOnly(stablehlo::SliceOp slice, int64_t dim) {
  const llvm::ArrayRef<int64_t> from = ShapeOf(slice.getOperand());
  const llvm::ArrayRef<int64_t> to = ShapeOf(slice.getResult());
  for (int64_t d = 0; d < static_cast<int64_t>(from.size()); ++d) {
    if (d == dim ? slice.getStrides()[d] != 1 : from[d] != to[d]) return false;
  }
  return true;
}

int64_t SizeAlong(mlir::Value value, int64_t dim) { return ShapeOf(value)[dim]; }

bool IsSplit(const Join& join, size_t piece) {
  return !join.sources[piece].dims[join.dim].axes.empty();
}

SplitDim SplitOf(const Join& join, size_t piece) {
  return {join.dim, SizeAlong(join.pieces[piece].source, join.dim),
          join.result.dims[join.dim].axes};
}

int64_t ResultSize(const Join& join) {
  int64_t size = 0;
  for (const Joined& piece : join.pieces) size += piece.size;
  return size;
}

int64_t PartSize(const Join& join) {
  return ResultSize(join) / join.result.dims[join.dim].num_shards();
}

// Of the source of a piece whose first element is number `first` of the result.
Window WindowOf(const Join& join, size_t piece, int64_t first) {
  const int64_t part = PartSize(join);
  return {join.pieces[piece].start - first, part, part};
}

// Whether the pieces are the end and the beginning of one tensor.
bool IsRoll(const Join& join) {
  if (join.pieces.size() != 2 || !IsSplit(join, 0)) return false;
  const Joined &end = join.pieces[0], &begin = join.pieces[1];
  return end.source == begin.source && begin.start == 0 && end.start == begin.size &&
         end.start + end.size == SizeAlong(end.source, join.dim);
}

// Whether the windows take no more elements than all of the sources.
bool PaysOff(const Join& join) {
  if (IsRoll(join)) return true;
  int64_t received = 0, gathered = 0, first = 0;
  llvm::SmallPtrSet<mlir::Value, 4> sources;
  for (size_t i = 0; i < join.pieces.size(); ++i) {
    if (IsSplit(join, i)) {
      const SplitDim split = SplitOf(join, i);
      received += ReceivedElements(split, WindowOf(join, i, first));
      if (sources.insert(join.pieces[i].source).second) {
        gathered += split.whole - split.part();
      }
    }
    first += join.pieces[i].size;
  }
  return received <= gathered;
}

// The shard of the roll: the ends of the parts of two shards that follow each other.
mlir::Value RollPart(PartBuilder& p, MeshCode& code, const Join& join,
                     mlir::Value local) {
  const SplitDim split = SplitOf(join, 0);
  const int64_t part = split.part(), shards = split.shards();
  const int64_t distance = join.pieces[0].start / part;
  const int64_t cut = join.pieces[0].start % part;
  const auto from = [&](int64_t far, int64_t begin, int64_t size) {
    mlir::Value sent = size == part ? local : p.Slice(local, split.dim, begin, size);
    if (far % shards == 0) return sent;
    return PermuteShards(p, code, sent, split.axes,
                         [&](int64_t shard) { return (shard + far) % shards; });
  };
  mlir::Value end = from(distance, cut, part - cut);
  if (cut == 0) return end;
  return p.Concatenate({end, from(distance + 1, 0, cut)}, split.dim);
}

// A window of `piece`, which every device has whole.
mlir::Value TakeWhole(PartBuilder& p, MeshCode& code, const Join& join, size_t i,
                      mlir::Value local, int64_t first) {
  const Joined& piece = join.pieces[i];
  const int64_t part = PartSize(join);
  llvm::SmallVector<int64_t> shape(TypeOf(local).getShape());
  shape[join.dim] = part;
  mlir::Value zeros = p.Zeros(TypeOf(local).clone(shape));
  mlir::Value padded = p.Concatenate(
      {zeros, p.Slice(local, join.dim, piece.start, piece.size), zeros}, join.dim);
  // Windows of shards that have nothing of the piece are clamped to the zeros.
  mlir::Value start =
      p.Apply("stablehlo.add", code.ShardOffset(join.result.dims[join.dim].axes, part),
              code.Constant(part - first));
  return p.Slice(padded, join.dim, start, part, code.Constant(0));
}

// The operands, seen through slices of the dimension alone. Neighbors in one source are
// one.
llvm::SmallVector<Joined> JoinedBy(stablehlo::ConcatenateOp op) {
  const auto dim = static_cast<int64_t>(op.getDimension());
  llvm::SmallVector<Joined> pieces;
  for (mlir::Value operand : op.getInputs()) {
    Joined piece{operand, 0, SizeAlong(operand, dim)};
    if (piece.size == 0) continue;
    auto slice = operand.getDefiningOp<stablehlo::SliceOp>();
    if (slice && SlicesOnly(slice, dim)) {
      piece.source = slice.getOperand();
      piece.start = slice.getStartIndices()[dim];
    }
    if (!pieces.empty() && pieces.back().source == piece.source &&
        pieces.back().start + pieces.back().size == piece.start) {
      pieces.back().size += piece.size;
    } else {
      pieces.push_back(piece);
    }
  }
  return pieces;
}

bool IsQuantized(mlir::Value value) {
  const mlir::Type element = TypeOf(value).getElementType();
  return !element.isIntOrFloat() && !llvm::isa<mlir::ComplexType>(element);
}

}  // namespace

std::optional<Join> JoinOf(stablehlo::ConcatenateOp op, const Sharding& result) {
  const auto dim = static_cast<int64_t>(op.getDimension());
  const int64_t shards = result.dims[dim].num_shards();
  if (shards == 1 || !result.unreduced.empty() || IsQuantized(op.getResult())) {
    return std::nullopt;
  }
  Join join{dim, result, JoinedBy(op), {}};
  const auto reads_through = [&](const Joined& piece) {
    return !llvm::is_contained(op.getInputs(), piece.source);
  };
  if (!llvm::any_of(join.pieces, reads_through)) return std::nullopt;
  for (const Joined& piece : join.pieces) {
    Sharding& source = join.sources.emplace_back(result);
    if (SizeAlong(piece.source, dim) % shards != 0) source.dims[dim].axes.clear();
  }
  if (!PaysOff(join)) return std::nullopt;
  return join;
}

Join JoinOfOperands(stablehlo::ConcatenateOp op, const Decision& decision) {
  Join join{static_cast<int64_t>(op.getDimension()), decision.results[0], {}, {}};
  for (auto [operand, sharding] : llvm::zip_equal(op.getInputs(), decision.operands)) {
    const int64_t size = SizeAlong(operand, join.dim);
    if (size == 0) continue;
    join.pieces.push_back({operand, 0, size});
    join.sources.push_back(sharding);
  }
  return join;
}

mlir::Value JoinParts(const Join& join, mlir::ValueRange locals, MeshCode& code,
                      mlir::OpBuilder& b, mlir::Location location) {
  const Axes& axes = join.result.dims[join.dim].axes;
  const int64_t part = PartSize(join);
  PartBuilder p(b, code.Explain(location, [] {
    return "concatenate moves parts to other devices";
  }));
  if (IsRoll(join)) return RollPart(p, code, join, locals[0]);
  mlir::Value result, position;
  int64_t first = 0;
  for (auto [i, local] : llvm::enumerate(locals)) {
    mlir::Value fetched = IsSplit(join, i) ? FetchWindow(p, code, local, SplitOf(join, i),
                                                         WindowOf(join, i, first), {})
                                           : TakeWhole(p, code, join, i, local, first);
    const int64_t begin = first;
    first += join.pieces[i].size;
    if (!result) {
      result = fetched;
      continue;
    }
    // Elements before this piece are those of earlier ones.
    auto positions = mlir::RankedTensorType::get(part, b.getI64Type());
    if (!position) {
      position = p.Apply("stablehlo.add", p.Iota(positions, 0),
                         p.Broadcast(code.ShardOffset(axes, part), positions.getShape()));
    }
    mlir::Value is_before = p.Compare(stablehlo::ComparisonDirection::LT, position,
                                      p.Splat(positions, begin));
    result = p.Select(p.Broadcast(is_before, TypeOf(result).getShape(), {join.dim}),
                      result, fetched);
  }
  return result;
}

}  // namespace tenon::compiler::partition
