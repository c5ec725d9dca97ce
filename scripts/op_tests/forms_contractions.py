"""Forms of products and convolutions; small integers, so that sums are exact."""
import numpy as np

from . import formulas
from .case import Case
from .samples import plain
from .values import Value


def ints(values):
    return "[" + ", ".join(str(v).lower() if isinstance(v, bool) else str(v)
                           for v in values) + "]"


def one_dot(name, x, y, contracting, batching=((), ()), result=None, extra=""):
    letters = "abcdefghijklmnop"
    left = list(letters[:x.array.ndim])
    right = list(letters[x.array.ndim:x.array.ndim + y.array.ndim])
    for pair in (contracting, batching):
        for i, j in zip(*pair):
            right[j] = left[i]
    batch = [left[i] for i in batching[0]]
    free = [c for i, c in enumerate(left) if i not in (*contracting[0], *batching[0])]
    free += [c for i, c in enumerate(right) if i not in (*contracting[1], *batching[1])]
    wide = np.complex128 if x.type.startswith("c") else np.float64
    product = np.einsum(f"{''.join(left)},{''.join(right)}->{''.join(batch + free)}",
                        x.array.astype(wide), y.array.astype(wide))
    batches = f"batching_dims = {ints(batching[0])} x {ints(batching[1])}, " if batching[0] else ""
    return Case(name, {"x": x, "y": y}, f"""
        %r = stablehlo.dot_general %x, %y, {batches}contracting_dims = {ints(contracting[0])} x {ints(contracting[1])}{extra}
          : ($x, $y) -> $r""", {"r": Value(result or x.type, product)})


def f32(*shape, seed=0):
    return plain("f32", shape, seed)


