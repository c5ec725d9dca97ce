#include "tenon/compiler/partition/explain.h"

#include <algorithm>
#include <optional>
#include <set>

#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/rule_builder.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler::partition {
namespace {

constexpr char kReason[] = "tenon.reason";

int64_t BitsOf(mlir::Type element) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    return 2 * BitsOf(complex.getElementType());
  }
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8;
}

// "f32[16,32]".
std::string TypeText(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!tensor) {
    os << type;
    return text;
  }
  os << tensor.getElementType() << '[';
  llvm::interleave(tensor.getShape(), os, ",");
  os << ']';
  return text;
}

double BytesOf(mlir::TypeRange types) {
  double bytes = 0;
  for (mlir::Type type : types) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor) continue;
    bytes += static_cast<double>(tensor.getNumElements()) *
             static_cast<double>((BitsOf(tensor.getElementType()) + 7) / 8);
  }
  return bytes;
}

std::optional<int64_t> NumberOf(mlir::Value value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto dense = constant ? llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue())
                        : mlir::DenseIntElementsAttr();
  if (!dense || dense.getNumElements() != 1) return std::nullopt;
  return (*dense.value_begin<mlir::APInt>()).getSExtValue();
}

// Of loops that count from a constant up to a constant.
std::optional<int64_t> TripCount(stablehlo::WhileOp loop) {
  mlir::Value condition = loop.getCond().front().getTerminator()->getOperand(0);
  auto compare = condition.getDefiningOp<stablehlo::CompareOp>();
  if (!compare ||
      compare.getComparisonDirection() != stablehlo::ComparisonDirection::LT) {
    return std::nullopt;
  }
  auto counter = llvm::dyn_cast<mlir::BlockArgument>(compare.getLhs());
  const std::optional<int64_t> limit = NumberOf(compare.getRhs());
  if (!counter || !limit) return std::nullopt;
  const unsigned number = counter.getArgNumber();
  mlir::Block& body = loop.getBody().front();
  auto add = body.getTerminator()->getOperand(number).getDefiningOp<stablehlo::AddOp>();
  const std::optional<int64_t> first = NumberOf(loop->getOperand(number));
  if (!add || !first) return std::nullopt;
  mlir::Value argument = body.getArgument(number);
  if (add.getLhs() != argument && add.getRhs() != argument) return std::nullopt;
  const std::optional<int64_t> step =
      NumberOf(add.getLhs() == argument ? add.getRhs() : add.getLhs());
  if (!step || *step <= 0) return std::nullopt;
  return std::max<int64_t>((*limit - *first + *step - 1) / *step, 0);
}

// The axes along which members of a group differ, or the sizes of the groups.
std::string AxesOf(llvm::ArrayRef<stablehlo::ProcessGroup> groups, const Mesh& mesh) {
  std::vector<std::set<int64_t>> coordinates(mesh.sizes.size());
  std::set<size_t> differing;
  for (const stablehlo::ProcessGroup& group : groups) {
    std::vector<std::set<int64_t>> of_group(mesh.sizes.size());
    for (int64_t process : group) {
      const std::optional<int64_t> position = mesh.PositionOf(process);
      if (!position) continue;
      for (size_t axis = 0; axis < mesh.sizes.size(); ++axis) {
        of_group[axis].insert(
            mesh.Coordinate(*position, mesh.WholeAxis(static_cast<int32_t>(axis))));
      }
    }
    for (size_t axis = 0; axis < mesh.sizes.size(); ++axis) {
      if (of_group[axis].size() < 2) continue;
      differing.insert(axis);
      coordinates[axis].insert(of_group[axis].begin(), of_group[axis].end());
    }
  }
  std::string text;
  for (size_t axis : differing) {
    text += (text.empty() ? "\"" : ", \"") + mesh.names[axis] + "\"";
  }
  if (text.empty() && !groups.empty()) {
    return std::to_string(groups.size()) + " groups of " +
           std::to_string(groups.front().size());
  }
  return text;
}

double ReceivedBy(mlir::Operation* op, llvm::ArrayRef<stablehlo::ProcessGroup> groups,
                  int64_t devices) {
  const double operands = BytesOf(op->getOperandTypes());
  if (llvm::isa<stablehlo::CollectivePermuteOp>(op)) {
    const auto moved =
        llvm::count_if(groups, [](const auto& pair) { return pair[0] != pair[1]; });
    return operands * static_cast<double>(moved) / static_cast<double>(devices);
  }
  if (groups.empty()) return 0;
  const auto members = static_cast<double>(groups.front().size());
  const double share = (members - 1) / members;
  if (llvm::isa<stablehlo::AllReduceOp>(op)) return 2 * share * operands;
  if (llvm::isa<stablehlo::AllGatherOp>(op)) return share * BytesOf(op->getResultTypes());
  return share * operands;
}

