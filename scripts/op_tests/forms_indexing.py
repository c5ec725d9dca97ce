"""Forms of gather, scatter, sort and torch_index_select."""

import numpy as np

from . import formulas
from .case import Case
from .samples import plain
from .values import Value

RANK_12 = (1, 2, 1, 1, 2, 1, 3, 1, 1, 2, 1, 1)


def attribute(**dims):
    return ", ".join(f"{k} = [{', '.join(map(str, v))}]" if not isinstance(v, int) else
                     f"{k} = {v}" for k, v in dims.items())


def one_gather(name, x, starts, sizes, offset_dims, collapsed=(), operand_batching=(),
               starts_batching=(), index_map=(0,), vector_dim=None, is_sorted=False):
    vector_dim = starts.array.ndim - 1 if vector_dim is None else vector_dim
    result = formulas.gather(x.array, starts.array, sizes, offset_dims, collapsed,
                             operand_batching, starts_batching, index_map, vector_dim)
    numbers = attribute(offset_dims=offset_dims, collapsed_slice_dims=collapsed,
                        operand_batching_dims=operand_batching,
                        start_indices_batching_dims=starts_batching, start_index_map=index_map,
                        index_vector_dim=vector_dim)
    return Case(name, {"x": x, "at": starts}, f"""
        %r = "stablehlo.gather"(%x, %at) {{
          dimension_numbers = #stablehlo.gather<{numbers}>,
          indices_are_sorted = {str(is_sorted).lower()},
          slice_sizes = array<i64: {', '.join(map(str, sizes))}>}} : ($x, $at) -> $r""",
                {"r": Value(x.type, result)})


def gather():
    x = Value("i32", np.arange(48).reshape(2, 3, 4, 2))
    at = Value("i64", np.array([[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]],
                                [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]]]))
    yield one_gather("specification_example", x, at, (1, 1, 2, 2), (3, 4), (1,), (0,), (1,),
                     (2, 1), 3)
    x = Value("f32", np.arange(20).reshape(4, 5))
    yield one_gather("rows", x, Value("i32", [[3], [0], [3]]), (1, 5), (1,), (0,))
    yield one_gather("columns", x, Value("i32", [[4], [1]]), (4, 1), (0,), (1,), index_map=(1,))
    yield one_gather("elements", x, Value("i32", [[3, 4], [0, 2]]), (1, 1), (), (0, 1),
                     index_map=(0, 1))
    yield one_gather("index_map_turned", x, Value("i32", [[4, 3], [2, 0]]), (1, 1), (), (0, 1),
                     index_map=(1, 0))
    yield one_gather("clamped", x, Value("i32", [[9], [-9], [2]]), (3, 2), (1, 2))
    yield one_gather("vector_first", x, Value("i32", [[1, 2, 3], [0, 4, 2]]), (1, 1), (), (0, 1),
                     index_map=(0, 1), vector_dim=0)
    yield one_gather("no_vector_dimension", x, Value("i32", [[1, 3], [0, 2]]), (1, 5), (2,), (0,),
                     vector_dim=2)
    yield one_gather("window_dimensions_around", x, Value("i32", [[1], [2]]), (2, 5), (0, 2))
    yield one_gather("no_starts", x, Value("i32", np.zeros((0, 1))), (1, 5), (1,), (0,))
    yield one_gather("empty_windows", x, Value("i32", [[1], [2]]), (1, 0), (1,), (0,))
    yield one_gather("single", x, Value("i32", [2]), (1, 5), (0,), (0,))
    yield one_gather("unsigned_starts", x, Value("ui8", [[3], [200]]), (1, 5), (1,), (0,))
    yield one_gather("sorted_starts", x, Value("i32", [[0], [1], [3]]), (1, 5), (1,), (0,),
                     is_sorted=True)
    deep = Value("i32", np.arange(24).reshape(RANK_12))
    yield one_gather("rank_12", deep, Value("i32", [[2, 1], [0, 0], [5, 1]]),
                     tuple(1 if d in (6, 1) else n for d, n in enumerate(RANK_12)),
                     tuple(range(1, 11)), (1, 6), index_map=(6, 1))
    y = Value("i32", np.arange(60).reshape(3, 5, 4))
    yield one_gather("batched", y, Value("i32", [[[1], [4]], [[0], [2]], [[3], [3]]]), (1, 1, 4),
                     (2,), (1,), (0,), (0,), (1,), 2)


