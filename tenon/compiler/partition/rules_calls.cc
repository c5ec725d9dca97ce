// Rules of collectives and of custom calls, which are known by their target's name.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/chlo/chlo.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

using Result = std::optional<Rule>;
constexpr FactorKind kReplicate = FactorKind::kNeedReplication;

// A factor per dimension that the collective keeps. Of the others, operands and results
// have one each.
Rule CollectiveRuleExcept(mlir::Operation* op, llvm::ArrayRef<int64_t> changed) {
  llvm::ArrayRef<int64_t> in = ShapeOf(op->getOperand(0)),
                          out = ShapeOf(op->getResult(0));
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(in)) {
    if (!llvm::is_contained(changed, static_cast<int64_t>(dim))) {
      builder.AddToAll(static_cast<int64_t>(dim), {size});
    }
  }
  for (int64_t dim : changed) {
    builder.AddToOperands(dim, {in[dim], kReplicate});
    builder.AddToResults(dim, {out[dim], kReplicate});
  }
  return builder.Build();
}

enum class Call {
  kUnknown,
  kPointwise,
  kEigh,
  kQr,
  kHouseholderProduct,
  kTopK,
  kApproxTopK,
  kX64Combine
};

Call CallOf(llvm::StringRef target) {
  return llvm::StringSwitch<Call>(target)
      .Cases({"annotate_device_placement", "Cholesky", "CompactWyHelper",
              "InspectSharding", "InvertDiagBlocksLowerTriangular",
              "InvertDiagBlocksUpperTriangular", "LayoutConstraint", "mhlo.erf"},
             Call::kPointwise)
      .Cases({"MoveToDevice", "MoveToHost", "X64SplitHigh", "X64SplitLow",
              "xla.megascale.provide_metadata", "_SPMDInternalOp_MultiPad",
              "_SPMDInternalOp_RotateRight", "_SPMDInternalOp_MultiRotate",
              "_SPMDInternalOp_MultiSlice", "_SPMDInternalOp_Wrap"},
             Call::kPointwise)
      .Case("Eigh", Call::kEigh)
      .Cases({"Qr", "QrDecompositionBlock"}, Call::kQr)
      .Case("ProductOfElementaryHouseholderReflectors", Call::kHouseholderProduct)
      .Case("mhlo.topk", Call::kTopK)
      .Cases({"ApproxTopK", "PartialReduce"}, Call::kApproxTopK)
      .Case("X64Combine", Call::kX64Combine)
      .Default(Call::kUnknown);
}

// Whether the call has the operands and results of its library function: ranks relative
// to that of the first operand, which must be at least `min_rank`.
bool HasRanks(mlir::Operation* op, llvm::ArrayRef<int64_t> operands,
              llvm::ArrayRef<int64_t> results, size_t min_rank) {
  if (op->getNumOperands() != operands.size() || op->getNumResults() != results.size()) {
    return false;
  }
  auto rank = static_cast<int64_t>(ShapeOf(op->getOperand(0)).size());
  if (rank < static_cast<int64_t>(min_rank)) return false;
  auto matches = [&](auto pair) {
    return static_cast<int64_t>(ShapeOf(std::get<0>(pair)).size()) ==
           rank + std::get<1>(pair);
  };
  return llvm::all_of(llvm::zip_equal(op->getOperandTypes(), operands), matches) &&
         llvm::all_of(llvm::zip_equal(op->getResultTypes(), results), matches);
}

// Eigenvectors and eigenvalues of symmetric matrices.
Result EighRule(mlir::Operation* op) {
  if (!HasRanks(op, {0}, {0, -1}, 2)) return std::nullopt;
  llvm::ArrayRef<int64_t> in = ShapeOf(op->getOperand(0));
  auto row = static_cast<int64_t>(in.size()) - 2, column = row + 1;
  return RuleBuilder(op)
      .AddPointwise(in.drop_back(2))
      .Add(row, {row, kNoDim}, {in[row]})
      .Add(column, {column, row}, {in[column]})
      .Build();
}

// A matrix and a vector per matrix.
Result QrRule(mlir::Operation* op) {
  if (!HasRanks(op, {0}, {0, -1}, 2)) return std::nullopt;
  llvm::ArrayRef<int64_t> in = ShapeOf(op->getOperand(0)),
                          vector = ShapeOf(op->getResult(1));
  auto row = static_cast<int64_t>(in.size()) - 2, column = row + 1;
  return RuleBuilder(op)
      .AddPointwise(in.drop_back(2))
      .Add(row, {row, kNoDim}, {in[row], kReplicate})
      .Add(column, {column, kNoDim}, {in[column], kReplicate})
      .Add(kNoDim, {kNoDim, row}, {vector[row], kReplicate})
      .Build();
}

