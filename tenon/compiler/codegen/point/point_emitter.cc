#include "tenon/compiler/codegen/point/point_emitter.h"

#include <optional>

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

using compiler::ElementLlvmType;
using compiler::ElementwiseAttrs;
using compiler::ElementwiseOp;

namespace {

ElementwiseAttrs AttrsOf(mlir::Operation& op) {
  ElementwiseAttrs attrs;
  if (auto compare = llvm::dyn_cast<stablehlo::CompareOp>(op)) {
    attrs.comparison_direction = *compiler::ComparisonDirectionFromName(
        stablehlo::stringifyComparisonDirection(compare.getComparisonDirection()));
    if (auto type = compare.getCompareType()) {
      if (auto comparison =
              compiler::ComparisonTypeFromName(stablehlo::stringifyComparisonType(*type)))
        attrs.comparison_type = *comparison;
    }
  } else if (auto reduce = llvm::dyn_cast<stablehlo::ReducePrecisionOp>(op)) {
    attrs.exponent_bits = reduce.getExponentBits();
    attrs.mantissa_bits = reduce.getMantissaBits();
  } else if (auto accuracy =
                 op.getAttrOfType<stablehlo::ResultAccuracyAttr>("result_accuracy")) {
    if (accuracy.getMode().getValue() == stablehlo::ResultAccuracyMode::TOLERANCE)
      attrs.result_accuracy = {compiler::ResultAccuracy::Mode::kTolerance,
                               accuracy.getAtol().convertToDouble(),
                               accuracy.getRtol().convertToDouble(), accuracy.getUlps()};
  }
  return attrs;
}

// Returns one part of a constant element as a constant in registers.
llvm::Constant* ConstantPart(llvm::Type* type, const llvm::APInt& bits) {
  if (type->isIntegerTy())
    return llvm::ConstantInt::get(type, bits.zextOrTrunc(type->getIntegerBitWidth()));
  return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), bits));
}

}  // namespace

