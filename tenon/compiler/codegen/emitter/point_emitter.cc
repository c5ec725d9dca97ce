#include "tenon/compiler/codegen/emitter/point_emitter.h"

#include <optional>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/compiler/codegen/emitter/loops.h"
#include "tenon/compiler/dialects/stablehlo/ops.h"
#include "tenon/compiler/dialects/tenon/element_types.h"

namespace tenon::codegen {

using compiler::ElementLlvmType;
using compiler::ElementMemoryType;
using compiler::ElementwiseAttrs;
using compiler::ElementwiseOp;

Status UnsupportedOp(mlir::Operation& op, llvm::StringRef why) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op.getName() << " on (";
  llvm::interleaveComma(op.getOperandTypes(), os);
  os << ")";
  if (!why.empty()) os << ": " << why;
  os << " (at " << op.getLoc() << ")";
  return Unimplemented(text);
}

int ElementParts(ElementType type) { return compiler::IsComplex(type) ? 2 : 1; }

namespace {

// The name by which the elementwise table knows an op; composites go by their own.
llvm::StringRef ElementwiseName(mlir::Operation& op) {
  llvm::StringRef name = op.getName().getStringRef();
  if (auto composite = llvm::dyn_cast<stablehlo::CompositeOp>(op))
    name = composite.getName();
  return name.substr(name.find('.') + 1);
}

ElementwiseAttrs AttrsOf(mlir::Operation& op) {
  ElementwiseAttrs attrs;
  if (auto compare = llvm::dyn_cast<stablehlo::CompareOp>(op)) {
    attrs.comparison_direction = *compiler::ComparisonDirectionFromName(
        stablehlo::stringifyComparisonDirection(compare.getComparisonDirection()));
    if (auto type = compare.getCompareType()) {
      if (auto known =
              compiler::ComparisonTypeFromName(stablehlo::stringifyComparisonType(*type)))
        attrs.comparison_type = *known;
    }
  } else if (auto reduce = llvm::dyn_cast<stablehlo::ReducePrecisionOp>(op)) {
    attrs.exponent_bits = reduce.getExponentBits();
    attrs.mantissa_bits = reduce.getMantissaBits();
  }
  return attrs;
}

// One real part of constant element `index`, in registers.
llvm::Constant* ConstantPart(llvm::Type* type, const llvm::APInt& bits) {
  if (type->isIntegerTy())
    return llvm::ConstantInt::get(type, bits.zextOrTrunc(type->getIntegerBitWidth()));
  return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), bits));
}

}  // namespace

ElementValue PointEmitter::Broadcast(const ElementValue& value) {
  auto splat = [&](llvm::Value* part) -> llvm::Value* {
    if (!part || part->getType()->isVectorTy()) return part;
    return b_.CreateVectorSplat(lanes_.width, part);
  };
  if (lanes_.width == 1) return value;
  return {value.type, splat(value.re), splat(value.im)};
}

StatusOr<ElementValue> PointEmitter::Elementwise(mlir::Operation& op) {
  std::optional<ElementwiseOp> kind =
      compiler::ElementwiseOpFromName(ElementwiseName(op));
  if (!kind) return UnsupportedOp(op, "no code is generated for this op");
  llvm::SmallVector<ElementValue, 3> operands;
  bool vector = false;
  for (mlir::Value operand : op.getOperands()) {
    ElementValue value = Scalar(operand);
    if (!value.re)
      return Internal("value without code: operand of " +
                      UnsupportedOp(op, "").ToString());
    vector |= value.re->getType()->isVectorTy();
    operands.push_back(value);
  }
  if (vector) {
    for (auto [position, value] : llvm::enumerate(operands)) {
      if (*kind == ElementwiseOp::kSelect && position == 0) continue;
      value = Broadcast(value);
    }
  }
  compiler::ElementwiseEmitter emitter(b_, options_.elementwise);
  auto result = emitter.Emit(
      *kind, operands, ir::ElementTypeOfShaped(op.getResult(0).getType()), AttrsOf(op));
  if (!result.ok()) return UnsupportedOp(op, llvm::StringRef(result.status().message()));
  return result;
}

