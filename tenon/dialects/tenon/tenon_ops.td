// The `tenon` dialect: the form of a program after fusion, at two levels. A program has buffers
// (memrefs), control flow and kernel launches. A kernel is an iteration space over views; its body
// computes one point. Its values are rank-0 tensors, so both levels use StableHLO's elementwise ops.
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

// The value of one point: a rank-0 tensor.
def Tenon_Scalar : Type<And<[
    CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 0">]>,
    "rank-0 tensor", "::mlir::RankedTensorType">;
def Tenon_ViewOrScalar : AnyTypeOf<[AnyStaticShapeMemRef, Tenon_Scalar]>;

//===-- Tensor level: the output of fusion ----------------------------------------------===//

// The kind of op that determines a kernel's loops. The kinds from `scatter` on update their
// results in place: the first operands hold the old values of result 0, 1, ...
def Tenon_FusionKind : I32EnumAttr<"FusionKind", "kind of fusion", [
  I32EnumAttrCase<"kLoop", 0, "loop">,
  I32EnumAttrCase<"kInterchangedLoop", 1, "interchanged_loop">,
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
    The region's arguments are the operands. Its `tenon.yield` returns the results. `kind` names the
    op that determines the kernel's loops (`loop` if there is none).
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
    Reads one triangle of `a`; the other triangle of `factor` is zero. `status` has an s32 per
    matrix: 0, or the number, from 1, of the first pivot that is not positive. Elements that depend
    on it are NaN.
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
    `factors` has u on and above the diagonal and l below it, without the unit diagonal. As in
    LAPACK's getrf, row i was swapped with row `pivots`[i] >= i, in order of i, both counted from 1.
  }];
  let arguments = (ins AnyStaticShapeTensor:$a);
  let results = (outs AnyStaticShapeTensor:$factors, AnyStaticShapeTensor:$pivots);
  let assemblyFormat = "$a attr-dict `:` type($a) `->` type($factors) `,` type($pivots)";
}

def Tenon_LuPanelOp : Tenon_Op<"lu_panel", [Pure]> {
  let summary = "tenon.lu of panels, which also has the order of the rows; on devices only";
  let description = [{
    Row i of the factors was row `rows`[i] of `a`, counted from 0. A row of NaNs stays where it is.
  }];
  let arguments = (ins AnyStaticShapeTensor:$a);
  let results = (outs AnyStaticShapeTensor:$factors, AnyStaticShapeTensor:$pivots,
                      AnyStaticShapeTensor:$rows);
  let assemblyFormat = [{
    $a attr-dict `:` type($a) `->` type($factors) `,` type($pivots) `,` type($rows)
  }];
}

//===-- Program level -------------------------------------------------------------------===//

include "tenon/dialects/tenon/program_ops.td"

//===-- Kernel level --------------------------------------------------------------------===//

def Tenon_KernelOp : Tenon_Op<"kernel",
    [IsolatedFromAbove, SingleBlock, NoTerminator, Symbol]> {
  let summary = "a kernel: phases that run in sequence, each split into parallel chunks";
  let description = "Block arguments: views and scalars, inputs first, then outputs, then scratch.";
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name $body attr-dict";
}

def Tenon_ParallelOp : Tenon_Op<"parallel", [SingleBlock, NoTerminator]> {
  let summary = "a phase: every point of the index space, in chunks of `grain` points";
  let description = [{
    Points are numbered row-major. A chunk is `grain` consecutive points, so the chunks depend on
    the shape alone. Chunks may run concurrently and in any order.
  }];
  let arguments = (ins DenseI64ArrayAttr:$sizes, I64Attr:$grain);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sizes `grain` $grain $body attr-dict";
  let hasVerifier = 1;
}

def Tenon_MapOp : Tenon_Op<"map", [SingleBlock, NoTerminator]> {
  let summary = "a vectorized inner loop, whose iterations are independent";
  let arguments = (ins Index:$lower, Index:$upper);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$lower `to` $upper $body attr-dict";
  let hasVerifier = 1;
}

def Tenon_TileOp : Tenon_Op<"tile", [SingleBlock, NoTerminator]> {
  let summary = "a block of a two-dimensional index space, transposed in registers";
  let description = [{
    Block (`row`, `column`) of the index space `sizes`, which is divided into square blocks of
    `block` points a side (the last ones may be smaller). Points are independent. Lanes run along
    the second index. Loads that are contiguous along the first index load a square part of it and
    transpose that in registers. Both sizes are at least 16. No mask depends on the indices.
  }];
  let arguments = (ins DenseI64ArrayAttr:$sizes, I64Attr:$block, Index:$row, Index:$column);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sizes `block` $block `at` `(` $row `,` $column `)` $body attr-dict";
  let hasVerifier = 1;
}

