// The `tenon` dialect: what a program is after fusion. Two levels:
//   program  buffers (memrefs), control flow, kernel launches;
//   kernel   an iteration space over views; its body computes one point.
// Values of one point are rank-0 tensors, so StableHLO's elementwise ops serve in both.
#ifndef TENON_DIALECTS_TENON_TENON_OPS_TD_
#define TENON_DIALECTS_TENON_TENON_OPS_TD_

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tenon_Dialect : Dialect {
  let name = "tenon";
  let summary = "programs of buffers and launches, and kernels over views";
  let cppNamespace = "::tenon::ir";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasOperationAttrVerify = 1;
}

class Tenon_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tenon_Dialect, mnemonic, traits>;

// A value of one point: a rank-0 tensor.
def Tenon_Scalar : Type<And<[
    CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 0">]>,
    "rank-0 tensor", "::mlir::RankedTensorType">;
def Tenon_ViewOrScalar : AnyTypeOf<[AnyStaticShapeMemRef, Tenon_Scalar]>;

//===-- Tensor level: the result of fusion ----------------------------------------------===//

// What shapes a kernel's loops. The kinds from `scatter` on update result 0.. in place: the
// first operands hold the old values.
def Tenon_FusionKind : I32EnumAttr<"FusionKind", "kind of fusion", [
  I32EnumAttrCase<"kLoop", 0, "loop">,
  I32EnumAttrCase<"kRounds", 1, "rounds">,
  I32EnumAttrCase<"kContract", 2, "contract">,
  I32EnumAttrCase<"kAttention", 3, "attention">,
  I32EnumAttrCase<"kConvolution", 4, "convolution">,
  I32EnumAttrCase<"kFft", 5, "fft">,
  I32EnumAttrCase<"kSort", 6, "sort">,
  I32EnumAttrCase<"kLinalg", 7, "linalg">,
  I32EnumAttrCase<"kScan", 8, "scan">,
  I32EnumAttrCase<"kConcatenate", 9, "concatenate">,
  I32EnumAttrCase<"kScatter", 10, "scatter">,
  I32EnumAttrCase<"kUpdateSlice", 11, "update_slice">,
  I32EnumAttrCase<"kSelectAndScatter", 12, "select_and_scatter">]> {
  let cppNamespace = "::tenon::ir";
}

def Tenon_FusionOp : Tenon_Op<"fusion", [IsolatedFromAbove, SingleBlock]> {
  let summary = "ops that become one kernel";
  let description = [{
    The region's arguments are the operands, its `tenon.yield` gives the results. `kind` names
    the op that shapes the kernel's loops (`loop` where none does).
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Tenon_FusionKind:$kind);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind `(` $inputs `)` $body attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

def Tenon_YieldOp : Tenon_Op<"yield", [Terminator, Pure]> {
  let summary = "the values of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Tenon_CholeskyOp : Tenon_Op<"cholesky", [Pure]> {
  let summary = "Cholesky factors of the matrices in the last two dimensions";
  let description = [{
    Of `a` one triangle is read; the other one of `factor` is zeros. `status` has an s32 a
    matrix: 0, or the number, from 1, of the first pivot that is not positive. What depends on
    that pivot is NaN.
  }];
  let arguments = (ins AnyStaticShapeTensor:$a, BoolAttr:$lower);
  let results = (outs AnyStaticShapeTensor:$factor, AnyStaticShapeTensor:$status);
  let assemblyFormat = [{
    $a `lower` $lower attr-dict `:` type($a) `->` type($factor) `,` type($status)
  }];
}

def Tenon_LuOp : Tenon_Op<"lu", [Pure]> {
  let summary = "LU factors, with partial pivoting, of the matrices in the last two dimensions";
  let description = [{
    `factors` has u on and above the diagonal and l below, without its ones. Row i changed
    places with row `pivots`[i] >= i, both counted from 1, one after another.
  }];
  let arguments = (ins AnyStaticShapeTensor:$a);
  let results = (outs AnyStaticShapeTensor:$factors, AnyStaticShapeTensor:$pivots);
  let assemblyFormat = "$a attr-dict `:` type($a) `->` type($factors) `,` type($pivots)";
}

//===-- Program level -------------------------------------------------------------------===//

def Tenon_ProgramOp : Tenon_Op<"program",
    [IsolatedFromAbove, SingleBlock, NoTerminator, Symbol]> {
  let summary = "a compiled program: parameters and results as views, an arena for the rest";
  let description = [{
    Block arguments: the parameters, then the results. An aliased parameter is read through its
    result only.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$num_parameters,
                       I64Attr:$arena_bytes, DenseI64ArrayAttr:$result_aliases);
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
  let summary = "a slot of the program's arena, by byte offset";
  let arguments = (ins I64Attr:$offset);
  let results = (outs AnyStaticShapeMemRef:$view);
  let assemblyFormat = "$offset attr-dict `:` type($view)";
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
  let summary = "runs branch number `index`; the last one if there is none of that number";
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

def Tenon_DeviceIdOp : Tenon_Op<"run_id", [Pure]> {
  let summary = "the replica or partition that runs";
  let arguments = (ins BoolAttr:$partition);
  let results = (outs Tenon_Scalar:$value);
  let assemblyFormat = "$partition attr-dict `:` type($value)";
}

//===-- Kernel level --------------------------------------------------------------------===//

def Tenon_KernelOp : Tenon_Op<"kernel",
    [IsolatedFromAbove, SingleBlock, NoTerminator, Symbol]> {
  let summary = "a kernel: phases run one after another, each in parallel chunks";
  let description = [{
    Block arguments: views and scalars, inputs first, then outputs, then scratch.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name $body attr-dict
  }];
}

def Tenon_ParallelOp : Tenon_Op<"parallel", [SingleBlock, NoTerminator]> {
  let summary = "a phase: every point of the index space, `grain` points a chunk";
  let description = [{
    Points are numbered row-major. A chunk is `grain` consecutive points, so what runs together
    depends on the shape alone. Points of different chunks run in any order, at once.
  }];
  let arguments = (ins DenseI64ArrayAttr:$sizes, I64Attr:$grain);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sizes `grain` $grain $body attr-dict
  }];
  let hasVerifier = 1;
}

def Tenon_MapOp : Tenon_Op<"map", [SingleBlock, NoTerminator]> {
  let summary = "an inner loop whose iterations are independent: the vectorised one";
  let arguments = (ins Index:$lower, Index:$upper);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $lower `to` $upper $body attr-dict
  }];
  let hasVerifier = 1;
}

def Tenon_TileOp : Tenon_Op<"tile", [SingleBlock, NoTerminator]> {
  let summary = "a block of a two-dimensional index space, for loads across the lanes";
  let description = [{
    The independent points of block (`row`, `column`) of the index space `sizes`, cut into
    blocks of `block` points a side (the last ones may be smaller). Lanes run along the second
    index; loads that are contiguous along the first one are made a square at a time and
    transposed in registers. Both sizes are at least 16. Masks depend on no index of the tile.
  }];
  let arguments = (ins DenseI64ArrayAttr:$sizes, I64Attr:$block, Index:$row, Index:$column);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sizes `block` $block `at` `(` $row `,` $column `)` $body attr-dict
  }];
  let hasVerifier = 1;
}

