// Custom calls, composites and random number ops.
#ifndef TENON_DIALECTS_STABLEHLO_CALL_OPS_TD
#define TENON_DIALECTS_STABLEHLO_CALL_OPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "tenon/dialects/stablehlo/stablehlo_base.td"

def StableHLO_CustomCallOp
    : StableHLO_Op<"custom_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Variadic<StableHLO_CustomCallValue>:$inputs,
    StrAttr:$call_target_name, StableHLO_FalseByDefaultAttr:$has_side_effect,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
    DefaultValuedOptionalAttr<StableHLO_CustomCallApiVersionAttr,
      "::tenon::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
    DefaultValuedOptionalAttr<StableHLO_FlatSymbolRefArrayAttr, "{}">:$called_computations,
    OptionalAttr<StableHLO_ArrayOfLayoutAttr>:$operand_layouts,
    OptionalAttr<StableHLO_ArrayOfLayoutAttr>:$result_layouts,
    DefaultValuedOptionalAttr<StableHLO_OutputOperandAliasArrayAttr,
                              "{}">:$output_operand_aliases,
    OptionalAttr<StableHLO_ArrayOfTilingAttr>:$result_tilings);
  let results = (outs Variadic<StableHLO_CustomCallValue>:$results);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)`
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_CompositeOp
    : StableHLO_Op<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins Variadic<StableHLO_CompositeValue>:$inputs, StrAttr:$name,
    DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
    FlatSymbolRefAttr:$decomposition, DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<StableHLO_CompositeValue>:$results);
  let assemblyFormat = [{
    $name operands (` ` `(` $composite_regions^ `)`)? attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// Not pure: it draws from the device's generator, so two equal calls give different results.
def StableHLO_RngOp : StableHLO_Op<"rng", [AllElementTypesMatch<["a", "b", "result"]>]> {
  let arguments = (ins StableHLO_PredIntOrFloatScalar:$a, StableHLO_PredIntOrFloatScalar:$b,
    StableHLO_StaticDimensionVector:$shape,
    StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs StableHLO_PredIntOrFloatTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator", [Pure]> {
  let arguments = (ins StableHLO_RngAlgorithmAttr:$rng_algorithm,
                       StableHLO_IntOrFloatTensor:$initial_state);
  let results = (outs StableHLO_IntOrFloatTensor:$output_state,
                      StableHLO_StaticIntOrFloatTensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm
      attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif  // TENON_DIALECTS_STABLEHLO_CALL_OPS_TD
