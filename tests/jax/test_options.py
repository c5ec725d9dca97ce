"""The options of docs/options.md have their documented effects; errors name invalid values."""
import os
import platform
import re

import pytest
from conftest import ROOT, only_tenon
from own_process import run

pytestmark = only_tenon("about options of Tenon")
ON_X86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="names features of x86-64")
LAST_PROCESSOR = str(max(os.sched_getaffinity(0)))

# Code that the processes share.
THREADS = """
    import os, pathlib, time
    import jax, jax.numpy as jnp
    def threads(name):
        return [p.parent for p in pathlib.Path("/proc/self/task").glob("*/comm")
                if p.read_text().startswith(name)]
    x = jnp.ones((1500, 1500))
    assert float((x @ x)[0, 0]) == 1500.0
    """


def lines(*args, **variables):
    return run(*args, JAX_PLATFORMS="tenon", **variables).split("\n")


def dump(code, folder, **variables):
    """The dump of the last program: {phase: text}."""
    run(code, TENON_DUMP_TO=str(folder), JAX_PLATFORMS="tenon", **variables)
    return {path.name.split(".", 1)[1]: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_threads(count):
    assert lines(THREADS + "print(len(threads('tenon-team')))",
                 TENON_THREADS=str(count)) == [str(count - 1)]


def test_as_many_threads_as_processors_the_process_may_use():
    assert lines(f"""
    import os
    os.sched_setaffinity(0, {{{LAST_PROCESSOR}}})""" + THREADS +
                 "print(len(threads('tenon-team')))") == ["0"]


def test_affinity():
    out = lines(THREADS + """
    for p in threads("tenon"):
        print([l.split()[1] for l in (p / "status").read_text().split("\\n")
               if l.startswith("Cpus_allowed_list")][0])""",
                TENON_AFFINITY=LAST_PROCESSOR, TENON_THREADS="3")
    assert len(out) >= 2 and set(out) == {LAST_PROCESSOR}


def test_affinity_sets_the_number_of_threads():
    assert lines(THREADS + "print(len(threads('tenon-team')))",
                 TENON_AFFINITY=LAST_PROCESSOR) == ["0"]


@pytest.mark.parametrize("spin", [{}, {"TENON_SPIN_MICROSECONDS": "1000"}])
def test_threads_sleep_soon_after_the_last_work(spin):
    # CPU clocks of the threads, which do not count time spent waiting for a processor.
    spent = lines(THREADS + """
    clocks = [~int(p.name) << 3 | 6 for p in threads("tenon")]
    assert len(clocks) >= 3, clocks
    def spent():
        return sum(map(time.clock_gettime, clocks))
    for _ in range(5):
        (x @ x).block_until_ready()
        before = spent()
        time.sleep(0.2)
        print(spent() - before)""", TENON_THREADS="4", **spin)
    # The threads may spin for a millisecond. Without sleep they would use 0.2 s or more.
    assert all(float(seconds) < 0.02 for seconds in spent), spent


def test_memory_limit():
    out = lines("""
    import jax.numpy as jnp
    x = jnp.ones(1000)
    try:
        jnp.ones(30_000_000).block_until_ready()
    except Exception as error:
        print(error)
    print(float(x.sum()))""", TENON_MEMORY_LIMIT="100000000")
    assert "RESOURCE_EXHAUSTED" in out[0] and "100000000" in out[0] and out[-1] == "1000.0"


@pytest.mark.parametrize("value, flag", [("1", "hg"), ("0", "nh")])
def test_huge_pages(value, flag):
    out, = lines("""
    import jax.numpy as jnp
    x = jnp.ones(10_000_000).block_until_ready()
    inside, flags = False, "none"
    for line in open("/proc/self/smaps"):
        head = line.split()[0]
        if "-" in head:
            first, last = (int(n, 16) for n in head.split("-"))
            inside = first <= x.unsafe_buffer_pointer() < last
        elif inside and head == "VmFlags:":
            flags = line
    print(flags)""", TENON_HUGE_PAGES=value)
    if out == "none":
        pytest.skip("this kernel shows no VmFlags in /proc/self/smaps")
    assert flag in out.split()


@ON_X86
@pytest.mark.parametrize("variables", [{"TENON_CPU": "haswell"},
                                       {"TENON_FEATURES": "-avx512f"},
                                       {"TENON_FEATURES": "-avx512dq"},
                                       {"TENON_FEATURES": "-avx512bw"}])
def test_target(variables, tmp_path):
    text = dump("import jax; jax.jit(lambda x: jax.numpy.tanh(x) + 1)(jax.numpy.zeros(1000))",
                tmp_path, **variables)["code.s"]
    assert "ymm" in text and "zmm" not in text


def test_optimization_level(tmp_path):
    code = """
    import jax, jax.numpy as jnp, numpy as np
    x = jnp.linspace(-3, 3, 999)
    y = jax.jit(lambda x: jnp.tanh(x) @ jnp.outer(jnp.sin(x), x) / jnp.linalg.norm(x))(x)
    v = np.linspace(-3, 3, 999)
    np.testing.assert_allclose(y, np.tanh(v) @ np.outer(np.sin(v), v) / np.linalg.norm(v),
                               rtol=1e-4, atol=1e-2)"""
    sizes = []
    for level in range(4):
        folder = tmp_path / str(level)
        sizes.append(len(dump(code, folder, TENON_OPTIMIZATION_LEVEL=str(level))["code.s"]))
    assert sizes[0] > sizes[2], sizes


@pytest.mark.parametrize("count", [1, 2])
def test_compile_threads(count, tmp_path):
    """Each thread has one module of short kernels; a long kernel has its own module."""
    text = dump("""
    import jax, jax.numpy as jnp
    arrays = [jnp.ones((n, n)) for n in range(60, 70)]
    jax.jit(lambda arrays: ([x.sum(0) for x in arrays], arrays[0] @ arrays[0]))(arrays)
    """, tmp_path, TENON_COMPILE_THREADS=str(count))["code.ll"]
    assert text.count("; ModuleID") == count + 1


def test_threads_that_share_a_kernel_change_no_bit():
    """One to four parts, some of them empty: a sort is one function."""
    code = """
    import jax, jax.numpy as jnp, numpy as np
    random = np.random.default_rng(0)
    def data(*shape):
        return jnp.asarray(random.standard_normal(shape).astype(np.float32))
    def convolution(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    for f, *arguments in ((lambda a, b: jnp.tanh(a @ b), data(100, 70), data(70, 90)),
                          (convolution, data(2, 9, 9, 5), data(3, 3, 5, 7)),
                          (jnp.fft.fft, data(7, 360)), (jnp.fft.rfft, data(7, 1009)),
                          (jnp.sort, data(20, 300)),
                          (lambda a: jnp.linalg.cholesky(a @ a.T + 99 * jnp.eye(60)), data(60, 60)),
                          (lambda q: jax.nn.softmax(q @ q.T) @ q, data(128, 64))):
        print(np.asarray(jax.jit(f)(*arguments)).tobytes().hex())"""
    results = [run(code, TENON_COMPILE_THREADS=threads) for threads in ("1", "2", "3", "16")]
    assert results[0] and len(set(results)) == 1


@pytest.mark.parametrize("fold", ["0", "1"])
def test_fold_constants(fold, tmp_path):
    text = dump("""
    import jax, jax.numpy as jnp, numpy as np
    jax.jit(lambda: (jnp.sqrt(np.float32(2)), jnp.sin(np.float32(2))))()""", tmp_path,
                TENON_FOLD_CONSTANTS=fold)["simplify.mlir"]
    assert ("stablehlo.sqrt" in text) == (fold == "0")
    # The folder could give other bits than code for a sine, so it is never folded.
    assert "stablehlo.sine" in text


@pytest.mark.parametrize("keep", ["0", "1"])
def test_ieee_denormals(keep):
    assert lines("""
    import jax, jax.numpy as jnp
    print(float(jax.jit(lambda x: x * 0.5)(jnp.float32(1.2e-38))) > 0)""",
                 TENON_IEEE_DENORMALS=keep) == [str(keep == "1")]


def test_ieee_denormals_of_products():
    """Products of bf16, for which some instructions always flush denormals."""
    assert lines("""
    import jax.numpy as jnp
    x = jnp.full((64, 64), 2.0 ** -130, jnp.bfloat16)
    y = jnp.full((64, 64), 2.0 ** 10, jnp.bfloat16)
    print(bool((jnp.dot(x, y, preferred_element_type=jnp.float32) == 2.0 ** -114).all()))""",
                 TENON_IEEE_DENORMALS="1") == ["True"]


@ON_X86
@pytest.mark.parametrize("features", ["-amx-tile", "-avx512f"])
def test_products_without_a_unit(features):
    assert lines("""
    import jax.numpy as jnp
    x = jnp.ones((64, 96), jnp.int8)
    print(bool((jnp.dot(x, x.T, preferred_element_type=jnp.int32) == 96).all()),
          bool((x.astype(jnp.bfloat16) @ x.T.astype(jnp.bfloat16) == 96).all()))""",
                 TENON_FEATURES=features) == ["True True"]


def test_perf_map():
    out = lines("""
    import os, jax
    jax.jit(lambda x: x + 1)(1.0)
    path = f"/tmp/perf-{os.getpid()}.map"
    print(os.path.getsize(path) > 0)
    os.remove(path)""", TENON_PERF_MAP="1")
    assert out == ["True"]


def test_dump_folder_is_made(tmp_path):
    texts = dump("import jax; jax.jit(lambda x: x + 1)(1.0)", tmp_path / "new" / "folder")
    assert {"import.mlir", "program.mlir", "code.ll", "code.s"} <= set(texts)
    assert all(texts.values())


def test_configure():
    out = lines("""
    import jax
    from jax_plugins import tenon
    tenon.configure(device_count=2, threads=1)
    print(len(jax.devices()), tenon.options())
    try:
        tenon.configure(threads=2)
    except RuntimeError as error:
        print(error)
    try:
        tenon.configure(colour=2)
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__)""")
    assert out[0] == ("2 {'device_count': 2, 'threads': 1, 'kernel_cache': 'off', "
                      "'platform_name': 'tenon'}")
    assert "before" in out[1]


@pytest.mark.parametrize("variable, value, reason", [
    ("TENON_REPLACE_CPU", "perhaps", "0 or 1"),
    ("TENON_DEVICE_COUNT", "many", "an integer"),
    ("TENON_DEVICE_COUNT", "0", "from 1 to 1024"),
    ("TENON_THREADS", "-3", "from 0 to 4096"),
    ("TENON_COMPILE_THREADS", "5000", "from 0 to 4096"),
    ("TENON_SPIN_MICROSECONDS", "1001", "from 0 to 1000"),
    ("TENON_OPTIMIZATION_LEVEL", "4", "from 0 to 3"),
    ("TENON_MEMORY_LIMIT", "-1", "from 0 to"),
    ("TENON_AFFINITY", "some", "not a list of processors such as 0-3,8"),
    ("TENON_AFFINITY", "1023", "may only run on"),
    ("TENON_CPU", "nosuchcpu", "unknown target 'nosuchcpu'"),
    ("TENON_FEATURES", "+nosuchfeature", "unknown feature '+nosuchfeature'"),
    ("TENON_FEATURES", "avx2", "with + or - before each"),
    ("TENON_DUMP_TO", "/proc/nowhere", "where nothing can be written")])
def test_option_that_makes_no_sense(variable, value, reason):
    error = run("import jax; jax.devices()", fails=True, **{variable: value})
    assert "RuntimeError" in error and value in error and reason in error


def test_every_option_is_in_the_docs():
    page = (ROOT / "docs" / "options.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", page, re.MULTILINE))
    source = (ROOT / "tenon" / "pjrt" / "client" / "create_options.cc").read_text()
    own = "".join((ROOT / "tenon" / "devices" / device / f"{device}_platform.cc").read_text()
                  for device in ("cpu", "sim", "opencl", "cuda"))
    plugin = set(re.findall(r'\{"(\w+)", &options\.', source))
    plugin |= set(re.findall(r'\{\.name = "(\w+)"', own))
    variables = lines("""
    from jax_plugins.tenon._options import _OPTIONS
    for option in _OPTIONS.values():
        print(option.name, option.variable, option.create_option)""")
    package = {name: variable for name, variable, _ in map(str.split, variables)}
    package["platform_name"] = "TENON_PLATFORM_NAME"  # the package sets it
    handed_on = {name for name, _, create in map(str.split, variables) if create == "True"}
    assert handed_on < plugin
    assert set(rows) == plugin | set(package)
    for name, variable in rows.items():
        assert variable.strip(" `") == package.get(name, ""), name
