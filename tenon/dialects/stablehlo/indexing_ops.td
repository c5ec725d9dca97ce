// Ops that read or write parts of tensors.
#ifndef TENON_DIALECTS_STABLEHLO_INDEXING_OPS_TD
#define TENON_DIALECTS_STABLEHLO_INDEXING_OPS_TD

include "tenon/dialects/stablehlo/stablehlo_base.td"

def StableHLO_ConcatenateOp
    : StableHLO_Op<"concatenate", [Pure, SameOperandsAndResultElementType]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
                       StableHLO_NonNegativeI64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_PadOp : StableHLO_Op<"pad", [Pure, SameOperandsAndResultElementType]> {  // pad_c1
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Scalar:$padding_value,
    DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
    DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,`
      `high` `=` $edge_padding_high `,` `interior` `=` $interior_padding
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicPadOp : StableHLO_Op<"dynamic_pad", [NoMemoryEffect,
    AllElementTypesMatch<["operand", "padding_value", "result"]>,              // dynamic_pad_c1
    AllTypesMatch<["edge_padding_low", "edge_padding_high", "interior_padding"]>,
    AllRanksMatch<["operand", "result"]>]> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Scalar:$padding_value,
    StableHLO_StaticDimensionVector:$edge_padding_low,
    StableHLO_StaticDimensionVector:$edge_padding_high,
    StableHLO_StaticDimensionVector:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_SliceOp : StableHLO_Op<"slice", [Pure, SameOperandsAndResultElementType]> {
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
                       DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicSliceOp
    : StableHLO_Op<"dynamic_slice", [Pure, AllElementTypesMatch<["operand", "result"]>]> {
  let arguments = (ins StableHLO_Tensor:$operand,
    Variadic<StableHLO_IntScalar>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices)
      `sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicUpdateSliceOp : StableHLO_Op<"dynamic_update_slice", [Pure,
    AllElementTypesMatch<["operand", "update", "result"]>]> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$update,
                       Variadic<StableHLO_IntScalar>:$start_indices);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_RealDynamicSliceOp : StableHLO_Op<"real_dynamic_slice", [NoMemoryEffect,
    AllElementTypesMatch<["operand", "result"]>,
    AllTypesMatch<["start_indices", "limit_indices", "strides"]>]> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_DimensionVector:$start_indices,
    StableHLO_DimensionVector:$limit_indices, StableHLO_DimensionVector:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_GatherOp
    : StableHLO_Op<"gather", [Pure, AllElementTypesMatch<["operand", "result"]>]> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$start_indices,
    StableHLO_GatherDimensionNumbersAttr:$dimension_numbers, DenseI64ArrayAttr:$slice_sizes,
    StableHLO_FalseByDefaultAttr:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_DynamicGatherOp
    : StableHLO_Op<"dynamic_gather", [NoMemoryEffect,
                                      AllElementTypesMatch<["operand", "result"]>]> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$start_indices,
    StableHLO_StaticIntVector:$slice_sizes,
    StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
    StableHLO_FalseByDefaultAttr:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

def StableHLO_ScatterOp : StableHLO_Op<"scatter", [RecursiveMemoryEffects,
    SameVariadicOperandSize, StableHLO_ReturnTerminator]> {  // scatter_c5
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs,
    RankedTensorOf<[AnyInteger, Index]>:$scatter_indices,
    Variadic<StableHLO_Tensor>:$updates,
    StableHLO_ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
    StableHLO_FalseByDefaultAttr:$indices_are_sorted,
    StableHLO_FalseByDefaultAttr:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_TorchIndexSelectOp : StableHLO_Op<"torch_index_select", [Pure]> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$index, I64Attr:$dim,
                       I64Attr:$batch_dims);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}

#endif  // TENON_DIALECTS_STABLEHLO_INDEXING_OPS_TD
