#include "tenon/compiler/codegen/kernel/row_periods.h"

#include <cstdlib>
#include <numeric>

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tenon::codegen {
namespace {

// Limits of the code size (docs/design/0004, "Row periods"): registers of one period, and
// registers times ops.
constexpr int64_t kMaxRegisters = 16;
constexpr int64_t kMaxOps = 400;

std::optional<int64_t> ConstantOf(mlir::Value value) {
  auto op = value.getDefiningOp<mlir::arith::ConstantOp>();
  if (!op || !value.getType().isIndex()) return std::nullopt;
  return llvm::cast<mlir::IntegerAttr>(op.getValue()).getInt();
}

// The indices in a loop's body as functions of the loop's index.
class IndexFunctions {
 public:
  explicit IndexFunctions(ir::MapOp map) : iv_(map.getBody().getArgument(0)) {}

  // Returns the period of `value`: if the loop's index is a multiple of it, all
  // remainders by constants that `value` is computed from are 0. Returns 1 if there are
  // none.
  int64_t Period(mlir::Value value) {
    if (value == iv_) return 1;
    if (auto found = periods_.find(value); found != periods_.end()) return found->second;
    int64_t period = 1;
    if (mlir::Operation* op = value.getDefiningOp()) {
      for (mlir::Value operand : op->getOperands())
        if (operand.getType().isIndex()) period = std::lcm(period, Period(operand));
      bool divides = llvm::isa<mlir::arith::DivUIOp, mlir::arith::RemUIOp>(op);
      if (divides && DependsOnIv(op->getOperand(0))) {
        int64_t divisor = ConstantOf(op->getOperand(1)).value_or(0);
        bool small = divisor > 0 && divisor <= kMaxPeriod && period <= kMaxPeriod;
        if (small) period *= divisor;
      }
    }
    periods_[value] = period;
    return period;
  }

  // Whether the address is a constant multiple of the loop's index plus an offset.
  // Evaluates it at 2 * period positions; all other variables count as 0.
  bool IsLinear(llvm::ArrayRef<mlir::Value> indices, llvm::ArrayRef<int64_t> strides,
                int64_t period) {
    return StrideOf(indices, strides, 2 * period + 1).has_value();
  }

  // The distance of the addresses of neighbouring iterations, if it is constant in the
  // first `count`; all other variables count as 0.
  std::optional<int64_t> StrideOf(llvm::ArrayRef<mlir::Value> indices,
                                  llvm::ArrayRef<int64_t> strides, int64_t count) {
    auto at = [&](int64_t position) {
      values_.clear();
      int64_t sum = 0;
      for (auto [index, stride] : llvm::zip_equal(indices, strides))
        sum += stride * Evaluate(index, position);
      return sum;
    };
    int64_t first = at(0), stride = at(1) - first;
    for (int64_t position = 2; position < count; ++position)
      if (at(position) != first + stride * position) return std::nullopt;
    return stride;
  }

  bool DependsOnIv(mlir::Value value) {
    if (value == iv_) return true;
    if (auto found = depends_.find(value); found != depends_.end()) return found->second;
    mlir::Operation* op = value.getDefiningOp();
    bool depends =
        op && op->getDialect() && op->getDialect()->getNamespace() == "arith" &&
        llvm::any_of(op->getOperands(),
                     [&](mlir::Value operand) { return DependsOnIv(operand); });
    depends_[value] = depends;
    return depends;
  }

  static constexpr int64_t kMaxPeriod = 256;

 private:
  int64_t Evaluate(mlir::Value value, int64_t position) {
    if (value == iv_) return position;
    if (auto constant = ConstantOf(value)) return *constant;
    if (!DependsOnIv(value)) return 0;
    if (auto found = values_.find(value); found != values_.end()) return found->second;
    mlir::Operation* op = value.getDefiningOp();
    if (op->getNumOperands() != 2) return 0;
    int64_t x = Evaluate(op->getOperand(0), position);
    int64_t y = Evaluate(op->getOperand(1), position);
    int64_t result = llvm::TypeSwitch<mlir::Operation*, int64_t>(op)
                         .Case([&](mlir::arith::AddIOp) { return x + y; })
                         .Case([&](mlir::arith::SubIOp) { return x - y; })
                         .Case([&](mlir::arith::MulIOp) { return x * y; })
                         .Case([&](mlir::arith::DivUIOp) { return y ? x / y : 0; })
                         .Case([&](mlir::arith::RemUIOp) { return y ? x % y : 0; })
                         .Case([&](mlir::arith::MinSIOp) { return std::min(x, y); })
                         .Case([&](mlir::arith::MaxSIOp) { return std::max(x, y); })
                         .Default([](mlir::Operation*) { return 0; });
    values_[value] = result;
    return result;
  }

  mlir::Value iv_;
  llvm::DenseMap<mlir::Value, int64_t> periods_, values_;
  llvm::DenseMap<mlir::Value, bool> depends_;
};

// Whether constant lane offsets make `op` cheaper: it accesses elements at varying
// distances, or compares or converts an index that is not linear.
bool IsProfitable(mlir::Operation& op, IndexFunctions& functions, int64_t period) {
  auto linear = [&](mlir::OperandRange indices, mlir::MemRefType view) {
    return functions.IsLinear(llvm::to_vector(indices), ir::ViewStrides(view), period);
  };
  if (auto load = llvm::dyn_cast<ir::LoadOp>(op))
    return !linear(load.getIndices(), load.getView().getType());
  if (auto store = llvm::dyn_cast<ir::StoreOp>(op))
    return !linear(store.getIndices(), store.getView().getType());
  if (!llvm::isa<mlir::arith::CmpIOp, ir::FromIndexOp>(op)) return false;
  return llvm::any_of(op.getOperands(), [&](mlir::Value operand) {
    return operand.getType().isIndex() && !functions.IsLinear({operand}, {1}, period);
  });
}

}  // namespace

int64_t CountScatteredAccesses(ir::MapOp map, int64_t count) {
  IndexFunctions functions(map);
  int64_t scattered = 0;
  auto consider = [&](mlir::OperandRange indices, mlir::MemRefType view) {
    const auto stride =
        functions.StrideOf(llvm::to_vector(indices), ir::ViewStrides(view), count);
    if (!stride || std::abs(*stride) > 1) ++scattered;
  };
  map.getBody().walk([&](mlir::Operation* op) {
    if (auto load = llvm::dyn_cast<ir::LoadOp>(op))
      consider(load.getIndices(), load.getView().getType());
    else if (auto store = llvm::dyn_cast<ir::StoreOp>(op))
      consider(store.getIndices(), store.getView().getType());
  });
  return scattered;
}

std::optional<int> RegistersPerPeriod(ir::MapOp map, int width, int64_t multiple) {
  IndexFunctions functions(map);
  llvm::SmallVector<int64_t> periods;
  int64_t ops = 0;
  map.getBody().walk([&](mlir::Operation* op) {
    ++ops;
    if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex())
      periods.push_back(functions.Period(op->getResult(0)));
  });
  // Takes the largest period that the code size allows, together with all smaller ones.
  llvm::sort(periods);
  int64_t period = 1;
  for (int64_t next : periods) {
    int64_t all = std::lcm(period, next),
            registers = std::lcm(all, int64_t{width}) / width;
    if (registers > kMaxRegisters || registers * ops > kMaxOps ||
        multiple % (registers * width) != 0)
      continue;
    period = all;
  }
  if (period == 1) return std::nullopt;
  bool profitable = false;
  map.getBody().walk([&](mlir::Operation* op) {
    profitable = profitable || IsProfitable(*op, functions, period);
  });
  if (!profitable) return std::nullopt;
  return static_cast<int>(std::lcm(period, int64_t{width}) / width);
}

}  // namespace tenon::codegen
