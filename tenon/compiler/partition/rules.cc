// The table of rules: ops whose rule is one line, and the families of the others.
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

constexpr FactorKind kPass = FactorKind::kPassThrough;
constexpr FactorKind kReplicate = FactorKind::kNeedReplication;

bool AllShapesEqual(mlir::Operation* op) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(op->getResult(0));
  auto equal = [&](mlir::Type type) { return ShapeOf(type) == shape; };
  return llvm::all_of(op->getOperandTypes(), equal) &&
         llvm::all_of(op->getResultTypes(), equal);
}

// Leading batch dimensions; the last `count` dimensions are needed whole.
Rule BatchRule(mlir::Operation* op, int64_t count) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(op->getResult(0));
  int64_t batch = static_cast<int64_t>(shape.size()) - count;
  return RuleBuilder(op)
      .AddPointwise(shape, [&](int64_t dim) { return dim < batch ? kPass : kReplicate; })
      .Build();
}

Rule FftRule(stablehlo::FftOp op) {
  llvm::ArrayRef<int64_t> in = ShapeOf(op.getOperand()), out = ShapeOf(op.getResult());
  auto rank = static_cast<int64_t>(in.size());
  auto transformed = static_cast<int64_t>(op.getFftLength().size());
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(in)) {
    auto position = static_cast<int64_t>(dim);
    Factor factor{size, position < rank - transformed ? kPass : kReplicate};
    // Real transforms change the length of the last dimension.
    if (position >= rank - transformed && position == rank - 1) {
      factor.blocked = in.back() != out.back();
    }
    builder.AddToAll(position, factor);
  }
  return builder.Build();
}

Rule BatchNormRule(stablehlo::BatchNormInferenceOp op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(ShapeOf(op.getOperand()))) {
    bool feature = dim == op.getFeatureIndex();
    llvm::SmallVector<int64_t> operands(op->getNumOperands(), feature ? 0 : kNoDim);
    operands[0] = static_cast<int64_t>(dim);
    builder.Add(operands, operands[0], {size});
  }
  return builder.Build();
}

Rule RngBitGeneratorRule(stablehlo::RngBitGeneratorOp op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(ShapeOf(op.getInitialState()))) {
    auto position = static_cast<int64_t>(dim);
    builder.Add(position, {position, kNoDim}, {size, kReplicate, /*blocked=*/true});
  }
  for (auto [dim, size] : llvm::enumerate(ShapeOf(op.getOutput()))) {
    builder.Add(kNoDim, {kNoDim, static_cast<int64_t>(dim)}, {size});
  }
  return builder.Build();
}

Rule SortRule(stablehlo::SortOp op) {
  llvm::ArrayRef<int64_t> shape = ShapeOf(op.getInputs().front());
  auto rank = static_cast<int64_t>(shape.size());
  int64_t sorted = static_cast<int64_t>(op.getDimension());
  if (sorted < 0) sorted += rank;
  bool alone = llvm::all_of(llvm::enumerate(shape), [&](auto it) {
    return static_cast<int64_t>(it.index()) == sorted || it.value() == 1;
  });
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool is_sorted = static_cast<int64_t>(dim) == sorted;
    builder.AddToAll(static_cast<int64_t>(dim),
                     {size, is_sorted ? kReplicate : kPass, is_sorted && alone});
  }
  return builder.Build();
}

Rule TriangularSolveRule(stablehlo::TriangularSolveOp op) {
  llvm::ArrayRef<int64_t> a = ShapeOf(op.getA()), b = ShapeOf(op.getB());
  RuleBuilder builder(op);
  builder.AddPointwise(a.drop_back(2));
  auto row = static_cast<int64_t>(a.size()) - 2, column = row + 1;
  bool transposed = op.getTransposeA() == stablehlo::Transpose::TRANSPOSE ||
                    op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  auto free = [&](int64_t dim) { builder.Add({kNoDim, dim}, dim, {b[dim], kReplicate}); };
  auto add_a = [&](int64_t a_dim, int64_t b_dim, int64_t result_dim) {
    builder.Add({a_dim, b_dim}, result_dim, {a[a_dim], kReplicate});
  };
  if (op.getLeftSide()) {  // a x = b
    add_a(transposed ? column : row, row, kNoDim);
    free(column);
    add_a(transposed ? row : column, kNoDim, row);
  } else {  // x a = b
    free(row);
    add_a(transposed ? row : column, column, kNoDim);
    add_a(transposed ? column : row, kNoDim, column);
  }
  return builder.Build();
}

