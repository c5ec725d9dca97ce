"""Forms of control flow, calls, tuples, tokens, barriers and single-device communication."""
import numpy as np

from .case import Case
from .samples import plain
from .values import Value


def scalar(number, t="i32"):
    return Value(t, np.array(number))


def if_op():
    x, y = plain("f32", (3,)), plain("f32", (3,), 1)
    for name, flag in (("taken", True), ("not_taken", False)):
        yield Case(name, {"p": scalar(flag, "i1"), "x": x, "y": y}, """
            %a, %b = "stablehlo.if"(%p) ({
              %s = stablehlo.add %x, %y : $x
              stablehlo.return %s, %x : $x, $x
            }, {
              %d = stablehlo.subtract %x, %y : $x
              stablehlo.return %d, %y : $x, $x
            }) : ($p) -> ($x, $x)
            %r = stablehlo.negate %a : $r
            %q = stablehlo.negate %b : $q""",
            {"r": Value("f32", -(x.array + y.array if flag else x.array - y.array)),
             "q": Value("f32", -(x.array if flag else y.array))})
    yield Case("nested", {"p": scalar(True, "i1"), "q": scalar(False, "i1"), "x": x}, """
        %r = "stablehlo.if"(%p) ({
          %s = "stablehlo.if"(%q) ({
            stablehlo.return %x : $x
          }, {
            %n = stablehlo.negate %x : $x
            stablehlo.return %n : $x
          }) : ($q) -> $x
          stablehlo.return %s : $x
        }, {
          stablehlo.return %x : $x
        }) : ($p) -> $r""", {"r": Value("f32", -x.array)})
    yield Case("token_and_scalar", {"p": scalar(False, "i1")}, """
        %t = stablehlo.create_token : !stablehlo.token
        %u, %r = "stablehlo.if"(%p) ({
          %a = stablehlo.constant dense<1> : $r
          stablehlo.return %t, %a : !stablehlo.token, $r
        }, {
          %v = stablehlo.after_all %t, %t : !stablehlo.token
          %a = stablehlo.constant dense<2> : $r
          stablehlo.return %v, %a : !stablehlo.token, $r
        }) : ($p) -> (!stablehlo.token, $r)""", {"r": scalar(2)})


def case_op():
    x = plain("f32", (3,))
    for index, chosen in ((0, 0), (1, 1), (2, 2), (3, 2), (100, 2), (-1, 2), (-2**31, 2)):
        yield Case(f"index_{index}".replace("-", "minus_"), {"i": scalar(index), "x": x}, """
            %r = "stablehlo.case"(%i) ({
              stablehlo.return %x : $x
            }, {
              %s = stablehlo.add %x, %x : $x
              stablehlo.return %s : $x
            }, {
              %s = stablehlo.negate %x : $x
              stablehlo.return %s : $x
            }) : ($i) -> $r""", {"r": Value("f32", [x.array, 2 * x.array, -x.array][chosen])})
    yield Case("one_branch", {"i": scalar(5), "x": x}, """
        %r = "stablehlo.case"(%i) ({
          %s = stablehlo.add %x, %x : $x
          stablehlo.return %s : $x
        }) : ($i) -> $r""", {"r": Value("f32", 2 * x.array)})
    yield Case("in_a_loop", {"zero": scalar(0), "one": scalar(1), "three": scalar(3)}, """
        %i, %r = stablehlo.while(%n = %zero, %v = %zero) : $zero, $zero
        cond {
          %c = stablehlo.compare LT, %n, %three : ($zero, $zero) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %m = stablehlo.add %n, %one : $zero
          %w = "stablehlo.case"(%n) ({
            %s = stablehlo.add %v, %three : $zero
            stablehlo.return %s : $zero
          }, {
            %s = stablehlo.multiply %v, %three : $zero
            stablehlo.return %s : $zero
          }, {
            %s = stablehlo.subtract %v, %one : $zero
            stablehlo.return %s : $zero
          }) : ($zero) -> $zero
          stablehlo.return %m, %w : $zero, $zero
        }""", {"r": scalar(8)})


LOOP = """
        %i, %r = stablehlo.while(%n = %zero, %v = %x) : $zero, $x
        cond {
          %c = stablehlo.compare LT, %n, %limit : ($zero, $zero) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %m = stablehlo.add %n, %one : $zero
          %w = stablehlo.add %v, %y : $x
          stablehlo.return %m, %w : $zero, $x
        }"""


