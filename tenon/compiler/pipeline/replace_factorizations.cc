#include "tenon/compiler/legalize/graph_builder.h"
#include "tenon/compiler/pipeline/program_text.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tenon_ops.h"

namespace tenon::compiler {
namespace {

using mlir::Value;

// LAPACK's letter for a type; types without one have no custom call.
std::optional<char> LetterOf(mlir::Type element) {
  const bool is_complex = llvm::isa<mlir::ComplexType>(element);
  mlir::Type real = RealOf(element);
  if (real.isF32()) return is_complex ? 'c' : 's';
  if (real.isF64()) return is_complex ? 'z' : 'd';
  return std::nullopt;
}

// Matrices are column-major, all other tensors row-major.
mlir::ArrayAttr LayoutsOf(mlir::OpBuilder& b, mlir::TypeRange types, size_t matrices) {
  llvm::SmallVector<mlir::Attribute> layouts;
  for (auto [number, type] : llvm::enumerate(types)) {
    const int64_t rank = llvm::cast<mlir::RankedTensorType>(type).getRank();
    DimList order;
    for (int64_t d = rank - 1; d >= 0; --d) order.push_back(d);
    if (number < matrices) std::swap(order[0], order[1]);
    layouts.push_back(mlir::DenseIntElementsAttr::get(
        mlir::RankedTensorType::get({rank}, b.getIndexType()), order));
  }
  return b.getArrayAttr(layouts);
}

// lapack_<letter><routine>_ffi(a), whose first result overwrites `a`.
stablehlo::CustomCallOp CallLapack(GraphBuilder& g, llvm::StringRef routine, Value a,
                                   llvm::ArrayRef<mlir::Type> results,
                                   mlir::DictionaryAttr options) {
  mlir::OpBuilder& b = g.builder();
  const std::string target =
      "lapack_" + std::string(1, *LetterOf(ElementOf(a))) + routine.str() + "_ffi";
  auto alias = stablehlo::OutputOperandAliasAttr::get(b.getContext(), {0}, 0, {});
  mlir::OperationState state(g.loc(), stablehlo::CustomCallOp::getOperationName());
  state.addOperands(a);
  state.addTypes(results);
  state.addAttribute("call_target_name", b.getStringAttr(target));
  state.addAttribute(
      "api_version",
      stablehlo::CustomCallApiVersionAttr::get(
          b.getContext(), stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI));
  state.addAttribute("backend_config", options);
  state.addAttribute("operand_layouts", LayoutsOf(b, a.getType(), 1));
  state.addAttribute("result_layouts", LayoutsOf(b, results, 1));
  state.addAttribute("output_operand_aliases", b.getArrayAttr(alias));
  return llvm::cast<stablehlo::CustomCallOp>(b.create(state));
}

bool IsSplatOf(Value value, llvm::function_ref<bool(mlir::Attribute)> is) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto dense = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                        : mlir::DenseElementsAttr();
  return dense && dense.isSplat() && is(dense.getSplatValue<mlir::Attribute>());
}

bool IsZero(mlir::Attribute value) {
  auto number = llvm::dyn_cast<mlir::IntegerAttr>(value);
  return number && number.getValue().isZero();
}

bool IsNan(mlir::Attribute value) {
  if (auto parts = llvm::dyn_cast<mlir::ArrayAttr>(value)) value = parts[0];
  auto number = llvm::dyn_cast<mlir::FloatAttr>(value);
  return number && number.getValue().isNaN();
}

// Returns the ops that select NaN if the status is not zero, each after the ops it
// depends on. StableHLO's op includes that selection. Returns nullopt if the factor or
// its status has other uses.
std::optional<llvm::SmallVector<mlir::Operation*>> ChecksOf(ir::CholeskyOp op) {
  llvm::SmallVector<mlir::Operation*> checks;
  for (mlir::Operation* user : op.getStatus().getUsers()) {
    auto compare = llvm::dyn_cast<stablehlo::CompareOp>(user);
    if (!compare ||
        compare.getComparisonDirection() != stablehlo::ComparisonDirection::EQ ||
        compare.getLhs() != op.getStatus() || !IsSplatOf(compare.getRhs(), IsZero))
      return std::nullopt;
    checks.push_back(compare);
  }
  for (size_t next = 0; next < checks.size(); ++next) {
    if (llvm::isa<stablehlo::SelectOp>(checks[next])) continue;
    for (mlir::Operation* user : checks[next]->getUsers()) {
      auto select = llvm::dyn_cast<stablehlo::SelectOp>(user);
      const bool selects_factor = select && select.getOnTrue() == op.getFactor() &&
                                  IsSplatOf(select.getOnFalse(), IsNan);
      if (!selects_factor &&
          !llvm::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(user))
        return std::nullopt;
      checks.push_back(user);
    }
  }
  if (!llvm::all_of(op.getFactor().getUsers(), [&](mlir::Operation* user) {
        return llvm::is_contained(checks, user);
      }))
    return std::nullopt;
  return checks;
}

void ReplaceCholesky(ir::CholeskyOp op) {
  mlir::OpBuilder b(op);
  GraphBuilder g(b, op.getLoc());
  Value a = op.getA();
  if (auto checks = ChecksOf(op)) {
    Value factor =
        stablehlo::CholeskyOp::create(b, op.getLoc(), a.getType(), a, op.getLower());
    for (mlir::Operation* check : llvm::reverse(*checks)) {
      if (llvm::isa<stablehlo::SelectOp>(check))
        check->getResult(0).replaceAllUsesWith(factor);
      check->erase();
    }
    op.erase();
    return;
  }
  auto letter = b.getIntegerAttr(b.getIntegerType(8, /*isSigned=*/false),
                                 op.getLower() ? 'L' : 'U');
  auto call = CallLapack(g, "potrf", a, {a.getType(), op.getStatus().getType()},
                         b.getDictionaryAttr(b.getNamedAttr("uplo", letter)));
  const int64_t rank = TypeOf(a).getRank();
  Value row = g.Iota(b.getI32Type(), ShapeOf(a), rank - 2);
  Value column = g.Iota(b.getI32Type(), ShapeOf(a), rank - 1);
  Value inside = g.Compare(op.getLower() ? row : column, op.getLower() ? column : row,
                           stablehlo::ComparisonDirection::GE);
  op.replaceAllUsesWith(mlir::ValueRange{
      g.Select(inside, call->getResult(0), g.Like(a, 0)), call->getResult(1)});
  op.erase();
}

void ReplaceLu(ir::LuOp op) {
  mlir::OpBuilder b(op);
  GraphBuilder g(b, op.getLoc());
  Value a = op.getA();
  auto status = mlir::RankedTensorType::get(ShapeOf(a).drop_back(2), b.getI32Type());
  auto call = CallLapack(g, "getrf", a, {a.getType(), op.getPivots().getType(), status},
                         b.getDictionaryAttr({}));
  op.replaceAllUsesWith(call->getResults().take_front(2));
  op.erase();
}

}  // namespace

void ReplaceFactorizations(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::Operation*> ops;
  module.walk([&](mlir::Operation* op) {
    if (llvm::isa<ir::CholeskyOp, ir::LuOp>(op)) ops.push_back(op);
  });
  for (mlir::Operation* op : ops) {
    if (auto cholesky = llvm::dyn_cast<ir::CholeskyOp>(op))
      ReplaceCholesky(cholesky);
    else
      ReplaceLu(llvm::cast<ir::LuOp>(op));
  }
}

}  // namespace tenon::compiler
