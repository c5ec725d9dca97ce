// The kernel op for attention. Not in tenon_ops.td, because few files use it.
#ifndef TENON_DIALECTS_TENON_ATTENTION_OP_TD_
#define TENON_DIALECTS_TENON_ATTENTION_OP_TD_

include "tenon/dialects/tenon/tenon_ops.td"

def Tenon_AttentionOp
    : Tenon_Op<"attention", [SingleBlock, NoTerminator, AttrSizedOperandSegments]> {
  let summary = "elements computed from products of matrices, multiplied with other matrices";
  let description = [{
    A phase of a kernel. Each `lhs` is [batch, m, d] and its `rhs` [batch, d, n], with any strides.
    `element` maps (batch, m, n, products...), all f32, to elements: one number for each (m, n).
    For each of the `factors`, [batch, n, c], element number `elements`, rounded to the type of the
    factor, is multiplied with it. A region of `results` stores the products, which are f32; its
    arguments are (batch, m, c, product). If `same_as` is not -1, the factor is the transpose of
    that `rhs`, in the same memory.

    The last elements are folded over n instead, as `folds` says: 0, their sum; 1, their maximum.
    `row` stores what is computed from these; its arguments are (batch, m, folds...).

    With `softmax` there is one element and no fold. The weights of a row, which are multiplied with
    the only factor, are exp(element - maximum) / sum of the exponentials, and `row` has the maximum
    and the sum. How weights are scaled while they are summed is not specified, nor whether they are
    rounded before the division or after it.

    Operands of products and factors have one type: a float of 16 bits, or f32, which is rounded to
    what the device's instructions take. In `element`, divisions may have an error of 2 ulp, and
    exponentials of x a relative error of 2^-22 (1 + |x|).
  }];
  let arguments = (ins Variadic<AnyStaticShapeMemRef>:$lhs, Variadic<AnyStaticShapeMemRef>:$rhs,
                       Variadic<AnyStaticShapeMemRef>:$factors, DenseI64ArrayAttr:$elements,
                       DenseI64ArrayAttr:$same_as, DenseI64ArrayAttr:$folds, UnitAttr:$softmax);
  let regions = (region SizedRegion<1>:$element, SizedRegion<1>:$row,
                        VariadicRegion<SizedRegion<1>>:$results);
  let assemblyFormat = [{
    `(` $lhs `)` `(` $rhs `)` `factors` `(` ($factors^ `:` type($factors))? `)` $elements
        `same_as` $same_as `folds` $folds (`softmax` $softmax^)? `element` $element `row` $row
        `results` $results attr-dict `:` type($lhs) `,` type($rhs)
  }];
}

#endif  // TENON_DIALECTS_TENON_ATTENTION_OP_TD_
