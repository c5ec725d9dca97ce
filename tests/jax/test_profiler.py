"""jax.profiler traces show compilations, and runs kernel by kernel."""
import glob
import inspect

import jax
import jax.numpy as jnp
from conftest import only_tenon

pytestmark = only_tenon("planes of Tenon")
COMPILER = "/device:CUSTOM:Tenon compiler"
DEVICE = "/device:CUSTOM:Tenon device 0"


def train(x, w):
    y = jnp.tanh(x @ w)
    return y.sum() + jnp.sort(y, axis=1)[:, 0].sum()


def planes(folder):
    """The planes of a trace as {name: [(event, duration in ns, stats)]}."""
    path, = glob.glob(str(folder / "**" / "*.xplane.pb"), recursive=True)
    data = jax.profiler.ProfileData.from_file(path)
    return {plane.name: [(event.name, event.start_ns, event.duration_ns, dict(event.stats))
                         for line in plane.lines for event in line.events]
            for plane in data.planes}


def traced(folder, run):
    with jax.profiler.trace(str(folder)):
        run()
    return planes(folder)


def test_compilations_and_their_phases(tmp_path):
    x = jnp.ones((64, 64))
    found = traced(tmp_path, lambda: jax.jit(train).lower(x, x).compile())[COMPILER]
    whole, = (event for event in found if event[0] == "compile jit_train")
    phases = [event for event in found if not event[0].startswith("compile")]
    assert {"import", "legalize", "simplify", "fuse", "code"} <= {event[0] for event in phases}
    for _, start, duration, _ in phases:
        assert start >= whole[1] - 1000 and start + duration <= whole[1] + whole[2] + 1000
    assert 0 < sum(event[2] for event in phases) <= whole[2] + 1000


def test_runs_and_kernels(tmp_path):
    x = jnp.ones((256, 256))
    f = jax.jit(train).lower(x, x).compile()
    jax.block_until_ready(f(x, x))
    found = traced(tmp_path, lambda: [f(x, x).block_until_ready() for _ in range(3)])[DEVICE]
    runs = [event for event in found if event[0] == "jit_train"]
    assert len(runs) == 3 and len({event[3]["run_id"] for event in runs}) == 3
    lines, first = inspect.getsourcelines(train)
    kernels = {}
    for name, start, duration, stats in found:
        if "hlo_op" not in stats:
            continue
        assert stats["hlo_module"] == "jit_train" and stats["tf_op"] == name
        run, = (r for r in runs if r[3]["run_id"] == stats["run_id"])
        assert start >= run[1] and start + duration <= run[1] + run[2]
        file, line, _ = stats["source"].rsplit(":", 2)
        assert file == __file__
        kernels.setdefault(name.split("/", 1)[1], []).append(lines[int(line) - first])
    assert "x @ w" in kernels["dot_general"][0] and len(kernels["dot_general"]) == 3
    assert "jnp.sort" in kernels["jit(sort)/sort"][0]


def test_custom_calls(tmp_path):
    a = jnp.eye(16) * 2
    f = jax.jit(jnp.linalg.eigvalsh).lower(a).compile()
    found = traced(tmp_path, lambda: f(a).block_until_ready())[DEVICE]
    assert any(event[0] == "lapack_ssyevd_ffi" for event in found)


def test_each_trace_has_only_its_own_events(tmp_path):
    f = jax.jit(lambda x: x + 1)
    x = f(jnp.ones(8))
    for i in range(2):
        found = traced(tmp_path / str(i), lambda: f(x).block_until_ready())
        assert len([event for event in found[DEVICE] if "hlo_op" not in event[3]]) == 1
    found = traced(tmp_path / "empty", lambda: None)
    assert DEVICE not in found and COMPILER not in found
