"""rng_bit_generator, bit for bit from the published algorithms, and properties of rng.

Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): Philox4x32-10 and
Threefry2x32-20. The layout of state and output is XLA's; the specification does not define it.
"""
import numpy as np

from .case import Case
from .values import TYPES, Value

MASK = 0xFFFFFFFF


def philox(counter, key):
    """Four words of 32 bits of a counter of 4 and a key of 2 words."""
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & MASK, (p0 >> 32) ^ c[3] ^ k[1], p0 & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def threefry(counter, key):
    """Two words of 32 bits of a counter and a key of 2 words."""
    keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA]
    x = [(counter[0] + keys[0]) & MASK, (counter[1] + keys[1]) & MASK]
    rotations = ((13, 15, 26, 6), (17, 29, 16, 24))
    for group in range(5):
        for turn in rotations[group % 2]:
            x[0] = (x[0] + x[1]) & MASK
            x[1] = ((x[1] << turn | x[1] >> (32 - turn)) & MASK) ^ x[0]
        x[0] = (x[0] + keys[(group + 1) % 3]) & MASK
        x[1] = (x[1] + keys[(group + 2) % 3] + group + 1) & MASK
    return x


# The authors' known answers.
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([MASK] * 4, [MASK] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
assert philox([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0]) == \
    [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]
assert threefry([0] * 2, [0] * 2) == [0x6B200159, 0x99BA4EFE]
assert threefry([MASK] * 2, [MASK] * 2) == [0x1CB996FC, 0xBB002BE7]
assert threefry([0x243F6A88, 0x85A308D3], [0x13198A2E, 0x03707344]) == [0xC4923A9C, 0x483DF7A0]


def words(number):
    return [number & MASK, number >> 32]


def philox_words(state, count):
    """State: key, then the low and the high half of the counter."""
    key, counter = state[0], state[1] | (state[2] << 64)
    blocks = -(-count // 4)
    result = []
    for i in range(blocks):
        c = (counter + i) % 2**128
        result += philox([c >> 32 * w & MASK for w in range(4)], words(key))
    counter = (counter + blocks) % 2**128
    return result, [key, counter & (2**64 - 1), counter >> 64]


def threefry_words(state, count):
    """State: key and counter. The two words of each counter."""
    blocks = -(-count // 2)
    pairs = [threefry(words((state[1] + i) % 2**64), words(state[0])) for i in range(blocks)]
    return pairs, [state[0], (state[1] + blocks) % 2**64]


def threefry_output(state, bits, shape):
    """64 bits: the words of a counter, low before high. Fewer: they are neighbours in the first
    dimension of even size (else in the largest one); narrower types take the low bits."""
    count = int(np.prod(shape))
    if bits == 64:
        pairs, state = threefry_words(state, 2 * count)
        return np.array([a | b << 32 for a, b in pairs], np.uint64).reshape(shape), state
    at = next((d for d, n in enumerate(shape) if n % 2 == 0), int(np.argmax(shape)))
    half = [-(-n // 2) if d == at else n for d, n in enumerate(shape)]
    pairs, state = threefry_words(state, 2 * int(np.prod(half)))
    both = np.moveaxis(np.array(pairs, np.uint64).reshape(*half, 2), -1, at + 1)
    numbers = both.reshape(*[2 * n if d == at else n for d, n in enumerate(half)])
    numbers = numbers[tuple(slice(0, n) for n in shape)]
    return numbers & np.uint64(2**bits - 1), state


def philox_output(state, bits, shape):
    count = int(np.prod(shape))
    if bits == 64:
        numbers, state = philox_words(state, 2 * count)
        numbers = [a | b << 32 for a, b in zip(numbers[::2], numbers[1::2])]
    else:
        numbers, state = philox_words(state, count)
    mask = 2**min(bits, 64) - 1
    return np.array([n & mask for n in numbers[:count]], np.uint64).reshape(shape), state


def rng_bit_generator():
    seeds = {"zero": [0, 0, 0], "numbers": [0x0123456789ABCDEF, 0xFEDCBA9876543210, 42],
             "carry": [7, 2**64 - 2, 2**64 - 1]}
    for algorithm, function, count in (("THREE_FRY", threefry_output, 2),
                                       ("PHILOX", philox_output, 3)):
        for seed, state in seeds.items():
            for t, shape in (("ui32", (16,)), ("ui64", (6,)), ("ui32", (3, 4)), ("ui8", (4, 2)),
                             ("ui16", (2, 2)), ("i32", (8,)), ("ui32", (7,)), ("ui64", (2, 3)),
                             ("ui32", (3, 5)), ("ui32", (3, 2, 5))):
                bits = np.dtype(TYPES[t]).itemsize * 8
                numbers, after = function(list(state[:count]), bits, shape)
                dims = "x".join(map(str, shape))
                yield Case(f"{algorithm.lower()}_{seed}_{t}_{dims}",
                           {"x": Value("ui64", np.array(state[:count], np.uint64))}, f"""
                    %s, %r = stablehlo.rng_bit_generator %x, algorithm = {algorithm} : ($x) -> ($s, $r)""",
                           {"s": Value("ui64", np.array(after, np.uint64)),
                            "r": Value(t, numbers.astype(TYPES[t]))})


def uniform(t, low, high, size):
    """The numbers are in range and not all equal."""
    x, p = f"tensor<{size}x40x{t}>", f"tensor<{size}x40xi1>"
    return Case(f"uniform_{t}", {"a": Value(t, low), "b": Value(t, high)}, f"""
        %shape = stablehlo.constant dense<[{size}, 40]> : tensor<2xi64>
        %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : ($a, $b, tensor<2xi64>) -> {x}
        %l = stablehlo.broadcast_in_dim %a, dims = [] : ($a) -> {x}
        %h = stablehlo.broadcast_in_dim %b, dims = [] : ($b) -> {x}
        %0 = stablehlo.compare GE, %x, %l : ({x}, {x}) -> {p}
        %1 = stablehlo.compare LT, %x, %h : ({x}, {x}) -> {p}
        %2 = stablehlo.and %0, %1 : {p}
        %true = stablehlo.constant dense<true> : tensor<i1>
        %inside = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [0, 1]
          : ({p}, tensor<i1>) -> tensor<i1>
        %first = stablehlo.slice %x [0:1, 0:1] : ({x}) -> tensor<1x1x{t}>
        %all = stablehlo.broadcast_in_dim %first, dims = [0, 1] : (tensor<1x1x{t}>) -> {x}
        %3 = stablehlo.compare EQ, %x, %all : ({x}, {x}) -> {p}
        %same = stablehlo.reduce(%3 init: %true) applies stablehlo.and across dimensions = [0, 1]
          : ({p}, tensor<i1>) -> tensor<i1>""",
                {"inside": Value("i1", True), "same": Value("i1", False)}, about=t)


def rng():
    """Only properties that every generator must have."""
    for t, low, high in (("f32", -2, 3), ("f64", 0, 1), ("f16", 0, 1), ("bf16", -1, 1),
                         ("i32", -5, 5), ("i64", 0, 1000), ("ui8", 3, 200), ("i8", -100, 100),
                         ("ui32", 0, 7)):
        yield uniform(t, low, high, 50)
    for t in ("f32", "f64"):
        yield Case(f"normal_{t}", {"a": Value(t, 3), "b": Value(t, 2)}, f"""
            %shape = stablehlo.constant dense<[100, 1000]> : tensor<2xi64>
            %x = stablehlo.rng %a, %b, %shape, distribution = NORMAL
              : ($a, $b, tensor<2xi64>) -> tensor<100x1000x{t}>
            %zero = stablehlo.constant dense<0.0> : tensor<{t}>
            %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
              : (tensor<100x1000x{t}>, tensor<{t}>) -> tensor<{t}>
            %y = stablehlo.multiply %x, %x : tensor<100x1000x{t}>
            %squares = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
              : (tensor<100x1000x{t}>, tensor<{t}>) -> tensor<{t}>
            %count = stablehlo.constant dense<100000.0> : tensor<{t}>
            %mean = stablehlo.divide %sum, %count : tensor<{t}>
            %square = stablehlo.divide %squares, %count : tensor<{t}>""",
            {"mean": Value(t, 3), "square": Value(t, 13)}, almost=0.02)
    yield Case("zero_extent", {"a": Value("f32", 0), "b": Value("f32", 1)}, """
        %shape = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
        %r = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : ($a, $b, tensor<2xi64>) -> $r""",
        {"r": Value("f32", np.zeros((0, 3)))})


def files():
    return {"rng": rng(), "rng_bit_generator": rng_bit_generator()}.items()