def region(t, count, body):
    """A computation of `count` current values %a.. and as many update values %b.. ."""
    arguments = ", ".join([f"%a{i}: tensor<{t}>" for i in range(count)] +
                          [f"%b{i}: tensor<{t}>" for i in range(count)])
    return f"({{\n  ^bb0({arguments}):\n{body}\n  }})"


UPDATES = {  # name: (function of (current, update), its body; $t is the type)
    "add": (lambda a, b: a + b, "%s = stablehlo.add %a0, %b0 : tensor<T>"),
    "replace": (lambda a, b: b, "%s = stablehlo.maximum %b0, %b0 : tensor<T>"),
    "multiply": (lambda a, b: a * b, "%s = stablehlo.multiply %a0, %b0 : tensor<T>"),
    "minimum": (min, "%s = stablehlo.minimum %a0, %b0 : tensor<T>"),
    "in_order": (lambda a, b: 2 * a + b,  # shows the order of duplicates
                 "%d = stablehlo.add %a0, %a0 : tensor<T>\n"
                 "%s = stablehlo.add %d, %b0 : tensor<T>"),
}


def one_scatter(name, x, at, u, kind, update_window_dims=(), inserted=(), input_batching=(),
                at_batching=(), dims_map=(0,), vector_dim=None, flags=""):
    vector_dim = at.array.ndim - 1 if vector_dim is None else vector_dim
    function, body = UPDATES[kind]
    result, = formulas.scatter([x.array], at.array, [u.array],
                               lambda a, b: [function(a[0], b[0])], update_window_dims, inserted,
                               input_batching, at_batching, dims_map, vector_dim)
    numbers = attribute(update_window_dims=update_window_dims, inserted_window_dims=inserted,
                        input_batching_dims=input_batching,
                        scatter_indices_batching_dims=at_batching,
                        scatter_dims_to_operand_dims=dims_map, index_vector_dim=vector_dim)
    body = body.replace("T", x.type) + f"\nstablehlo.return %s : tensor<{x.type}>"
    return Case(name, {"x": x, "at": at, "u": u}, f"""
        %r = "stablehlo.scatter"(%x, %at, %u) {region(x.type, 1, body)} {{
          scatter_dimension_numbers = #stablehlo.scatter<{numbers}>{flags}}}
          : ($x, $at, $u) -> $r""", {"r": Value(x.type, result)})


