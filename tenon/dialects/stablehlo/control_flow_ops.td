// Control flow, tuples, tokens and barriers.
#ifndef TENON_DIALECTS_STABLEHLO_CONTROL_FLOW_OPS_TD
#define TENON_DIALECTS_STABLEHLO_CONTROL_FLOW_OPS_TD

include "mlir/IR/OpAsmInterface.td"
include "tenon/dialects/stablehlo/stablehlo_base.td"

def StableHLO_ReturnOp : StableHLO_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<StableHLO_FlowValue>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def StableHLO_IfOp
    : StableHLO_Op<"if", [RecursiveMemoryEffects, StableHLO_ReturnTerminator]> {
  let arguments = (ins StableHLO_PredTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<StableHLO_QTensorOrToken>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_CaseOp
    : StableHLO_Op<"case", [RecursiveMemoryEffects, StableHLO_ReturnTerminator]> {
  let arguments = (ins StableHLO_I32Tensor:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<StableHLO_QTensorOrToken>:$results);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_WhileOp : StableHLO_Op<"while", [RecursiveMemoryEffects,
    StableHLO_ReturnTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<StableHLO_FlowValue>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_FlowValue>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def StableHLO_OptimizationBarrierOp
    : StableHLO_Op<"optimization_barrier", [Pure, StableHLO_PairwiseCompatibleTypes]> {
  let arguments = (ins Variadic<StableHLO_TensorOrToken>:$operand);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?
  }];
}

def StableHLO_TupleOp : StableHLO_Op<"tuple", [Pure]> {
  let arguments = (ins Variadic<StableHLO_TupleElement>:$val);
  let results = (outs StableHLO_Tuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
  let hasVerifier = 1;
}

def StableHLO_GetTupleElementOp : StableHLO_Op<"get_tuple_element", [Pure]> {
  let arguments = (ins StableHLO_Tuple:$operand,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs StableHLO_TupleElement:$result);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHLO_AfterAllOp : StableHLO_Op<"after_all", [Pure]> {
  let arguments = (ins Variadic<StableHLO_Token>:$inputs);
  let results = (outs StableHLO_Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:`
      custom<VariadicSameOperandsAndResultType>(ref($inputs), type($inputs), type($result))
  }];
}

def StableHLO_CreateTokenOp : StableHLO_Op<"create_token", [Pure]> {
  let results = (outs StableHLO_Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

#endif  // TENON_DIALECTS_STABLEHLO_CONTROL_FLOW_OPS_TD
