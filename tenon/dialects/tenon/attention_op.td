// The kernel op for attention. Not in tenon_ops.td, because few files use it.
#ifndef TENON_DIALECTS_TENON_ATTENTION_OP_TD_
#define TENON_DIALECTS_TENON_ATTENTION_OP_TD_

include "tenon/dialects/tenon/tenon_ops.td"

def Tenon_AttentionOp : Tenon_Op<"attention", [SingleBlock, NoTerminator]> {
  let summary = "products of keys with queries, softmax of each row, and the product with values";
  let description = [{
    A phase of a kernel. `queries` is [batch, m, d], `keys` [batch, d, n] and `values`
    [batch, n, c], all with any strides. `score` maps (batch, m, n, sum over d) to a score; both
    are f32. The weights of a row are exp(score - maximum) / sum of the exponentials; the products
    of values and weights are sums in f32. How weights are scaled while they are summed is not
    specified, nor which of them are rounded to the type of `values`: before the division or after
    it. `result` stores the elements; its arguments are (batch, m, c, element). `row` stores values
    of rows; its arguments are (batch, m, maximum, sum). If it is empty, nothing does.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$queries, AnyStaticShapeMemRef:$keys,
                       AnyStaticShapeMemRef:$values);
  let regions = (region SizedRegion<1>:$score, SizedRegion<1>:$result, SizedRegion<1>:$row);
  let assemblyFormat = [{
    $queries `,` $keys `,` $values `score` $score `result` $result `row` $row attr-dict `:`
        type($queries) `,` type($keys) `,` type($values)
  }];
}

#endif  // TENON_DIALECTS_TENON_ATTENTION_OP_TD_