def while_op():
    for trips in (0, 1, 5, 1000):
        for shape in ((), (3,), (9, 13)):
            x, y = plain("i32", shape), plain("i32", shape, 1)
            yield Case(f"trips_{trips}_rank_{len(shape)}",
                       {"zero": scalar(0), "one": scalar(1), "limit": scalar(trips), "x": x,
                        "y": y}, LOOP,
                       {"r": Value("i32", x.array.astype(np.int64) + trips * y.array)})
    x, y = plain("f32", (4,)), plain("f32", (4,), 1)
    yield Case("swap", {"zero": scalar(0), "one": scalar(1), "limit": scalar(5), "x": x, "y": y}, """
        %i, %p, %q = stablehlo.while(%n = %zero, %a = %x, %b = %y) : $zero, $x, $y
        cond {
          %c = stablehlo.compare LT, %n, %limit : ($zero, $zero) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %m = stablehlo.add %n, %one : $zero
          stablehlo.return %m, %b, %a : $zero, $y, $x
        }""", {"p": y, "q": x})
    yield Case("nested", {"zero": scalar(0), "one": scalar(1), "limit": scalar(7)}, """
        %i, %r = stablehlo.while(%n = %zero, %v = %zero) : $zero, $zero
        cond {
          %c = stablehlo.compare LT, %n, %limit : ($zero, $zero) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %m = stablehlo.add %n, %one : $zero
          %j, %w = stablehlo.while(%k = %zero, %u = %v) : $zero, $zero
          cond {
            %c = stablehlo.compare LE, %k, %n : ($zero, $zero) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %l = stablehlo.add %k, %one : $zero
            %t = stablehlo.add %u, %k : $zero
            stablehlo.return %l, %t : $zero, $zero
          }
          stablehlo.return %m, %w : $zero, $zero
        }""", {"r": scalar(sum(k for n in range(7) for k in range(n + 1)))})
    yield Case("condition_on_data", {"x": scalar(27, "i64"), "one": scalar(1, "i64"),
                                     "two": scalar(2, "i64"), "three": scalar(3, "i64"),
                                     "zero": scalar(0, "i64")}, """
        %y, %r = stablehlo.while(%n = %x, %steps = %zero) : $x, $x
        cond {
          %c = stablehlo.compare NE, %n, %one : ($x, $x) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %odd = stablehlo.and %n, %one : $x
          %is_odd = stablehlo.compare EQ, %odd, %one : ($x, $x) -> tensor<i1>
          %half = stablehlo.divide %n, %two : $x
          %triple = stablehlo.multiply %n, %three : $x
          %more = stablehlo.add %triple, %one : $x
          %next = stablehlo.select %is_odd, %more, %half : tensor<i1>, $x
          %count = stablehlo.add %steps, %one : $x
          stablehlo.return %next, %count : $x, $x
        }""", {"r": scalar(111, "i64")})  # Collatz's sequence of 27 has 111 steps
    yield Case("token_and_zero_extent", {"zero": scalar(0), "one": scalar(1), "limit": scalar(3),
                                         "x": plain("f32", (0, 2))}, """
        %t = stablehlo.create_token : !stablehlo.token
        %i, %e, %u = stablehlo.while(%n = %zero, %v = %x, %s = %t) : $zero, $x, !stablehlo.token
        cond {
          %c = stablehlo.compare LT, %n, %limit : ($zero, $zero) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %m = stablehlo.add %n, %one : $zero
          %w = stablehlo.negate %v : $x
          stablehlo.return %m, %w, %s : $zero, $x, !stablehlo.token
        }
        %r = stablehlo.negate %i : $r""", {"r": scalar(-3)})


def optimization_barrier():
    x, y = plain("f32", (3,)), plain("i1", ())
    yield Case("two_operands", {"x": x, "y": y},
               "%r, %q = stablehlo.optimization_barrier %x, %y : $x, $y", {"r": x, "q": y})
    yield Case("token", {"x": x}, """
        %t = stablehlo.create_token : !stablehlo.token
        %r, %u = stablehlo.optimization_barrier %x, %t : $x, !stablehlo.token""", {"r": x})
    yield Case("no_operands", {"x": x}, """
        "stablehlo.optimization_barrier"() : () -> ()
        %r = stablehlo.negate %x : $r""", {"r": Value("f32", -x.array)})


def tuple_cases():
    x, y = plain("f32", (3,)), plain("i64", (2, 2), 1)
    yield Case("elements", {"x": x, "y": y}, """
        %t = stablehlo.tuple %x, %y, %x : tuple<$x, $y, $x>
        %r = stablehlo.get_tuple_element %t[2] : (tuple<$x, $y, $x>) -> $r
        %q = stablehlo.get_tuple_element %t[1] : (tuple<$x, $y, $x>) -> $q""", {"r": x, "q": y})
    yield Case("nested", {"x": x, "y": y}, """
        %in = stablehlo.tuple %y, %x : tuple<$y, $x>
        %t = stablehlo.tuple %x, %in : tuple<$x, tuple<$y, $x>>
        %out = stablehlo.get_tuple_element %t[1] : (tuple<$x, tuple<$y, $x>>) -> tuple<$y, $x>
        %r = stablehlo.get_tuple_element %out[0] : (tuple<$y, $x>) -> $r""", {"r": y})
    yield Case("empty_and_token", {"x": x}, """
        %e = stablehlo.tuple : tuple<>
        %k = stablehlo.create_token : !stablehlo.token
        %t = stablehlo.tuple %e, %k, %x : tuple<tuple<>, !stablehlo.token, $x>
        %r = stablehlo.get_tuple_element %t[2] : (tuple<tuple<>, !stablehlo.token, $x>) -> $r""",
        {"r": x})