def Tenon_IfOp : Tenon_Op<"if", [SingleBlock, NoTerminator]> {
  let summary = "what is done only if a condition holds, the same for all lanes";
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$condition $body attr-dict";
}

def Tenon_LocalOp : Tenon_Op<"local"> {
  let summary = "a small view of memory of the chunk's own, not initialised";
  let description = [{
    One piece of memory a chunk, on its stack: it keeps what it holds from one point of the
    phase to the next, and is used by one at a time.
  }];
  let results = (outs AnyStaticShapeMemRef:$view);
  let assemblyFormat = "attr-dict `:` type($view)";
}

def Tenon_SubviewOp : Tenon_Op<"subview", [Pure]> {
  let summary = "the view that starts at an element of another";
  let description = [{
    Of any shape, strides and element type. The index may lie outside of the source where the
    elements that are accessed lie inside.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Variadic<Index>:$indices);
  let results = (outs AnyStaticShapeMemRef:$view);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source) `to` type($view)";
  let hasVerifier = 1;
}

def Tenon_ForOp : Tenon_Op<"for", [SingleBlock]> {
  let summary = "a sequential loop with carried values";
  let arguments = (ins Index:$lower, Index:$upper, Variadic<Tenon_Scalar>:$inits);
  let results = (outs Variadic<Tenon_Scalar>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $lower `to` $upper `init` `(` ($inits^ `:` type($inits))? `)` $body attr-dict (`->` type($outputs)^)?
  }];
  let hasVerifier = 1;
}

def Tenon_ReduceOp : Tenon_Op<"reduce"> {
  let summary = "combines the values of all points of an index space";
  let description = [{
    `body` maps the indices to values, `combiner` maps (accumulators, values) to accumulators.
    Values are grouped by the sizes alone. The combiner gets them in the order of their indices,
    `inits` first and exactly once, unless its form proves that order does not matter
    (stablehlo::IsReorderable). With `position_operand` it is a proved selection
    (stablehlo::PositionOperand) by the positions that accumulator holds: it gets the side of
    the lower position first, and `inits` any number of times.
  }];
  let arguments = (ins DenseI64ArrayAttr:$sizes, Variadic<Tenon_Scalar>:$inits,
                       OptionalAttr<I64Attr>:$position_operand);
  let results = (outs Variadic<Tenon_Scalar>:$outputs);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $sizes `init` `(` $inits `:` type($inits) `)` $body `combine` $combiner attr-dict `->` type($outputs)
  }];
  let hasVerifier = 1;
}