Status PointEmitter::EmitConstant(mlir::Operation& op, mlir::ElementsAttr value) {
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value);
  if (!dense) return UnsupportedOp(op, "a scalar constant needs dense data");
  ElementType type = ir::ElementTypeOfShaped(dense.getType());
  llvm::Type* part = ElementLlvmType(b_.getContext(), type);
  if (!part) return UnsupportedOp(op, "element type has no storage");
  ElementValue result{type, nullptr, nullptr};
  if (compiler::IsComplex(type)) {
    auto parts = *dense.tryGetValues<std::complex<llvm::APFloat>>();
    std::complex<llvm::APFloat> number = *parts.begin();
    result.re = ConstantPart(part, number.real().bitcastToAPInt());
    result.im = ConstantPart(part, number.imag().bitcastToAPInt());
  } else if (llvm::isa<mlir::FloatType>(dense.getElementType())) {
    result.re = ConstantPart(
        part, (*dense.tryGetValues<llvm::APFloat>()->begin()).bitcastToAPInt());
  } else {
    result.re = ConstantPart(part, *dense.tryGetValues<llvm::APInt>()->begin());
  }
  SetScalar(op.getResult(0), result);
  return OkStatus();
}

Status PointEmitter::EmitIndexOp(mlir::Operation& op, bool& handled) {
  handled = true;
  IndexEmitter ie = Indices();
  auto binary = [&](auto method) {
    SetIndex(op.getResult(0),
             (ie.*method)(Index(op.getOperand(0)), Index(op.getOperand(1))));
  };
  auto logical = [&](llvm::Instruction::BinaryOps opcode) {
    llvm::Value* x = preds_.lookup(op.getOperand(0));
    llvm::Value* y = preds_.lookup(op.getOperand(1));
    if (x->getType() != y->getType()) {
      if (!x->getType()->isVectorTy()) x = b_.CreateVectorSplat(lanes_.width, x);
      if (!y->getType()->isVectorTy()) y = b_.CreateVectorSplat(lanes_.width, y);
    }
    preds_[op.getResult(0)] = b_.CreateBinOp(opcode, x, y);
  };
  bool is_pred = op.getNumResults() == 1 && op.getResult(0).getType().isInteger(1);
  llvm::TypeSwitch<mlir::Operation*>(&op)
      .Case([&](mlir::arith::ConstantOp constant) {
        auto value = llvm::cast<mlir::IntegerAttr>(constant.getValue());
        if (is_pred)
          preds_[constant] = b_.getInt1(value.getValue().getBoolValue());
        else
          SetIndex(constant, ie.Constant(value.getInt()));
      })
      .Case([&](mlir::arith::AddIOp) { binary(&IndexEmitter::Add); })
      .Case([&](mlir::arith::SubIOp) { binary(&IndexEmitter::Sub); })
      .Case([&](mlir::arith::MulIOp) { binary(&IndexEmitter::Mul); })
      .Case([&](mlir::arith::DivUIOp) { binary(&IndexEmitter::DivU); })
      .Case([&](mlir::arith::RemUIOp) { binary(&IndexEmitter::RemU); })
      .Case([&](mlir::arith::MinSIOp) { binary(&IndexEmitter::MinS); })
      .Case([&](mlir::arith::MaxSIOp) { binary(&IndexEmitter::MaxS); })
      .Case([&](mlir::arith::AndIOp) { logical(llvm::Instruction::And); })
      .Case([&](mlir::arith::OrIOp) { logical(llvm::Instruction::Or); })
      .Case([&](mlir::arith::XOrIOp) { logical(llvm::Instruction::Xor); })
      .Case([&](mlir::arith::CmpIOp compare) {
        static constexpr llvm::CmpInst::Predicate kPredicates[] = {
            llvm::CmpInst::ICMP_EQ,  llvm::CmpInst::ICMP_NE,  llvm::CmpInst::ICMP_SLT,
            llvm::CmpInst::ICMP_SLE, llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_SGE,
            llvm::CmpInst::ICMP_ULT, llvm::CmpInst::ICMP_ULE, llvm::CmpInst::ICMP_UGT,
            llvm::CmpInst::ICMP_UGE};
        preds_[compare] =
            ie.Compare(kPredicates[static_cast<int>(compare.getPredicate())],
                       Index(compare.getLhs()), Index(compare.getRhs()));
      })
      .Case([&](mlir::arith::SelectOp select) {
        SetIndex(select,
                 ie.Select(preds_.lookup(select.getCondition()),
                           Index(select.getTrueValue()), Index(select.getFalseValue())));
      })
      .Default([&](mlir::Operation*) { handled = false; });
  return OkStatus();
}

