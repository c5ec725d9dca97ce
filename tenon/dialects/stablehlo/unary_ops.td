// Elementwise ops of one tensor.
#ifndef TENON_DIALECTS_STABLEHLO_UNARY_OPS_TD
#define TENON_DIALECTS_STABLEHLO_UNARY_OPS_TD

include "tenon/dialects/stablehlo/stablehlo_base.td"

class StableHLO_UnaryBase<string mnemonic, list<Trait> traits, Type operandType,
                          Type resultType>
    : StableHLO_Op<mnemonic,
                   traits # [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

// The result has the operand's type, so the builder takes no type.
class StableHLO_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : StableHLO_UnaryBase<mnemonic, traits # [StableHLO_CompatibleTypes], type, type> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand), [{
    build($_builder, $_state, operand.getType(), operand);
  }]>];
}

// Transcendental functions, with an optional requested accuracy.
class StableHLO_MathOp<string mnemonic>
    : StableHLO_UnaryBase<mnemonic, [StableHLO_CompatibleTypes], StableHLO_MathTensor,
                          StableHLO_MathTensor> {
  let arguments = (ins StableHLO_MathTensor:$operand,
    DefaultValuedOptionalAttr<StableHLO_ResultAccuracyAttr,
      "::tenon::stablehlo::ResultAccuracyMode::DEFAULT">:$result_accuracy);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand), [{
    build($_builder, $_state, operand.getType(), operand, ResultAccuracyAttr());
  }]>];
}

def StableHLO_CbrtOp : StableHLO_MathOp<"cbrt">;
def StableHLO_CosineOp : StableHLO_MathOp<"cosine">;
def StableHLO_ExpOp : StableHLO_MathOp<"exponential">;
def StableHLO_Expm1Op : StableHLO_MathOp<"exponential_minus_one">;
def StableHLO_LogOp : StableHLO_MathOp<"log">;
def StableHLO_Log1pOp : StableHLO_MathOp<"log_plus_one">;
def StableHLO_LogisticOp : StableHLO_MathOp<"logistic">;
def StableHLO_RsqrtOp : StableHLO_MathOp<"rsqrt">;
def StableHLO_SineOp : StableHLO_MathOp<"sine">;
def StableHLO_SqrtOp : StableHLO_MathOp<"sqrt">;
def StableHLO_TanOp : StableHLO_MathOp<"tan">;
def StableHLO_TanhOp : StableHLO_MathOp<"tanh">;

def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", StableHLO_FloatOrQuantizedTensor>;
def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", StableHLO_FloatOrQuantizedTensor>;
def StableHLO_RoundOp
    : StableHLO_UnaryOp<"round_nearest_afz", StableHLO_FloatOrQuantizedTensor>;
def StableHLO_RoundNearestEvenOp
    : StableHLO_UnaryOp<"round_nearest_even", StableHLO_FloatOrQuantizedTensor>;
def StableHLO_ClzOp : StableHLO_UnaryOp<"count_leading_zeros", StableHLO_IntTensor>;
def StableHLO_PopulationCountOp : StableHLO_UnaryOp<"popcnt", StableHLO_IntTensor>;
def StableHLO_NotOp : StableHLO_UnaryOp<"not", StableHLO_PredOrIntTensor>;
def StableHLO_NegOp : StableHLO_UnaryOp<"negate", StableHLO_NumericTensor>;
def StableHLO_SignOp : StableHLO_UnaryOp<"sign", StableHLO_SignedTensor>;

// The absolute value of a complex tensor is real.
def StableHLO_AbsOp : StableHLO_UnaryBase<"abs", [], StableHLO_SignedTensor,
    RankedTensorOf<[StableHLO_SInt, StableHLO_Float, StableHLO_Quantized]>> {
  let hasVerifier = 1;
}
def StableHLO_ImagOp : StableHLO_UnaryBase<"imag", [], StableHLO_FloatOrComplexTensor,
                                           StableHLO_FloatTensor> {
  let hasVerifier = 1;
}
def StableHLO_RealOp : StableHLO_UnaryBase<"real", [], StableHLO_FloatOrComplexTensor,
                                           StableHLO_FloatTensor> {
  let hasVerifier = 1;
}

def StableHLO_ConvertOp : StableHLO_UnaryBase<"convert", [], StableHLO_PlainTensor,
                                              StableHLO_PlainTensor> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$elementType), [{
    build($_builder, $_state,
          ::llvm::cast<::mlir::RankedTensorType>(operand.getType()).clone(elementType),
          operand);
  }]>];
}

def StableHLO_IsFiniteOp
    : StableHLO_Op<"is_finite", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$x);
  let results = (outs StableHLO_PredTensor:$y);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def StableHLO_ReducePrecisionOp
    : StableHLO_Op<"reduce_precision", [Pure, Elementwise, SameOperandsAndResultShape,
                                        StableHLO_CompatibleTypes]> {
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$operand,
    ConfinedAttr<I32Attr, [IntPositive]>:$exponent_bits,       // reduce_precision_c2
    ConfinedAttr<I32Attr, [IntNonNegative]>:$mantissa_bits);   // reduce_precision_c3
  let results = (outs StableHLO_FloatOrQuantizedTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
      attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
}

def StableHLO_UniformQuantizeOp : StableHLO_UnaryBase<"uniform_quantize", [],
    StableHLO_FloatOrAnyQuantizedTensor, StableHLO_AnyQuantizedTensor> {
  let hasVerifier = 1;
}
def StableHLO_UniformDequantizeOp : StableHLO_UnaryBase<"uniform_dequantize", [],
    StableHLO_AnyQuantizedTensor, StableHLO_FloatTensor> {
  let hasVerifier = 1;
}

// The shape may change: the innermost dimension may be added or removed.
def StableHLO_BitcastConvertOp : StableHLO_Op<"bitcast_convert", [Pure]> {
  let arguments = (ins StableHLO_QTensor:$operand);
  let results = (outs StableHLO_QTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif  // TENON_DIALECTS_STABLEHLO_UNARY_OPS_TD
