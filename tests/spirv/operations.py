"""Kernels with one operation each, as LLVM IR: out[i] = operation(x[i], y[i])."""
import dataclasses

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("float", "double")
CODES = {"i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "half": "f16", "float": "f32",
         "double": "f64"}


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str
    operand: str         # the type of x and y
    result: str
    body: str            # from %x and %y to %r
    zeros: bool = True   # whether the signs of zeros are defined


def kernel(operation):
    o = operation
    return f"""
define void @{o.name}(ptr addrspace(1) %xs, ptr addrspace(1) %ys, ptr addrspace(1) %out) {{
  %i = call i64 @_Z13get_global_idj(i32 0)
  %px = getelementptr {o.operand}, ptr addrspace(1) %xs, i64 %i
  %py = getelementptr {o.operand}, ptr addrspace(1) %ys, i64 %i
  %po = getelementptr {o.result}, ptr addrspace(1) %out, i64 %i
  %x = load {o.operand}, ptr addrspace(1) %px
  %y = load {o.operand}, ptr addrspace(1) %py
{o.body}
  store {o.result} %r, ptr addrspace(1) %po
  ret void
}}
"""


def call(name, result, *arguments):
    return f"  %r = call {result} @llvm.{name}({', '.join(arguments)})"


def unary(t, name, extra=""):
    return Operation(f"{name.replace('.', '_')}_{t}", t, t,
                     call(f"{name}.{CODES[t]}", t, f"{t} %x{extra}"))


def binary(t, name, zeros=True):
    return Operation(f"{name.replace('.', '_')}_{t}", t, t,
                     call(f"{name}.{CODES[t]}", t, f"{t} %x", f"{t} %y"), zeros)


def instruction(t, name):
    return Operation(f"{name}_{t}", t, t, f"  %r = {name} {t} %x, %y")


def shift(t, name, make):
    """`make(amount)` is the body; the amount is below the width."""
    bits = int(t[1:])
    return Operation(f"{name}_{t}", t, t, f"  %a = and {t} %y, {bits - 1}\n" + make("%a"))


def integer_operations(t):
    for name in ("ctpop", "bitreverse", *(("bswap",) if t != "i8" else ())):
        yield unary(t, name)
    for name in ("ctlz", "cttz", "abs"):
        yield unary(t, name, ", i1 false")
    for name in ("umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"):
        yield binary(t, name)
    for name in ("sshl.sat", "ushl.sat"):
        yield shift(t, name.replace(".", "_"),
                    lambda a: call(f"{name}.{t}", t, f"{t} %x", f"{t} {a}"))
    for name in ("shl", "lshr", "ashr"):
        yield shift(t, name, lambda a: f"  %r = {name} {t} %x, {a}")
    for name in ("fshl", "fshr"):
        yield Operation(f"{name}_{t}", t, t,
                        f"  %s = xor {t} %x, 77\n"
                        + call(f"{name}.{t}", t, f"{t} %x", f"{t} %y", f"{t} %s"))
    for name in ("ucmp", "scmp"):
        yield Operation(f"{name}_{t}", t, "i8",
                        call(f"{name}.i8.{t}", "i8", f"{t} %x", f"{t} %y"))
    for name in ("add", "sub", "mul"):
        yield instruction(t, name)
        for sign in "us":
            pair = f"{{{t}, i1}}"
            yield Operation(
                f"{sign}{name}_overflow_{t}", t, t,
                f"  %p = call {pair} @llvm.{sign}{name}.with.overflow.{t}({t} %x, {t} %y)\n"
                f"  %v = extractvalue {pair} %p, 0\n  %o = extractvalue {pair} %p, 1\n"
                f"  %n = xor {t} %v, 85\n  %r = select i1 %o, {t} %n, {t} %v")
    for name in ("sdiv", "udiv", "srem", "urem"):  # -128 / -1 is undefined
        yield Operation(f"{name}_{t}", t, t,
                        f"  %z = and {t} %y, {2 ** (int(t[1:]) - 1) - 1}\n  %d = or {t} %z, 1\n"
                        f"  %r = {name} {t} %x, %d")