Status PointEmitter::EmitOp(mlir::Operation& op) {
  bool handled = false;
  if (op.getDialect() && op.getDialect()->getNamespace() == "arith") {
    TENON_RETURN_IF_ERROR(EmitIndexOp(op, handled));
    if (handled) return OkStatus();
    return UnsupportedOp(op, "no code is generated for this op");
  }
  if (auto load = llvm::dyn_cast<ir::LoadOp>(op)) return EmitLoad(load);
  if (auto store = llvm::dyn_cast<ir::StoreOp>(op)) return EmitStore(store);
  if (auto bitcast = llvm::dyn_cast<ir::BitcastOp>(op)) return EmitBitcast(bitcast);
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op))
    return EmitConstant(op, constant.getValue());
  if (auto to_index = llvm::dyn_cast<ir::ToIndexOp>(op)) {
    ElementValue value = Scalar(to_index.getValue());
    SetIndex(to_index,
             Indices().Varying(value.re, compiler::IsSignedInteger(value.type)));
    return OkStatus();
  }
  if (auto from_index = llvm::dyn_cast<ir::FromIndexOp>(op)) {
    IndexValue index = Index(from_index.getIndex());
    llvm::Value* integers = index.uniform() ? index.base : Indices().Vector(index);
    ElementType wide = integers->getType()->getScalarSizeInBits() == 32
                           ? ElementType::kS32
                           : ElementType::kS64;
    compiler::ElementwiseEmitter emitter(b_, options_.elementwise);
    ElementType type = ir::ElementTypeOfShaped(from_index.getType());
    if (type == wide) {
      SetScalar(from_index, {type, integers, nullptr});
      return OkStatus();
    }
    TENON_ASSIGN_OR_RETURN(ElementValue value,
                           emitter.Emit(ElementwiseOp::kConvert,
                                        ElementValue{wide, integers, nullptr}, type));
    SetScalar(from_index, value);
    return OkStatus();
  }
  if (auto to_pred = llvm::dyn_cast<ir::ToPredOp>(op)) {
    preds_[to_pred] = Scalar(to_pred.getValue()).re;
    return OkStatus();
  }
  if (auto from_pred = llvm::dyn_cast<ir::FromPredOp>(op)) {
    SetScalar(from_pred,
              {ElementType::kPred, preds_.lookup(from_pred.getPred()), nullptr});
    return OkStatus();
  }
  if (op.getNumResults() != 1)
    return UnsupportedOp(op, "no code is generated for this op");
  TENON_ASSIGN_OR_RETURN(ElementValue value, Elementwise(op));
  SetScalar(op.getResult(0), value);
  return OkStatus();
}

IndexValue PointEmitter::Offset(mlir::MemRefType view, mlir::OperandRange indices) {
  auto strides = ir::ViewStrides(view);
  IndexEmitter ie = Indices();
  IndexValue sum = ie.Constant(0);
  auto add = [&](mlir::Value index, int64_t stride) {
    sum = ie.Add(sum, ie.Mul(Index(index), ie.Constant(stride)));
  };
  // x / size and x % size in neighbouring dimensions that lie one behind the other are x.
  mlir::Value pending;
  int64_t pending_stride = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    mlir::Value index = indices[d];
    if (pending) {
      auto quotient = pending.getDefiningOp<mlir::arith::DivUIOp>();
      auto remainder = index.getDefiningOp<mlir::arith::RemUIOp>();
      if (quotient && remainder && quotient.getLhs() == remainder.getLhs() &&
          quotient.getRhs() == remainder.getRhs() &&
          pending_stride == strides[d] * view.getDimSize(d) &&
          ConstantIndex(Index(quotient.getRhs())) == view.getDimSize(d)) {
        pending = quotient.getLhs();
        pending_stride = strides[d];
        continue;
      }
      add(pending, pending_stride);
    }
    pending = index;
    pending_stride = strides[d];
  }
  if (pending) add(pending, pending_stride);
  return sum;
}