def Tenon_IfOp : Tenon_Op<"if", [SingleBlock, NoTerminator]> {
  let summary = "runs its body if a condition holds that is the same for all lanes";
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$condition $body attr-dict";
}

def Tenon_LocalOp : Tenon_Op<"local"> {
  let summary = "a small, uninitialized view that is private to the chunk";
  let description = [{
    A chunk's view is on its stack. It keeps its contents between points, which run one at a time.
  }];
  let results = (outs AnyStaticShapeMemRef:$view);
  let assemblyFormat = "attr-dict `:` type($view)";
}

def Tenon_SubviewOp : Tenon_Op<"subview", [Pure]> {
  let summary = "the view that starts at an element of another view";
  let description = [{
    The result may have any shape, strides and element type. Only accessed elements, not the index,
    must lie inside the source.
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
    `body` maps indices to values. `combiner` maps (accumulators, values) to accumulators. The
    grouping of values depends on the sizes alone. Values are combined in the order of their
    indices, with `inits` first and exactly once, unless the form of the combiner proves that order
    does not matter (stablehlo::IsReorderable). With `position_operand` the combiner is a proved
    selection (stablehlo::PositionOperand) whose positions are that accumulator. Then its first
    arguments are those with the lower position, and `inits` may be combined any number of times.
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
  let summary = "an inclusive scan (prefix combination) over a range";
  let description = [{
    For i in [lower, upper), in order: the accumulators become combiner(accumulators, body(i)), and
    `store` receives (i, accumulators). The accumulators start as `inits`. The combiner is assumed
    to be associative. The grouping of values depends on the bounds alone.
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
  let summary = "an element of a view, or `other` without an access if `mask` is false";
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
  let summary = "sets an element of a view, unless `mask` is false";
  let arguments = (ins Tenon_Scalar:$value, AnyStaticShapeMemRef:$view,
                       Variadic<Index>:$indices, Optional<I1>:$mask);
  let assemblyFormat = [{
    $value `,` $view `[` $indices `]` (`if` $mask^)? attr-dict
        `:` type($value) `,` type($view)
  }];
  let hasVerifier = 1;
}

def Tenon_ToIndexOp : Tenon_Op<"to_index", [Pure]> {
  let summary = "an integer value as an index, extended by its signedness";
  let arguments = (ins Tenon_Scalar:$value);
  let results = (outs Index:$index);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tenon_FromIndexOp : Tenon_Op<"from_index", [Pure]> {
  let summary = "an index converted to an element type, as in iota";
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
  let summary = "joins the bits of narrow values to a wide one, or extracts part `part` of a wide one";
  let arguments = (ins Variadic<Tenon_Scalar>:$values, DefaultValuedAttr<I64Attr, "0">:$part);
  let results = (outs Tenon_Scalar:$value);
  let assemblyFormat = "$values attr-dict `:` functional-type($values, $value)";
}

//===-- Structured ops ------------------------------------------------------------------===//

def Tenon_ContractOp : Tenon_Op<"contract", [SingleBlock, NoTerminator]> {
  let summary = "batched matrix product; `epilogue` receives and stores each element";
  let description = [{
    lhs is [batch, m, k], rhs is [batch, k, n], both with any strides. The region's arguments are
    (batch, m, n, value of the accumulation type). The region stores the result. Directly in a
    kernel the op is one or more phases; inside a `tenon.parallel` it is part of a chunk. `packed`
    is a PackedOperand (executable/run_context.h) for one of the operands.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$lhs, AnyStaticShapeMemRef:$rhs,
                       AnyStaticShapeMemRef:$scratch, TypeAttr:$accumulate,
                       Optional<AnyStaticShapeMemRef>:$packed);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $lhs `,` $rhs `scratch` $scratch (`packed` $packed^ `:` type($packed))? `accumulate` $accumulate $epilogue attr-dict `:` type($lhs) `,` type($rhs) `,` type($scratch)
  }];
  let hasVerifier = 1;
}

def Tenon_ConvolutionOp : Tenon_Op<"convolution", [SingleBlock, NoTerminator]> {
  let summary = "convolution; `epilogue` receives and stores each element";
  let description = [{
    The views are permuted: input is [batch, spatial..., feature], kernel is [spatial..., input
    feature, output feature], and the index space of the result is [batch, spatial..., feature]. The
    region's arguments are these indices and the value.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$input, AnyStaticShapeMemRef:$kernel,
                       AnyStaticShapeMemRef:$scratch, DenseI64ArrayAttr:$output_sizes,
                       DenseI64ArrayAttr:$output_strides, DenseI64ArrayAttr:$window_strides,
                       DenseI64ArrayAttr:$padding_low, DenseI64ArrayAttr:$padding_high,
                       DenseI64ArrayAttr:$input_dilation, DenseI64ArrayAttr:$kernel_dilation,
                       DenseBoolArrayAttr:$reversal, I64Attr:$feature_groups,
                       I64Attr:$batch_groups, TypeAttr:$accumulate,
                       Optional<AnyStaticShapeMemRef>:$packed);
  let regions = (region SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    $input `,` $kernel `scratch` $scratch (`packed` $packed^ `:` type($packed))? `accumulate` $accumulate $epilogue attr-dict `:` type($input) `,` type($kernel) `,` type($scratch)
  }];
}

def Tenon_FftOp : Tenon_Op<"fft"> {
  let summary = "discrete Fourier transform over the last dimensions";
  let description = [{
    `lengths` are the transformed sizes. One side may be real; the last dimension of the other then
    has length / 2 + 1 elements. `inverse` also divides by the lengths. Sign and order: as
    stablehlo.fft.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$input, AnyStaticShapeMemRef:$output,
                       AnyStaticShapeMemRef:$scratch, DenseI64ArrayAttr:$lengths,
                       BoolAttr:$inverse);
  let assemblyFormat = [{
    $input `to` $output `scratch` $scratch `lengths` $lengths `inverse` $inverse attr-dict
        `:` type($input) `to` type($output) `,` type($scratch)
  }];
}

// What a tenon.linalg computes. The kinds from `qr` on are LAPACK's geqrf, orgqr, syevd (with
// and without vectors) and gesdd (with jobz 'S', 'A' and 'N').
def Tenon_LinalgKind : I32EnumAttr<"LinalgKind", "kind of linear algebra", [
  I32EnumAttrCase<"kCholesky", 0, "cholesky">,
  I32EnumAttrCase<"kLu", 1, "lu">,
  I32EnumAttrCase<"kTriangularSolve", 2, "triangular_solve">,
  I32EnumAttrCase<"kQr", 3, "qr">,
  I32EnumAttrCase<"kHouseholderProduct", 4, "householder_product">,
  I32EnumAttrCase<"kEigh", 5, "eigh">,
  I32EnumAttrCase<"kEigvalsh", 6, "eigvalsh">,
  I32EnumAttrCase<"kSvd", 7, "svd">,
  I32EnumAttrCase<"kSvdFull", 8, "svd_full">,
  I32EnumAttrCase<"kSvdvals", 9, "svdvals">,
  I32EnumAttrCase<"kLuPanel", 10, "lu_panel">]> {
  let cppNamespace = "::tenon::ir";
}

def Tenon_LinalgOp : Tenon_Op<"linalg", [AttrSizedOperandSegments]> {
  let summary = "a triangular solve or a factorization of a batch of matrices";
  let description = [{
    `kind`, inputs and outputs (matrices: views [batch, rows, columns]; vectors: [batch, count]):
      cholesky            a to its upper factor, status
      lu                  a to its factors, pivots
      lu_panel            a to its factors, pivots, rows; on devices only
      triangular_solve    a, b to x, where a x = b; the flags say which triangle of a is read,
                          whether its diagonal is implicitly ones, and whether to conjugate it
      qr, householder_product, eigh, eigvalsh, svd, svd_full, svdvals
                          LAPACK's geqrf, orgqr, syevd and gesdd, with operands and results in
                          LAPACK's order; `lower` says which triangle is read
  }];
  let arguments = (ins Tenon_LinalgKind:$kind, Variadic<AnyStaticShapeMemRef>:$inputs,
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
  let summary = "stable sort of several operands along the last dimension, by one comparator";
  let description = [{
    The region's arguments are (a0, b0, a1, b1, ...). It yields whether a comes before b. Operand k
    is `inputs`[`sources`[k]] or, if `sources`[k] is -1, the position of each element in its row. It
    is stored to `outputs`[`targets`[k]], unless `targets`[k] is -1; shorter rows get the first
    elements.
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
