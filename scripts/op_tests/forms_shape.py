"""Forms of the operations that move elements."""
import numpy as np

from .case import Case
from .samples import plain
from .values import Value

I32 = "i32"
RANK_12 = (1, 2, 1, 1, 2, 1, 3, 1, 1, 2, 1, 1)


def count_up(*shape, t=I32):
    return Value(t, np.arange(int(np.prod(shape))).reshape(shape))


def scalar(number, t=I32):
    return Value(t, np.array(number))


def ints(values):
    return "[" + ", ".join(str(v) for v in values) + "]"


def broadcast_in_dim():
    def one(name, x, shape, dims):
        full = [1] * len(shape)
        for d, size in zip(dims, x.array.shape):
            full[d] = size
        order = np.argsort(dims)
        result = np.broadcast_to(x.array.transpose(order).reshape(full) if x.array.ndim else
                                 x.array, shape)
        return Case(name, {"x": x}, f"%r = stablehlo.broadcast_in_dim %x, dims = {ints(dims)} "
                    ": ($x) -> $r", {"r": Value(x.type, result)})
    yield one("scalar_to_rank_3", scalar(7), (2, 3, 4), ())
    yield one("scalar_to_scalar", scalar(7), (), ())
    yield one("row", count_up(4), (3, 4), (1,))
    yield one("column", count_up(3), (3, 4), (0,))
    yield one("size_1_expands", count_up(3, 1), (3, 5), (0, 1))
    yield one("dimensions_change_places", count_up(2, 3), (3, 4, 2), (2, 0))
    yield one("to_zero_extent", count_up(3), (0, 3), (1,))
    yield one("of_zero_extent", count_up(0), (2, 0), (1,))
    yield one("rank_12", count_up(2, 3), (1, 2, 1, 2, 1, 3, 1, 1, 2, 1, 1, 2), (1, 5))
    yield one("wide_row", count_up(70), (33, 70), (1,))


def broadcast():
    for name, x, sizes in (("to_rank_4", count_up(2, 3), (3, 2)), ("scalar", scalar(5), (3,)),
                           ("no_sizes", count_up(3), ()), ("zero_extent", count_up(3), (0, 2))):
        yield Case(name, {"x": x}, f'%r = "stablehlo.broadcast"(%x) {{broadcast_sizes = '
                   f"array<i64{': ' if sizes else ''}{', '.join(map(str, sizes))}>}} : ($x) -> $r",
                   {"r": Value(I32, np.broadcast_to(x.array, (*sizes, *x.array.shape)))})


def reshape():
    for name, shape, to in (("split", (12,), (3, 4)), ("merge", (3, 4), (12,)),
                            ("regroup", (4, 6), (2, 3, 4)), ("to_scalar", (1, 1), ()),
                            ("from_scalar", (), (1,)), ("zero_extent", (0, 3), (2, 0, 5)),
                            ("to_rank_12", (2, 6, 4), (1, 2, 1, 3, 2, 1, 1, 2, 1, 1, 2, 1)),
                            ("unit_dimensions", (1, 5, 1), (5,))):
        x = count_up(*shape)
        yield Case(name, {"x": x}, "%r = stablehlo.reshape %x : ($x) -> $r",
                   {"r": Value(I32, x.array.reshape(to))})


def transpose():
    for name, shape, dims in (("matrix", (3, 5), (1, 0)), ("wide", (67, 65), (1, 0)),
                              ("same", (3, 4), (0, 1)), ("batched", (2, 3, 4), (0, 2, 1)),
                              ("rotate", (2, 3, 4), (2, 0, 1)), ("scalar", (), ()),
                              ("zero_extent", (0, 3, 2), (2, 1, 0)), ("reverse_4", (2, 3, 4, 5),
                                                                      (3, 2, 1, 0)),
                              ("rank_12", (1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2),
                               (11, 0, 9, 2, 7, 4, 5, 6, 3, 8, 1, 10))):
        x = count_up(*shape)
        yield Case(name, {"x": x}, f"%r = stablehlo.transpose %x, dims = {ints(dims)} : ($x) -> $r",
                   {"r": Value(I32, x.array.transpose(dims))})


def reverse():
    for name, shape, dims in (("one", (7,), (0,)), ("inner", (3, 5), (1,)), ("outer", (3, 5), (0,)),
                              ("both", (3, 5), (0, 1)), ("none", (3, 5), ()),
                              ("long", (2, 1000), (1,)), ("zero_extent", (0, 3), (0, 1)),
                              ("rank_5", (2, 1, 3, 2, 2), (0, 2, 4)),
                              ("rank_12", RANK_12, (1, 4, 6, 11))):
        x = count_up(*shape)
        yield Case(name, {"x": x}, f"%r = stablehlo.reverse %x, dims = {ints(dims)} : $r",
                   {"r": Value(I32, np.flip(x.array, dims))})


