"""JAX on simulated accelerators: devices whose memory the host cannot access.

Results are the same as on the CPU, bit by bit, because both run the same code.
"""
import pathlib

import plugin_env
import pytest
from conftest import only_tenon
from own_process import run

PLUGIN = pathlib.Path(plugin_env.default_plugin()).with_name("pjrt_plugin_tenon_sim.so")
pytestmark = [only_tenon("about devices of Tenon"),
              pytest.mark.skipif(not PLUGIN.exists(), reason=f"{PLUGIN} has not been built")]


def simulate(code, **variables):
    return run("import jax, jax.numpy as jnp, numpy as np\n" + code, TENON_SIMULATE="1",
               TENON_PLUGIN=str(PLUGIN), JAX_PLATFORMS="tenon_sim,cpu", **variables).split("\n")


def test_devices():
    assert simulate("""
for device in jax.devices():
    print(device.platform, device.device_kind, device.coords,
          sorted(memory.kind for memory in device.addressable_memories()))
""", TENON_DEVICE_COUNT="4", TENON_HOSTS="2") == [
        f"tenon_sim simulated {coords} ['device', 'pinned_host', 'unpinned_host']"
        for coords in ([0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0])]


TRAINING = """
def loss(w, x, y):
    return jnp.mean((jnp.tanh(x @ w["a"] + w["b"]) @ w["c"] - y) ** 2)
@jax.jit
def step(w, x, y):
    return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, x, y))
keys = jax.random.split(jax.random.key(0), 5)
w = {"a": jax.random.normal(keys[0], (17, 31)), "b": jax.random.normal(keys[1], (31,)),
     "c": jax.random.normal(keys[2], (31, 3))}
x, y = jax.random.normal(keys[3], (23, 17)), jax.random.normal(keys[4], (23, 3))
for _ in range(20):
    w = step(w, x, y)
print(np.asarray(w["a"]).tobytes().hex()[:4000])
print(float(loss(w, x, y)))
"""


def test_training_equals_the_cpu():
    on_cpu = run("import jax, jax.numpy as jnp, numpy as np\n" + TRAINING,
                 JAX_PLATFORMS="tenon").split("\n")
    assert simulate(TRAINING) == on_cpu
    assert simulate(TRAINING, TENON_LATENCY_MICROSECONDS="200") == on_cpu


def test_linear_algebra_callbacks_and_donation():
    assert simulate("""
a = jnp.eye(5) * 3 + 1
print(float(jnp.abs(jnp.linalg.eigh(a)[0] - np.linalg.eigvalsh(np.asarray(a))).max()) < 1e-5)
print(jax.jit(lambda x: jax.pure_callback(lambda v: v * 2, x, x))(a)[0, 0])
x = jnp.arange(8.)
y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
print(x.is_deleted(), y[7])
""") == ["True", "8.0", "True 8.0"]


def test_arrays_move_between_devices_and_kinds_of_memory():
    assert simulate("""
from jax.sharding import SingleDeviceSharding
first, second = jax.devices()
x = jnp.arange(100000, dtype=jnp.int32).reshape(250, 400)
for device in (first, second):
    for kind in ("device", "pinned_host", "unpinned_host"):
        x = jax.device_put(x, SingleDeviceSharding(device, memory_kind=kind))
        assert x.sharding.memory_kind == kind and x.devices() == {device}
        assert (np.asarray(x) == np.arange(100000).reshape(250, 400)).all()
x = jax.device_put(x, first)
print(int((x.T[7] + x[0, 0]).sum()), jax.jit(lambda v: v * 2)(jax.device_put(x, second)).devices())
""", TENON_DEVICE_COUNT="2") == ["12451750 {TenonSimDevice(id=1)}"]


def test_faults_reach_the_arrays():
    assert simulate("""
x = jax.device_put(np.arange(4.), jax.devices()[1])
f = jax.jit(lambda v: v + 1)
good = f(x)
bad = f(good)
worse = f(bad)
for array in (good, bad, worse, f(good)):
    try:
        print(array[0])
    except jax.errors.JaxRuntimeError as error:
        print(error)
""", TENON_DEVICE_COUNT="2", TENON_FAULTS="launch@2:1") == [
        "1.0", "INTERNAL: launch 2 of simulated device 1 failed",
        "INTERNAL: launch 2 of simulated device 1 failed", "2.0"]


def test_full_memory_lists_its_contents():
    lines = simulate("""
kept = [jax.device_put(np.zeros(100000, np.float32)) for _ in range(2)]
try:
    np.asarray(jnp.concatenate([kept[0]] * 3))
except jax.errors.JaxRuntimeError as error:
    print(error)
print(jax.devices()[0].memory_stats()["bytes_in_use"], float(kept[1].sum()))
""", TENON_MEMORY_LIMIT=str(1 << 20))
    assert lines[0].startswith("RESOURCE_EXHAUSTED: simulated device 0 is out of memory: 1.1 MiB "
                               "asked for; of 1.0 MiB, "), lines[0]
    assert lines[1].endswith(" 0.0")


def test_by_path_alone():
    assert run("""
    import jax
    print(jax.devices(), float(jax.numpy.ones(3).sum()))
    """, PYTHONPATH="", TENON_PLUGIN="", JAX_PLATFORMS="tenon_sim",
               PJRT_NAMES_AND_LIBRARY_PATHS=f"tenon_sim:{PLUGIN}") == "[TenonSimDevice(id=0)] 3.0"


def test_simulate_and_replace_cpu_are_exclusive():
    error = run("import jax; jax.devices()", fails=True, TENON_SIMULATE="1",
                TENON_REPLACE_CPU="1", TENON_PLUGIN=str(PLUGIN))
    assert "set replace_cpu or simulate, not both" in error