def float_operations(t):
    for name in ("fabs", "floor", "ceil", "trunc", "rint", "roundeven", "round", "sqrt"):
        yield unary(t, name)
    for name in ("minimum", "maximum", "copysign"):
        yield binary(t, name)
    for name in ("minnum", "maxnum"):
        yield binary(t, name, zeros=False)
    for name in ("fadd", "fsub", "fmul", "fdiv", "frem"):
        yield instruction(t, name)
    code = CODES[t]
    if t != "half":  # the host rounds twice
        yield Operation(f"fma_{t}", t, t,
                        call(f"fma.{code}", t, f"{t} %x", f"{t} %y", f"{t} 1.0"))
    # Not contracted.
    yield Operation(f"muladd_{t}", t, t, f"  %p = fmul {t} %x, %y\n  %r = fadd {t} %p, 1.0")
    for i in INTEGERS:
        for sign in "su":
            yield Operation(f"fpto{sign}i_sat_{t}_{i}", t, i,
                            call(f"fpto{sign}i.sat.{i}.{code}", i, f"{t} %x"))
    for test in range(10):
        yield Operation(f"class{test}_{t}", t, "i8",
                        f"  %b = call i1 @llvm.is.fpclass.{code}({t} %x, i32 {1 << test})\n"
                        "  %r = zext i1 %b to i8")
    bits = "i64" if t == "double" else "i32"
    resize = (f"  %e = call i32 @llvm.fptosi.sat.i32.{code}({t} %y)\n")
    yield Operation(f"ldexp_{t}", t, t, resize + call(f"ldexp.{code}.i32", t, f"{t} %x", "i32 %e"))
    for name in ("sitofp", "uitofp"):
        yield Operation(f"{name}_{bits}_{t}", bits, t, f"  %r = {name} {bits} %x to {t}")


ODD = """  %a = trunc i64 %x to {0}
  %b = trunc i64 %y to {0}
"""


def odd_operations(t):
    """Of integers with a width that no device has."""
    for name in ("add", "sub", "mul", "xor"):
        for extend in ("sext", "zext"):
            yield Operation(f"{name}_{extend}_{t}", "i64", "i64",
                            ODD.format(t) + f"  %s = {name} {t} %a, %b\n"
                            f"  %r = {extend} {t} %s to i64")
    for name in ("sdiv", "udiv", "srem", "urem"):
        yield Operation(f"{name}_{t}", "i64", "i64",
                        ODD.format(t) + f"  %z = lshr {t} %b, 1\n  %d = or {t} %z, 1\n"
                        f"  %s = {name} {t} %a, %d\n  %r = sext {t} %s to i64")
    for name in ("slt", "ult", "sge", "eq"):
        yield Operation(f"{name}_{t}", "i64", "i8",
                        ODD.format(t) + f"  %c = icmp {name} {t} %a, %b\n"
                        "  %r = zext i1 %c to i8")
    yield Operation(f"memory_{t}", "i64", "i64",
                    ODD.format(t) + f"  %m = alloca [8 x {t}]\n"
                    f"  %j = and i64 %y, 7\n  %p = getelementptr [8 x {t}], ptr %m, i64 0, i64 %j\n"
                    f"  store {t} 1, ptr %m\n  store {t} %a, ptr %p\n  %s = load {t}, ptr %p\n"
                    f"  %f = load {t}, ptr %m\n  %d = mul {t} %f, %s\n"
                    f"  %r = sext {t} %d to i64")
    yield Operation(f"float_{t}", "i64", "float",
                    ODD.format(t) + f"  %r = sitofp {t} %a to float")


WIDE = """  %a = {} i64 %x to i128
  %b = {} i64 %y to i128
  %m = mul i128 %a, %b
  %s = and i64 %y, 127
  %w = zext i64 %s to i128
"""


def wide_operations():
    """Of integers of 128 bits."""
    for extend in ("sext", "zext"):
        body = WIDE.format(extend, extend)
        for name in ("shl", "lshr", "ashr"):
            for half in (0, 64):
                yield Operation(f"{name}_{extend}_i128_{half}", "i64", "i64",
                                body + f"  %h = {name} i128 %m, %w\n"
                                f"  %u = lshr i128 %h, {half}\n  %r = trunc i128 %u to i64")
        for name in ("add", "sub", "mul", "xor"):
            yield Operation(f"{name}_{extend}_i128", "i64", "i64",
                            body + f"  %h = {name} i128 %m, %a\n"
                            "  %u = lshr i128 %h, 64\n  %r = trunc i128 %u to i64")
        for name in ("slt", "ult", "sge", "ugt", "eq"):
            yield Operation(f"{name}_{extend}_i128", "i64", "i8",
                            body + f"  %n = sub i128 %b, %m\n  %c = icmp {name} i128 %m, %n\n"
                            "  %r = zext i1 %c to i8")
    yield Operation("ctlz_i128", "i64", "i64", WIDE.format("zext", "zext")
                    + "  %c = call i128 @llvm.ctlz.i128(i128 %m, i1 false)\n"
                    "  %r = trunc i128 %c to i64")