llvm::Value* PointEmitter::AccessMask(mlir::Value mask) {
  if (!mask) return lanes_.mask;
  llvm::Value* own = preds_.lookup(mask);
  if (lanes_.width > 1 && !own->getType()->isVectorTy())
    own = b_.CreateVectorSplat(lanes_.width, own);
  return lanes_.mask ? b_.CreateAnd(own, lanes_.mask) : own;
}

llvm::Value* PointEmitter::SafePointer(llvm::Type* type) {
  // Zeroed where it is needed: what a masked-out load reads is never used.
  return EmitEntryAlloca(b_, type, 16);
}

llvm::Value* PointEmitter::LanePointers(llvm::Value* pointer, int64_t bytes,
                                        IndexValue offset) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  return b_.CreateGEP(unit, pointer, Indices().Vector(offset));
}

// Part `part` of `parts` (complex numbers have two) of the elements at `offset`. `type`
// is the scalar type in memory, `bytes` the size of a whole element; `other` fills
// masked-out lanes.
llvm::Value* PointEmitter::LoadPart(llvm::Value* pointer, llvm::Type* type, int64_t bytes,
                                    IndexValue offset, llvm::Value* mask,
                                    llvm::Value* other, int part, int parts) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Align align(bytes / parts);
  llvm::Value* start = pointer;
  if (part > 0) start = b_.CreateConstInBoundsGEP1_64(type, pointer, part);
  if (offset.uniform()) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    if (!mask) return b_.CreateAlignedLoad(type, address, align);
    llvm::Value* any = mask;
    if (mask->getType()->isVectorTy()) any = b_.CreateOrReduce(mask);
    address = b_.CreateSelect(any, address, SafePointer(type));
    llvm::Value* value = b_.CreateAlignedLoad(type, address, align);
    if (!other) return value;
    if (mask->getType()->isVectorTy()) value = b_.CreateVectorSplat(lanes_.width, value);
    return b_.CreateSelect(mask, value, other);
  }
  auto* vector = llvm::FixedVectorType::get(type, lanes_.width);
  if (offset.stride == 1 && parts == 1) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    if (!mask) return b_.CreateAlignedLoad(vector, address, align);
    return b_.CreateMaskedLoad(vector, address, align, mask,
                               other ? other : llvm::Constant::getNullValue(vector));
  }
  if (offset.stride == -1 && parts == 1 && !mask) {
    llvm::Value* first = b_.CreateSub(offset.base, b_.getInt64(lanes_.width - 1));
    llvm::Value* address = b_.CreateGEP(unit, start, first);
    return b_.CreateVectorReverse(b_.CreateAlignedLoad(vector, address, align));
  }
  if (mask && !other) other = llvm::Constant::getNullValue(vector);
  return b_.CreateMaskedGather(vector, LanePointers(start, bytes, offset), align, mask,
                               other);
}

llvm::Value* PointEmitter::Address(mlir::Value view, mlir::OperandRange indices) {
  auto type = llvm::cast<mlir::MemRefType>(view.getType());
  int64_t bytes = ElementBytes(ir::ElementTypeOf(type.getElementType()));
  return b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), View(view),
                      Offset(type, indices).base);
}

StatusOr<llvm::SmallVector<llvm::Value*>> PointEmitter::LoadSquare(ir::LoadOp load,
                                                                   int count,
                                                                   int64_t stride) {
  mlir::MemRefType view = load.getView().getType();
  ElementType type = ir::ElementTypeOf(view.getElementType());
  llvm::Type* memory = ElementMemoryType(b_.getContext(), type);
  if (!memory) return UnsupportedOp(*load, "element type has no storage");
  int parts = ElementParts(type);
  int64_t bytes = ElementBytes(type);
  auto* vector = llvm::FixedVectorType::get(memory, count * parts);
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Value* first = Address(load.getView(), load.getIndices());
  llvm::SmallVector<llvm::Value*> square;
  for (int lane = 0; lane < count; ++lane) {
    llvm::Value* address = b_.CreateGEP(unit, first, b_.getInt64(stride * lane));
    square.push_back(b_.CreateAlignedLoad(vector, address, llvm::Align(bytes / parts)));
  }
  return square;
}

