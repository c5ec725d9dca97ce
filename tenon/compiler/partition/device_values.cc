#include "tenon/compiler/partition/device_values.h"

#include <optional>

#include "llvm/ADT/TypeSwitch.h"
#include "tenon/dialects/stablehlo/ops.h"

namespace tenon::compiler::partition {
namespace {

using Values = std::vector<int64_t>;

// The element type of an integer scalar; null for other types.
mlir::IntegerType IntegerOf(mlir::Value value) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!tensor || tensor.getNumElements() != 1) return nullptr;
  return llvm::dyn_cast<mlir::IntegerType>(tensor.getElementType());
}

// The number that the low bits of `value` are in `type`. Unsigned types of 64 bits are
// seen as signed, which is right below 2^63.
int64_t Wrap(int64_t value, mlir::IntegerType type) {
  const unsigned width = type.getWidth();
  if (width >= 64) return value;
  const auto low = static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1);
  const bool negative = !type.isUnsigned() && width > 1 && (low >> (width - 1)) != 0;
  return static_cast<int64_t>(negative ? low | ~((uint64_t{1} << width) - 1) : low);
}

// The result for two operands; nullopt if the op is not known, or undefined for them.
std::optional<int64_t> Apply(mlir::Operation* op, int64_t a, int64_t b) {
  const auto wrapping = [](auto function, int64_t x, int64_t y) {
    return static_cast<int64_t>(
        function(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
  };
  using Result = std::optional<int64_t>;
  return llvm::TypeSwitch<mlir::Operation*, Result>(op)
      .Case([&](stablehlo::AddOp) { return Result(wrapping(std::plus<>(), a, b)); })
      .Case([&](stablehlo::SubtractOp) { return Result(wrapping(std::minus<>(), a, b)); })
      .Case([&](stablehlo::MulOp) { return Result(wrapping(std::multiplies<>(), a, b)); })
      .Case([&](stablehlo::MaxOp) { return Result(std::max(a, b)); })
      .Case([&](stablehlo::MinOp) { return Result(std::min(a, b)); })
      .Case<stablehlo::DivOp, stablehlo::RemOp>([&](mlir::Operation* divide) {
        if (a < 0 || b <= 0) return Result();
        return Result(llvm::isa<stablehlo::DivOp>(divide) ? a / b : a % b);
      })
      .Case([&](stablehlo::CompareOp compare) {
        switch (compare.getComparisonDirection()) {
          case stablehlo::ComparisonDirection::EQ:
            return Result(a == b);
          case stablehlo::ComparisonDirection::NE:
            return Result(a != b);
          case stablehlo::ComparisonDirection::GE:
            return Result(a >= b);
          case stablehlo::ComparisonDirection::GT:
            return Result(a > b);
          case stablehlo::ComparisonDirection::LE:
            return Result(a <= b);
          case stablehlo::ComparisonDirection::LT:
            return Result(a < b);
        }
        return Result();
      })
      .Default([](mlir::Operation*) { return Result(); });
}

}  // namespace

const std::vector<int64_t>* DeviceValues::Find(mlir::Value scalar) {
  auto known = known_.find(scalar);
  if (known == known_.end()) {
    Values values = Compute(scalar);
    known = known_.try_emplace(scalar, std::move(values)).first;
  }
  return known->second.empty() ? nullptr : &known->second;
}

std::vector<int64_t> DeviceValues::Compute(mlir::Value scalar) {
  mlir::Operation* op = scalar.getDefiningOp();
  const mlir::IntegerType type = IntegerOf(scalar);
  if (!op || !type || type.getWidth() > 64) return {};
  const auto count = static_cast<size_t>(num_devices_);
  Values values(count);
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op)) {
    auto dense = llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
    if (!dense) return {};
    const auto number =
        static_cast<int64_t>((*dense.value_begin<mlir::APInt>()).getRawData()[0]);
    values.assign(count, Wrap(number, type));
    return values;
  }
  if (llvm::isa<stablehlo::PartitionIdOp>(op)) {
    for (size_t device = 0; device < count; ++device) {
      values[device] = static_cast<int64_t>(device);
    }
    return values;
  }
  llvm::SmallVector<Values, 3> operands;
  for (mlir::Value operand : op->getOperands()) {
    const Values* known = Find(operand);
    if (!known) return {};
    operands.push_back(*known);
  }
  if (llvm::isa<stablehlo::ConvertOp, stablehlo::ReshapeOp>(op)) {
    for (auto [value, from] : llvm::zip_equal(values, operands[0])) {
      value = Wrap(from, type);
    }
    return values;
  }
  if (llvm::isa<stablehlo::SelectOp>(op)) {
    for (size_t device = 0; device < count; ++device) {
      values[device] = operands[operands[0][device] ? 1 : 2][device];
    }
    return values;
  }
  if (operands.size() != 2) return {};
  for (size_t device = 0; device < count; ++device) {
    std::optional<int64_t> value = Apply(op, operands[0][device], operands[1][device]);
    if (!value) return {};
    values[device] = Wrap(*value, type);
  }
  return values;
}

}  // namespace tenon::compiler::partition
