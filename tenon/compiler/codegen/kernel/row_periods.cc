#include "tenon/compiler/codegen/kernel/row_periods.h"

#include <cstdlib>
#include <numeric>

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/codegen/kernel/access_analysis.h"

namespace tenon::codegen {
namespace {

// Limits of the code size (docs/design/0004, "Row periods"): registers of one period, and
// registers times ops. An access that stays lane by lane counts as an op for each lane.
constexpr int kMaxRegisters = 16;
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

  // Whether the lanes of `value` are a base plus constants if the loop's index advances
  // by `step`, by the rules of IndexEmitter. Exact: the base of every dividend on the way
  // is a multiple of the divisor, so that no remainder of a base is computed.
  enum class Lanes { kVarying, kConstant, kExact };
  Lanes LanesAt(mlir::Value value, int64_t step) {
    if (step != step_) offsets_.clear();
    step_ = step;
    const auto& offsets = OffsetsOf(value);
    return !offsets ? Lanes::kVarying : offsets->exact ? Lanes::kExact : Lanes::kConstant;
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
    const int64_t first = AddressAt(indices, strides, 0);
    const int64_t stride = AddressAt(indices, strides, 1) - first;
    for (int64_t position = 2; position < count; ++position)
      if (AddressAt(indices, strides, position) != first + stride * position)
        return std::nullopt;
    return stride;
  }