void PointEmitter::SetFromMemory(ir::LoadOp load, llvm::Value* vector) {
  ElementType type = ir::ElementTypeOfShaped(load.getType());
  if (ElementParts(type) == 1) {
    SetScalar(load, {type, compiler::LoadedToValue(b_, type, vector), nullptr});
    return;
  }
  SetScalar(load, {type, Half(vector, 0), Half(vector, 1)});
}

// Every second lane of a vector of pairs.
llvm::Value* PointEmitter::Half(llvm::Value* pairs, int part) {
  llvm::SmallVector<int> lanes;
  for (int lane = 0; lane < lanes_.width; ++lane) lanes.push_back(2 * lane + part);
  return b_.CreateShuffleVector(pairs, lanes);
}

Status PointEmitter::EmitLoad(ir::LoadOp op) {
  mlir::MemRefType view = op.getView().getType();
  ElementType type = ir::ElementTypeOf(view.getElementType());
  llvm::Type* memory = ElementMemoryType(b_.getContext(), type);
  if (!memory) return UnsupportedOp(*op, "element type has no storage");
  IndexValue offset = Offset(view, op.getIndices());
  llvm::Value* mask = AccessMask(op.getMask());
  bool vector = lanes_.width > 1 && (!offset.uniform() || op.getMask());
  ElementValue other;
  if (op.getMask()) {
    other = Scalar(op.getOther());
    if (vector) other = Broadcast(other);
  } else if (offset.uniform() && lanes_.width > 1) {
    mask =
        nullptr;  // a uniform access is made as long as any lane is active, which one is
  }
  int parts = ElementParts(type);
  int64_t bytes = ElementBytes(type);
  llvm::Value* pointer = View(op.getView());

  // Consecutive complex numbers: one load of pairs, then the halves apart.
  if (parts == 2 && vector && offset.stride == 1 && !mask) {
    auto* pairs = llvm::FixedVectorType::get(memory, 2 * lanes_.width);
    llvm::Value* address =
        b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), pointer, offset.base);
    llvm::Value* loaded = b_.CreateAlignedLoad(pairs, address, llvm::Align(bytes / 2));
    SetScalar(op, {type, Half(loaded, 0), Half(loaded, 1)});
    return OkStatus();
  }

  ElementValue result{type, nullptr, nullptr};
  for (int part = 0; part < parts; ++part) {
    llvm::Value* fill = part == 0 ? other.re : other.im;
    if (fill) fill = compiler::ValueToStored(b_, type, fill);
    llvm::Value* loaded =
        LoadPart(pointer, memory, bytes, offset, mask, fill, part, parts);
    (part == 0 ? result.re : result.im) = compiler::LoadedToValue(b_, type, loaded);
  }
  SetScalar(op, result);
  return OkStatus();
}

void PointEmitter::StorePart(llvm::Value* value, llvm::Value* pointer, int64_t bytes,
                             IndexValue offset, llvm::Value* mask, int part, int parts) {
  llvm::Type* unit = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  llvm::Align align(bytes / parts);
  llvm::Type* type = value->getType()->getScalarType();
  llvm::Value* start = pointer;
  if (part > 0) start = b_.CreateConstInBoundsGEP1_64(type, pointer, part);
  if (lanes_.width == 1) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    if (mask) address = b_.CreateSelect(mask, address, SafePointer(type));
    b_.CreateAlignedStore(value, address, align);
    return;
  }
  if (offset.stride == 1 && parts == 1) {
    llvm::Value* address = b_.CreateGEP(unit, start, offset.base);
    if (mask)
      b_.CreateMaskedStore(value, address, align, mask);
    else
      b_.CreateAlignedStore(value, address, align);
    return;
  }
  b_.CreateMaskedScatter(value, LanePointers(start, bytes, offset), align, mask);
}

