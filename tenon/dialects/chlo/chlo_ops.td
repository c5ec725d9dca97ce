// The CHLO operation set: client operations that take more than one StableHLO op. Legalize
// rewrites them to StableHLO right after import (legalize/legalize_chlo.cc).
#ifndef TENON_DIALECTS_CHLO_CHLO_OPS_TD
#define TENON_DIALECTS_CHLO_CHLO_OPS_TD

include "tenon/dialects/chlo/chlo_base.td"
include "tenon/dialects/stablehlo/stablehlo_base.td"

//===------------------------------------------------------------------------------------===//
// Elementwise ops
//===------------------------------------------------------------------------------------===//

class Chlo_Op<string mnemonic, list<Trait> traits = [Pure]>
    : Op<Chlo_Dialect, mnemonic, traits>;

// The result type may be omitted when it equals the operand type.
class Chlo_UnaryOp<string mnemonic, Type operandType, Type resultType = operandType>
    : Chlo_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultShape]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<UnaryType>(type($operand), type($result))
  }];
}

class Chlo_FloatFunction<string mnemonic> : Chlo_UnaryOp<mnemonic, StableHLO_FloatTensor>;
class Chlo_Function<string mnemonic> : Chlo_UnaryOp<mnemonic, StableHLO_FloatOrComplexTensor>;

def Chlo_AcosOp : Chlo_Function<"acos">;
def Chlo_AcoshOp : Chlo_Function<"acosh">;
def Chlo_AsinOp : Chlo_Function<"asin">;
def Chlo_AsinAcosKernelOp : Chlo_UnaryOp<"_asin_acos_kernel", StableHLO_ComplexTensor>;
def Chlo_AsinhOp : Chlo_Function<"asinh">;
def Chlo_AtanOp : Chlo_Function<"atan">;
def Chlo_AtanhOp : Chlo_Function<"atanh">;
def Chlo_BesselI1eOp : Chlo_Function<"bessel_i1e">;
def Chlo_ConjOp : Chlo_Function<"conj">;
def Chlo_CoshOp : Chlo_Function<"cosh">;
def Chlo_DigammaOp : Chlo_FloatFunction<"digamma">;
def Chlo_ErfOp : Chlo_FloatFunction<"erf">;
def Chlo_ErfInvOp : Chlo_FloatFunction<"erf_inv">;
def Chlo_ErfcOp : Chlo_FloatFunction<"erfc">;
def Chlo_LgammaOp : Chlo_FloatFunction<"lgamma">;
def Chlo_SinhOp : Chlo_Function<"sinh">;
def Chlo_SquareOp : Chlo_Function<"square">;
def Chlo_TanOp : Chlo_Function<"tan">;

def Chlo_IsInfOp : Chlo_UnaryOp<"is_inf", StableHLO_FloatTensor, StableHLO_PredTensor>;
def Chlo_IsNegInfOp
    : Chlo_UnaryOp<"is_neg_inf", StableHLO_FloatTensor, StableHLO_PredTensor>;
def Chlo_IsPosInfOp
    : Chlo_UnaryOp<"is_pos_inf", StableHLO_FloatTensor, StableHLO_PredTensor>;

class Chlo_BinaryOp<string mnemonic, Type type>
    : Chlo_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
      custom<BinaryType>(type($lhs), type($rhs), type($result))
  }];
}

def Chlo_MulhiOp : Chlo_BinaryOp<"mulhi", StableHLO_IntTensor>;
def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", StableHLO_FloatTensor>;
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", StableHLO_FloatTensor>;
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", StableHLO_FloatTensor>;

//===------------------------------------------------------------------------------------===//
// Ops that broadcast their operands
//===------------------------------------------------------------------------------------===//