def memory_operations():
    head = ("  %m = alloca [24 x i8], align 8\n  %n = alloca [24 x i8], align 8\n"
            "  %j = and i64 %y, 7\n")
    tail = ("  %p = getelementptr i8, ptr %n, i64 %j\n  %l = load i64, ptr %p, align 1\n"
            "  %r = xor i64 %l, %x\n")
    fill = "  call void @llvm.memset.p0.i64(ptr %m, i8 {}, i64 {}, i1 false)\n"
    store = ("  %q = getelementptr i8, ptr %m, i64 %j\n  store i64 %x, ptr %q, align 1\n")
    copy = "  call void @llvm.mem{}.p0.p0.i64(ptr {}, ptr %m, i64 {}, i1 false)\n"
    yield Operation("memset_constant", "i64", "i64", head + fill.format(7, 24)
                    + store + copy.format("cpy", "%n", 24) + tail)
    yield Operation("memset_value", "i64", "i64",
                    head + "  %v = trunc i64 %y to i8\n" + fill.format("%v", 24) + store
                    + copy.format("move", "%n", 24) + tail)
    # The copy overlaps; its length is known on the device only.
    yield Operation("memmove_variable", "i64", "i64",
                    head + fill.format(3, 24) + store + "  %k = getelementptr i8, ptr %m, i64 3\n"
                    "  %c = add i64 %j, 9\n" + copy.format("move", "%k", "%c")
                    + copy.format("cpy", "%n", 24) + tail)
    # An address in private or in global memory.
    yield Operation("generic_pointer", "i64", "i64",
                    "  %m = alloca [4 x i64]\n  %j = and i64 %y, 3\n"
                    "  %q = getelementptr [4 x i64], ptr %m, i64 0, i64 %j\n"
                    "  store i64 %y, ptr %q\n  %g = addrspacecast ptr addrspace(1) %px to ptr\n"
                    "  %c = icmp sgt i64 %x, 0\n  %p = select i1 %c, ptr %q, ptr %g\n"
                    "  %r = load i64, ptr %p\n")


def vector_operations():
    for lanes in (1, 2, 3, 4, 5, 8):
        v = f"<{lanes} x i8>"
        yield Operation(f"lanes{lanes}", "i64", "i64",
                        f"  %m = alloca [16 x i8], align 8\n  store i64 %x, ptr %m\n"
                        f"  %n = getelementptr i8, ptr %m, i64 8\n  store i64 %y, ptr %n\n"
                        f"  %a = load {v}, ptr %m, align 1\n  %b = load {v}, ptr %n, align 1\n"
                        f"  %c = icmp sgt {v} %a, %b\n"
                        f"  %s = select <{lanes} x i1> %c, {v} %a, {v} %b\n"
                        f"  store {v} %s, ptr %m, align 1\n"
                        + (f"  %e = call i8 @llvm.vector.reduce.add.v{lanes}i8({v} %s)\n"
                           if lanes & (lanes - 1) == 0 else
                           f"  %e = extractelement {v} %s, i64 {lanes - 1}\n") +
                        f"  %k = bitcast <{lanes} x i1> %c to i{lanes}\n"
                        f"  %l = load i64, ptr %m\n  %f = zext i8 %e to i64\n"
                        + (f"  %g = zext i{lanes} %k to i64\n") +
                        "  %h = mul i64 %f, %g\n  %r = add i64 %h, %l")


def half_operations():
    yield from float_operations("half")
    for wide in FLOATS:
        yield Operation(f"extend_half_{wide}", "half", wide, f"  %r = fpext half %x to {wide}")
        yield Operation(f"truncate_{wide}_half", wide, "half", f"  %r = fptrunc {wide} %x to half")


def operations():
    """Of types that every device has."""
    result = []
    for t in INTEGERS:
        result += integer_operations(t)
    for t in FLOATS:
        result += float_operations(t)
    for t in ("i2", "i4", "i7", "i24", "i48"):
        result += odd_operations(t)
    return [*result, *wide_operations(), *memory_operations(), *vector_operations()]


def module(selected):
    return "declare i64 @_Z13get_global_idj(i32)\n" + "".join(map(kernel, selected))
