"""Products, convolutions and pooling by oneDNN's C library (`pip install onednn-cpu-gomp`).

Two peers: `onednn` takes operands and results in the workload's layout and reorders a convolution's
filters in every call. `onednn_packed` gets the constant operand in oneDNN's layout, as in a program
with constant weights.

oneDNN lists several implementations of a primitive, not always the fastest first. Each is tried,
and the fastest is used. Its reference kernels (`ref`) are never measured; it is an error if there
is no other. The attribute `implementation` of a function is the name of its implementation.
"""
import ctypes
import functools
import importlib.metadata
import time

import numpy as np

_TYPES = {"float16": 1, "bfloat16": 2, "float32": 3, "int32": 4, "int8": 5}
_CPU, _IN_ORDER, _ANY_LAYOUT, _INFERENCE = 1, 1, 1, 96
_SOURCE, _WEIGHTS, _BIAS, _RESULT = 1, 33, 41, 17  # arguments of primitives
_QUERY_IMPLEMENTATION, _QUERY_WEIGHTS = 8, 131
_CONVOLUTION_DIRECT, _MAXIMUM, _AVERAGE = 1, 0x1FF, 0x2FF
RELU, GELU_TANH = 0x20, 43


class _Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("memory", ctypes.c_void_p)]


def _dims(values):
    return (ctypes.c_int64 * 12)(*values)


@functools.cache
def library_path():
    """The shared library of the installed wheel; None if there is none."""
    try:
        files = importlib.metadata.files("onednn-cpu-gomp")
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((f.locate().resolve() for f in files if f.name == "libdnnl.so.3"), None)


@functools.cache
def _library():
    library = ctypes.CDLL(str(library_path()))
    # A cached descriptor lists its own implementation twice.
    if library.dnnl_set_primitive_cache_capacity(0):
        raise RuntimeError("dnnl_set_primitive_cache_capacity")
    return library


def _call(name, *arguments):
    """Calls dnnl_`name`; every argument is a pointer-sized object, a ctypes object or an int."""
    function = getattr(_library(), "dnnl_" + name)
    status = function(*(ctypes.c_void_p(a) if a is None else a for a in arguments))
    if status == 3:
        raise NotImplementedError(f"dnnl_{name}: not implemented for this processor")
    if status:
        raise RuntimeError(f"dnnl_{name}: status {status}")


def _make(name, *arguments):
    handle = ctypes.c_void_p()
    _call(name, ctypes.byref(handle), *arguments)
    return handle


@functools.cache
def _engine():
    return _make("engine_create", _CPU, ctypes.c_size_t(0))


@functools.cache
def _stream():
    return _make("stream_create", _engine(), _IN_ORDER)


def _descriptor(shape, type_name, strides=None):
    """A memory descriptor with `strides`; None lets the library choose the layout."""
    arguments = len(shape), _dims(shape), _TYPES[type_name]
    if strides is None:
        return _make("memory_desc_create_with_tag", *arguments, _ANY_LAYOUT)
    return _make("memory_desc_create_with_strides", *arguments, _dims(strides))