// Of ops that are known by their class alone.
std::optional<Rule> SimpleRule(mlir::Operation* op) {
  using Result = std::optional<Rule>;
  return llvm::TypeSwitch<mlir::Operation*, Result>(op)
      .Case<sdy::ShardingConstraintOp, stablehlo::AllReduceOp,
            stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp,
            stablehlo::CrossReplicaSumOp, stablehlo::ClampOp, stablehlo::SelectOp>(
          [](mlir::Operation* op) { return PointwiseRule(op); })
      .Case([](stablehlo::CholeskyOp op) { return Result(BatchRule(op, 2)); })
      .Case([](stablehlo::FftOp op) { return Result(FftRule(op)); })
      .Case([](stablehlo::BatchNormInferenceOp op) { return Result(BatchNormRule(op)); })
      .Case(
          [](stablehlo::RngBitGeneratorOp op) { return Result(RngBitGeneratorRule(op)); })
      .Case([](stablehlo::SortOp op) { return Result(SortRule(op)); })
      .Case(
          [](stablehlo::TriangularSolveOp op) { return Result(TriangularSolveRule(op)); })
      .Default([](mlir::Operation*) { return Result(); });
}

bool HasStaticShapes(mlir::Operation* op) {
  auto is_static = [](mlir::Type type) {
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), is_static) &&
         llvm::all_of(op->getResultTypes(), is_static);
}

Status CheckMapping(const Mapping& mapping, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<Factor> factors) {
  if (mapping.size() != shape.size()) {
    return InvalidArgument("a tensor has " + std::to_string(shape.size()) +
                           " dimensions, but the rule gives " +
                           std::to_string(mapping.size()));
  }
  for (const DimFactors& dim : mapping) {
    if (dim.empty()) return InvalidArgument("a dimension has no factor");
    for (int32_t factor : dim) {
      if (factor < 0 || factor >= static_cast<int32_t>(factors.size())) {
        return InvalidArgument("factor " + std::to_string(factor) + " has no size");
      }
    }
  }
  return OkStatus();
}

}  // namespace

bool IsElementwiseForSharding(mlir::Operation* op) {
  if (op->hasTrait<mlir::OpTrait::Elementwise>() ||
      llvm::isa<stablehlo::ClampOp, stablehlo::SelectOp, sdy::ShardingConstraintOp,
                sdy::ReshardOp, sdy::PropagationBarrierOp>(op)) {
    return true;
  }
  return llvm::isa<stablehlo::BitcastConvertOp>(op) && AllShapesEqual(op);
}

Rule IdentityRule(mlir::ShapedType type, int64_t num_operands, int64_t num_results) {
  llvm::SmallVector<mlir::Type> operands(num_operands, type), results(num_results, type);
  return RuleBuilder(operands, results).AddPointwise(type.getShape()).Build();
}

StatusOr<std::optional<Rule>> RuleOf(mlir::Operation* op) {
  if (auto given = op->getAttrOfType<sdy::OpShardingRuleAttr>(kShardingRuleAttr)) {
    StatusOr<Rule> rule = ReadRule(given, op);
    if (!rule.ok()) {
      return rule.status().WithPrefix("sdy.sharding_rule of '" +
                                      op->getName().getStringRef().str() + "' op at " +
                                      DescribeLocation(op->getLoc()));
    }
    return std::optional<Rule>(*std::move(rule));
  }
  if (!HasStaticShapes(op)) return std::optional<Rule>();
  if (op->hasTrait<mlir::OpTrait::Elementwise>()) return PointwiseRule(op);
  for (auto* family : {SimpleRule, StructuredRule, IndexingRule, ShapeRule,
                       CollectiveRule, CustomCallRule}) {
    if (std::optional<Rule> rule = family(op)) return rule;
  }
  return std::optional<Rule>();
}

