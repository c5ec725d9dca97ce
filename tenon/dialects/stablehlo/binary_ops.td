// Elementwise ops of several tensors.
#ifndef TENON_DIALECTS_STABLEHLO_BINARY_OPS_TD
#define TENON_DIALECTS_STABLEHLO_BINARY_OPS_TD

include "tenon/dialects/stablehlo/stablehlo_base.td"

class StableHLO_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [Pure, Elementwise, SameOperandsAndResultShape,
                                       StableHLO_CompatibleTypes]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict
      `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    build($_builder, $_state, lhs.getType(), lhs, rhs);
  }]>];
}

// Only add takes per-axis quantized tensors.
def StableHLO_AddOp : StableHLO_BinaryOp<"add", StableHLO_QTensor, [Commutative]> {
  let hasVerifier = 1;
}
def StableHLO_Atan2Op : StableHLO_BinaryOp<"atan2", StableHLO_MathTensor>;
def StableHLO_DivOp : StableHLO_BinaryOp<"divide", StableHLO_NumericTensor>;
def StableHLO_MaxOp : StableHLO_BinaryOp<"maximum", StableHLO_Tensor, [Commutative]>;
def StableHLO_MinOp : StableHLO_BinaryOp<"minimum", StableHLO_Tensor, [Commutative]>;
def StableHLO_MulOp : StableHLO_BinaryOp<"multiply", StableHLO_Tensor, [Commutative]>;
def StableHLO_PowOp : StableHLO_BinaryOp<"power", StableHLO_NumericTensor>;
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder", StableHLO_NumericTensor>;
def StableHLO_SubtractOp : StableHLO_BinaryOp<"subtract", StableHLO_NumericTensor>;
def StableHLO_ShiftLeftOp : StableHLO_BinaryOp<"shift_left", StableHLO_IntTensor>;
def StableHLO_ShiftRightArithmeticOp
    : StableHLO_BinaryOp<"shift_right_arithmetic", StableHLO_IntTensor>;
def StableHLO_ShiftRightLogicalOp
    : StableHLO_BinaryOp<"shift_right_logical", StableHLO_IntTensor>;
def StableHLO_AndOp : StableHLO_BinaryOp<"and", StableHLO_PredOrIntTensor, [Commutative]>;
def StableHLO_OrOp : StableHLO_BinaryOp<"or", StableHLO_PredOrIntTensor, [Commutative]>;
def StableHLO_XorOp : StableHLO_BinaryOp<"xor", StableHLO_PredOrIntTensor, [Commutative]>;

def StableHLO_ComplexOp
    : StableHLO_Op<"complex", [Pure, Elementwise, SameOperandsElementType,
                               SameOperandsAndResultShape]> {  // complex_c1, complex_c2
  let arguments = (ins StableHLO_F32OrF64Tensor:$lhs, StableHLO_F32OrF64Tensor:$rhs);
  let results = (outs StableHLO_ComplexTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    auto type = ::llvm::cast<::mlir::RankedTensorType>(lhs.getType());
    build($_builder, $_state,
          type.clone(::mlir::ComplexType::get(type.getElementType())), lhs, rhs);
  }]>];
  let hasVerifier = 1;
}

def StableHLO_CompareOp
    : StableHLO_Op<"compare", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    StableHLO_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_PredTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)?
      attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
      "::tenon::stablehlo::ComparisonDirection":$direction,
      CArg<"::tenon::stablehlo::ComparisonType", "ComparisonType::NOTYPE">:$type), [{
    auto context = $_builder.getContext();
    auto operand = ::llvm::cast<::mlir::RankedTensorType>(lhs.getType());
    build($_builder, $_state, operand.clone($_builder.getI1Type()), lhs, rhs,
          ComparisonDirectionAttr::get(context, direction),
          type == ComparisonType::NOTYPE ? ComparisonTypeAttr()
                                         : ComparisonTypeAttr::get(context, type));
  }]>];
  let hasVerifier = 1;
}

// min and max may be scalars.
def StableHLO_ClampOp : StableHLO_Op<"clamp", [Pure, StableHLO_CompatibleElementTypes]> {
  let arguments = (ins StableHLO_Tensor:$min, StableHLO_Tensor:$operand,
                       StableHLO_Tensor:$max);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:` custom<SameOperandsAndResultType>(
      type($min), type($operand), type($max), type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$min, "::mlir::Value":$operand,
                                 "::mlir::Value":$max), [{
    build($_builder, $_state, operand.getType(), min, operand, max);
  }]>];
  let hasVerifier = 1;
}

// pred may be a scalar.
def StableHLO_SelectOp : StableHLO_Op<"select", [Pure]> {
  let arguments = (ins StableHLO_PredTensor:$pred, StableHLO_Tensor:$on_true,
                       StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
      custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$pred, "::mlir::Value":$onTrue,
                                 "::mlir::Value":$onFalse), [{
    build($_builder, $_state, onTrue.getType(), pred, onTrue, onFalse);
  }]>];
  let hasVerifier = 1;
}

#endif  // TENON_DIALECTS_STABLEHLO_BINARY_OPS_TD