def Tenon_ScanOp : Tenon_Op<"scan"> {
  let summary = "all the partial combinations of the values of a range, in order";
  let description = [{
    For i in [lower, upper), in order: the accumulators become combiner(accumulators, body(i)),
    and `store` gets (i, accumulators). Accumulators start as `inits`. The combiner is taken to
    be associative; how values are grouped depends on the bounds alone.
  }];
  let arguments = (ins Index:$lower, Index:$upper, Variadic<Tenon_Scalar>:$inits);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$combiner,
                        SizedRegion<1>:$store);
  let assemblyFormat = [{
    $lower `to` $upper `init` `(` $inits `:` type($inits) `)` $body `combine` $combiner `store` $store attr-dict
  }];
  let hasVerifier = 1;
}

def Tenon_LoadOp : Tenon_Op<"load", [AttrSizedOperandSegments]> {
  let summary = "an element of a view; where `mask` is false, `other` and no access";
  let arguments = (ins AnyStaticShapeMemRef:$view, Variadic<Index>:$indices,
                       Optional<I1>:$mask, Optional<Tenon_Scalar>:$other);
  let results = (outs Tenon_Scalar:$value);
  let assemblyFormat = [{
    $view `[` $indices `]` (`if` $mask^)? (`else` $other^ `:` type($other))? attr-dict
        `:` type($view) `->` type($value)
  }];
  let hasVerifier = 1;
}

def Tenon_StoreOp : Tenon_Op<"store", [AttrSizedOperandSegments]> {
  let summary = "sets an element of a view; nothing where `mask` is false";
  let arguments = (ins Tenon_Scalar:$value, AnyStaticShapeMemRef:$view,
                       Variadic<Index>:$indices, Optional<I1>:$mask);
  let assemblyFormat = [{
    $value `,` $view `[` $indices `]` (`if` $mask^)? attr-dict
        `:` type($value) `,` type($view)
  }];
  let hasVerifier = 1;
}

def Tenon_ToIndexOp : Tenon_Op<"to_index", [Pure]> {
  let summary = "an integer value as an index, by its signedness";
  let arguments = (ins Tenon_Scalar:$value);
  let results = (outs Index:$index);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tenon_FromIndexOp : Tenon_Op<"from_index", [Pure]> {
  let summary = "an index converted to an element type, as iota does";
  let arguments = (ins Index:$index);
  let results = (outs Tenon_Scalar:$value);
  let assemblyFormat = "$index attr-dict `:` type($value)";
}

def Tenon_ToPredOp : Tenon_Op<"to_pred", [Pure]> {
  let summary = "a bool value as an i1";
  let arguments = (ins Tenon_Scalar:$value);
  let results = (outs I1:$pred);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tenon_FromPredOp : Tenon_Op<"from_pred", [Pure]> {
  let summary = "an i1 as a bool value";
  let arguments = (ins I1:$pred);
  let results = (outs Tenon_Scalar:$value);
  let assemblyFormat = "$pred attr-dict `:` type($value)";
}

def Tenon_BitcastOp : Tenon_Op<"bitcast", [Pure]> {
  let summary = "part `part` of the bits of values: one wide from several narrow or back";
  let arguments = (ins Variadic<Tenon_Scalar>:$values, DefaultValuedAttr<I64Attr, "0">:$part);
  let results = (outs Tenon_Scalar:$value);
  let assemblyFormat = "$values attr-dict `:` functional-type($values, $value)";
}

//===-- Kernels with loops of their own -------------------------------------------------===//

def Tenon_ContractOp : Tenon_Op<"contract", [SingleBlock, NoTerminator]> {
  let summary = "batched matrix product; `epilogue` gets each element and stores it";
  let description = [{
    lhs is [batch, m, k], rhs [batch, k, n], both of any strides. The region's arguments are
    (batch, m, n, value of the accumulation type); it stores the result. In a kernel's body it
    is phases of their own, in a chunk a part of that.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$lhs, AnyStaticShapeMemRef:$rhs,
                       AnyStaticShapeMemRef:$scratch, TypeAttr:$accumulate);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $lhs `,` $rhs `scratch` $scratch `accumulate` $accumulate $epilogue attr-dict `:` type($lhs) `,` type($rhs) `,` type($scratch)
  }];
  let hasVerifier = 1;
}

def Tenon_ConvolutionOp : Tenon_Op<"convolution", [SingleBlock, NoTerminator]> {
  let summary = "convolution; `epilogue` gets each element and stores it";
  let description = [{
    Views are permuted so that input is [batch, spatial..., feature], kernel [spatial...,
    input feature, output feature] and the index space of the result [batch, spatial...,
    feature]; the region's arguments are those indices and the value.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$input, AnyStaticShapeMemRef:$kernel,
                       AnyStaticShapeMemRef:$scratch,
                       DenseI64ArrayAttr:$output_sizes, DenseI64ArrayAttr:$output_strides,
                       DenseI64ArrayAttr:$window_strides, DenseI64ArrayAttr:$padding_low,
                       DenseI64ArrayAttr:$padding_high, DenseI64ArrayAttr:$input_dilation,
                       DenseI64ArrayAttr:$kernel_dilation, DenseBoolArrayAttr:$reversal,
                       I64Attr:$feature_groups, I64Attr:$batch_groups,
                       TypeAttr:$accumulate);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $input `,` $kernel `scratch` $scratch `accumulate` $accumulate $epilogue attr-dict `:` type($input) `,` type($kernel) `,` type($scratch)
  }];
}