sdy::OpShardingRuleAttr WriteRule(const Rule& rule, mlir::MLIRContext* context) {
  auto mappings = [&](llvm::ArrayRef<Mapping> list) {
    return llvm::map_to_vector(list, [&](const Mapping& mapping) {
      auto dims = llvm::map_to_vector(mapping, [&](const DimFactors& factors) {
        llvm::SmallVector<int64_t> numbers(factors.begin(), factors.end());
        return sdy::DimMappingAttr::get(context, numbers);
      });
      return sdy::TensorMappingAttr::get(context, dims);
    });
  };
  llvm::SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  for (auto [number, factor] : llvm::enumerate(rule.factors)) {
    auto index = static_cast<int64_t>(number);
    sizes.push_back(factor.size);
    if (factor.kind == FactorKind::kReduction) reduction.push_back(index);
    if (factor.kind == FactorKind::kNeedReplication) replication.push_back(index);
    if (factor.kind == FactorKind::kPermutation) permutation.push_back(index);
    if (factor.blocked) blocked.push_back(index);
  }
  return sdy::OpShardingRuleAttr::get(context, sizes, mappings(rule.operands),
                                      mappings(rule.results), reduction, replication,
                                      permutation, blocked, rule.custom);
}

StatusOr<Rule> ReadRule(sdy::OpShardingRuleAttr attribute, mlir::Operation* op) {
  Rule rule;
  rule.custom = attribute.getIsCustomRule();
  for (int64_t size : attribute.getFactorSizes()) {
    if (size < 1) {
      return InvalidArgument("a factor has size " + std::to_string(size) +
                             ", but sizes are positive");
    }
    rule.factors.push_back({size});
  }
  auto set = [&](llvm::ArrayRef<int64_t> numbers, auto change) -> Status {
    for (int64_t number : numbers) {
      if (number < 0 || number >= static_cast<int64_t>(rule.factors.size())) {
        return InvalidArgument("factor " + std::to_string(number) + " has no size");
      }
      change(rule.factors[number]);
    }
    return OkStatus();
  };
  auto set_kind = [&](llvm::ArrayRef<int64_t> numbers, FactorKind kind) {
    return set(numbers, [&](Factor& factor) { factor.kind = kind; });
  };
  TENON_RETURN_IF_ERROR(
      set_kind(attribute.getReductionFactors(), FactorKind::kReduction));
  TENON_RETURN_IF_ERROR(
      set_kind(attribute.getNeedReplicationFactors(), FactorKind::kNeedReplication));
  TENON_RETURN_IF_ERROR(
      set_kind(attribute.getPermutationFactors(), FactorKind::kPermutation));
  TENON_RETURN_IF_ERROR(set(attribute.getBlockedPropagationFactors(),
                            [](Factor& factor) { factor.blocked = true; }));
  auto read = [&](llvm::ArrayRef<sdy::TensorMappingAttr> from, mlir::TypeRange types,
                  auto& to) -> Status {
    if (from.size() != types.size()) {
      return InvalidArgument("the op has " + std::to_string(types.size()) +
                             " operands or results, but the rule has " +
                             std::to_string(from.size()));
    }
    for (auto [tensor, type] : llvm::zip_equal(from, types)) {
      Mapping& mapping = to.emplace_back();
      for (sdy::DimMappingAttr dim : tensor.getDimMappings()) {
        llvm::ArrayRef<int64_t> numbers = dim.getFactorIndices();
        mapping.emplace_back(numbers.begin(), numbers.end());
      }
      TENON_RETURN_IF_ERROR(CheckMapping(mapping, ShapeOf(type), rule.factors));
    }
    return OkStatus();
  };
  TENON_RETURN_IF_ERROR(
      read(attribute.getOperandMappings(), op->getOperandTypes(), rule.operands));
  TENON_RETURN_IF_ERROR(
      read(attribute.getResultMappings(), op->getResultTypes(), rule.results));
  return rule;
}

}  // namespace tenon::compiler::partition
