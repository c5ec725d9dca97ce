"""JAX features around programs: options, AOT, export, caches, layouts, memories, analyses."""
import os
import shutil
import subprocess
import sys
import textwrap

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import PLATFORM, ROOT, only_tenon
from jax._src import config
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import topologies
from jax.experimental.layout import Format, Layout
from jax.experimental.serialize_executable import deserialize_and_load, serialize
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

ONLY_TENON = only_tenon("about Tenon", replacement=True)


def square(x):
    return jnp.tanh(x @ x) + 1


# Compiler options

@pytest.mark.parametrize("options, message", [
    ({"nope": 1}, "No such compile option: 'nope'"),
    ({"xla_nope": True}, "No such compile option: 'xla_nope'"),
    ({"xla_cpu_enable_fast_math": "true"},
     "While setting option xla_cpu_enable_fast_math, 'true' is not a valid bool value."),
    ({"xla_backend_optimization_level": 1.5},
     "While setting option xla_backend_optimization_level, '1.5' is not a valid int32 value."),
    ({"xla_gpu_shape_checks": "runtime"},
     "While setting option xla_gpu_shape_checks, 'runtime' is not a valid enum value.")])
def test_options_that_are_refused(options, message):
    for compile in (lambda: jax.jit(square, compiler_options=options)(jnp.ones((2, 2))),
                    lambda: jax.jit(square).lower(jnp.ones((2, 2))).compile(options)):
        with pytest.raises(jax.errors.JaxRuntimeError) as error:
            compile()
        assert message in str(error.value)


def test_options_that_are_taken():
    options = {"xla_cpu_enable_fast_math": True, "xla_backend_optimization_level": "2",
               "xla_gpu_shape_checks": "RUNTIME", "xla_disable_hlo_passes": "a,b"}
    assert jax.jit(lambda x: x + 1, compiler_options=options)(1.0) == 2


# Ahead of time

def test_compiled_programs_are_serialized():
    device = jax.devices(PLATFORM)[0]
    compiled = jax.jit(square).lower(jnp.ones((4, 4))).compile()
    loaded = deserialize_and_load(*serialize(compiled), execution_devices=[device])
    x = jnp.eye(4) * 2
    np.testing.assert_array_equal(loaded(x), compiled(x))


@ONLY_TENON
def test_topology_without_a_client():
    topology = topologies.get_topology_desc(platform=PLATFORM)
    assert len(topology.devices) == len(jax.devices(PLATFORM))
    where = NamedSharding(Mesh(np.array(topology.devices[:1]), "x"), PartitionSpec())
    compiled = jax.jit(square).lower(
        jax.ShapeDtypeStruct((8, 8), jnp.float32, sharding=where)).compile()
    assert compiled.cost_analysis()["flops"] >= 2 * 8**3


@ONLY_TENON
@pytest.mark.parametrize("cpu, reason", [
    ("aarch64:neoverse-n1", "is for architecture aarch64"),
    ("diamondrapids", "needs the processor feature")])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the targets are for x86-64")
def test_programs_for_other_machines(cpu, reason):
    topology = topologies.get_topology_desc(platform=PLATFORM, cpu=cpu)
    where = NamedSharding(Mesh(np.array(topology.devices[:1]), "x"), PartitionSpec())
    compiled = jax.jit(square).lower(
        jax.ShapeDtypeStruct((8, 8), jnp.float32, sharding=where)).compile()
    assert compiled.cost_analysis()["flops"] >= 2 * 8**3
    assert "dot" in compiled.as_text()
    image, *trees = serialize(compiled)
    with pytest.raises(jax.errors.JaxRuntimeError) as error:
        deserialize_and_load(image, *trees, execution_devices=[jax.devices(PLATFORM)[0]])
    assert "has no code for this machine, which is x86_64" in str(error.value)
    assert f"{cpu}, which {reason}" in str(error.value)


@ONLY_TENON
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the targets are for x86-64")
def test_programs_for_several_machines():
    topology = topologies.get_topology_desc(platform=PLATFORM, cpu="aarch64,x86-64-v2")
    where = NamedSharding(Mesh(np.array(topology.devices[:1]), "x"), PartitionSpec())
    compiled = jax.jit(square).lower(
        jax.ShapeDtypeStruct((8, 8), jnp.float32, sharding=where)).compile()
    loaded = deserialize_and_load(*serialize(compiled),
                                  execution_devices=[jax.devices(PLATFORM)[0]])
    x = jnp.eye(8) * 2
    np.testing.assert_allclose(loaded(x), square(x), rtol=1e-6)


def test_analyses():
    compiled = jax.jit(square, donate_argnums=0).lower(jnp.ones((64, 64))).compile()
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes == memory.output_size_in_bytes == 64 * 64 * 4
    assert memory.alias_size_in_bytes == 64 * 64 * 4
    costs = compiled.cost_analysis()
    assert 2 * 64**3 <= costs["flops"] <= 2 * 64**3 + 4 * 64**2
    assert costs["bytes accessed"] >= 2 * 64 * 64 * 4
    assert "func.func" in compiled.as_text() or "HloModule" in compiled.as_text()


# Export

def test_export_and_call():
    exported = jax.export.export(jax.jit(square))(jax.ShapeDtypeStruct((4, 4), jnp.float32))
    again = jax.export.deserialize(exported.serialize())
    x = jnp.eye(4)
    np.testing.assert_array_equal(again.call(x), jax.jit(square)(x))
    np.testing.assert_allclose(jax.jit(lambda x: again.call(x) * 2)(x), square(x) * 2)