def Tenon_FftOp : Tenon_Op<"fft"> {
  let summary = "discrete Fourier transform of the last dimensions";
  let description = [{
    `lengths` are those of the dimensions transformed. One side may be real; the other then
    has length / 2 + 1 numbers in its last dimension. Backwards, divided by the lengths, if
    `inverse`. The sign and the places are those of stablehlo.fft.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$input, AnyStaticShapeMemRef:$output,
                       AnyStaticShapeMemRef:$scratch, DenseI64ArrayAttr:$lengths,
                       BoolAttr:$inverse);
  let assemblyFormat = [{
    $input `to` $output `scratch` $scratch `lengths` $lengths `inverse` $inverse attr-dict
        `:` type($input) `to` type($output) `,` type($scratch)
  }];
}

def Tenon_LinalgOp : Tenon_Op<"linalg", [AttrSizedOperandSegments]> {
  let summary = "a triangular solution or a factorisation, of a batch of matrices";
  let description = [{
    `kind`, inputs and outputs (views [batch, rows, columns]; numbers [batch, count] of s32):
      "cholesky"          a to its upper factor, status
      "lu"                a to its factors, pivots
      "triangular_solve"  a, b to x, where a x = b; the flags tell which triangle of a is
                          read, whether its diagonal is ones and its elements are conjugated
      "qr", "householder_product", "eigh", "eigvalsh", "svd", "svd_full", "svdvals"
                          as LAPACK's geqrf, orgqr, syevd and gesdd, operands and results in
                          their order; "lower" tells which triangle is read
  }];
  let arguments = (ins StrAttr:$kind, Variadic<AnyStaticShapeMemRef>:$inputs,
                       Variadic<AnyStaticShapeMemRef>:$outputs,
                       AnyStaticShapeMemRef:$scratch, BoolAttr:$lower,
                       BoolAttr:$unit_diagonal, BoolAttr:$conjugate);
  let assemblyFormat = [{
    $kind $inputs `to` $outputs `scratch` $scratch `lower` $lower `unit_diagonal`
        $unit_diagonal `conjugate` $conjugate attr-dict
        `:` `(` type($inputs) `)` `to` `(` type($outputs) `)` `,` type($scratch)
  }];
  let hasVerifier = 1;
}

def Tenon_SortOp : Tenon_Op<"sort", [SingleBlock, AttrSizedOperandSegments]> {
  let summary = "stable sort along the last dimension, several operands by one comparator";
  let description = [{
    The region's arguments are (a0, b0, a1, b1, ...); it yields whether a comes before b.
    Operand k is `inputs`[`sources`[k]], or (-1) each element's position in its row. Sorted
    it goes to `outputs`[`targets`[k]], or (-1) nowhere. Outputs whose rows are shorter get
    the first elements.
  }];
  let arguments = (ins Variadic<AnyStaticShapeMemRef>:$inputs,
                       Variadic<AnyStaticShapeMemRef>:$outputs,
                       AnyStaticShapeMemRef:$scratch,
                       DenseI64ArrayAttr:$sources, DenseI64ArrayAttr:$targets);
  let regions = (region SizedRegion<1>:$comparator);
  let assemblyFormat = [{
    $inputs `from` $sources `to` $outputs `from` $targets `scratch` $scratch $comparator attr-dict
        `:` `(` type($inputs) `)` `to` `(` type($outputs) `)` `,` type($scratch)
  }];
  let hasVerifier = 1;
}

#endif  // TENON_DIALECTS_TENON_TENON_OPS_TD_
