// Rules of ops that move elements: reshape, broadcast, transpose, concatenate, reverse.
#include <algorithm>
#include <numeric>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

constexpr FactorKind kReplicate = FactorKind::kNeedReplication;
constexpr FactorKind kPermutation = FactorKind::kPermutation;

// One side of a reshape: the sizes of its dimensions are taken apart into factors, major
// first.
struct ReshapeSide {
  llvm::ArrayRef<int64_t> shape;
  size_t dim = 0;
  int64_t sizes = 1;    // product of the sizes of the dimensions up to `dim`
  int64_t factors = 1;  // product of the factors so far

  bool done() const { return dim >= shape.size(); }
  bool AtUnitDim() const { return !done() && shape[dim] == 1; }
  // Begins the dimension if all before are complete.
  void Begin() {
    if (!done() && sizes == factors) sizes *= shape[dim];
  }
  int64_t rest() const { return sizes / factors; }
  void End() {
    if (!done() && sizes == factors) ++dim;
  }
  int64_t position() const { return static_cast<int64_t>(dim); }
};

// A factor that only one side has. `behind` has the smaller product of factors. The
// factor makes the products equal if it can, and else keeps the divisor that the next
// factors of the two sides have in common.
int64_t PrivateFactor(const ReshapeSide& behind, int64_t ahead_factors, int64_t common) {
  if (ahead_factors % behind.factors == 0) {
    int64_t missing = ahead_factors / behind.factors;
    if (behind.rest() % missing == 0) return missing;
  }
  return behind.rest() > common ? behind.rest() / common : behind.rest();
}

std::optional<Rule> ReshapeRule(stablehlo::ReshapeOp op) {
  ReshapeSide in{ShapeOf(op.getOperand())}, out{ShapeOf(op.getResult())};
  if (llvm::is_contained(in.shape, 0)) return std::nullopt;
  RuleBuilder builder(op);
  auto add = [&](ReshapeSide& side, int64_t size) {
    bool is_in = &side == &in;
    builder.Add(is_in ? in.position() : kNoDim, is_in ? kNoDim : out.position(), {size});
    side.factors *= size;
  };
  while (!in.done() || !out.done()) {
    if (in.AtUnitDim()) {
      builder.Add(in.position(), kNoDim, {1});
      ++in.dim;
      continue;
    }
    if (out.AtUnitDim()) {
      builder.Add(kNoDim, out.position(), {1});
      ++out.dim;
      continue;
    }
    in.Begin();
    out.Begin();
    int64_t common = std::gcd(in.rest(), out.rest());
    if (in.factors < out.factors) {
      add(in, PrivateFactor(in, out.factors, common));
    } else if (out.factors < in.factors) {
      add(out, PrivateFactor(out, in.factors, common));
    } else if (common > 1) {
      builder.Add(in.position(), out.position(), {common});
      in.factors *= common;
      out.factors *= common;
    } else {
      int64_t rest = out.rest();
      add(in, in.rest());
      add(out, rest);
    }
    in.End();
    out.End();
  }
  return builder.Build();
}

Rule BroadcastRule(stablehlo::BroadcastInDimOp op) {
  llvm::ArrayRef<int64_t> in = ShapeOf(op.getOperand()), out = ShapeOf(op.getResult());
  llvm::SmallVector<int64_t> source(out.size(), kNoDim);
  for (auto [in_dim, out_dim] : llvm::enumerate(op.getBroadcastDimensions())) {
    source[out_dim] = static_cast<int64_t>(in_dim);
  }
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(out)) {
    int64_t in_dim = source[dim];
    if (in_dim != kNoDim && in[in_dim] == 1 && size != 1) {
      builder.Add(in_dim, kNoDim, {1});
      in_dim = kNoDim;
    }
    builder.Add(in_dim, static_cast<int64_t>(dim), {size});
  }
  return builder.Build();
}

Rule TransposeRule(stablehlo::TransposeOp op) {
  RuleBuilder builder(op);
  for (auto [dim, source] : llvm::enumerate(op.getPermutation())) {
    builder.Add(source, static_cast<int64_t>(dim), {ShapeOf(op.getOperand())[source]});
  }
  return builder.Build();
}

// The concatenated dimension can stay split if the op rotates or rearranges data: all
// operands are slices, or slices of one tensor and that tensor.
FactorKind ConcatenatedKind(stablehlo::ConcatenateOp op) {
  auto is_slice = [](mlir::Value operand) {
    return operand.getDefiningOp<stablehlo::SliceOp>() != nullptr;
  };
  if (llvm::all_of(op.getInputs(), is_slice)) return kPermutation;
  auto source = [](mlir::Value operand) {
    auto slice = operand.getDefiningOp<stablehlo::SliceOp>();
    return slice ? slice.getOperand() : operand;
  };
  mlir::Value first = source(op.getInputs().front());
  bool same = llvm::all_of(op.getInputs(),
                           [&](mlir::Value operand) { return source(operand) == first; });
  return same && llvm::any_of(op.getInputs(), is_slice) ? kPermutation : kReplicate;
}

Rule BitcastConvertRule(stablehlo::BitcastConvertOp op) {
  llvm::ArrayRef<int64_t> in = ShapeOf(op.getOperand()), out = ShapeOf(op.getResult());
  RuleBuilder builder(op);
  builder.AddPointwise(in.size() < out.size() ? in : out);
  // The wider list of dimensions ends in the parts of an element.
  if (in.size() < out.size()) {
    builder.Add(kNoDim, static_cast<int64_t>(out.size()) - 1, {out.back(), kReplicate});
  } else if (in.size() > out.size()) {
    builder.Add(static_cast<int64_t>(in.size()) - 1, kNoDim, {in.back(), kReplicate});
  }
  return builder.Build();
}

}  // namespace

std::optional<Rule> ShapeRule(mlir::Operation* op) {
  using Result = std::optional<Rule>;
  return llvm::TypeSwitch<mlir::Operation*, Result>(op)
      .Case([](stablehlo::ReshapeOp op) { return ReshapeRule(op); })
      .Case([](stablehlo::BroadcastInDimOp op) { return Result(BroadcastRule(op)); })
      .Case([](stablehlo::TransposeOp op) { return Result(TransposeRule(op)); })
      .Case([](stablehlo::BitcastConvertOp op) { return Result(BitcastConvertRule(op)); })
      .Case([](stablehlo::ConcatenateOp op) {
        auto kind = [&](int64_t dim) {
          return dim == static_cast<int64_t>(op.getDimension())
                     ? ConcatenatedKind(op)
                     : FactorKind::kPassThrough;
        };
        return Result(
            RuleBuilder(op).AddPointwise(ShapeOf(op.getResult()), kind).Build());
      })
      .Case([](stablehlo::ReverseOp op) {
        auto kind = [&](int64_t dim) {
          return llvm::is_contained(op.getDimensions(), dim) ? kPermutation
                                                             : FactorKind::kPassThrough;
        };
        return Result(
            RuleBuilder(op).AddPointwise(ShapeOf(op.getResult()), kind).Build());
      })
      .Default([](mlir::Operation*) { return Result(); });
}

}  // namespace tenon::compiler::partition