// The reasons of one location: inner ones are continued by outer ones.
void AppendReasons(mlir::Location location, std::vector<std::string>& reasons) {
  auto fused = llvm::dyn_cast<mlir::FusedLoc>(location);
  if (!fused) return;
  std::vector<std::string> inner;
  for (mlir::Location part : fused.getLocations()) AppendReasons(part, inner);
  auto metadata = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(fused.getMetadata());
  auto reason = metadata ? metadata.getAs<mlir::StringAttr>(kReason) : mlir::StringAttr();
  if (reason) {
    if (inner.empty()) {
      inner.push_back(reason.str());
    } else {
      inner.back() += ": " + reason.str();
    }
  }
  reasons.insert(reasons.end(), inner.begin(), inner.end());
}

TensorReport DescribeTensor(std::string name, mlir::Type type, const Sharding* sharding) {
  TensorReport report;
  report.name = std::move(name);
  report.type = TypeText(type);
  const llvm::ArrayRef<int64_t> shape = ShapeOf(type);
  report.shape.assign(shape.begin(), shape.end());
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) {
    report.element_bits = BitsOf(tensor.getElementType());
  }
  report.sharding =
      sharding ? *sharding
               : Sharding::Replicated(0, static_cast<int64_t>(shape.size()), false);
  return report;
}

// What the program calls an argument: `jax.arg_info` or the name of its location.
std::string NameOf(mlir::func::FuncOp function, unsigned number) {
  if (auto name = function.getArgAttrOfType<mlir::StringAttr>(number, "jax.arg_info")) {
    return " " + name.str();
  }
  auto location = function.getArgument(number).getLoc();
  if (auto name = location->findInstanceOf<mlir::NameLoc>()) {
    return " " + name.getName().str();
  }
  return "";
}

}  // namespace

mlir::Location WithReason(mlir::Location location, const std::string& reason) {
  mlir::Builder b(location.getContext());
  return mlir::FusedLoc::get(
      {location}, b.getDictionaryAttr(b.getNamedAttr(kReason, b.getStringAttr(reason))),
      location.getContext());
}

std::vector<std::string> ReasonsOf(mlir::Location location) {
  std::vector<std::string> reasons;
  AppendReasons(location, reasons);
  return reasons;
}

void DescribeTensors(mlir::func::FuncOp function, const ProgramShardings& shardings,
                     ShardingReport& report) {
  report.mesh = shardings.mesh;
  for (mlir::BlockArgument argument : function.getArguments()) {
    report.arguments.push_back(
        DescribeTensor("argument " + std::to_string(argument.getArgNumber()) +
                           NameOf(function, argument.getArgNumber()),
                       argument.getType(), shardings.Find(argument)));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto info = function.getResultAttrOfType<mlir::StringAttr>(static_cast<unsigned>(i),
                                                               "jax.result_info");
    const bool named = info && !info.getValue().empty();
    const std::optional<Sharding>& given = shardings.results[i];
    report.results.push_back(
        DescribeTensor("result " + std::to_string(i) + (named ? " " + info.str() : ""),
                       type, given ? &*given : nullptr));
  }
}

void DescribeCollectives(mlir::func::FuncOp function, const stablehlo::ProcessGrid& grid,
                         ShardingReport& report) {
  report.devices = grid.size();
  function.walk([&](mlir::Operation* op) {
    if (!stablehlo::IsCollective(op)) return;
    CollectiveReport& collective = report.collectives.emplace_back();
    collective.kind = op->getName().stripDialect().str();
    for (mlir::Type type : op->getOperandTypes()) {
      collective.tensors.push_back(TypeText(type));
    }
    if (auto groups = stablehlo::ProcessGroupsOf(op, grid); groups.ok()) {
      collective.axes = AxesOf(*groups, report.mesh);
      collective.received = ReceivedBy(op, *groups, grid.size());
    }
    for (auto loop = op->getParentOfType<stablehlo::WhileOp>(); loop;
         loop = loop->getParentOfType<stablehlo::WhileOp>()) {
      const std::optional<int64_t> trips = TripCount(loop);
      collective.times *= trips.value_or(1);
      collective.in_loop |= !trips;
    }
    collective.source = DescribeLocation(op->getLoc());
    collective.reasons = ReasonsOf(op->getLoc());
  });
}

}  // namespace tenon::compiler::partition