def dot_general():
    yield one_dot("matrices", f32(3, 4), f32(4, 5), ((1,), (0,)))
    yield one_dot("left_turned", f32(4, 3), f32(4, 5), ((0,), (0,)))
    yield one_dot("right_turned", f32(3, 4), f32(5, 4), ((1,), (1,)))
    yield one_dot("both_turned", f32(4, 3), f32(5, 4), ((0,), (1,)))
    yield one_dot("matrix_vector", f32(33, 65), f32(65), ((1,), (0,)))
    yield one_dot("vector_matrix", f32(65), f32(65, 33), ((0,), (0,)))
    yield one_dot("vectors", f32(100), f32(100, seed=1), ((0,), (0,)))
    yield one_dot("outer", f32(5), f32(7), ((), ()))
    yield one_dot("scalars", f32(), f32(), ((), ()))
    yield one_dot("batched", f32(6, 3, 4), f32(6, 4, 5), ((2,), (1,)), ((0,), (0,)))
    yield one_dot("two_batches", f32(2, 3, 4, 5), f32(3, 5, 2, 6), ((3,), (1,)), ((1, 0), (0, 2)))
    yield one_dot("batch_in_the_middle", f32(3, 6, 4), f32(4, 5, 6), ((2,), (0,)), ((1,), (2,)))
    yield one_dot("two_contracted", f32(3, 4, 5), f32(5, 4, 6), ((2, 1), (0, 1)))
    yield one_dot("only_batch", f32(4, 3), f32(4, 3, seed=1), ((), ()), ((0, 1), (0, 1)))
    yield one_dot("contract_nothing_batched", f32(2, 3), f32(2, 4), ((), ()), ((0,), (0,)))
    yield one_dot("zero_contracted", f32(3, 0), f32(0, 4), ((1,), (0,)))
    yield one_dot("zero_rows", f32(0, 4), f32(4, 3), ((1,), (0,)))
    for n in (1, 2, 7, 16, 33, 48):
        yield one_dot(f"square_{n}", f32(n, n), f32(n, n, seed=1), ((1,), (0,)))
    yield one_dot("tall", f32(130, 3), f32(3, 2), ((1,), (0,)))
    yield one_dot("wide", f32(2, 3), f32(3, 515), ((1,), (0,)))
    yield one_dot("rank_8", f32(2, 1, 2, 3, 1, 2, 2, 1), f32(1, 3, 2, 2, 2), ((3, 5), (1, 4)),
                  ((0, 2), (2, 3)))
    yield one_dot("rank_12", f32(1, 2, 1, 1, 2, 1, 3, 1, 1, 2, 1, 1), f32(3, 2, 1, 2),
                  ((6, 9), (0, 1)), ((1,), (3,)))
    for t, wider in (("i8", "i32"), ("ui8", "ui32"), ("bf16", "f32"), ("f16", "f32"),
                     ("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("i4", "i8"), ("f32", "f64")):
        yield one_dot(f"{t}_to_{wider}", plain(t, (9, 20)), plain(t, (20, 8), 1), ((1,), (0,)),
                      result=wider)
    yield one_dot("complex", plain("complex<f32>", (5, 6)), plain("complex<f32>", (6, 7), 1),
                  ((1,), (0,)))
    yield one_dot("precision", f32(3, 4), f32(4, 5), ((1,), (0,)),
                  extra=", precision = [HIGHEST, HIGH]")
    yield one_dot("algorithm_f32", f32(3, 4), f32(4, 5), ((1,), (0,)), extra=""",
          algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32,
            lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
            allow_imprecise_accumulation = false>""")


def dot():
    for name, x, y in (("matrices", f32(3, 4), f32(4, 5)), ("matrix_vector", f32(3, 4), f32(4)),
                       ("vector_matrix", f32(4), f32(4, 5)), ("vectors", f32(4), f32(4, seed=1)),
                       ("integers", plain("i32", (3, 4)), plain("i32", (4, 5)))):
        yield Case(name, {"x": x, "y": y}, "%r = stablehlo.dot %x, %y : ($x, $y) -> $r",
                   {"r": Value(x.type, x.array @ y.array)})


def einsum():
    for name, config, x, y in (("product", "ij,jk->ik", f32(3, 4), f32(4, 5)),
                               ("batched", "bij,bkj->bik", f32(2, 3, 4), f32(2, 5, 4)),
                               ("outer", "i,j->ij", f32(3), f32(4)),
                               ("turned_result", "ij,jk->ki", f32(3, 4), f32(4, 5))):
        yield Case(name, {"x": x, "y": y}, f'%r = "stablehlo.einsum"(%x, %y) '
                   f'{{einsum_config = "{config}"}} : ($x, $y) -> $r',
                   {"r": Value("f32", np.einsum(config, x.array, y.array))})


def unary_einsum():
    for name, config, x in (("transpose", "ijk->kij", f32(2, 3, 4)), ("sum", "ij->i", f32(3, 4)),
                            ("sum_of_all", "ij->", f32(3, 4))):
        yield Case(name, {"x": x}, f'%r = "stablehlo.unary_einsum"(%x) '
                   f'{{einsum_config = "{config}"}} : ($x) -> $r',
                   {"r": Value("f32", np.einsum(config, x.array))})


def one_convolution(name, x, w, layout="b01f_01io->b01f", strides=None, padding=None,
                    lhs_dilation=None, rhs_dilation=None, reversal=None, feature_groups=1,
                    batch_groups=1, result=None):
    count = x.array.ndim - 2
    strides, padding = strides or [1] * count, padding or [(0, 0)] * count
    wide = np.complex128 if x.type.startswith("c") else np.float64
    y = formulas.convolution(x.array.astype(wide), w.array.astype(wide), layout, strides, padding,
                             lhs_dilation, rhs_dilation, reversal, feature_groups, batch_groups)
    left, rest = layout.split("_")
    right, out = rest.split("->")
    numbers = f"[{', '.join(left)}]x[{', '.join(right)}]->[{', '.join(out)}]"
    window = [f"stride = {ints(strides)}", "pad = [" + ", ".join(ints(p) for p in padding) + "]"]
    for key, values in (("lhs_dilate", lhs_dilation), ("rhs_dilate", rhs_dilation),
                        ("reverse", reversal)):
        if values:
            window.append(f"{key} = {ints(values)}")
    if count == 0:
        window = []
    return Case(name, {"x": x, "w": w}, f"""
        %r = stablehlo.convolution(%x, %w) dim_numbers = {numbers},
          window = {{{', '.join(window)}}}
          {{batch_group_count = {batch_groups} : i64, feature_group_count = {feature_groups} : i64}}
          : ($x, $w) -> $r""", {"r": Value(result or x.type, y)})


def convolution():
    one = one_convolution
    yield one("specification_example", Value("i64", np.array([[1, 2, 5, 6], [3, 4, 7, 8],
                                                              [10, 11, 14, 15], [12, 13, 16, 17]])
                                             .reshape(1, 4, 4, 1)),
              Value("i64", np.ones((3, 3, 1, 1))), strides=[4, 4], padding=[(0, 0), (0, 0)],
              lhs_dilation=[2, 2])
    x, w = f32(2, 7, 8, 3), f32(3, 2, 3, 4)
    yield one("plain", x, w)
    yield one("same_padding", x, w, padding=[(1, 1), (0, 1)])
    yield one("negative_padding", x, w, padding=[(-1, 1), (2, -3)])
    yield one("strides", x, w, strides=[2, 3])
    yield one("rhs_dilation", x, w, rhs_dilation=[2, 3])
    yield one("lhs_dilation", x, w, lhs_dilation=[2, 3], padding=[(2, 2), (1, 1)])
    yield one("reversal", x, w, reversal=[True, False])
    yield one("everything", x, w, strides=[2, 1], padding=[(2, 1), (-1, 3)], lhs_dilation=[3, 2],
              rhs_dilation=[1, 2], reversal=[False, True])
    yield one("one_by_one", x, f32(1, 1, 3, 5))
    yield one("window_larger_than_base", x, f32(8, 2, 3, 4))
    yield one("whole", x, f32(7, 8, 3, 4))
    yield one("channels_first", f32(2, 3, 7, 8), f32(4, 3, 3, 2), "bf01_oi01->bf01")
    yield one("batch_last", f32(7, 8, 3, 2), f32(3, 3, 2, 4), "01fb_i01o->01bf")
    yield one("space_turned", f32(2, 8, 7, 3), w, "b10f_01io->b10f")
    yield one("result_turned", x, w, "b01f_01io->f1b0")
    yield one("feature_groups", f32(2, 7, 8, 6), f32(3, 2, 2, 9), feature_groups=3)
    yield one("depthwise", f32(2, 7, 8, 6), f32(3, 3, 1, 6), feature_groups=6, padding=[(1, 1), (1, 1)])
    yield one("depthwise_multiplier", f32(2, 7, 8, 3), f32(3, 3, 1, 6), feature_groups=3)
    yield one("feature_groups_channels_first", f32(1, 4, 6, 6), f32(8, 2, 3, 3), "bf01_oi01->bf01",
              feature_groups=2, strides=[2, 2])
    yield one("batch_groups", f32(6, 7, 8, 3), f32(3, 2, 3, 4), batch_groups=2)
    yield one("batch_groups_all", f32(4, 5, 5, 2), f32(3, 3, 2, 4), batch_groups=4)
    yield one("one_dimension", f32(2, 20, 3), f32(4, 3, 5), "b0f_0io->b0f", strides=[2])
    yield one("three_dimensions", f32(1, 4, 5, 6, 2), f32(2, 3, 2, 2, 3), "b012f_012io->b012f",
              padding=[(1, 0), (0, 1), (1, 1)])
    yield one("four_dimensions", f32(1, 2, 3, 4, 3, 2), f32(2, 2, 1, 2, 2, 3),
              "b0123f_0123io->b0123f")
    yield one("no_dimensions", f32(3, 4), f32(4, 5), "bf_io->bf")
    yield one("zero_batch", f32(0, 7, 8, 3), w)
    yield one("zero_features", f32(2, 7, 8, 0), f32(3, 2, 0, 4))
    yield one("many_features", f32(1, 5, 5, 20), f32(3, 3, 20, 17), padding=[(1, 1), (1, 1)])
    for t, wider in (("i8", "i32"), ("bf16", "f32"), ("f16", "f16"), ("f64", "f64"),
                     ("complex<f64>", "complex<f64>"), ("f8E4M3FN", "f32")):
        yield one(f"{t[:7].replace('<', '_')}_to_{wider[:7].replace('<', '_')}",
                  plain(t, (1, 6, 6, 2)), plain(t, (2, 2, 2, 3), 1), result=wider)


def dynamic_conv():
    case = one_convolution("known_padding", f32(2, 7, 8, 3), f32(3, 2, 3, 4),
                           padding=[(1, 1), (0, 2)])
    case.body = """
        %pads = stablehlo.constant dense<[[1, 1], [0, 2]]> : tensor<2x2xi32>
        %r = "stablehlo.dynamic_conv"(%x, %w, %pads) {
          dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
          batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : ($x, $w, tensor<2x2xi32>) -> $r"""
    yield case


def files():
    return {"convolution": convolution(), "dot": dot(), "dot_general": dot_general(),
            "dynamic_conv": dynamic_conv(), "einsum": einsum(),
            "unary_einsum": unary_einsum()}.items()