def slices():
    for name, shape, bounds in (("contiguous", (10,), ((2, 7, 1),)),
                                ("strides", (10, 9), ((1, 10, 3), (0, 9, 4))),
                                ("nothing", (10,), ((4, 4, 1),)), ("all", (3, 4), ((0, 3, 1),
                                                                                  (0, 4, 1))),
                                ("of_zero_extent", (0, 3), ((0, 0, 1), (1, 3, 1))),
                                ("scalar", (), ()), ("one_column", (5, 6), ((0, 5, 1), (5, 6, 1))),
                                ("rank_6", (2, 3, 2, 3, 2, 3), ((0, 2, 1), (1, 3, 1), (1, 2, 1),
                                                                (0, 3, 2), (0, 2, 1), (2, 3, 1))),
                                ("rank_12", RANK_12, tuple((0, n, 1) if n < 3 else (0, n, 2)
                                                           for n in RANK_12))):
        x = count_up(*shape)
        text = ", ".join(f"{a}:{b}:{s}" for a, b, s in bounds)
        yield Case(name, {"x": x}, f"%r = stablehlo.slice %x [{text}] : ($x) -> $r",
                   {"r": Value(I32, x.array[tuple(slice(*b) for b in bounds)])})


def concatenate():
    for name, shapes, dim in (("outer", ((2, 3), (1, 3), (4, 3)), 0),
                              ("inner", ((2, 3), (2, 1), (2, 5)), 1), ("single", ((2, 3),), 0),
                              ("zero_extents", ((0, 3), (2, 3), (0, 3)), 0),
                              ("only_zero_extents", ((0,), (0,)), 0),
                              ("middle", ((2, 1, 3), (2, 2, 3)), 1),
                              ("nine_operands", ((1,), (2,), (3,)) * 3, 0),
                              ("rank_12", (RANK_12, RANK_12), 6)):
        inputs = {f"x{i}": Value(I32, np.arange(np.prod(s)).reshape(s) + 100 * i)
                  for i, s in enumerate(shapes)}
        names = ", ".join(f"%{n}" for n in inputs)
        types = ", ".join(f"${n}" for n in inputs)
        yield Case(name, inputs, f"%r = stablehlo.concatenate {names}, dim = {dim} : ({types}) -> $r",
                   {"r": Value(I32, np.concatenate([v.array for v in inputs.values()], dim))})


def pad():
    from .formulas import dilated
    for name, shape, low, high, interior in (
            ("edges", (2, 3), (1, 0), (0, 2), (0, 0)), ("interior", (3,), (0,), (0,), (2,)),
            ("cut", (6,), (-2,), (-1,), (0,)), ("cut_interior", (3, 4), (-1, 2), (1, -4), (1, 2)),
            ("to_nothing", (3,), (-3,), (0,), (0,)), ("from_nothing", (0, 2), (2, 0), (1, 0), (3, 0)),
            ("nothing", (3, 2), (0, 0), (0, 0), (0, 0)), ("scalar", (), (), (), ()),
            ("last_inner_only", (2, 1), (0, 0), (0, 3), (0, 5)),
            ("rank_12", RANK_12, (0, -1, 1) + (0,) * 9, (1,) + (0,) * 11,
             (0,) * 6 + (1,) + (0,) * 5)):
        x = count_up(*shape)
        result = dilated(x.array, [i + 1 for i in interior], list(zip(low, high)), -7)
        yield Case(name, {"x": x, "p": scalar(-7)}, f"""
            %r = stablehlo.pad %x, %p, low = {ints(low)}, high = {ints(high)}, interior = {ints(interior)}
              : ($x, $p) -> $r""", {"r": Value(I32, result)})


def iota():
    for name, shape, dim, t in (("vector", (5,), 0, I32), ("rows", (3, 4), 0, "f32"),
                                ("columns", (3, 4), 1, "f64"), ("middle", (2, 3, 4), 1, "ui8"),
                                ("wraps", (300,), 0, "i8"), ("zero_extent", (0, 2), 1, I32),
                                ("complex", (4,), 0, "complex<f32>"), ("rounds", (3000,), 0, "f16"),
                                ("rank_8", (1, 2, 1, 3, 1, 2, 1, 1), 3, "i64"),
                                ("rank_12", RANK_12, 6, I32)):
        at = np.arange(shape[dim]).reshape([-1 if d == dim else 1 for d in range(len(shape))])
        yield Case(name, {}, f"%r = stablehlo.iota dim = {dim} : $r",
                   {"r": Value(t, np.broadcast_to(at, shape))})