StatusOr<ElementValue> PointEmitter::Elementwise(mlir::Operation& op) {
  std::optional<ElementwiseOp> kind = ElementwiseOpOf(op);
  if (!kind) return UnsupportedOp(op, "no code is generated for this op");
  llvm::SmallVector<ElementValue, 3> operands;
  bool vector = false;
  for (mlir::Value operand : op.getOperands()) {
    ElementValue value = Scalar(operand);
    if (!value.re)
      return Internal("no code was emitted for an operand of " +
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
  llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  if (op.hasAttr(ir::kContractAttr)) {
    llvm::FastMathFlags flags = b_.getFastMathFlags();
    flags.setAllowContract();
    b_.setFastMathFlags(flags);
  }
  // Simplification leaves elementary functions of constants to be computed at run time.
  if (llvm::all_of(operands, [](const ElementValue& value) {
        return llvm::isa<llvm::Constant>(value.re);
      }))
    for (ElementValue& value : operands) value = Opaque(value);
  auto result =
      functions_.Emit(b_, *kind, operands,
                      ir::ElementTypeOfShaped(op.getResult(0).getType()), AttrsOf(op));
  if (!result.ok()) return UnsupportedOp(op, llvm::StringRef(result.status().message()));
  return result;
}

ElementValue PointEmitter::Opaque(const ElementValue& value) {
  if (!compiler::IsFloat(compiler::RealType(value.type))) return value;
  auto opaque = [&](llvm::Value* part) -> llvm::Value* {
    if (!part) return nullptr;
    llvm::BasicBlock& first = b_.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> entry(&first, first.getFirstInsertionPt());
    llvm::Value* slot = entry.CreateAlloca(part->getType());
    b_.CreateStore(part, slot);
    return b_.CreateLoad(part->getType(), slot, /*isVolatile=*/true);
  };
  return {value.type, opaque(value.re), opaque(value.im)};
}

Status PointEmitter::EmitConstant(mlir::Operation& op, mlir::ElementsAttr value) {
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value);
  if (!dense)
    return UnsupportedOp(op,
                         "the constant has no dense data; write its value as dense<...>");
  ElementType type = ir::ElementTypeOfShaped(dense.getType());
  llvm::Type* part = ElementLlvmType(b_.getContext(), type);
  if (!part) return UnsupportedOp(op, "values of this element type cannot be stored");
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

Status PointEmitter::EmitIndexOp(mlir::Operation& op) {
  Status status;
  IndexEmitter ie = Indices();
  auto binary = [&](auto method) {
    SetIndex(op.getResult(0),
             (ie.*method)(Index(op.getOperand(0)), Index(op.getOperand(1))));
  };
  auto logical = [&](llvm::Instruction::BinaryOps opcode) {
    llvm::Value* x = Pred(op.getOperand(0));
    llvm::Value* y = Pred(op.getOperand(1));
    if (x->getType() != y->getType()) {
      if (!x->getType()->isVectorTy()) x = b_.CreateVectorSplat(lanes().width, x);
      if (!y->getType()->isVectorTy()) y = b_.CreateVectorSplat(lanes().width, y);
    }
    values_.SetPred(op.getResult(0), b_.CreateBinOp(opcode, x, y));
  };
  bool is_pred = op.getNumResults() == 1 && op.getResult(0).getType().isInteger(1);
  llvm::TypeSwitch<mlir::Operation*>(&op)
      .Case([&](mlir::arith::ConstantOp constant) {
        auto value = llvm::cast<mlir::IntegerAttr>(constant.getValue());
        if (is_pred)
          values_.SetPred(constant, b_.getInt1(value.getValue().getBoolValue()));
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
        values_.SetPred(compare,
                        ie.Compare(kPredicates[static_cast<int>(compare.getPredicate())],
                                   Index(compare.getLhs()), Index(compare.getRhs())));
      })
      .Case([&](mlir::arith::SelectOp select) {
        SetIndex(select,
                 ie.Select(Pred(select.getCondition()), Index(select.getTrueValue()),
                           Index(select.getFalseValue())));
      })
      .Default([&](mlir::Operation*) {
        status = UnsupportedOp(op, "no code is generated for this op");
      });
  return status;
}

Status PointEmitter::EmitOp(mlir::Operation& op) {
  if (op.getDialect() && op.getDialect()->getNamespace() == "arith")
    return EmitIndexOp(op);
  if (auto load = llvm::dyn_cast<ir::LoadOp>(op)) return memory_.EmitLoad(load);
  if (auto store = llvm::dyn_cast<ir::StoreOp>(op)) return memory_.EmitStore(store);
  if (auto bitcast = llvm::dyn_cast<ir::BitcastOp>(op)) return EmitBitcast(bitcast);
  if (auto subview = llvm::dyn_cast<ir::SubviewOp>(op)) {
    SetView(subview, memory_.Address(subview.getSource(), subview.getIndices()));
    SetFacts(subview,
             {.is_read_only = values_.FactsOf(subview.getSource()).is_read_only});
    return OkStatus();
  }
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op))
    return EmitConstant(op, constant.getValue());
  if (auto to_index = llvm::dyn_cast<ir::ToIndexOp>(op)) {
    ElementValue value = Scalar(to_index.getValue());
    SetIndex(to_index,
             Indices().Varying(value.re, compiler::IsSignedInteger(value.type)));
    return OkStatus();
  }
  if (auto from_index = llvm::dyn_cast<ir::FromIndexOp>(op))
    return EmitFromIndex(from_index);
  if (auto to_pred = llvm::dyn_cast<ir::ToPredOp>(op)) {
    values_.SetPred(to_pred, Scalar(to_pred.getValue()).re);
    return OkStatus();
  }
  if (auto from_pred = llvm::dyn_cast<ir::FromPredOp>(op)) {
    SetScalar(from_pred, {ElementType::kPred, Pred(from_pred.getPred()), nullptr});
    return OkStatus();
  }
  if (op.getNumResults() != 1)
    return UnsupportedOp(op, "no code is generated for this op");
  TENON_ASSIGN_OR_RETURN(ElementValue value, Elementwise(op));
  SetScalar(op.getResult(0), value);
  return OkStatus();
}

Status PointEmitter::EmitFromIndex(ir::FromIndexOp op) {
  IndexValue index = Index(op.getIndex());
  llvm::Value* integers = index.uniform() ? index.base : Indices().Vector(index);
  ElementType wide = integers->getType()->getScalarSizeInBits() == 32 ? ElementType::kS32
                                                                      : ElementType::kS64;
  ElementType type = ir::ElementTypeOfShaped(op.getType());
  ElementValue value{wide, integers, nullptr};
  if (type != wide) {
    compiler::ElementwiseEmitter emitter(b_, options().elementwise);
    TENON_ASSIGN_OR_RETURN(value, emitter.Emit(ElementwiseOp::kConvert, value, type));
  }
  SetScalar(op, value);
  return OkStatus();
}

Status PointEmitter::EmitBitcast(ir::BitcastOp op) {
  // Concatenates the bits of all values into one integer per lane, the first value
  // lowest.
  ElementType to = ir::ElementTypeOfShaped(op.getType());
  llvm::SmallVector<llvm::Value*> pieces;
  int piece_bits = 0;
  bool vector = false;
  for (mlir::Value operand : op.getValues())
    vector |= Scalar(operand).re->getType()->isVectorTy();
  auto lane_type = [&](int bits) -> llvm::Type* {
    llvm::Type* scalar = b_.getIntNTy(bits);
    return vector ? llvm::FixedVectorType::get(scalar, lanes().width) : scalar;
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
          bits, vector ? llvm::FixedVectorType::get(type, lanes().width) : type);
    }
    (part == 0 ? result.re : result.im) = bits;
  }
  SetScalar(op, result);
  return OkStatus();
}

}  // namespace tenon::codegen