  // Whether the distances of the addresses of the lanes of a step are the same in each of
  // some steps; all other variables count as 0.
  bool HasConstantLanes(llvm::ArrayRef<mlir::Value> indices,
                        llvm::ArrayRef<int64_t> strides, int64_t step) {
    llvm::SmallVector<int64_t> distances;
    for (int64_t number : {0, 1, 2, 3, 5, 8, 13}) {
      const int64_t base = AddressAt(indices, strides, number * step);
      for (int64_t lane = 0; lane < step; ++lane) {
        const int64_t distance = AddressAt(indices, strides, number * step + lane) - base;
        if (number == 0)
          distances.push_back(distance);
        else if (distances[lane] != distance)
          return false;
      }
    }
    return true;
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

 private:
  // A multiple of `multiple` (0: it is 0), plus a constant for each lane of a step.
  struct Offsets {
    int64_t multiple;
    llvm::SmallVector<int64_t> lanes;
    bool exact = true;  // divisions of multiples of the divisor only
    bool uniform() const { return llvm::all_equal(lanes); }
  };

  // Nullopt if the lanes do not differ by constants.
  std::optional<Offsets> OffsetsOf(mlir::Value value) {
    if (auto found = offsets_.find(value); found != offsets_.end()) return found->second;
    std::optional<Offsets> offsets;
    if (value == iv_)
      offsets = {step_, llvm::to_vector(llvm::seq(step_))};
    else if (auto constant = ConstantOf(value))
      offsets = {0, llvm::SmallVector<int64_t>(step_, *constant)};
    else if (!DependsOnIv(value))
      offsets = Uniform(/*exact=*/true);
    else
      offsets = OffsetsOfResult(value.getDefiningOp());
    return offsets_[value] = offsets;
  }

  Offsets Uniform(bool exact) const {
    return {1, llvm::SmallVector<int64_t>(step_, 0), exact};
  }

  std::optional<Offsets> OffsetsOfResult(mlir::Operation* op) {
    if (op->getNumOperands() != 2) return std::nullopt;
    auto x = OffsetsOf(op->getOperand(0)), y = OffsetsOf(op->getOperand(1));
    if (!x || !y) return std::nullopt;
    const bool exact = x->exact && y->exact;
    if (llvm::isa<mlir::arith::AddIOp, mlir::arith::SubIOp>(op)) {
      const int64_t sign = llvm::isa<mlir::arith::AddIOp>(op) ? 1 : -1;
      for (auto [lane, more] : llvm::zip_equal(x->lanes, y->lanes)) lane += sign * more;
      return Offsets{std::gcd(x->multiple, y->multiple), std::move(x->lanes), exact};
    }
    if (y->multiple == 0 && y->uniform() && y->lanes[0] > 0 &&
        llvm::isa<mlir::arith::MulIOp, mlir::arith::DivUIOp, mlir::arith::RemUIOp>(op))
      return OffsetsOfScaled(op, *std::move(x), y->lanes[0]);
    if (x->uniform() && y->uniform()) return Uniform(exact);
    return std::nullopt;
  }

  // The offsets of a product, quotient or remainder of `x` and a constant.
  static std::optional<Offsets> OffsetsOfScaled(mlir::Operation* op, Offsets x,
                                                int64_t constant) {
    if (llvm::isa<mlir::arith::MulIOp>(op)) {
      x.multiple *= constant;
      for (int64_t& lane : x.lanes) lane *= constant;
      return x;
    }
    const bool divides = llvm::isa<mlir::arith::DivUIOp>(op);
    if (x.multiple % constant != 0) {
      // All lanes must have the quotient of a multiple of `unit` that precedes them.
      const int64_t unit = std::gcd(x.multiple, constant);
      const int64_t block = llvm::divideFloorSigned(x.lanes[0], unit);
      for (int64_t& lane : x.lanes) {
        if (llvm::divideFloorSigned(lane, unit) != block) return std::nullopt;
        lane = divides ? 0 : lane - block * unit;
      }
      x.multiple = divides ? 1 : unit;
      x.exact = false;
      return x;
    }
    x.multiple = divides ? x.multiple / constant : 0;
    for (int64_t& lane : x.lanes) {
      const int64_t quotient = llvm::divideFloorSigned(lane, constant);
      lane = divides ? quotient : lane - quotient * constant;
    }
    return x;
  }

  int64_t AddressAt(llvm::ArrayRef<mlir::Value> indices, llvm::ArrayRef<int64_t> strides,
                    int64_t position) {
    values_.clear();
    int64_t sum = 0;
    for (auto [index, stride] : llvm::zip_equal(indices, strides))
      sum += stride * Evaluate(index, position);
    return sum;
  }

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
  int64_t step_ = 0;
  llvm::DenseMap<mlir::Value, std::optional<Offsets>> offsets_;  // of this step
  llvm::DenseMap<mlir::Value, int64_t> values_;
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

// The number of accesses of the loop that are emitted lane by lane if it is unrolled to
// `step` lanes.
int64_t CountVaryingAccesses(ir::MapOp map, IndexFunctions& functions, int64_t step) {
  int64_t varying = 0;
  ForEachAccess(map.getBody().front(), [&](const ViewAccess& access) {
    const bool may_vary = llvm::any_of(access.indices, [&](mlir::Value index) {
      return functions.LanesAt(index, step) == IndexFunctions::Lanes::kVarying;
    });
    if (may_vary && !functions.HasConstantLanes(llvm::to_vector(access.indices),
                                                ir::ViewStrides(access.view), step))
      ++varying;
  });
  return varying;
}

}  // namespace

int64_t CountScatteredAccesses(ir::MapOp map, int64_t count) {
  IndexFunctions functions(map);
  int64_t scattered = 0;
  ForEachAccess(map.getBody().front(), [&](const ViewAccess& access) {
    const auto stride = functions.StrideOf(llvm::to_vector(access.indices),
                                           ir::ViewStrides(access.view), count);
    if (!stride || std::abs(*stride) > 1) ++scattered;
  });
  return scattered;
}

std::optional<int> RegistersPerPeriod(ir::MapOp map, int width, int64_t multiple) {
  IndexFunctions functions(map);
  llvm::SmallVector<mlir::Value> indices;
  int64_t ops = 0;
  map.getBody().walk([&](mlir::Operation* op) {
    ++ops;
    if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex() &&
        functions.DependsOnIv(op->getResult(0)))
      indices.push_back(op->getResult(0));
  });
  auto divides = [](mlir::Value index) {
    return llvm::isa<mlir::arith::DivUIOp, mlir::arith::RemUIOp>(index.getDefiningOp());
  };
  if (llvm::none_of(indices, divides)) return std::nullopt;
  // The fewest registers that make the lanes of most indices constant and, unless the
  // index arithmetic is a small part of the work, most divisions exact.
  const bool counts_exact = map.getBody().getOps<ir::ReduceOp>().empty();
  int best = 0;
  // Accesses that stay lane by lane are not repeated if that makes no other one cheaper.
  int64_t fewest_varying = CountVaryingAccesses(map, functions, width);
  std::pair<int64_t, int64_t> most;
  for (int registers = 1; registers <= kMaxRegisters && registers * ops <= kMaxOps;
       ++registers) {
    const int64_t step = int64_t{width} * registers;
    if (multiple % step != 0) continue;
    std::pair<int64_t, int64_t> count;  // of constant lanes, and exact ones
    bool helps = false;
    for (mlir::Value index : indices) {
      const auto lanes = functions.LanesAt(index, step);
      if (lanes == IndexFunctions::Lanes::kVarying) continue;
      ++count.first;
      if (counts_exact && lanes == IndexFunctions::Lanes::kExact) ++count.second;
      helps = helps || divides(index);
    }
    if (!helps || count <= most) continue;
    const int64_t varying = CountVaryingAccesses(map, functions, step);
    if (registers > 1 && varying >= fewest_varying &&
        registers * (ops + varying * width) > kMaxOps)
      continue;
    fewest_varying = varying;
    most = count;
    best = registers;
  }
  if (best == 0) return std::nullopt;
  bool profitable = false;
  map.getBody().walk([&](mlir::Operation* op) {
    profitable = profitable || IsProfitable(*op, functions, int64_t{width} * best);
  });
  if (!profitable) return std::nullopt;
  return best;
}

}  // namespace tenon::codegen