Status PointEmitter::EmitStore(ir::StoreOp op) {
  mlir::MemRefType view = op.getView().getType();
  ElementType type = ir::ElementTypeOf(view.getElementType());
  IndexValue offset = Offset(view, op.getIndices());
  llvm::Value* mask = AccessMask(op.getMask());
  ElementValue value = Broadcast(Scalar(op.getValue()));
  int parts = ElementParts(type);
  int64_t bytes = ElementBytes(type);
  llvm::Value* pointer = View(op.getView());
  if (parts == 2 && lanes_.width > 1 && offset.stride == 1 && !mask) {
    llvm::SmallVector<int> lanes;
    for (int lane = 0; lane < lanes_.width; ++lane) {
      lanes.push_back(lane);
      lanes.push_back(lanes_.width + lane);
    }
    llvm::Value* pairs = b_.CreateShuffleVector(value.re, value.im, lanes);
    llvm::Value* address =
        b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), bytes), pointer, offset.base);
    b_.CreateAlignedStore(pairs, address, llvm::Align(bytes / 2));
    return OkStatus();
  }
  StorePart(compiler::ValueToStored(b_, type, value.re), pointer, bytes, offset, mask, 0,
            parts);
  if (parts == 2) StorePart(value.im, pointer, bytes, offset, mask, 1, parts);
  return OkStatus();
}

Status PointEmitter::EmitBitcast(ir::BitcastOp op) {
  // Bits of all values, least significant value first, as one integer a lane.
  ElementType to = ir::ElementTypeOfShaped(op.getType());
  llvm::SmallVector<llvm::Value*> pieces;
  int piece_bits = 0;
  bool vector = false;
  for (mlir::Value operand : op.getValues())
    vector |= Scalar(operand).re->getType()->isVectorTy();
  auto lane_type = [&](int bits) -> llvm::Type* {
    llvm::Type* scalar = b_.getIntNTy(bits);
    return vector ? llvm::FixedVectorType::get(scalar, lanes_.width) : scalar;
  };
  for (mlir::Value operand : op.getValues()) {
    ElementValue value = Scalar(operand);
    if (vector) value = Broadcast(value);
    for (llvm::Value* part : {value.re, value.im}) {
      if (!part) continue;
      piece_bits = compiler::IsComplex(value.type) ? ElementBits(value.type) / 2
                                                   : ElementBits(value.type);
      llvm::Value* bits = part;
      if (!part->getType()->isIntOrIntVectorTy())
        bits = b_.CreateBitCast(part, lane_type(piece_bits));
      pieces.push_back(b_.CreateZExtOrTrunc(bits, lane_type(piece_bits)));
    }
  }
  int total = piece_bits * static_cast<int>(pieces.size());
  llvm::Value* all = b_.CreateZExt(pieces[0], lane_type(total));
  for (size_t i = 1; i < pieces.size(); ++i)
    all = b_.CreateOr(all, b_.CreateShl(b_.CreateZExt(pieces[i], lane_type(total)),
                                        uint64_t(piece_bits) * i));
  int parts = ElementParts(to);
  int part_bits = ElementBits(to) / parts;
  ElementValue result{to, nullptr, nullptr};
  for (int part = 0; part < parts; ++part) {
    uint64_t shift = uint64_t(ElementBits(to)) * op.getPart() + part_bits * part;
    llvm::Value* bits =
        b_.CreateTrunc(shift ? b_.CreateLShr(all, shift) : all, lane_type(part_bits));
    llvm::Type* type = ElementLlvmType(b_.getContext(), to);
    if (type->isIntegerTy()) {
      bits = b_.CreateZExtOrTrunc(bits, lane_type(type->getIntegerBitWidth()));
    } else {
      bits = b_.CreateBitCast(
          bits, vector ? llvm::FixedVectorType::get(type, lanes_.width) : type);
    }
    (part == 0 ? result.re : result.im) = bits;
  }
  SetScalar(op, result);
  return OkStatus();
}

}  // namespace tenon::codegen
