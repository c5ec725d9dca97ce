// Products, convolutions, factorizations, transforms and normalizations.
#ifndef TENON_DIALECTS_STABLEHLO_CONTRACTION_OPS_TD
#define TENON_DIALECTS_STABLEHLO_CONTRACTION_OPS_TD

include "tenon/dialects/stablehlo/stablehlo_base.td"

def StableHLO_DotOp : StableHLO_Op<"dot", [Pure]> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_QTensor:$rhs,
                       OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_QTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DotGeneralOp : StableHLO_Op<"dot_general", [Pure]> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_QTensor:$rhs,
    StableHLO_DotDimensionNumbersAttr:$dot_dimension_numbers,
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config,
    OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm);
  let results = (outs StableHLO_QTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) ``
    custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_EinsumOp : StableHLO_Op<"einsum", [Pure]> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_UnaryEinsumOp : StableHLO_Op<"unary_einsum", [Pure]> {
  let arguments = (ins StableHLO_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ConvolutionOp : StableHLO_Op<"convolution", [Pure]> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_QTensor:$rhs,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    StableHLO_PositiveI64Attr:$feature_group_count,                // convolution_c21
    StableHLO_PositiveI64Attr:$batch_group_count,                  // convolution_c22
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_QTensor:$result);
  let assemblyFormat = [{
    `(` operands `)`
      `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
      `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation,
                                                $rhs_dilation, $window_reversal) `}`
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicConvOp : StableHLO_Op<"dynamic_conv", [NoMemoryEffect]> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    StableHLO_StaticIntMatrix:$padding, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    StableHLO_PositiveI64Attr:$feature_group_count,                // dynamic_conv_c21
    StableHLO_PositiveI64Attr:$batch_group_count,                  // dynamic_conv_c22
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_CholeskyOp : StableHLO_Op<"cholesky", [Pure, StableHLO_CompatibleTypes]> {
  let arguments = (ins StableHLO_MathTensor:$a, StableHLO_FalseByDefaultAttr:$lower);
  let results = (outs StableHLO_MathTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)?
      attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_TriangularSolveOp
    : StableHLO_Op<"triangular_solve", [Pure, SameOperandsAndResultElementType]> {
  let arguments = (ins StableHLO_FloatOrComplexTensor:$a, StableHLO_FloatOrComplexTensor:$b,
    BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
    StableHLO_TransposeAttr:$transpose_a);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let hasVerifier = 1;
}

def StableHLO_FftOp : StableHLO_Op<"fft", [Pure]> {
  let arguments = (ins StableHLO_FloatOrComplexTensor:$operand,
    StableHLO_FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs StableHLO_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_BatchNormInferenceOp
    : StableHLO_Op<"batch_norm_inference", [Pure, StableHLO_CompatibleElementTypes]> {
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$operand,
    StableHLO_FloatVector:$scale, StableHLO_FloatVector:$offset, StableHLO_FloatVector:$mean,
    StableHLO_FloatVector:$variance, F32Attr:$epsilon,
    StableHLO_NonNegativeI64Attr:$feature_index);
  let results = (outs StableHLO_FloatOrQuantizedTensor:$result);
  let hasVerifier = 1;
}

def StableHLO_BatchNormTrainingOp
    : StableHLO_Op<"batch_norm_training", [Pure, StableHLO_CompatibleElementTypes]> {
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$operand,
    StableHLO_FloatVector:$scale, StableHLO_FloatVector:$offset, F32Attr:$epsilon,
    StableHLO_NonNegativeI64Attr:$feature_index);
  let results = (outs StableHLO_FloatOrQuantizedTensor:$output,
    StableHLO_FloatVector:$batch_mean, StableHLO_FloatVector:$batch_var);
  let hasVerifier = 1;
}

def StableHLO_BatchNormGradOp
    : StableHLO_Op<"batch_norm_grad", [Pure, StableHLO_CompatibleElementTypes]> {
  let arguments = (ins StableHLO_FloatOrQuantizedTensor:$operand,
    StableHLO_FloatVector:$scale, StableHLO_FloatVector:$mean,
    StableHLO_FloatVector:$variance, StableHLO_FloatOrQuantizedTensor:$grad_output,
    F32Attr:$epsilon, StableHLO_NonNegativeI64Attr:$feature_index);
  let results = (outs StableHLO_FloatOrQuantizedTensor:$grad_operand,
    StableHLO_FloatVector:$grad_scale, StableHLO_FloatVector:$grad_offset);
  let hasVerifier = 1;
}

#endif  // TENON_DIALECTS_STABLEHLO_CONTRACTION_OPS_TD