def scatter():
    x = Value("i64", np.arange(48).reshape(2, 3, 4, 2))
    at = Value("i64", np.array([[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]],
                                [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]]]))
    yield one_scatter("specification_example", x, at, Value("i64", np.ones((2, 2, 3, 2, 2))),
                      "add", (3, 4), (1,), (0,), (1,), (2, 1), 3)
    x = Value("i32", np.arange(5))
    at = Value("i32", [[3], [0], [3], [9], [-1], [3]])
    u = Value("i32", [10, 20, 30, 40, 50, 60])
    for kind in UPDATES:
        yield one_scatter(f"duplicates_{kind}", x, at, u, kind, inserted=(0,))
    y = Value("f32", np.arange(20).reshape(4, 5))
    yield one_scatter("rows", y, Value("i32", [[3], [1]]), Value("f32", np.ones((2, 5))), "add",
                      (1,), (0,))
    yield one_scatter("columns", y, Value("i32", [[3], [1]]), Value("f32", np.ones((2, 4))), "add",
                      (1,), (1,), dims_map=(1,))
    yield one_scatter("windows", y, Value("i32", [[0, 1], [2, 3], [3, 3]]),
                      plain("f32", (3, 2, 2)), "add", (1, 2), dims_map=(0, 1))
    yield one_scatter("windows_partly_outside", y, Value("i32", [[-1, 0], [3, 4]]),
                      plain("f32", (2, 2, 2)), "replace", (1, 2), dims_map=(0, 1))
    yield one_scatter("elements_turned", y, Value("i32", [[4, 3], [2, 0]]),
                      Value("f32", [7, 8]), "replace", (), (0, 1), dims_map=(1, 0))
    yield one_scatter("vector_first", y, Value("i32", [[1, 2, 3], [0, 4, 2]]),
                      Value("f32", [7, 8, 9]), "add", (), (0, 1), dims_map=(0, 1), vector_dim=0)
    yield one_scatter("no_updates", y, Value("i32", np.zeros((0, 1))),
                      Value("f32", np.zeros((0, 5))), "add", (1,), (0,))
    yield one_scatter("single", y, Value("i32", [2]), Value("f32", np.ones(5)), "add", (0,), (0,))
    yield one_scatter("sorted_unique", y, Value("i32", [[0], [2], [3]]),
                      Value("f32", np.ones((3, 5))), "add", (1,), (0,),
                      flags=", indices_are_sorted = true, unique_indices = true")
    deep = Value("i32", np.arange(24).reshape(RANK_12))
    window = [n for d, n in enumerate(RANK_12) if d not in (1, 6)]
    yield one_scatter("rank_12", deep, Value("i32", [[2, 1], [0, 0], [2, 1]]),
                      plain("i32", (3, *window)), "in_order", tuple(range(1, 11)), (1, 6),
                      dims_map=(6, 1))
    z = Value("i32", np.arange(24).reshape(3, 4, 2))
    yield one_scatter("batched", z, Value("i32", [[[1], [1]], [[0], [3]], [[9], [2]]]),
                      plain("i32", (3, 2, 2)), "in_order", (2,), (1,), (0,), (0,), (1,), 2)
    yield variadic_scatter()


def variadic_scatter():
    x, y = Value("i32", np.arange(4)), Value("i32", np.arange(4) * 10)
    at = Value("i32", [[1], [3], [1], [7]])
    u, v = Value("i32", [5, 6, 7, 8]), Value("i32", [1, 2, 3, 4])
    results = formulas.scatter(
        [x.array, y.array], at.array, [u.array, v.array],
        lambda a, b: [a[0] + b[1], a[1] * b[0]], (), (0,), (), (), (0,), 1)
    body = """%s = stablehlo.add %a0, %b1 : tensor<i32>
        %t = stablehlo.multiply %a1, %b0 : tensor<i32>
        stablehlo.return %s, %t : tensor<i32>, tensor<i32>"""
    return Case("two_operands", {"x": x, "y": y, "at": at, "u": u, "v": v}, f"""
        %r:2 = "stablehlo.scatter"(%x, %y, %at, %u, %v) {region('i32', 2, body)} {{
          scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
            scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}
          : ($x, $y, $at, $u, $v) -> ($x, $y)
        %q = stablehlo.add %r#0, %r#0 : $x
        %s = stablehlo.add %r#1, %r#1 : $x""",
        {"q": Value("i32", 2 * results[0]), "s": Value("i32", 2 * results[1])})


def comparator(t, direction, extra=""):
    return f"""({{
          ^bb0(%a: tensor<{t}>, %b: tensor<{t}>):
            %s = stablehlo.compare {direction}, %a, %b{extra} : (tensor<{t}>, tensor<{t}>) -> tensor<i1>
            stablehlo.return %s : tensor<i1>
        }})"""


