#include "tenon/compiler/partition/import_gspmd.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "tenon/compiler/diagnostics_to_status.h"
#include "tenon/compiler/partition/gspmd_sharding.h"
#include "tenon/compiler/partition/sharding_table.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

using mlir::Operation;
using mlir::Value;
using stablehlo::CustomCallOp;

constexpr char kGspmdAttr[] = "mhlo.sharding";

bool Calls(Operation* op, llvm::StringRef target) {
  auto call = llvm::dyn_cast_or_null<CustomCallOp>(op);
  return call && call.getCallTargetName() == target && op->getNumOperands() == 1 &&
         op->getNumResults() == 1;
}

int64_t RankOf(Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

class Importer {
 public:
  explicit Importer(mlir::ModuleOp module)
      : module_(module), context_(module.getContext()) {}

  Status Run() {
    TENON_RETURN_IF_ERROR(FindMesh());
    for (auto function : module_.getOps<mlir::func::FuncOp>()) {
      TENON_RETURN_IF_ERROR(ImportFunction(function));
    }
    llvm::SmallVector<Operation*> annotated;
    llvm::SmallVector<mlir::func::CallOp> calls;
    module_.walk([&](Operation* op) {
      if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op)) calls.push_back(call);
      if (op->hasAttr(kGspmdAttr)) annotated.push_back(op);
    });
    for (mlir::func::CallOp call : calls) TENON_RETURN_IF_ERROR(ImportManual(call));
    // Users before what they use.
    for (Operation* op : llvm::reverse(annotated)) TENON_RETURN_IF_ERROR(ImportOp(op));
    return OkStatus();
  }

 private:
  using Parsed = std::vector<GspmdSharding>;

  // Parses all annotations, and cuts the devices where any of them does.
  Status FindMesh() {
    Status status;
    auto add = [&](mlir::Attribute attribute) {
      auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute);
      if (!status.ok() || !text || parsed_.contains(text.getValue())) return;
      auto shardings = ParseGspmdShardings(text.getValue());
      if (!shardings.ok()) {
        status = shardings.status();
        return;
      }
      for (const GspmdSharding& sharding : *shardings) status = AddCuts(sharding);
      parsed_[text.getValue()] = *std::move(shardings);
    };
    module_.walk([&](Operation* op) {
      add(op->getAttr(kGspmdAttr));
      auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
      if (!function) return;
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        add(function.getArgAttr(i, kGspmdAttr));
      }
      for (unsigned i = 0; i < function.getNumResults(); ++i) {
        add(function.getResultAttr(i, kGspmdAttr));
      }
    });
    TENON_RETURN_IF_ERROR(status);
    return AddMesh();
  }

  Status AddCuts(const GspmdSharding& sharding) {
    if (sharding.kind != GspmdSharding::Kind::kTiled) return OkStatus();
    if (num_devices_ != 1 && num_devices_ != sharding.num_devices) {
      return InvalidArgument("mhlo.sharding attributes are over " +
                             std::to_string(num_devices_) + " and over " +
                             std::to_string(sharding.num_devices) + " devices");
    }
    num_devices_ = sharding.num_devices;
    meshes_[sharding.order];
    auto add = [&](const DeviceDim& dim) {
      for (DeviceDigits digits : dim) {
        cuts_.insert(digits.stride);
        cuts_.insert(digits.stride * digits.size);
      }
    };
    for (const DeviceDim& dim : sharding.dims) add(dim);
    add(sharding.manual);
    return OkStatus();
  }

  Status AddMesh() {
    cuts_.insert(1);
    cuts_.insert(num_devices_);
    llvm::SmallVector<sdy::MeshAxisAttr> axes;
    int64_t high = 0;
    for (int64_t low : llvm::reverse(cuts_)) {
      if (high % low != 0) {
        return Unimplemented(
            "the program's mhlo.sharding attributes split the devices into parts of " +
            std::to_string(high) + " and of " + std::to_string(low) +
            ", which have no common parts");
      }
      if (high != 0) {
        names_.push_back("axis_" + std::to_string(low));
        axes.push_back(sdy::MeshAxisAttr::get(context_, names_.back(), high / low));
      }
      high = low;
    }
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(module_.getBody());
    if (meshes_.empty()) meshes_[{}];
    for (auto& [order, name] : meshes_) {
      name = "mesh";
      while (module_.lookupSymbol(name)) name += "_";
      sdy::MeshOp::create(builder, module_.getLoc(), name,
                          sdy::MeshAttr::get(context_, axes, order));
    }
    return OkStatus();
  }

  // The axes that `digits` cover, major first.
  void AppendAxes(DeviceDigits digits, llvm::SmallVectorImpl<sdy::AxisRefAttr>& axes) {
    size_t position = names_.size();
    for (int64_t low : cuts_) {  // minor first
      if (position-- == 0) break;
      if (low >= digits.stride && low < digits.stride * digits.size) {
        axes.insert(axes.begin(), sdy::AxisRefAttr::get(context_, names_[position]));
      }
    }
  }

  llvm::SmallVector<sdy::AxisRefAttr> AxesOf(const DeviceDim& dim) {
    llvm::SmallVector<sdy::AxisRefAttr> axes;
    for (DeviceDigits digits : dim) {
      llvm::SmallVector<sdy::AxisRefAttr> more;
      AppendAxes(digits, more);
      axes.append(more);
    }
    return axes;
  }

  // The dimensions in `open` may get axes by propagation.
  StatusOr<sdy::TensorShardingAttr> Convert(const GspmdSharding& sharding, int64_t rank,
                                            llvm::ArrayRef<int64_t> open = {}) {
    if (sharding.kind == GspmdSharding::Kind::kMaximal) {
      auto mesh = sdy::MeshAttr::get(context_, {}, {sharding.device});
      return sdy::TensorShardingAttr::get(context_, mesh, {}, {}, {});
    }
    bool tiled = sharding.kind == GspmdSharding::Kind::kTiled;
    if (tiled && static_cast<int64_t>(sharding.dims.size()) != rank) {
      return InvalidArgument("an mhlo.sharding has " +
                             std::to_string(sharding.dims.size()) +
                             " dimensions, but its tensor has " + std::to_string(rank));
    }
    llvm::SmallVector<sdy::DimensionShardingAttr> dims;
    for (int64_t dim = 0; dim < rank; ++dim) {
      llvm::SmallVector<sdy::AxisRefAttr> axes;
      if (tiled) axes = AxesOf(sharding.dims[dim]);
      dims.push_back(sdy::DimensionShardingAttr::get(
          context_, axes, !llvm::is_contained(open, dim), std::nullopt));
    }
    const std::string& mesh = tiled ? meshes_[sharding.order] : meshes_.begin()->second;
    return sdy::TensorShardingAttr::get(
        context_, mlir::FlatSymbolRefAttr::get(context_, mesh), dims, {}, {});
  }

  // The first sharding of an op's annotation; replicated if it has none.
  GspmdSharding AnnotationOf(Operation* op) {
    auto text = op->getAttrOfType<mlir::StringAttr>(kGspmdAttr);
    return text ? parsed_[text.getValue()].front() : GspmdSharding();
  }

  // `unspecified_dims=[0,1]` of a custom call.
  static llvm::SmallVector<int64_t> OpenDims(Operation* op) {
    llvm::SmallVector<int64_t> open;
    auto call = llvm::cast<CustomCallOp>(op);
    auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(call.getBackendConfigAttr());
    if (!text) return open;
    llvm::StringRef list = text.getValue();
    if (!list.consume_front("unspecified_dims=[")) return open;
    int64_t dim;
    while (!list.consumeInteger(10, dim)) {
      open.push_back(dim);
      list.consume_front(",");
    }
    return open;
  }

  Status ImportFunction(mlir::func::FuncOp function) {
    auto convert = [&](mlir::Attribute attribute,
                       mlir::Type type) -> StatusOr<sdy::TensorShardingAttr> {
      auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute);
      auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
      if (!text || !tensor) return sdy::TensorShardingAttr();
      const GspmdSharding& sharding = parsed_[text.getValue()].front();
      bool manual = sharding.kind == GspmdSharding::Kind::kManual;
      if (manual || !sharding.manual.empty()) return sdy::TensorShardingAttr();
      return Convert(sharding, tensor.getRank());
    };
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      TENON_ASSIGN_OR_RETURN(auto sharding,
                             convert(function.getArgAttr(i, kGspmdAttr), type));
      if (sharding) function.setArgAttr(i, kShardingAttr, sharding);
      function.removeArgAttr(i, mlir::StringAttr::get(context_, kGspmdAttr));
    }
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      TENON_ASSIGN_OR_RETURN(auto sharding,
                             convert(function.getResultAttr(i, kGspmdAttr), type));
      if (sharding) function.setResultAttr(i, kShardingAttr, sharding);
      function.removeResultAttr(i, mlir::StringAttr::get(context_, kGspmdAttr));
    }
    return OkStatus();
  }

  // The @SPMDShardToFullShape that a result flows into, through a @Sharding; null if
  // none.
  static Operation* ToFull(Value result) {
    if (!result.hasOneUse()) return nullptr;
    Operation* user = *result.user_begin();
    if (Calls(user, "Sharding")) {
      if (!user->hasOneUse()) return nullptr;
      user = *user->user_begin();
    }
    return Calls(user, "SPMDShardToFullShape") ? user : nullptr;
  }

  // A call of a function in per-device shapes becomes a manual computation.
  Status ImportManual(mlir::func::CallOp call) {
    auto to_shard = [](Value operand) {
      return Calls(operand.getDefiningOp(), "SPMDFullToShardShape");
    };
    bool any = llvm::any_of(call.getOperands(), to_shard) ||
               llvm::any_of(call.getResults(), ToFull);
    if (!any) return OkStatus();
    if (!llvm::all_of(call.getOperands(), to_shard) ||
        !llvm::all_of(call.getResults(), ToFull)) {
      return Unimplemented("call of '" + call.getCallee().str() + "' (at " +
                           DescribeLocation(call.getLoc()) +
                           ") has operands or results in per-device shapes, and others");
    }
    if (auto callee = module_.lookupSymbol<mlir::func::FuncOp>(call.getCallee())) {
      bool nested = false;
      callee.walk([&](Operation* op) { nested |= Calls(op, "SPMDFullToShardShape"); });
      if (nested) {
        return Unimplemented("function '" + call.getCallee().str() +
                             "' in per-device shapes contains another such function, "
                             "which is not supported in programs for GSPMD");
      }
    }
    GspmdSharding inside =
        call.getNumOperands() > 0
            ? AnnotationOf(call.getOperand(0).getDefiningOp())
            : AnnotationOf(ToFull(call.getResult(0))->getOperand(0).getDefiningOp());
    llvm::SmallVector<mlir::StringAttr> manual;
    if (inside.kind == GspmdSharding::Kind::kTiled) {
      for (sdy::AxisRefAttr axis : AxesOf(inside.manual)) {
        manual.push_back(mlir::StringAttr::get(context_, axis.getName()));
      }
    } else {
      for (const std::string& name : names_) {
        manual.push_back(mlir::StringAttr::get(context_, name));
      }
    }
    llvm::SmallVector<Value> operands;
    llvm::SmallVector<sdy::TensorShardingAttr> in, out;
    for (Value operand : call.getOperands()) {
      Value full = operand.getDefiningOp()->getOperand(0);
      Operation* source = full.getDefiningOp();
      bool annotated = Calls(source, "Sharding");
      GspmdSharding given = annotated ? AnnotationOf(source) : GspmdSharding();
      TENON_ASSIGN_OR_RETURN(
          auto sharding,
          Convert(given, RankOf(full),
                  annotated ? OpenDims(source) : llvm::SmallVector<int64_t>()));
      in.push_back(sharding);
      operands.push_back(full);
    }
    llvm::SmallVector<mlir::Type> types;
    for (Value result : call.getResults()) {
      Operation* full = ToFull(result);
      TENON_ASSIGN_OR_RETURN(
          auto sharding,
          Convert(AnnotationOf(full), RankOf(full->getResult(0)), OpenDims(full)));
      out.push_back(sharding);
      types.push_back(full->getResult(0).getType());
    }
    ReplaceCall(call, operands, types, in, out, manual);
    return OkStatus();
  }

  void ReplaceCall(mlir::func::CallOp call, mlir::ValueRange operands,
                   mlir::TypeRange types, llvm::ArrayRef<sdy::TensorShardingAttr> in,
                   llvm::ArrayRef<sdy::TensorShardingAttr> out,
                   llvm::ArrayRef<mlir::StringAttr> manual_axes) {
    mlir::OpBuilder builder(call);
    auto manual = sdy::ManualComputationOp::create(
        builder, call.getLoc(), types, operands,
        sdy::TensorShardingPerValueAttr::get(context_, in),
        sdy::TensorShardingPerValueAttr::get(context_, out),
        sdy::ManualAxesAttr::get(context_, manual_axes));
    mlir::Block& body = manual.getBody().emplaceBlock();
    for (mlir::Type type : call.getOperandTypes()) body.addArgument(type, call.getLoc());
    for (auto [result, full] : llvm::zip_equal(call.getResults(), manual.getResults())) {
      ToFull(result)->getResult(0).replaceAllUsesWith(full);
    }
    builder.setInsertionPointToStart(&body);
    auto inner = mlir::func::CallOp::create(builder, call.getLoc(), call.getCallee(),
                                            call.getResultTypes(), body.getArguments());
    sdy::ReturnOp::create(builder, call.getLoc(), inner.getResults());
    // The conversions of results are dead now, and ImportOp erases them.
    call->replaceAllUsesWith(manual);
    call.erase();
  }

  Status ImportOp(Operation* op) {
    bool conversion =
        Calls(op, "SPMDFullToShardShape") || Calls(op, "SPMDShardToFullShape");
    if ((conversion || Calls(op, "Sharding")) && op->use_empty()) {
      op->erase();
      return OkStatus();
    }
    if (conversion) {
      return Unimplemented("custom call '" +
                           llvm::cast<CustomCallOp>(op).getCallTargetName().str() +
                           "' (at " + DescribeLocation(op->getLoc()) +
                           ") outside of a call in per-device shapes is not supported");
    }
    if (Calls(op, "Sharding")) return ImportConstraint(op);
    auto text = op->getAttrOfType<mlir::StringAttr>(kGspmdAttr);
    op->removeAttr(kGspmdAttr);
    if (!text || op->getNumResults() == 0) return OkStatus();
    const Parsed& shardings = parsed_[text.getValue()];
    bool one = shardings.size() == 1;
    if (!one && shardings.size() != op->getNumResults()) return OkStatus();
    llvm::SmallVector<sdy::TensorShardingAttr> list;
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      const GspmdSharding& sharding = shardings[one ? 0 : i];
      if (sharding.kind == GspmdSharding::Kind::kManual) return OkStatus();
      TENON_ASSIGN_OR_RETURN(auto converted, Convert(sharding, RankOf(result)));
      list.push_back(converted);
    }
    op->setAttr(kShardingAttr, sdy::TensorShardingPerValueAttr::get(context_, list));
    return OkStatus();
  }

  Status ImportConstraint(Operation* op) {
    GspmdSharding sharding = AnnotationOf(op);
    Value input = op->getOperand(0), replacement = input;
    if (sharding.kind != GspmdSharding::Kind::kManual) {
      TENON_ASSIGN_OR_RETURN(auto converted,
                             Convert(sharding, RankOf(input), OpenDims(op)));
      mlir::OpBuilder builder(op);
      replacement =
          sdy::ShardingConstraintOp::create(builder, op->getLoc(), input, converted);
    }
    op->replaceAllUsesWith(mlir::ValueRange(replacement));
    op->erase();
    return OkStatus();
  }

  mlir::ModuleOp module_;
  mlir::MLIRContext* context_;
  llvm::StringMap<Parsed> parsed_;
  int64_t num_devices_ = 1;
  std::set<int64_t> cuts_;          // strides at which axes begin and end
  std::vector<std::string> names_;  // of the mesh's axes, major first
  // The symbols of the meshes by the order of their devices; 0 to N-1 comes first.
  std::map<std::vector<int64_t>, std::string> meshes_;
};

}  // namespace

bool HasGspmdShardings(mlir::ModuleOp module) {
  if (!module.getOps<sdy::MeshOp>().empty()) return false;
  bool found = false;
  module.walk([&](Operation* op) {
    if (op->hasAttr(kGspmdAttr)) found = true;
    if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        if (function.getArgAttr(i, kGspmdAttr)) found = true;
      }
      for (unsigned i = 0; i < function.getNumResults(); ++i) {
        if (function.getResultAttr(i, kGspmdAttr)) found = true;
      }
    }
  });
  return found;
}

Status ImportGspmd(mlir::ModuleOp module) { return Importer(module).Run(); }

}  // namespace tenon::compiler::partition
