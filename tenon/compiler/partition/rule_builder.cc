#include "tenon/compiler/partition/rule_builder.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::compiler::partition {
namespace {

Mapping EmptyMapping(mlir::Type type) { return Mapping(ShapeOf(type).size()); }

void AddToDimension(llvm::MutableArrayRef<Mapping> mappings, int64_t dim,
                    int32_t factor) {
  for (Mapping& mapping : mappings) {
    if (!mapping.empty()) mapping[dim].push_back(factor);
  }
}

// A factor of size 1 adds nothing to a dimension that has others.
void AddToDimensions(llvm::MutableArrayRef<Mapping> mappings,
                     llvm::ArrayRef<int64_t> dims, int32_t factor, int64_t size) {
  for (auto [mapping, dim] : llvm::zip_equal(mappings, dims)) {
    if (dim == kNoDim || (size == 1 && !mapping[dim].empty())) continue;
    mapping[dim].push_back(factor);
  }
}

}  // namespace

llvm::ArrayRef<int64_t> ShapeOf(mlir::Type type) {
  auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
  return shaped && shaped.hasRank() ? shaped.getShape() : llvm::ArrayRef<int64_t>();
}

RuleBuilder::RuleBuilder(mlir::TypeRange operands, mlir::TypeRange results) {
  for (mlir::Type type : operands) rule_.operands.push_back(EmptyMapping(type));
  for (mlir::Type type : results) rule_.results.push_back(EmptyMapping(type));
}

RuleBuilder::RuleBuilder(mlir::Operation* op)
    : RuleBuilder(op->getOperandTypes(), op->getResultTypes()) {}

int32_t RuleBuilder::NewFactor(Factor factor) {
  rule_.factors.push_back(factor);
  return static_cast<int32_t>(rule_.factors.size()) - 1;
}

RuleBuilder& RuleBuilder::AddToAll(int64_t dim, Factor factor) {
  int32_t number = NewFactor(factor);
  AddToDimension(rule_.operands, dim, number);
  AddToDimension(rule_.results, dim, number);
  return *this;
}

RuleBuilder& RuleBuilder::AddToOperands(int64_t dim, Factor factor) {
  AddToDimension(rule_.operands, dim, NewFactor(factor));
  return *this;
}

RuleBuilder& RuleBuilder::AddToResults(int64_t dim, Factor factor) {
  AddToDimension(rule_.results, dim, NewFactor(factor));
  return *this;
}

RuleBuilder& RuleBuilder::Add(llvm::ArrayRef<int64_t> operands,
                              llvm::ArrayRef<int64_t> results, Factor factor) {
  int32_t number = NewFactor(factor);
  AddToDimensions(rule_.operands, operands, number, factor.size);
  AddToDimensions(rule_.results, results, number, factor.size);
  return *this;
}

RuleBuilder& RuleBuilder::AddPointwise(llvm::ArrayRef<int64_t> shape,
                                       llvm::function_ref<FactorKind(int64_t)> kind) {
  for (auto [dim, size] : llvm::enumerate(shape)) {
    AddToAll(static_cast<int64_t>(dim), {size, kind(static_cast<int64_t>(dim))});
  }
  return *this;
}

RuleBuilder& RuleBuilder::AddPointwiseOr(llvm::ArrayRef<int64_t> in,
                                         llvm::ArrayRef<int64_t> out, Factor mismatch) {
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip_equal(in, out))) {
    auto [in_size, out_size] = sizes;
    Factor factor{in_size};
    if (in_size != out_size) factor = {in_size, mismatch.kind, mismatch.blocked};
    AddToAll(static_cast<int64_t>(dim), factor);
  }
  return *this;
}

Rule RuleBuilder::Build() {
  auto fill = [&](llvm::MutableArrayRef<Mapping> mappings) {
    for (Mapping& mapping : mappings) {
      for (DimFactors& factors : mapping) {
        if (factors.empty()) factors.push_back(NewFactor({1}));
      }
    }
  };
  fill(rule_.operands);
  fill(rule_.results);
  return std::move(rule_);
}

std::optional<Rule> PointwiseRule(mlir::Operation* op) {
  if (op->getNumResults() == 0 ||
      !llvm::isa<mlir::ShapedType>(op->getResultTypes().front())) {
    return std::nullopt;
  }
  llvm::ArrayRef<int64_t> shape = ShapeOf(op->getResult(0).getType());
  auto fits = [&](mlir::Type type) {
    return ShapeOf(type).size() == shape.size() || ShapeOf(type).empty();
  };
  if (!llvm::all_of(op->getOperandTypes(), fits) ||
      !llvm::all_of(op->getResultTypes(), fits)) {
    return std::nullopt;
  }
  return RuleBuilder(op).AddPointwise(shape).Build();
}

}  // namespace tenon::compiler::partition
