// Ops that create tensors or change their shape, independently of the elements.
#ifndef TENON_DIALECTS_STABLEHLO_SHAPE_OPS_TD
#define TENON_DIALECTS_STABLEHLO_SHAPE_OPS_TD

include "mlir/IR/OpAsmInterface.td"
include "tenon/dialects/stablehlo/stablehlo_base.td"

def StableHLO_ConstantOp : StableHLO_Op<"constant", [ConstantLike, Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_StaticQTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, value.getShapedType(), value);
  }]>];
  let hasVerifier = 1;
}

def StableHLO_IotaOp : StableHLO_Op<"iota", [Pure]> {
  let arguments = (ins StableHLO_NonNegativeI64Attr:$iota_dimension);  // iota_c1
  let results = (outs StableHLO_StaticNumericTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def StableHLO_DynamicIotaOp : StableHLO_Op<"dynamic_iota", [NoMemoryEffect]> {
  let arguments = (ins StableHLO_StaticDimensionVector:$output_shape,
                       StableHLO_NonNegativeI64Attr:$iota_dimension);  // dynamic_iota_c1
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_BroadcastOp : StableHLO_Op<"broadcast", [Pure, SameOperandsAndResultElementType]> {
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHLO_QTensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_BroadcastInDimOp
    : StableHLO_Op<"broadcast_in_dim", [Pure, StableHLO_CompatibleElementTypes]> {
  let arguments = (ins StableHLO_QTensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHLO_StaticOrBoundedQTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_DynamicBroadcastInDimOp
    : StableHLO_Op<"dynamic_broadcast_in_dim", [NoMemoryEffect]> {
  let arguments = (ins StableHLO_QTensor:$operand,
    StableHLO_StaticDimensionVector:$output_dimensions,
    DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs StableHLO_QTensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ReshapeOp
    : StableHLO_Op<"reshape", [Pure, StableHLO_CompatibleElementTypes]> {
  let arguments = (ins StableHLO_QTensor:$operand);
  let results = (outs StableHLO_StaticOrBoundedQTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_DynamicReshapeOp : StableHLO_Op<"dynamic_reshape", [NoMemoryEffect]> {
  let arguments = (ins StableHLO_QTensor:$operand,
                       StableHLO_StaticDimensionVector:$output_shape);
  let results = (outs StableHLO_QTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHLO_TransposeOp
    : StableHLO_Op<"transpose", [Pure, StableHLO_CompatibleElementTypes]> {
  let arguments = (ins StableHLO_QTensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs StableHLO_QTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_ReverseOp
    : StableHLO_Op<"reverse", [Pure, StableHLO_CompatibleTypes]> {  // reverse_c1
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions
      attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}

def StableHLO_GetDimensionSizeOp : StableHLO_Op<"get_dimension_size", [Pure]> {
  let arguments = (ins StableHLO_QTensor:$operand, StableHLO_NonNegativeI64Attr:$dimension);
  let results = (outs StableHLO_I32Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_SetDimensionSizeOp : StableHLO_Op<"set_dimension_size", [NoMemoryEffect]> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_I32Tensor:$size,
                       StableHLO_NonNegativeI64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif  // TENON_DIALECTS_STABLEHLO_SHAPE_OPS_TD