def dynamic_slice():
    for name, shape, starts, sizes in (
            ("inside", (5, 6), (1, 2), (2, 3)), ("clamped_high", (5, 6), (9, 5), (2, 3)),
            ("clamped_low", (5, 6), (-3, -1), (2, 3)), ("all", (3,), (2,), (3,)),
            ("nothing", (5,), (2,), (0,)), ("scalar", (), (), ()),
            ("one_element", (4, 4), (3, 3), (1, 1)),
            ("rank_12", RANK_12, (0, 1) + (0,) * 4 + (2,) + (0,) * 5,
             (1, 1) + (1,) * 4 + (2,) + (1,) * 5)):
        x = count_up(*shape)
        inputs = {"x": x} | {f"i{d}": scalar(s, "i64") for d, s in enumerate(starts)}
        at = [min(max(s, 0), n - k) for s, n, k in zip(starts, shape, sizes)]
        result = x.array[tuple(slice(a, a + k) for a, k in zip(at, sizes))]
        names, types = ", ".join(f"%{n}" for n in inputs), ", ".join(f"${n}" for n in inputs)
        yield Case(name, inputs, f"%r = stablehlo.dynamic_slice {names}, sizes = {ints(sizes)} "
                   f": ({types}) -> $r", {"r": Value(I32, result)})
    for t in ("ui8", "i8", "ui32", "ui64", "i16"):
        yield Case(f"index_{t}", {"x": count_up(10), "i": scalar(4, t)},
                   "%r = stablehlo.dynamic_slice %x, %i, sizes = [3] : ($x, $i) -> $r",
                   {"r": Value(I32, [4, 5, 6])})
    yield Case("large_unsigned_index", {"x": count_up(10), "i": scalar(2**32 - 1, "ui32")},
               "%r = stablehlo.dynamic_slice %x, %i, sizes = [3] : ($x, $i) -> $r",
               {"r": Value(I32, [7, 8, 9])})


def dynamic_update_slice():
    for name, shape, starts, sizes in (
            ("inside", (5, 6), (1, 2), (2, 3)), ("clamped_high", (5, 6), (9, 5), (2, 3)),
            ("clamped_low", (5, 6), (-3, -1), (2, 3)), ("all", (3,), (2,), (3,)),
            ("nothing", (5,), (2,), (0,)), ("scalar", (), (), ()),
            ("rank_12", RANK_12, (0, 1) + (0,) * 4 + (2,) + (0,) * 5,
             (1, 1) + (1,) * 4 + (2,) + (1,) * 5)):
        x, u = count_up(*shape), plain(I32, sizes, 3)
        inputs = {"x": x, "u": u} | {f"i{d}": scalar(s) for d, s in enumerate(starts)}
        at = [min(max(s, 0), n - k) for s, n, k in zip(starts, shape, sizes)]
        result = x.array.copy()
        result[tuple(slice(a, a + k) for a, k in zip(at, sizes))] = u.array
        names, types = ", ".join(f"%{n}" for n in inputs), ", ".join(f"${n}" for n in inputs)
        yield Case(name, inputs, f"%r = stablehlo.dynamic_update_slice {names} : ({types}) -> $r",
                   {"r": Value(I32, result)})


