#include "tenon/compiler/partition/decide.h"

#include <algorithm>
#include <numeric>

#include "tenon/compiler/partition/localize_selections.h"
#include "tenon/compiler/partition/rule_builder.h"

namespace tenon::compiler::partition {
namespace {

// A tensor of the op: its factors, and the axes that split each of them.
struct Projection {
  const Mapping* mapping;
  double elements = 1;
  bool is_result = false;
  llvm::SmallVector<Axes, 4> axes;  // by factor
};

// Moves axes from the front of `axes` to the front of a factor of `size`, as long as they
// divide it. An axis can be cut.
Axes TakeDivisors(Axes& axes, int64_t size) {
  Axes taken;
  while (!axes.empty() && size > 1) {
    Axis& axis = axes.front();
    const auto part = static_cast<int32_t>(std::gcd<int64_t>(size, axis.size));
    if (part == 1) {
      axes.clear();  // later factors would be strided
      break;
    }
    AppendAxis(taken, {axis.index, axis.pre, part});
    size /= part;
    if (part == axis.size) {
      axes.erase(axes.begin());
    } else {
      axis = {axis.index, axis.pre * part, axis.size / part};
    }
  }
  return taken;
}

Projection Project(const Rule& rule, const Mapping& mapping,
                   llvm::ArrayRef<int64_t> shape, const Sharding* sharding,
                   bool is_result) {
  Projection projection;
  projection.mapping = &mapping;
  projection.is_result = is_result;
  for (int64_t size : shape) projection.elements *= static_cast<double>(size);
  projection.axes.resize(rule.factors.size());
  if (!sharding) return projection;
  for (auto [dim, factors] : llvm::zip_equal(sharding->dims, mapping)) {
    Axes rest = dim.axes;
    for (int32_t factor : factors) {
      projection.axes[factor] = TakeDivisors(rest, rule.factors[factor].size);
    }
  }
  return projection;
}

bool HasFactor(const Mapping& mapping, int32_t factor) {
  return llvm::any_of(mapping, [&](const DimFactors& factors) {
    return llvm::is_contained(factors, factor);
  });
}

// A proposal to split a factor by axes.
struct Candidate {
  int32_t factor;
  Axes axes;
  double kept;  // elements that stay in place
  bool is_result;
};

std::vector<Candidate> Candidates(mlir::Operation* op, const Rule& rule,
                                  llvm::ArrayRef<Projection> tensors) {
  std::vector<Candidate> candidates;
  const bool is_selection = IsSelection(op);
  for (int32_t factor = 0; factor < static_cast<int32_t>(rule.factors.size()); ++factor) {
    if (!MaySplit(op, rule, factor)) continue;
    for (const Projection& tensor : tensors) {
      const Axes& axes = tensor.axes[factor];
      if (axes.empty() ||
          (is_selection && rule.factors[factor].kind == FactorKind::kReduction &&
           !IsWorthSplitting(axes, rule.factors[factor].size))) {
        continue;
      }
      auto known = llvm::find_if(candidates, [&](const Candidate& candidate) {
        return candidate.factor == factor && candidate.axes == axes;
      });
      if (known == candidates.end()) {
        known = candidates.insert(known, {factor, axes, 0, false});
        if (rule.factors[factor].kind == FactorKind::kReduction) {
          for (const Projection& other : tensors) {
            if (other.is_result) known->kept -= other.elements;
          }
        }
      }
      known->kept += tensor.elements;
      known->is_result |= tensor.is_result;
    }
  }
  // Equal ones stay in the order of factors and tensors.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     if (a.kept != b.kept) return a.kept > b.kept;
                     if (SizeOf(a.axes) != SizeOf(b.axes)) {
                       return SizeOf(a.axes) > SizeOf(b.axes);
                     }
                     return a.is_result && !b.is_result;
                   });
  return candidates;
}

// Gives candidates their axes in order; an axis splits one factor.
llvm::SmallVector<Axes, 4> Assign(const Rule& rule,
                                  llvm::ArrayRef<Candidate> candidates) {
  llvm::SmallVector<Axes, 4> assigned(rule.factors.size());
  for (const Candidate& candidate : candidates) {
    Axes& axes = assigned[candidate.factor];
    if (PrefixOf(axes, candidate.axes) == PrefixStatus::kNotAPrefix) continue;
    Axes used;
    for (auto [factor, others] : llvm::enumerate(assigned)) {
      if (static_cast<int32_t>(factor) != candidate.factor) used.append(others);
    }
    axes.clear();
    for (Axis axis : candidate.axes) {
      std::optional<Axis> free = PrefixWithoutOverlap(axis, used);
      if (free) AppendAxis(axes, *free);
      if (free != axis) break;
    }
  }
  return assigned;
}

// Axes of a factor after one that is not fully split would stride over the dimension.
void DropStridedAxes(const Rule& rule, llvm::ArrayRef<Projection> tensors,
                     llvm::SmallVectorImpl<Axes>& assigned) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Projection& tensor : tensors) {
      for (const DimFactors& factors : *tensor.mapping) {
        bool is_full = true;
        for (int32_t factor : factors) {
          if (!is_full && !assigned[factor].empty()) {
            assigned[factor].clear();
            changed = true;
          }
          is_full &= SizeOf(assigned[factor]) == rule.factors[factor].size;
        }
      }
    }
  }
}