def one_sort(name, x, dim, direction="LT", extra="", result=None):
    if result is None:
        result = np.sort(x.array, dim)
        result = np.flip(result, dim) if direction == "GT" else result
    return Case(name, {"x": x}, f"""
        %r = "stablehlo.sort"(%x) {comparator(x.type, direction, extra)}
          {{dimension = {dim} : i64, is_stable = true}} : ($x) -> $r""",
                {"r": Value(x.type, result)})


def sort():
    random = np.random.default_rng(5)
    for size in (0, 1, 2, 3, 17, 64, 1000):
        x = Value("i32", random.integers(-50, 50, size))
        yield one_sort(f"vector_{size}", x, 0)
    x = Value("f32", random.integers(-9, 9, (4, 5, 6)))
    for dim in range(3):
        yield one_sort(f"dimension_{dim}", x, dim)
    yield one_sort("descending", x, 1, "GT")
    deep = Value("i32", random.integers(-9, 9, RANK_12))
    yield one_sort("rank_12", deep, 6)
    values = np.array([np.nan, 1, -np.inf, -0.0, 0.0, -1, np.inf, -np.nan], np.float32)
    order = np.array([-np.nan, -np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)
    yield Case("total_order", {"x": Value("f32", values)}, f"""
        %y = "stablehlo.sort"(%x) {comparator('f32', 'LT', ', TOTALORDER')}
          {{dimension = 0 : i64, is_stable = true}} : ($x) -> $x
        %r = stablehlo.bitcast_convert %y : ($x) -> $r""",
        {"r": Value("ui32", np.array(order, np.float32).view(np.uint32))})
    yield payloads(random)
    yield two_keys(random)
    yield no_strict_order(random)
    yield Case("constant_comparator", {"x": Value("i32", np.arange(100)[::-1])}, """
        %y = "stablehlo.sort"(%x) ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            %s = stablehlo.constant dense<false> : tensor<i1>
            stablehlo.return %s : tensor<i1>
        }) {dimension = 0 : i64, is_stable = true} : ($x) -> $x
        %r = stablehlo.add %y, %y : $x""", {"r": Value("i32", 2 * np.arange(100)[::-1])})
    yield Case("negative_dimension", {"x": Value("i32", [[3, 1], [2, 9]])}, f"""
        %r = "stablehlo.sort"(%x) {comparator('i32', 'LT')} {{dimension = -1 : i64}} : ($x) -> $r""",
        {"r": Value("i32", [[1, 3], [2, 9]])})


def payloads(random):
    """Equal keys keep their order, and so do their payloads."""
    keys = random.integers(0, 5, (3, 40))
    order = np.argsort(keys, 1, kind="stable")
    at = np.broadcast_to(np.arange(40), keys.shape)
    return Case("payloads", {"x": Value("i8", keys), "y": Value("i32", at),
                             "z": Value("f64", at / 4)}, """
        %r:3 = "stablehlo.sort"(%x, %y, %z) ({
          ^bb0(%a: tensor<i8>, %b: tensor<i8>, %c: tensor<i32>, %d: tensor<i32>,
               %e: tensor<f64>, %f: tensor<f64>):
            %s = stablehlo.compare LT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
            stablehlo.return %s : tensor<i1>
        }) {dimension = 1 : i64, is_stable = true} : ($x, $y, $z) -> ($x, $y, $z)
        %p = stablehlo.abs %r#0 : $x
        %q = stablehlo.abs %r#1 : $y
        %s = stablehlo.abs %r#2 : $z""",
        {"p": Value("i8", np.take_along_axis(keys, order, 1)), "q": Value("i32", order),
         "s": Value("f64", order / 4)})


def two_keys(random):
    first, second = random.integers(0, 4, 50), random.integers(-9, 9, 50)
    order = np.lexsort((-second, first))
    return Case("two_keys", {"x": Value("i32", first), "y": Value("i32", second)}, """
        %r:2 = "stablehlo.sort"(%x, %y) ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
            %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
            %same = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
            %more = stablehlo.compare GT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
            %tie = stablehlo.and %same, %more : tensor<i1>
            %s = stablehlo.or %less, %tie : tensor<i1>
            stablehlo.return %s : tensor<i1>
        }) {dimension = 0 : i64} : ($x, $y) -> ($x, $y)
        %p = stablehlo.negate %r#0 : $x
        %q = stablehlo.negate %r#1 : $y""",
        {"p": Value("i32", -first[order]), "q": Value("i32", -second[order])})


def no_strict_order(random):
    """LE and `always` are no strict weak orders: any order is correct, but every element must occur
    once, which sums of powers show."""
    x = random.integers(-9, 9, 500)
    sums = [np.sum(x.astype(np.int64)**k) for k in (1, 2, 3)]
    reduced = "stablehlo.reduce({} init: %zero) applies stablehlo.add across dimensions = [0] : " \
              "($x, tensor<i64>) -> tensor<i64>"
    checks = []
    for tag, body in (("le", "%s = stablehlo.compare LE, %a, %b : (tensor<i64>, tensor<i64>) -> "
                             "tensor<i1>"),
                      ("always", "%s = stablehlo.constant dense<true> : tensor<i1>")):
        checks.append(f"""
        %y_{tag} = "stablehlo.sort"(%x) ({{
          ^bb0(%a: tensor<i64>, %b: tensor<i64>):
            {body}
            stablehlo.return %s : tensor<i1>
        }}) {{dimension = 0 : i64}} : ($x) -> $x
        %y2_{tag} = stablehlo.multiply %y_{tag}, %y_{tag} : $x
        %y3_{tag} = stablehlo.multiply %y2_{tag}, %y_{tag} : $x
        %s1_{tag} = {reduced.format('%y_' + tag)}
        %s2_{tag} = {reduced.format('%y2_' + tag)}
        %s3_{tag} = {reduced.format('%y3_' + tag)}""")
    return Case("no_strict_weak_order", {"x": Value("i64", x)},
                "        %zero = stablehlo.constant dense<0> : tensor<i64>" + "".join(checks),
                {f"s{k}_{tag}": Value("i64", sums[k - 1]) for tag in ("le", "always")
                 for k in (1, 2, 3)})


def torch_index_select():
    x = Value("f32", np.arange(24).reshape(2, 3, 4))
    for name, dim, batch, at, result in (
            ("outer", 0, 0, [1, 0, 1], x.array[[1, 0, 1]]),
            ("inner", 2, 0, [3, 0], x.array[:, :, [3, 0]]),
            ("batched", 1, 1, [[2, 0], [1, 1]], np.stack([x.array[0][[2, 0]],
                                                          x.array[1][[1, 1]]]))):
        yield Case(name, {"x": x, "at": Value("i32", at)}, f"""
            %r = "stablehlo.torch_index_select"(%x, %at) {{dim = {dim} : i64, batch_dims = {batch} : i64}}
              : ($x, $at) -> $r""", {"r": Value("f32", result)})


def dynamic_gather():
    case = one_gather("known_sizes", Value("f32", np.arange(20).reshape(4, 5)),
                      Value("i32", [[3], [0], [3]]), (1, 5), (1,), (0,))
    case.body = case.body.replace('"stablehlo.gather"(%x, %at)',
                                  '"stablehlo.dynamic_gather"(%x, %at, %sizes)') \
        .replace("slice_sizes = array<i64: 1, 5>}", "indices_are_sorted = false}") \
        .replace("indices_are_sorted = false,\n", "").replace(
            "($x, $at)", "($x, $at, tensor<2xi32>)")
    case.body = "        %sizes = stablehlo.constant dense<[1, 5]> : tensor<2xi32>" + case.body
    yield case


def files():
    return {"gather": gather(), "scatter": scatter(), "sort": sort(),
            "torch_index_select": torch_index_select(),
            "dynamic_gather": dynamic_gather()}.items()