def known_shapes():
    """Dynamic operations whose sizes are constants."""
    x = count_up(2, 3)
    yield "dynamic_broadcast_in_dim", [Case("known_sizes", {"x": x}, """
        %shape = stablehlo.constant dense<[4, 2, 3]> : tensor<3xi32>
        %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %shape) {broadcast_dimensions = array<i64: 1, 2>,
          known_nonexpanding_dimensions = array<i64: 0, 1>} : ($x, tensor<3xi32>) -> $r""",
        {"r": Value(I32, np.broadcast_to(x.array, (4, 2, 3)))})]
    yield "dynamic_iota", [Case("known_sizes", {}, """
        %shape = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
        %r = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> $r""",
        {"r": Value("f32", np.broadcast_to(np.arange(4), (2, 4)))})]
    yield "dynamic_pad", [Case("known_sizes", {"x": count_up(3), "p": scalar(-1)}, """
        %low = stablehlo.constant dense<[-1]> : tensor<1xi64>
        %high = stablehlo.constant dense<[2]> : tensor<1xi64>
        %inside = stablehlo.constant dense<[1]> : tensor<1xi64>
        %r = stablehlo.dynamic_pad %x, %p, %low, %high, %inside
          : ($x, $p, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> $r""",
        {"r": Value(I32, [-1, 1, -1, 2, -1, -1])})]
    yield "dynamic_reshape", [Case("known_sizes", {"x": x}, """
        %shape = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
        %r = stablehlo.dynamic_reshape %x, %shape : ($x, tensor<2xi64>) -> $r""",
        {"r": Value(I32, x.array.reshape(3, 2))})]
    yield "real_dynamic_slice", [Case("known_sizes", {"x": count_up(4, 5)}, """
        %low = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
        %high = stablehlo.constant dense<[4, 5]> : tensor<2xi64>
        %step = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
        %r = stablehlo.real_dynamic_slice %x, %low, %high, %step
          : ($x, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> $r""",
        {"r": Value(I32, count_up(4, 5).array[1:4:2, 0:5:3])})]
    yield "get_dimension_size", [
        Case("inner", {"x": count_up(2, 5)},
             "%r = stablehlo.get_dimension_size %x, dim = 1 : ($x) -> $r", {"r": scalar(5)}),
        Case("zero_extent", {"x": count_up(0, 5)},
             "%r = stablehlo.get_dimension_size %x, dim = 0 : ($x) -> $r", {"r": scalar(0)})]


def bitcast_convert():
    yield Case("specification_example", {"x": Value("f64", np.array(
        [0x0123456789ABCDEF], np.uint64).view(np.float64)[0])},
        "%r = stablehlo.bitcast_convert %x : ($x) -> $r",
        {"r": Value("f16", np.array([0xCDEF, 0x89AB, 0x4567, 0x0123], np.uint16)
                    .view(np.float16))})
    yield Case("to_narrower_rows", {"x": Value("ui32", [[0x04030201, 0x08070605]])},
               "%r = stablehlo.bitcast_convert %x : ($x) -> $r",
               {"r": Value("ui8", np.arange(1, 9).reshape(1, 2, 4))})
    yield Case("to_wider", {"x": Value("ui8", np.arange(1, 9).reshape(2, 4))},
               "%r = stablehlo.bitcast_convert %x : ($x) -> $r",
               {"r": Value("ui32", [0x04030201, 0x08070605])})
    yield Case("half_bytes", {"x": Value("ui8", [0x21, 0xF3])},
               "%r = stablehlo.bitcast_convert %x : ($x) -> $r",
               {"r": Value("i4", [[1, 2], [3, -1]])})
    yield Case("nan_payload", {"x": Value("ui32", [0x7FC12345, 0xFF812345])}, """
        %f = stablehlo.bitcast_convert %x : ($x) -> tensor<2xf32>
        %r = stablehlo.bitcast_convert %f : (tensor<2xf32>) -> $r""",
        {"r": Value("ui32", [0x7FC12345, 0xFF812345])})
    # LLVM turns the test of the bits into a comparison of floats.
    x = np.array([1.0, -2.5, 3.0, np.inf, -0.0, 7.0, 0.5, -1e-3] * 8)
    y = np.array([1.0, 2.5, 2.0, np.inf, 0.0, -7.0, 0.5, 1e-3] * 8)
    for t in ("bf16", "f16"):
        yield Case(f"zeros_by_their_bits_{t}", {"x": Value(t, x), "y": Value(t, y)}, """
        %d = stablehlo.subtract %x, %y : $x
        %b = stablehlo.bitcast_convert %d : ($x) -> tensor<64xui16>
        %m = stablehlo.constant dense<32767> : tensor<64xui16>
        %z = stablehlo.constant dense<0> : tensor<64xui16>
        %s = stablehlo.and %b, %m : tensor<64xui16>
        %r = stablehlo.compare EQ, %s, %z : (tensor<64xui16>, tensor<64xui16>) -> $r""",
                   {"r": Value("i1", (x == y) & np.isfinite(x))})
    yield Case("zero_extent", {"x": Value("f32", np.zeros((0, 3)))},
               "%r = stablehlo.bitcast_convert %x : ($x) -> $r",
               {"r": Value("i16", np.zeros((0, 3, 2)))})


def files():
    yield from {"bitcast_convert": bitcast_convert(), "broadcast": broadcast(),
                "broadcast_in_dim": broadcast_in_dim(), "concatenate": concatenate(),
                "dynamic_slice": dynamic_slice(), "dynamic_update_slice": dynamic_update_slice(),
                "iota": iota(), "pad": pad(), "reshape": reshape(), "reverse": reverse(),
                "slice": slices(), "transpose": transpose()}.items()
    yield from known_shapes()