def test_export_of_symbolic_shapes():
    scope = jax.export.symbolic_args_specs((jnp.ones((3, 4)),), "b, 4")
    exported = jax.export.export(jax.jit(lambda x: jnp.sum(jnp.tanh(x), axis=0) + x.shape[0]))(
        *scope)
    again = jax.export.deserialize(exported.serialize())
    for size in (1, 7):
        x = jnp.ones((size, 4))
        np.testing.assert_allclose(again.call(x), np.tanh(1) * size + size * np.ones(4),
                                   rtol=1e-6)


@pytest.mark.parametrize("version", range(
    jax.export.minimum_supported_calling_convention_version,
    jax.export.maximum_supported_calling_convention_version + 1))
def test_export_of_each_calling_convention(version):
    with config.jax_export_calling_convention_version(version):
        exported = jax.export.export(jax.jit(square))(
            jax.ShapeDtypeStruct((4, 4), jnp.float32))
    assert exported.calling_convention_version == version
    again = jax.export.deserialize(exported.serialize())
    np.testing.assert_array_equal(again.call(jnp.eye(4)), jax.jit(square)(jnp.eye(4)))


# Layouts

def test_layouts_of_arguments_and_results(device):
    columns = Format(Layout((1, 0)), SingleDeviceSharding(device))
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    y = jax.jit(lambda x: x * 2, out_shardings=columns)(x)
    assert y.format.layout.major_to_minor == (1, 0)
    np.testing.assert_array_equal(y, x * 2)
    z = jax.jit(lambda x: x + 1, in_shardings=columns)(y)
    assert z.format.layout.major_to_minor == (0, 1)
    np.testing.assert_array_equal(z, x * 2 + 1)
    w = jax.device_put(z, columns)
    assert w.format.layout.major_to_minor == (1, 0)
    np.testing.assert_array_equal(w, z)


def test_layouts_that_the_compiler_chooses(device):
    auto = Format(Layout.AUTO, SingleDeviceSharding(device))
    compiled = jax.jit(lambda x: x.T @ x, in_shardings=auto, out_shardings=auto).lower(
        jax.ShapeDtypeStruct((4, 3), jnp.float32)).compile()
    (chosen,), _ = compiled.input_formats
    x = np.arange(12.0, dtype=np.float32).reshape(4, 3)
    np.testing.assert_allclose(compiled(jax.device_put(x, chosen)), x.T @ x)


# Memories

def test_memory_kinds(device):
    mesh = Mesh(np.array([device]), "x")
    host, default = (NamedSharding(mesh, PartitionSpec(), memory_kind=kind)
                     for kind in ("pinned_host", device.default_memory().kind))
    x = jnp.arange(8.0)
    y = jax.device_put(x, host)
    assert y.sharding.memory_kind == "pinned_host"
    assert jax.device_put(y, default).sharding.memory_kind == device.default_memory().kind
    z = jax.jit(lambda x: x * 2, out_shardings=host)(x)
    assert z.sharding.memory_kind == "pinned_host"
    f = jax.jit(lambda x: jax.device_put(x, default) + 1, in_shardings=host)
    assert f(z).sharding.memory_kind == device.default_memory().kind
    np.testing.assert_array_equal(f(z), np.arange(8) * 2 + 1)


def test_moves_to_the_host_inside_of_a_program(device):
    mesh = Mesh(np.array([device]), "x")
    host, default = (NamedSharding(mesh, PartitionSpec(), memory_kind=kind)
                     for kind in ("pinned_host", device.default_memory().kind))

    @jax.jit
    def f(x):
        kept = jax.device_put(jnp.sin(x), host)
        return jax.device_put(kept, default) + x

    np.testing.assert_allclose(f(jnp.arange(4.0)), np.sin(np.arange(4)) + np.arange(4), rtol=1e-6)


def test_offloading_residuals_of_gradients():
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=["y"],
        offload_src="device", offload_dst="pinned_host")

    def f(x):
        y = checkpoint_name(jnp.sin(x), "y")
        return jnp.sum(jnp.sin(y) * y)

    x = jnp.arange(8.0)
    np.testing.assert_allclose(jax.jit(jax.grad(jax.checkpoint(f, policy=policy)))(x),
                               jax.grad(f)(x), rtol=1e-5, atol=1e-6)


# The compilation cache

CACHED = """
    import jax, jax.numpy as jnp
    from jax._src import monitoring
    hits = []
    monitoring.register_event_listener(
        lambda event, **_: hits.append(event) if event.endswith("/cache_hits") else None)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    print(float(jax.jit(lambda x: jnp.sin(x) * 2)(1.0)), len(hits))
"""


def cached(folder, **variables):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python"),
           "JAX_COMPILATION_CACHE_DIR": str(folder), **variables}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(CACHED)], env=env,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    value, hits = done.stdout.split()
    assert abs(float(value) - 2 * np.sin(1)) < 1e-6
    return int(hits)


@ONLY_TENON
def test_compilation_cache_and_another_build_of_the_compiler(tmp_path):
    folder, plugin = tmp_path / "cache", os.environ["TENON_PLUGIN"]
    assert cached(folder) == 0
    assert cached(folder) > 0
    # The same plugin with another build id, as after a change and a new link.
    note = subprocess.run(["readelf", "-nW", plugin], capture_output=True, text=True)
    if "Build ID:" not in note.stdout:
        pytest.skip("no readelf (apt-get install binutils), or a plugin linked without "
                    "--build-id, which CMake asks for")
    build_id = bytes.fromhex(note.stdout.split("Build ID:")[1].split()[0])
    other = shutil.copy(plugin, tmp_path / "other.so")
    data = (tmp_path / "other.so").read_bytes()
    assert data.count(build_id) == 1
    (tmp_path / "other.so").write_bytes(data.replace(build_id, bytes(len(build_id))))
    assert cached(folder, TENON_PLUGIN=str(other)) == 0
    assert cached(folder) > 0