def _of_array(array):
    return _descriptor(array.shape, array.dtype.name,
                       [s // array.itemsize for s in array.strides])


def _memory(descriptor, array=None):
    """`array` is kept alive by the caller; None: the library allocates."""
    where = ctypes.c_void_p(-1) if array is None else ctypes.c_void_p(array.ctypes.data)
    return _make("memory_create", descriptor, _engine(), where)


def _post_operation(kind):
    """Attributes that apply an elementwise operation to the results."""
    if kind is None:
        return None
    operations, attributes = _make("post_ops_create"), _make("primitive_attr_create")
    _call("post_ops_append_eltwise", operations, kind, ctypes.c_float(0), ctypes.c_float(0))
    _call("primitive_attr_set_post_ops", attributes, operations)
    return attributes


def _implementation(descriptor):
    """oneDNN's name of the implementation of a primitive descriptor."""
    name = ctypes.c_char_p()
    _call("primitive_desc_query", descriptor, _QUERY_IMPLEMENTATION, 0, ctypes.byref(name))
    return name.value.decode()


def _quickest(describe, prepare):
    """The fastest function prepare(descriptor) over all implementations of describe()."""
    best, best_seconds, place = None, float("inf"), 0
    while True:
        descriptor = describe()
        if any(_library().dnnl_primitive_desc_next_impl(descriptor) for _ in range(place)):
            break  # describe() has `place` implementations
        place += 1
        name = _implementation(descriptor)
        if name.startswith("ref"):
            continue
        run = prepare(descriptor)
        run()
        for _ in range(3):
            start = time.perf_counter()
            run()
            seconds = time.perf_counter() - start
            if seconds < best_seconds:
                best, best_seconds = run, seconds
                best.implementation = name
    if best is None:
        raise RuntimeError("oneDNN has a reference kernel only")
    return best


def _viewed(run, view):
    """`run` with `view` applied to its result."""
    def viewed():
        return view(run())
    viewed.implementation = run.implementation
    return viewed


def _executor(primitive, memories):
    arguments = (_Argument * len(memories))(
        *(_Argument(kind, memory.value) for kind, memory in memories.items()))
    execute = _library().dnnl_primitive_execute
    count = ctypes.c_int(len(memories))

    def run():
        if execute(primitive, _stream(), count, arguments):
            raise RuntimeError("dnnl_primitive_execute")
    return run


def _weighted(describe, source, weights, bias, result, packed, convolution=False):
    """A function of no arguments that computes `result`.

    `describe(weights descriptor)` returns the primitive's descriptor.
    """
    own_layout = packed or convolution
    given = _of_array(weights)
    fixed = {_SOURCE: _memory(_of_array(source), source), _WEIGHTS: _memory(given, weights),
             _RESULT: _memory(_of_array(result), result)}
    if bias is not None:
        fixed[_BIAS] = _memory(_of_array(bias), bias)
    alive = source, weights, bias  # the library has pointers into these

    def prepare(descriptor):
        reorder, memories = None, dict(fixed)
        query = _library().dnnl_primitive_desc_query_md
        query.restype = ctypes.c_void_p
        wanted = ctypes.c_void_p(query(descriptor, _QUERY_WEIGHTS, 0))
        if not _library().dnnl_memory_desc_equal(given, wanted):
            own = _memory(wanted)
            made = _make("reorder_primitive_desc_create", given, _engine(), wanted, _engine(),
                         None)
            reorder = _executor(_make("primitive_create", made),
                                {_SOURCE: memories[_WEIGHTS], _RESULT: own})
            memories[_WEIGHTS] = own
        execute = _executor(_make("primitive_create", descriptor), memories)
        if reorder and packed:
            reorder()

        def run(_=alive):
            if reorder and not packed:
                reorder()
            execute()
            return result
        return run
    return _quickest(lambda: describe(
        _descriptor(weights.shape, weights.dtype.name) if own_layout else given), prepare)


def product(a, b, bias=None, result_type=None, post=None, packed=False):
    """a @ b (+ bias, then `post`) over the last two dimensions; operands may be views."""
    vector = b.ndim == 1
    if vector:
        b = b.reshape(-1, 1)  # with b[:, None], NumPy's stride of 0, only `ref` is left
    shape = (*a.shape[:-1], b.shape[-1])
    result = np.empty(shape, result_type or a.dtype)
    bias = bias if bias is None else bias[None]

    def describe(weights):
        return _make("matmul_primitive_desc_create", _engine(), _of_array(a), weights,
                     bias if bias is None else _of_array(bias), _of_array(result),
                     _post_operation(post))
    run = _weighted(describe, a, b, bias, result, packed)
    return _viewed(run, lambda y: y[:, 0]) if vector else run


def _same_padding(size, window, stride):
    """(size of the result, padding before, padding after) for SAME padding."""
    out = -(-size // stride)
    total = max((out - 1) * stride + window - size, 0)
    return out, total // 2, total - total // 2


def convolution(x, w, bias=None, stride=1, groups=1, layout="NHWC", post=None, packed=False):
    """A convolution with SAME padding in one or two spatial dimensions.

    `layout` NHWC: filters are HWIO; NCHW: OIHW. The result is laid out as x.
    """
    rank = x.ndim - 2
    if layout == "NHWC":
        x = np.moveaxis(x, -1, 1)
        w = np.moveaxis(w, (-1, -2), (0, 1))
    sizes = [_same_padding(x.shape[2 + i], w.shape[2 + i], stride) for i in range(rank)]
    out, before, after = zip(*sizes)
    result = np.empty((x.shape[0], w.shape[0], *out), x.dtype)
    if layout == "NHWC":
        result = np.moveaxis(np.empty((x.shape[0], *out, w.shape[0]), x.dtype), -1, 1)
    if groups > 1:
        w = np.lib.stride_tricks.as_strided(
            w, (groups, w.shape[0] // groups, *w.shape[1:]),
            (w.strides[0] * (w.shape[0] // groups), *w.strides))

    def describe(weights):
        return _make("convolution_forward_primitive_desc_create", _engine(), _INFERENCE,
                     _CONVOLUTION_DIRECT, _of_array(x), weights,
                     bias if bias is None else _of_array(bias), _of_array(result),
                     _dims([stride] * rank), _dims([0] * rank), _dims(before), _dims(after),
                     _post_operation(post))
    run = _weighted(describe, x, w, bias, result, packed, convolution=True)
    return _viewed(run, lambda y: np.moveaxis(y, 1, -1)) if layout == "NHWC" else run


def pooling(x, average, window, stride):
    """Maximum (SAME) or average (VALID) of square windows over x, NHWC."""
    x = np.moveaxis(x, -1, 1)
    sizes = [_same_padding(size, window, stride) if not average
             else ((size - window) // stride + 1, 0, 0) for size in x.shape[2:]]
    out, before, after = zip(*sizes)
    result = np.moveaxis(np.empty((x.shape[0], *out, x.shape[1]), x.dtype), -1, 1)

    def describe():
        return _make("pooling_forward_primitive_desc_create", _engine(), _INFERENCE,
                     _AVERAGE if average else _MAXIMUM, _of_array(x), _of_array(result),
                     _dims([stride] * 2), _dims([window] * 2), _dims([0] * 2), _dims(before),
                     _dims(after), None)

    def prepare(descriptor):
        execute = _executor(_make("primitive_create", descriptor),
                            {_SOURCE: _memory(_of_array(x), x),
                             _RESULT: _memory(_of_array(result), result)})

        def run(_=x):
            execute()
            return np.moveaxis(result, 1, -1)
        return run
    return _quickest(describe, prepare)


def peers():
    """{workload: {name: function of the workload's arguments, giving a function of none}}."""
    table = {}

    def add(workload, function, packed=True, **keywords):
        makers = table.setdefault(workload, {})
        makers["onednn"] = functools.partial(function, **keywords)
        if packed:
            makers["onednn_packed"] = functools.partial(function, packed=True, **keywords)

    for size in (16, 64, 128, 256, 512, 1024, 2048):
        add(f"matmul_f32_{size}", product)
    for shape in ("333x555x777", "tall_65536x64x64", "skinny_8x4096x4096"):
        add(f"matmul_f32_{shape}", product)
    add("matmul_f32_nt_1024", lambda a, b, **k: product(a, b.T, **k))
    add("matmul_f32_tn_1024", lambda a, b, **k: product(a.T, b, **k))
    add("matmul_f32_batched_512x32x32", product, packed=False)
    add("einsum_bij_bkj_bik_16x128",
        lambda a, b: product(a, b.transpose(0, 2, 1)), packed=False)
    add("matvec_f32_4096", product, packed=False)
    add("matvec_f32_512", product, packed=False)
    add("matmul_bias_gelu_512x768x3072", product, post=GELU_TANH)
    for size in (256, 1024, 2048):
        add(f"matmul_bf16_{size}", product)
    add("matmul_bf16_to_f32_1024", product, result_type=np.float32)
    add("matmul_bf16_nt_1024", lambda a, b, **k: product(a, b.T, **k))
    add("matmul_bf16_64x4096x4096", product)
    add("matvec_bf16_4096", product, packed=False)
    add("matmul_i8_to_i32_1024", product, result_type=np.int32)
    add("matmul_f16_1024", product)

    for workload, keywords in {
            "conv3x3_nhwc_1x56x56x64": {}, "conv3x3_nchw_1x64x56x56": dict(layout="NCHW"),
            "conv1x1_nhwc_1x28x28x512to128": {}, "conv7x7s2_nhwc_1x224x224x3": dict(stride=2),
            "conv3x3_grouped32_nhwc_1x56x56x128": dict(groups=32),
            "conv3x3_depthwise_nhwc_1x56x56x128": dict(groups=128),
            "conv3x3_depthwise_nchw_1x128x56x56": dict(groups=128, layout="NCHW"),
            "conv3x3_bf16_nhwc_1x56x56x64": {}, "conv1d_8x4096x32": {},
            "conv3x3_bias_relu_nhwc_8x56x56x64": dict(post=RELU)}.items():
        add(workload, convolution, **keywords)
    add("maxpool3x3s2_nhwc_8x112x112x64", pooling, packed=False, average=False, window=3,
        stride=2)
    add("avgpool2x2_nhwc_8x112x112x64", pooling, packed=False, average=True, window=2, stride=2)
    return table
