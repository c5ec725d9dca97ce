// Updates of slices of tensors that are split along updated dimensions.
#include "tenon/compiler/partition/localize_indices.h"
#include "tenon/compiler/partition/part_builder.h"

namespace tenon::compiler::partition {
namespace {

using Direction = stablehlo::ComparisonDirection;

// Emits the update of the part of one device.
class Updater {
 public:
  Updater(PartBuilder& p, MeshCode& code, mlir::ValueRange operands)
      : p_(p), code_(code), target_(operands[0]), update_(operands[1]) {
    const auto starts = operands.drop_front(2);
    starts_.assign(starts.begin(), starts.end());
  }

  // Makes the update along `dim`, of `whole` elements, an update of the part.
  void Localize(int64_t dim, int64_t whole, AxesRef axes) {
    const int64_t size = SizeAt(update_, dim), part = SizeAt(target_, dim);
    // The op clamps the start to the whole dimension.
    mlir::Value start = p_.Convert(starts_[dim], p_.builder().getI64Type());
    start = Clamp(start, 0, whole - size);
    start = p_.Apply("stablehlo.subtract", start, code_.ShardOffset(axes, part));
    if (size > part) {
      Surround(dim, start, size, part);
    } else {
      Shift(dim, start, size, part);
    }
  }

  mlir::Value Finish() {
    if (mask_) {
      mlir::Value old = stablehlo::DynamicSliceOp::create(
          p_.builder(), p_.location(), TypeOf(update_), target_, Uniform(),
          p_.builder().getDenseI64ArrayAttr(TypeOf(update_).getShape()));
      update_ = p_.Select(mask_, update_, old);
    }
    mlir::Value result = stablehlo::DynamicUpdateSliceOp::create(
        p_.builder(), p_.location(), target_.getType(), target_, update_, Uniform());
    for (auto [dim, range] : surrounded_) {
      result = p_.Slice(result, dim, range.first, range.second);
    }
    return result;
  }

 private:
  static int64_t SizeAt(mlir::Value value, int64_t dim) {
    return TypeOf(value).getDimSize(dim);
  }

  mlir::Value Clamp(mlir::Value value, int64_t low, int64_t high) {
    value = p_.Apply("stablehlo.maximum", value, code_.Constant(low));
    return p_.Apply("stablehlo.minimum", value, code_.Constant(high));
  }

  mlir::Value ZerosAround(mlir::Value value, int64_t dim, int64_t size) {
    llvm::SmallVector<int64_t> shape(TypeOf(value).getShape());
    shape[dim] = size;
    mlir::Value zeros = p_.Zeros(TypeOf(value).clone(shape));
    return p_.Concatenate({zeros, value, zeros}, dim);
  }

  // An update that is larger than the part: elements outside of the part go to elements
  // that are cut off.
  void Surround(int64_t dim, mlir::Value start, int64_t size, int64_t part) {
    target_ = ZerosAround(target_, dim, size);
    start = p_.Apply("stablehlo.add", start, code_.Constant(size));
    starts_[dim] = Clamp(start, 0, part + size);
    surrounded_.emplace_back(dim, std::make_pair(size, part));
  }

  // Writes as many elements as the update has, the nearest of the part, but keeps those
  // that the update does not reach. So the update can stay in place.
  void Shift(int64_t dim, mlir::Value start, int64_t size, int64_t part) {
    mlir::Value nearest = Clamp(start, 0, part - size);
    // The position in the update of the first element that is written.
    mlir::Value first = p_.Apply("stablehlo.subtract", nearest, start);
    mlir::Value from =
        Clamp(p_.Apply("stablehlo.add", first, code_.Constant(size)), 0, 2 * size);
    update_ =
        p_.Slice(ZerosAround(update_, dim, size), dim, from, size, code_.Constant(0));
    auto positions = mlir::RankedTensorType::get(size, p_.builder().getI64Type());
    mlir::Value position = p_.Apply("stablehlo.add", p_.Iota(positions, 0),
                                    p_.Broadcast(first, positions.getShape()));
    mlir::Value reached = p_.Apply(
        "stablehlo.and", p_.Compare(Direction::GE, position, p_.Splat(positions, 0)),
        p_.Compare(Direction::LT, position, p_.Splat(positions, size)));
    reached = p_.Broadcast(reached, TypeOf(update_).getShape(), {dim});
    mask_ = mask_ ? p_.Apply("stablehlo.and", mask_, reached) : reached;
    starts_[dim] = nearest;
  }

  // The starts with one type.
  llvm::SmallVector<mlir::Value> Uniform() {
    llvm::SmallVector<mlir::Value> starts;
    for (mlir::Value start : starts_) {
      starts.push_back(p_.Convert(start, p_.builder().getI64Type()));
    }
    return starts;
  }

  PartBuilder& p_;
  MeshCode& code_;
  mlir::Value target_, update_, mask_;
  llvm::SmallVector<mlir::Value> starts_;
  // Dimensions, and the start and size of the part in what surrounds it.
  llvm::SmallVector<std::pair<int64_t, std::pair<int64_t, int64_t>>> surrounded_;
};

}  // namespace

bool MaySplitUpdated(stablehlo::DynamicUpdateSliceOp op, int64_t dim) {
  if (dim < 0 || op.getStartIndices().empty()) return false;
  mlir::Type element = TypeOf(op.getOperand()).getElementType();
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) {
    element = complex.getElementType();
  }
  // i64 has all starts of other types than ui64.
  auto start = llvm::dyn_cast<mlir::IntegerType>(
      TypeOf(op.getStartIndices().front()).getElementType());
  return element.isIntOrFloat() && start &&
         (start.getWidth() < 64 || !start.isUnsigned());
}

bool UpdatesSplitDim(stablehlo::DynamicUpdateSliceOp op, const Sharding& operand) {
  const llvm::ArrayRef<int64_t> whole = ShapeOf(op.getOperand()),
                                update = ShapeOf(op.getUpdate());
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    if (whole[dim] != update[dim] && !operand.dims[dim].axes.empty()) return true;
  }
  return false;
}

mlir::Value UpdatePart(stablehlo::DynamicUpdateSliceOp op, const Sharding& operand,
                       mlir::ValueRange operands, MeshCode& code, mlir::OpBuilder& b) {
  PartBuilder p(b, op.getLoc());
  const llvm::ArrayRef<int64_t> whole = ShapeOf(op.getOperand()),
                                update = ShapeOf(op.getUpdate());
  Updater updater(p, code, operands);
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    const Axes& axes = operand.dims[dim].axes;
    if (whole[dim] == update[dim] || axes.empty()) continue;
    updater.Localize(static_cast<int64_t>(dim), whole[dim], axes);
  }
  return updater.Finish();
}

}  // namespace tenon::compiler::partition