class Chlo_BroadcastOp<string mnemonic, Type type = StableHLO_Tensor, Type resultType = type>
    : Chlo_Op<mnemonic> {
  let arguments = (ins type:$lhs, type:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
}

def Chlo_BroadcastAddOp : Chlo_BroadcastOp<"broadcast_add">;
def Chlo_BroadcastAndOp : Chlo_BroadcastOp<"broadcast_and", StableHLO_PredOrIntTensor>;
def Chlo_BroadcastAtan2Op : Chlo_BroadcastOp<"broadcast_atan2">;
def Chlo_BroadcastComplexOp
    : Chlo_BroadcastOp<"broadcast_complex", StableHLO_FloatTensor, StableHLO_ComplexTensor>;
def Chlo_BroadcastDivOp : Chlo_BroadcastOp<"broadcast_divide">;
def Chlo_BroadcastMaxOp : Chlo_BroadcastOp<"broadcast_maximum">;
def Chlo_BroadcastMinOp : Chlo_BroadcastOp<"broadcast_minimum">;
def Chlo_BroadcastMulOp : Chlo_BroadcastOp<"broadcast_multiply">;
def Chlo_BroadcastNextAfterOp
    : Chlo_BroadcastOp<"broadcast_next_after", StableHLO_FloatTensor>;
def Chlo_BroadcastOrOp : Chlo_BroadcastOp<"broadcast_or", StableHLO_PredOrIntTensor>;
def Chlo_BroadcastPolygammaOp
    : Chlo_BroadcastOp<"broadcast_polygamma", StableHLO_FloatTensor>;
def Chlo_BroadcastPowOp : Chlo_BroadcastOp<"broadcast_power">;
def Chlo_BroadcastRemOp : Chlo_BroadcastOp<"broadcast_remainder">;
def Chlo_BroadcastShiftLeftOp
    : Chlo_BroadcastOp<"broadcast_shift_left", StableHLO_IntTensor>;
def Chlo_BroadcastShiftRightArithmeticOp
    : Chlo_BroadcastOp<"broadcast_shift_right_arithmetic", StableHLO_IntTensor>;
def Chlo_BroadcastShiftRightLogicalOp
    : Chlo_BroadcastOp<"broadcast_shift_right_logical", StableHLO_IntTensor>;
def Chlo_BroadcastSubOp : Chlo_BroadcastOp<"broadcast_subtract">;
def Chlo_BroadcastXorOp : Chlo_BroadcastOp<"broadcast_xor", StableHLO_PredOrIntTensor>;
def Chlo_BroadcastZetaOp : Chlo_BroadcastOp<"broadcast_zeta", StableHLO_FloatTensor>;

def Chlo_BroadcastCompareOp
    : Chlo_BroadcastOp<"broadcast_compare", StableHLO_Tensor, StableHLO_PredTensor> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
    Chlo_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<Chlo_ComparisonTypeAttr>:$compare_type);
}

def Chlo_BroadcastSelectOp : Chlo_Op<"broadcast_select"> {
  let arguments = (ins StableHLO_PredTensor:$pred, StableHLO_Tensor:$on_true,
                       StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
      `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
}

//===------------------------------------------------------------------------------------===//
// Other ops
//===------------------------------------------------------------------------------------===//

def Chlo_ConstantOp : Chlo_Op<"constant", [Pure, AllTypesMatch<["value", "output"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_StaticQTensor:$output);
  let assemblyFormat = "attr-dict $value";
}

def Chlo_ConstantLikeOp
    : Chlo_Op<"constant_like", [Pure, SameOperandsAndResultShape]> {
  let arguments = (ins TypedAttrInterface:$value, StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
}

def Chlo_RaggedDotOp : Chlo_Op<"ragged_dot"> {
  let summary = "a matrix product for each group of one dimension";
  let description = [{
    `group_sizes` divides the ragged dimension of `lhs` into groups, one after another. Rows of
    `lhs` ([b,m,k], m ragged) are multiplied by the matrix of their group in `rhs` ([g,b,k,n]).
    If k is ragged the result has a product for each group, [g,b,m,n]. If a batch dimension is
    ragged, groups make no difference.
  }];
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    StableHLO_IntTensor:$group_sizes,
    Chlo_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
    OptionalAttr<Chlo_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
}

def Chlo_TopKOp : Chlo_Op<"top_k"> {
  let arguments = (ins StableHLO_Tensor:$operand,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$k,
    DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs StableHLO_Tensor:$values, StableHLO_Tensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict `:`
      type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

def Chlo_ScanOp : Chlo_Op<"scan", [AttrSizedOperandSegments, AttrSizedResultSegments,
                                   IsolatedFromAbove, RecursiveMemoryEffects,
                                   SingleBlock]> {
  let summary = "a loop over one dimension of `inputs`";
  let description = [{
    `body` maps a slice of each input and the carried values to a slice of each output and the
    next carried values.
  }];
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, Variadic<StableHLO_Tensor>:$inits,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
    OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$scan_dim_size,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
    OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<StableHLO_Tensor>:$outputs,
                      Variadic<StableHLO_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

#endif  // TENON_DIALECTS_CHLO_CHLO_OPS_TD