// Sizes of dimensions may differ from the factor, where windows or edges are exchanged.
void DropUneven(const Rule& rule, mlir::TypeRange types, llvm::ArrayRef<Mapping> mappings,
                llvm::SmallVectorImpl<Axes>& assigned) {
  for (auto [type, mapping] : llvm::zip_equal(types, mappings)) {
    for (auto [size, factors] : llvm::zip_equal(ShapeOf(type), mapping)) {
      int64_t shards = 1;
      for (int32_t factor : factors) shards *= SizeOf(assigned[factor]);
      if (size % shards == 0) continue;
      for (int32_t factor : factors) assigned[factor].clear();
    }
  }
}

// If every split of the operands is lost, splits a dimension that the op can split by the
// axes of the largest operand, so that not every device computes everything.
void AvoidReplication(mlir::Operation* op, const Rule& rule,
                      llvm::ArrayRef<Sharding> operands,
                      llvm::ArrayRef<Projection> tensors,
                      llvm::SmallVectorImpl<Axes>& assigned) {
  if (llvm::any_of(assigned, [](const Axes& axes) { return !axes.empty(); })) return;
  const Sharding* source = nullptr;
  size_t largest = 0;
  for (auto [i, sharding] : llvm::enumerate(operands)) {
    if (sharding.UsedAxes().empty()) continue;
    if (source && tensors[i].elements <= tensors[largest].elements) continue;
    source = &sharding;
    largest = i;
  }
  if (!source) return;
  for (const DimFactors& factors : *tensors[largest].mapping) {
    const int32_t factor = factors.front();
    if (rule.factors[factor].kind != FactorKind::kPassThrough ||
        !MaySplit(op, rule, factor)) {
      continue;
    }
    Axes axes = source->UsedAxes();
    Axes taken = TakeDivisors(axes, rule.factors[factor].size);
    if (SizeOf(taken) > SizeOf(assigned[factor])) assigned[factor] = taken;
    if (!assigned[factor].empty()) break;
  }
}

Sharding ShardingFor(const Mapping& mapping, int64_t rank,
                     llvm::ArrayRef<Axes> assigned) {
  Sharding sharding = Sharding::Replicated(/*mesh=*/0, rank, /*open=*/false);
  for (auto [dim, factors] : llvm::zip_equal(sharding.dims, mapping)) {
    for (int32_t factor : factors) AppendAxes(dim.axes, assigned[factor]);
  }
  return sharding;
}

}  // namespace

Sharding MakeDivisible(const Sharding& sharding, llvm::ArrayRef<int64_t> shape) {
  Sharding divisible = sharding;
  for (auto [dim, size] : llvm::zip_equal(divisible.dims, shape)) {
    Axes axes = std::move(dim.axes);
    // Dimensions without elements cannot be split into equal parts of a smaller size.
    dim.axes = TakeDivisors(axes, size);
  }
  return divisible;
}

Decision Decide(mlir::Operation* op, const Rule& rule, llvm::ArrayRef<Sharding> operands,
                llvm::ArrayRef<std::optional<Sharding>> results) {
  llvm::SmallVector<Projection, 4> tensors;
  for (auto [operand, mapping, sharding] :
       llvm::zip_equal(op->getOperands(), rule.operands, operands)) {
    tensors.push_back(Project(rule, mapping, ShapeOf(operand), &sharding, false));
  }
  for (auto [result, mapping, sharding] :
       llvm::zip_equal(op->getResults(), rule.results, results)) {
    tensors.push_back(
        Project(rule, mapping, ShapeOf(result), sharding ? &*sharding : nullptr, true));
  }
  llvm::SmallVector<Axes, 4> assigned = Assign(rule, Candidates(op, rule, tensors));
  DropUneven(rule, op->getOperandTypes(), rule.operands, assigned);
  DropUneven(rule, op->getResultTypes(), rule.results, assigned);
  DropStridedAxes(rule, tensors, assigned);
  AvoidReplication(op, rule, operands, tensors, assigned);
  DropStridedAxes(rule, tensors, assigned);

  Decision decision;
  for (auto [operand, mapping] : llvm::zip_equal(op->getOperands(), rule.operands)) {
    decision.operands.push_back(
        ShardingFor(mapping, static_cast<int64_t>(ShapeOf(operand).size()), assigned));
  }
  for (auto [result, mapping] : llvm::zip_equal(op->getResults(), rule.results)) {
    Sharding sharding =
        ShardingFor(mapping, static_cast<int64_t>(ShapeOf(result).size()), assigned);
    for (auto [factor, axes] : llvm::enumerate(assigned)) {
      if (rule.factors[factor].kind == FactorKind::kReduction &&
          !HasFactor(mapping, static_cast<int32_t>(factor))) {
        sharding.unreduced.append(axes);
      }
    }
    SortAndMerge(sharding.unreduced);
    decision.results.push_back(std::move(sharding));
  }
  return decision;
}

Decision Replicated(mlir::Operation* op) {
  Decision decision;
  auto whole = [](mlir::Value value) {
    return Sharding::Replicated(0, static_cast<int64_t>(ShapeOf(value).size()), false);
  };
  for (mlir::Value operand : op->getOperands())
    decision.operands.push_back(whole(operand));
  for (mlir::Value result : op->getResults()) decision.results.push_back(whole(result));
  return decision;
}

}  // namespace tenon::compiler::partition