Result HouseholderProductRule(mlir::Operation* op) {
  if (!HasRanks(op, {0, -1}, {0}, 2)) return std::nullopt;
  llvm::ArrayRef<int64_t> in = ShapeOf(op->getOperand(0)),
                          taus = ShapeOf(op->getOperand(1));
  auto row = static_cast<int64_t>(in.size()) - 2, column = row + 1;
  return RuleBuilder(op)
      .AddPointwise(in.drop_back(2))
      .Add({row, kNoDim}, row, {in[row], kReplicate})
      .Add({column, kNoDim}, column, {in[column], kReplicate})
      .Add({kNoDim, row}, kNoDim, {taus[row], kReplicate})
      .Build();
}

Result TopKRule(mlir::Operation* op) {
  if (!HasRanks(op, {0}, {0, 0}, 1)) return std::nullopt;
  return RuleBuilder(op)
      .AddPointwiseOr(ShapeOf(op->getOperand(0)), ShapeOf(op->getResult(0)),
                      {1, kReplicate, /*blocked=*/true})
      .Build();
}

// Operands: values, their indices, and two initial scalars.
Result ApproxTopKRule(mlir::Operation* op) {
  if (op->getNumOperands() != 4 || op->getNumResults() != 2) return std::nullopt;
  llvm::ArrayRef<int64_t> in = ShapeOf(op->getOperand(0)),
                          out = ShapeOf(op->getResult(0));
  if (in.size() != out.size() || ShapeOf(op->getOperand(1)).size() != in.size() ||
      ShapeOf(op->getResult(1)).size() != in.size()) {
    return std::nullopt;
  }
  RuleBuilder builder(op);
  for (auto [index, sizes] : llvm::enumerate(llvm::zip_equal(in, out))) {
    auto [in_size, out_size] = sizes;
    auto dim = static_cast<int64_t>(index);
    if (in_size == out_size) {
      builder.AddToAll(dim, {in_size});
      continue;
    }
    builder.Add({dim, dim, kNoDim, kNoDim}, {kNoDim, kNoDim}, {in_size});
    builder.Add({kNoDim, kNoDim, kNoDim, kNoDim}, {dim, dim},
                {out_size, kReplicate, /*blocked=*/true});
  }
  return builder.Build();
}

// The state of a generator stays whole.
Result X64CombineRule(mlir::Operation* op) {
  bool is_state = llvm::any_of(op->getUsers(), [](mlir::Operation* user) {
    return llvm::isa<stablehlo::RngBitGeneratorOp>(user);
  });
  if (!is_state || op->getNumResults() != 1 || ShapeOf(op->getResult(0)).size() != 1) {
    return PointwiseRule(op);
  }
  return RuleBuilder(op)
      .AddToAll(0, {ShapeOf(op->getResult(0))[0], kReplicate, /*blocked=*/true})
      .Build();
}

Result NamedCallRule(stablehlo::CustomCallOp op) {
  switch (CallOf(op.getCallTargetName())) {
    case Call::kUnknown:
      return std::nullopt;
    case Call::kPointwise:
      return PointwiseRule(op);
    case Call::kEigh:
      return EighRule(op);
    case Call::kQr:
      return QrRule(op);
    case Call::kHouseholderProduct:
      return HouseholderProductRule(op);
    case Call::kTopK:
      return TopKRule(op);
    case Call::kApproxTopK:
      return ApproxTopKRule(op);
    case Call::kX64Combine:
      return X64CombineRule(op);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rule> CollectiveRule(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, Result>(op)
      .Case([](stablehlo::AllGatherOp op) {
        return Result(
            CollectiveRuleExcept(op, {static_cast<int64_t>(op.getAllGatherDim())}));
      })
      .Case([](stablehlo::ReduceScatterOp op) {
        return Result(
            CollectiveRuleExcept(op, {static_cast<int64_t>(op.getScatterDimension())}));
      })
      .Case([](stablehlo::AllToAllOp op) {
        llvm::SmallVector<int64_t, 2> changed{
            static_cast<int64_t>(op.getSplitDimension())};
        if (op.getConcatDimension() != op.getSplitDimension()) {
          changed.push_back(static_cast<int64_t>(op.getConcatDimension()));
        }
        return Result(CollectiveRuleExcept(op, changed));
      })
      .Default([](mlir::Operation*) { return Result(); });
}

// XLA expands composites and top_k to mhlo ops with these rules before Shardy sees them.
std::optional<Rule> CustomCallRule(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, Result>(op)
      .Case([](stablehlo::CustomCallOp op) { return NamedCallRule(op); })
      .Case([](chlo::TopKOp op) { return TopKRule(op); })
      .Case([](stablehlo::CompositeOp op) {
        if (op.getName() == "chlo.top_k") return TopKRule(op);
        return IsElementwise(op) ? PointwiseRule(op) : Result();
      })
      .Default([](mlir::Operation*) { return Result(); });
}

}  // namespace tenon::compiler::partition
