// Programs: buffers, control flow, launches of kernels, calls and collectives. Included by
// tenon_ops.td, which defines the dialect.
#ifndef TENON_DIALECTS_TENON_PROGRAM_OPS_TD_
#define TENON_DIALECTS_TENON_PROGRAM_OPS_TD_

def Tenon_ProgramOp : Tenon_Op<"program",
    [IsolatedFromAbove, SingleBlock, NoTerminator, Symbol]> {
  let summary = "a compiled program: parameters and results as views, an arena for the rest";
  let description = [{
    Block arguments: parameters, then results. An aliased parameter is read only through its result.
    Shared segment k has `shared_bytes`[k] bytes, which the devices that meet at collective
    `shared_sites`[k] have in common.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$num_parameters,
                       I64Attr:$arena_bytes, DenseI64ArrayAttr:$result_aliases,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$shared_sites,
                       DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$shared_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `parameters` $num_parameters `arena` $arena_bytes `aliases` $result_aliases $body attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getNumResultBuffers() {
      return getBody().getNumArguments() - getNumParameters();
    }
  }];
}

def Tenon_ConstantDataOp : Tenon_Op<"constant_data", [Symbol]> {
  let summary = "bytes of the constant section";
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value, I64Attr:$offset);
  let assemblyFormat = "$sym_name `at` $offset `,` $value attr-dict";
}

def Tenon_ConstantViewOp : Tenon_Op<"constant_view", [Pure]> {
  let summary = "a view of constant data";
  let arguments = (ins FlatSymbolRefAttr:$data);
  let results = (outs AnyStaticShapeMemRef:$view);
  let assemblyFormat = "$data attr-dict `:` type($view)";
}

def Tenon_ArenaViewOp : Tenon_Op<"arena_view", [Pure]> {
  let summary = "a slot of the program's arena, or of a shared segment, by byte offset";
  let arguments = (ins I64Attr:$offset, OptionalAttr<I64Attr>:$segment);
  let results = (outs AnyStaticShapeMemRef:$view);
  let assemblyFormat = "$offset attr-dict `:` type($view)";
}

def Tenon_PackedViewOp : Tenon_Op<"packed_view", [Pure]> {
  let summary = "packed operand `number` of the program, by RunContext::packed_operands";
  let arguments = (ins I64Attr:$number);
  let results = (outs AnyStaticShapeMemRef:$view);
  let assemblyFormat = "$number attr-dict `:` type($view)";
}

def Tenon_CastViewOp : Tenon_Op<"cast_view", [Pure]> {
  let summary = "the same storage under another shape, layout or element type";
  let arguments = (ins AnyStaticShapeMemRef:$source);
  let results = (outs AnyStaticShapeMemRef:$view);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($view)";
}

def Tenon_LaunchOp : Tenon_Op<"launch"> {
  let summary = "runs a kernel to completion";
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Tenon_ViewOrScalar>:$arguments_);
  let assemblyFormat = "$kernel `(` $arguments_ `)` attr-dict `:` type($arguments_)";
}

def Tenon_CopyOp : Tenon_Op<"copy"> {
  let summary = "copies the bytes of one dense view to another of the same type";
  let arguments = (ins AnyStaticShapeMemRef:$source, AnyStaticShapeMemRef:$target);
  let assemblyFormat = "$source `to` $target attr-dict `:` type($source) `,` type($target)";
}

def Tenon_ReadOp : Tenon_Op<"read"> {
  let summary = "the value of a one-element view";
  let arguments = (ins AnyStaticShapeMemRef:$source);
  let results = (outs Tenon_Scalar:$value);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($value)";
}

def Tenon_WriteOp : Tenon_Op<"write"> {
  let summary = "sets a one-element view";
  let arguments = (ins Tenon_Scalar:$value, AnyStaticShapeMemRef:$target);
  let assemblyFormat = "$value `to` $target attr-dict `:` type($value) `,` type($target)";
}

def Tenon_WhileOp : Tenon_Op<"while", [SingleBlock]> {
  let summary = "a loop; scalars are carried as values, arrays in their buffers";
  let arguments = (ins Variadic<Tenon_Scalar>:$inits);
  let results = (outs Variadic<Tenon_Scalar>:$outputs);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` ($inits^ `:` type($inits))? `)` $condition `do` $body attr-dict (`->` type($outputs)^)?
  }];
  let hasVerifier = 1;
}

def Tenon_CaseOp : Tenon_Op<"case", [SingleBlock]> {
  let summary = "runs branch `index`, or the last branch if `index` is out of range";
  let arguments = (ins Tenon_Scalar:$index);
  let results = (outs Variadic<Tenon_Scalar>:$outputs);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let assemblyFormat = "$index $branches attr-dict `:` functional-type($index, $outputs)";
  let hasVerifier = 1;
}

def Tenon_FfiCallOp : Tenon_Op<"ffi_call", [AttrSizedOperandSegments]> {
  let summary = "calls an external handler through the XLA FFI";
  let arguments = (ins I64Attr:$site, Variadic<AnyStaticShapeMemRef>:$inputs,
                       Variadic<AnyStaticShapeMemRef>:$outputs);
  let assemblyFormat = [{
    $site `ins` `(` ($inputs^ `:` type($inputs))? `)`
          `outs` `(` ($outputs^ `:` type($outputs))? `)` attr-dict
  }];
}

def Tenon_CollectiveOp : Tenon_Op<"collective", [AttrSizedOperandSegments]> {
  let summary = "waits for copies of the program on other devices and exchanges data with them";
  let description = [{
    The run is suspended here, so no register is live across the op. Operand k of kernel `combiner`,
    if the collective reduces, is tile a (0), tile b (1) or the result (2), as
    `combiner_arguments`[k] says.
  }];
  let arguments = (ins I64Attr:$site, Variadic<AnyStaticShapeMemRef>:$inputs,
                       Variadic<AnyStaticShapeMemRef>:$outputs,
                       OptionalAttr<FlatSymbolRefAttr>:$combiner,
                       DenseI64ArrayAttr:$combiner_arguments);
  let assemblyFormat = [{
    $site `ins` `(` ($inputs^ `:` type($inputs))? `)`
          `outs` `(` ($outputs^ `:` type($outputs))? `)`
          (`combine` $combiner^)? `with` $combiner_arguments attr-dict
  }];
  let hasVerifier = 1;
}

def Tenon_DeviceIdOp : Tenon_Op<"run_id", [Pure]> {
  let summary = "the id of the replica or partition that runs";
  let arguments = (ins BoolAttr:$partition);
  let results = (outs Tenon_Scalar:$value);
  let assemblyFormat = "$partition attr-dict `:` type($value)";
}

#endif  // TENON_DIALECTS_TENON_PROGRAM_OPS_TD_
