// CHLO to StableHLO: elementwise functions and ops that broadcast their operands. Ops
// that become loops, sorts or products are in chlo_structure.cc.
#include "mlir/IR/Diagnostics.h"
#include "tenon/compiler/analysis/point_ops.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/legalize/chlo_functions.h"
#include "tenon/compiler/legalize/chlo_structure.h"
#include "tenon/compiler/legalize/legalize.h"

namespace tenon::compiler {
namespace {

using mlir::LogicalResult;
using mlir::Operation;
using mlir::Value;

// A broadcasting op and the op that it is on operands of equal shape.
struct BroadcastForm {
  llvm::StringLiteral name;
  Value (*build)(GraphBuilder&, Value, Value);
};

template <typename Op>
Value Plain(GraphBuilder& g, Value x, Value y) {
  return g.Binary<Op>(x, y);
}

constexpr BroadcastForm kBroadcastForms[] = {
    {"broadcast_add", Plain<stablehlo::AddOp>},
    {"broadcast_and", Plain<stablehlo::AndOp>},
    {"broadcast_atan2", Plain<stablehlo::Atan2Op>},
    {"broadcast_complex",
     [](GraphBuilder& g, Value x, Value y) { return g.Complex(x, y); }},
    {"broadcast_divide", Plain<stablehlo::DivOp>},
    {"broadcast_maximum", Plain<stablehlo::MaxOp>},
    {"broadcast_minimum", Plain<stablehlo::MinOp>},
    {"broadcast_multiply", Plain<stablehlo::MulOp>},
    {"broadcast_next_after",
     [](GraphBuilder& g, Value x, Value y) {
       return BuildRealFunction(g, "next_after", {x, y});
     }},
    {"broadcast_or", Plain<stablehlo::OrOp>},
    {"broadcast_polygamma",
     [](GraphBuilder& g, Value x, Value y) {
       return BuildRealFunction(g, "polygamma", {x, y});
     }},
    {"broadcast_power", Plain<stablehlo::PowOp>},
    {"broadcast_remainder", Plain<stablehlo::RemOp>},
    {"broadcast_shift_left", Plain<stablehlo::ShiftLeftOp>},
    {"broadcast_shift_right_arithmetic", Plain<stablehlo::ShiftRightArithmeticOp>},
    {"broadcast_shift_right_logical", Plain<stablehlo::ShiftRightLogicalOp>},
    {"broadcast_subtract", Plain<stablehlo::SubtractOp>},
    {"broadcast_xor", Plain<stablehlo::XorOp>},
    {"broadcast_zeta", [](GraphBuilder& g, Value x,
                          Value y) { return BuildRealFunction(g, "zeta", {x, y}); }},
};

// Broadcasts `x` to `shape`, its dimensions at `dims`; null if it does not fit.
Value BroadcastTo(GraphBuilder& g, Value x, Dims shape, Dims dims) {
  if (dims.size() != ShapeOf(x).size()) return nullptr;
  int64_t last = -1;
  for (auto [dim, size] : llvm::zip_equal(dims, ShapeOf(x))) {
    if (dim <= last || dim >= static_cast<int64_t>(shape.size())) return nullptr;
    last = dim;
    if (size != 1 && size != shape[dim]) return nullptr;
  }
  return ShapeOf(x) == shape ? x : g.Broadcast(x, shape, dims);
}

// The last dimensions of a shape of rank `rank`, one for each dimension of `x`: NumPy's
// alignment.
DimList Trailing(Value x, size_t rank) {
  DimList dims;
  const size_t own = ShapeOf(x).size();
  for (size_t d = 0; d < own; ++d) dims.push_back(static_cast<int64_t>(rank - own + d));
  return dims;
}

// Broadcasts both operands to the result's shape. The dimensions of the operand with the
// smaller rank become dimensions `given` of the result, or by default its last ones.
LogicalResult BroadcastOperands(GraphBuilder& g, Operation* op, Value& x, Value& y,
                                std::optional<Dims> given) {
  const Dims shape = ShapeOf(op->getResult(0));
  auto dims_of = [&](Value operand, Value other) {
    const bool is_smaller = ShapeOf(operand).size() < ShapeOf(other).size();
    return given && is_smaller ? DimList(*given) : Trailing(operand, shape.size());
  };
  if (std::max(ShapeOf(x).size(), ShapeOf(y).size()) == shape.size()) {
    Value left = BroadcastTo(g, x, shape, dims_of(x, y));
    Value right = BroadcastTo(g, y, shape, dims_of(y, x));
    if (left && right) {
      x = left;
      y = right;
      return mlir::success();
    }
  }
  return op->emitOpError() << "cannot broadcast " << x.getType() << " and " << y.getType()
                           << " to " << op->getResult(0).getType();
}

Value BuildBroadcast(GraphBuilder& g, Operation* op) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  std::optional<Dims> given;
  if (auto dims = op->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions"))
    given = dims.asArrayRef();
  if (mlir::failed(BroadcastOperands(g, op, x, y, given))) return nullptr;
  if (auto compare = llvm::dyn_cast<chlo::BroadcastCompareOp>(op)) {
    // The enumerations of both dialects have the same cases with the same numbers.
    stablehlo::ComparisonTypeAttr type;
    if (auto kind = compare.getCompareType())
      type = stablehlo::ComparisonTypeAttr::get(
          op->getContext(), static_cast<stablehlo::ComparisonType>(*kind));
    return stablehlo::CompareOp::create(
        g.builder(), g.loc(), op->getResult(0).getType(), x, y,
        static_cast<stablehlo::ComparisonDirection>(compare.getComparisonDirection()),
        type);
  }
  llvm::StringRef name = op->getName().stripDialect();
  for (const BroadcastForm& form : kBroadcastForms)
    if (form.name == name) return form.build(g, x, y);
  return nullptr;
}

Value BuildBroadcastSelect(GraphBuilder& g, chlo::BroadcastSelectOp op) {
  Value pred = op.getPred(), on_true = op.getOnTrue(), on_false = op.getOnFalse();
  if (mlir::failed(BroadcastOperands(g, op, on_true, on_false, std::nullopt)))
    return nullptr;
  const Dims shape = ShapeOf(op.getResult());
  if (!ShapeOf(pred).empty()) {
    Value whole = ShapeOf(pred).size() <= shape.size()
                      ? BroadcastTo(g, pred, shape, Trailing(pred, shape.size()))
                      : nullptr;
    if (!whole) {
      op.emitOpError() << "cannot broadcast " << pred.getType() << " to "
                       << op.getResult().getType();
      return nullptr;
    }
    pred = whole;
  }
  return g.Select(pred, on_true, on_false);
}

Value BuildConstantLike(GraphBuilder& g, chlo::ConstantLikeOp op) {
  auto type = TypeOf(op.getResult());
  if (op.getValue().getType() != type.getElementType()) {
    op.emitOpError() << "value of type " << op.getValue().getType()
                     << " cannot be an element of " << type;
    return nullptr;
  }
  mlir::Attribute value = op.getValue();
  return stablehlo::ConstantOp::create(g.builder(), g.loc(),
                                       mlir::DenseElementsAttr::get(type, value));
}

Value BuildFunction(GraphBuilder& g, Operation* op) {
  llvm::StringRef name = op->getName().stripDialect();
  if (llvm::isa<mlir::ComplexType>(ElementOf(op->getOperand(0))))
    return BuildComplexFunction(g, name, op->getOperand(0));
  if (op->getResultTypes().front() == op->getOperandTypes().front()) {
    auto composite = CreateComposite(g.builder(), g.loc(), name, op->getOperands());
    if (IsElementwise(composite)) return composite->getResult(0);
    composite.erase();
  }
  // Formats below 16 bits differ in the meaning of their last encodings.
  if (name == "next_after" && ElementOf(op->getOperand(0)).getIntOrFloatBitWidth() < 16)
    return nullptr;
  return BuildRealFunction(g, name, op->getOperands());
}

// Returns the values that `op` computes. Empty on failure: after an error, or because no
// such function exists for its types.
Values Build(GraphBuilder& g, Operation* op) {
  if (auto scan = llvm::dyn_cast<chlo::ScanOp>(op)) return BuildScan(g, scan);
  if (auto top_k = llvm::dyn_cast<chlo::TopKOp>(op)) return BuildTopK(g, top_k);
  Value result;
  if (auto dot = llvm::dyn_cast<chlo::RaggedDotOp>(op)) {
    result = BuildRaggedDot(g, dot);
  } else if (auto select = llvm::dyn_cast<chlo::BroadcastSelectOp>(op)) {
    result = BuildBroadcastSelect(g, select);
  } else if (auto constant = llvm::dyn_cast<chlo::ConstantOp>(op)) {
    result = stablehlo::ConstantOp::create(g.builder(), g.loc(), constant.getValue());
  } else if (auto like = llvm::dyn_cast<chlo::ConstantLikeOp>(op)) {
    result = BuildConstantLike(g, like);
  } else if (op->getName().stripDialect().starts_with("broadcast_")) {
    result = BuildBroadcast(g, op);
  } else {
    result = BuildFunction(g, op);
  }
  return result ? Values{result} : Values{};
}

bool IsStatic(mlir::Type type) {
  return llvm::cast<mlir::RankedTensorType>(type).hasStaticShape();
}

LogicalResult Rewrite(Operation* op) {
  for (mlir::TypeRange types :
       {mlir::TypeRange(op->getOperandTypes()), mlir::TypeRange(op->getResultTypes())}) {
    if (!llvm::all_of(types, IsStatic)) {
      EmitUnsupported(op) << "on dynamic shapes is not supported";
      return mlir::failure();
    }
  }
  mlir::OpBuilder b(op);
  GraphBuilder g(b, op->getLoc());
  bool reported = false;
  mlir::ScopedDiagnosticHandler watch(op->getContext(), [&](mlir::Diagnostic&) {
    reported = true;
    return mlir::failure();  // passes the diagnostic on to the next handler
  });
  Values results = Build(g, op);
  if (results.empty()) {
    if (!reported)
      EmitUnsupported(op) << "on " << op->getOperandTypes().front()
                          << " is not supported";
    return mlir::failure();
  }
  if (mlir::TypeRange(mlir::ValueRange(results)) != op->getResultTypes())
    return op->emitOpError() << "has result types that do not follow from its operands";
  op->replaceAllUsesWith(results);
  op->erase();
  return mlir::success();
}

// JAX sends top_k as a composite of a sort and slices.
void RestoreTopK(mlir::ModuleOp module) {
  module.walk([](stablehlo::CompositeOp composite) {
    const mlir::DictionaryAttr attributes = composite.getCompositeAttributes();
    auto k = attributes ? attributes.getAs<mlir::IntegerAttr>("k") : mlir::IntegerAttr();
    if (composite.getName() != "chlo.top_k" || !k || composite->getNumOperands() != 1 ||
        composite->getNumResults() != 2) {
      return;
    }
    mlir::OpBuilder b(composite);
    auto top_k = chlo::TopKOp::create(
        b, composite.getLoc(), composite->getResultTypes(), composite->getOperand(0),
        b.getI64IntegerAttr(k.getInt()), b.getBoolAttr(true));
    composite->replaceAllUsesWith(top_k);
    composite->erase();
  });
}

bool IsChlo(Operation* op) { return op->getName().getDialectNamespace() == "chlo"; }

}  // namespace

Status LegalizeChlo(mlir::ModuleOp module, bool keep_top_k) {
  if (keep_top_k) RestoreTopK(module);
  llvm::SmallVector<Operation*> ops;
  module.walk([&](Operation* op) {
    if (IsChlo(op) && !(keep_top_k && llvm::isa<chlo::TopKOp>(op))) ops.push_back(op);
  });
  if (ops.empty()) return OkStatus();
  DiagnosticCollector diagnostics(module.getContext());
  for (Operation* op : ops) {
    if (mlir::failed(Rewrite(op)))
      return diagnostics.ToStatus(StatusCode::kInvalidArgument,
                                  "a CHLO operation cannot be rewritten");
  }
  Decompositions decompositions(module);
  module.walk([&](stablehlo::CompositeOp composite) {
    auto callee = mlir::SymbolTable::lookupNearestSymbolFrom(
        composite, composite.getDecompositionAttr());
    if (callee == nullptr && IsElementwise(composite)) decompositions.Attach(composite);
  });
  return OkStatus();
}

}  // namespace tenon::compiler