def tokens(op):
    x = plain("f32", (3,))
    yield Case("joined", {"x": x}, """
        %a = stablehlo.create_token : !stablehlo.token
        %b = stablehlo.create_token : !stablehlo.token
        %c = stablehlo.after_all %a, %b : !stablehlo.token
        %d = "stablehlo.after_all"() : () -> !stablehlo.token
        %e = stablehlo.after_all %c, %d, %a : !stablehlo.token
        %r = stablehlo.negate %x : $r""", {"r": Value("f32", -x.array)})


def return_cases():
    x = plain("f32", (3,))
    yield Case("values_and_captures", {"p": scalar(True, "i1"), "x": x}, """
        %a, %b, %c = "stablehlo.if"(%p) ({
          stablehlo.return %x, %p, %x : $x, $p, $x
        }, {
          stablehlo.return %x, %p, %x : $x, $p, $x
        }) : ($p) -> ($x, $p, $x)
        %r = stablehlo.add %a, %c : $x""", {"r": Value("f32", 2 * x.array)})


def composite():
    x = plain("f32", (3,))
    yield Case("of_unknown_name", {"x": x}, """
        %r = stablehlo.composite "tests.double_and_negate" %x {
          composite_attributes = {factor = 2 : i32}, decomposition = @decomposition, version = 3 : i32}
          : ($x) -> $r""", {"r": Value("f32", -2 * x.array)}, functions="""
        func.func private @decomposition(%x: $x) -> $x {
          %0 = stablehlo.add %x, %x : $x
          %1 = stablehlo.negate %0 : $x
          return %1 : $x
        }""")
    yield Case("of_two_results", {"x": x}, """
        %r, %q = stablehlo.composite "tests.pair" %x {decomposition = @decomposition}
          : ($x) -> ($r, $q)""", {"r": Value("f32", -x.array), "q": x}, functions="""
        func.func private @decomposition(%x: $x) -> ($x, $x) {
          %0 = stablehlo.composite "tests.inner" %x {decomposition = @inner} : ($x) -> $x
          return %0, %x : $x, $x
        }
        func.func private @inner(%x: $x) -> $x {
          %0 = stablehlo.negate %x : $x
          return %0 : $x
        }""")


def devices():
    number = {"r": scalar(0, "ui32")}
    yield "partition_id", [Case("one_device", {}, "%r = stablehlo.partition_id : $r", number)]
    yield "replica_id", [Case("one_device", {}, "%r = stablehlo.replica_id : $r", number)]
    x = plain("f32", (2, 4))
    groups = "replica_groups = dense<0> : tensor<1x1xi64>"
    add = """({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %s = stablehlo.add %a, %b : tensor<f32>
            stablehlo.return %s : tensor<f32>
        })"""
    channel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
    for op, attributes, body in (
            ("all_gather", "all_gather_dim = 1 : i64, ", ""), ("all_reduce", "", add),
            ("all_to_all", "concat_dimension = 0 : i64, split_count = 1 : i64, "
                           "split_dimension = 1 : i64, ", ""),
            ("collective_broadcast", "", ""), ("collective_reduce", "", add),
            ("reduce_scatter", "scatter_dimension = 1 : i64, ", add)):
        text = f'%r = "stablehlo.{op}"(%x) {body} {{{attributes}{groups}EXTRA}} : ($x) -> $r'
        yield op, [Case("one_device", {"x": x}, text.replace("EXTRA", ""), {"r": x}),
                   Case("channel", {"x": x}, text.replace("EXTRA", ", " + channel), {"r": x})]
    permute = '%r = "stablehlo.collective_permute"(%x) {{source_target_pairs = {}}} : ($x) -> $r'
    yield "collective_permute", [
        Case("to_itself", {"x": x}, permute.format("dense<0> : tensor<1x2xi64>"), {"r": x}),
        Case("to_nobody", {"x": x}, permute.format("dense<> : tensor<0x2xi64>"),
             {"r": Value("f32", np.zeros((2, 4)))})]
    yield "cross-replica-sum", [
        Case("one_device", {"x": x}, f'%r = "stablehlo.cross-replica-sum"(%x) {{{groups}}} '
                                     ": ($x) -> $r", {"r": x})]


def files():
    yield from {"if": if_op(), "case": case_op(), "while": while_op(),
                "optimization_barrier": optimization_barrier(), "tuple": tuple_cases(),
                "get_tuple_element": tuple_cases(), "after_all": tokens("after_all"),
                "create_token": tokens("create_token"), "return": return_cases(),
                "composite": composite()}.items()
    yield from devices()
