"""Programs whose devices communicate: right on every type, with the same bits on any number of
threads, and with an error instead of a hang when devices do not meet."""
import concurrent.futures
import json

import pytest
from conftest import ROOT, only_tenon
from own_process import run

pytestmark = only_tenon("collectives between Tenon's devices")
THREADS = (1, 2, 16)


def run_on_eight(code, threads=2, **variables):
    return run(code, JAX_PLATFORMS="tenon,cpu", TENON_DEVICE_COUNT="8", TENON_THREADS=str(threads),
               **variables)


@pytest.fixture(scope="module")
def digests():
    """{number of threads: {program: digests of its results, run by run}}."""
    code = f"""
    import sys
    sys.path.insert(0, {str(ROOT / "tests" / "jax")!r})
    import collective_programs
    collective_programs.main()"""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = pool.map(lambda threads: run_on_eight(code, threads), THREADS)
        return dict(zip(THREADS, map(json.loads, texts)))


def test_results_have_the_same_bits_on_any_number_of_threads(digests):
    assert len(digests[1]) > 80
    for threads, programs in digests.items():
        for name, runs in programs.items():
            assert len(set(runs)) == 1, f"{name} at {threads} threads"
        assert programs == digests[1], f"at {threads} threads"


def test_jax_sees_local_shapes_and_shardings():
    assert run_on_eight("""
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import PartitionSpec as P
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
    f = jax.jit(jax.shard_map(lambda a: jax.lax.psum(a, "y"), mesh=mesh, in_specs=P("x", "y"),
                              out_specs=P("x", None)))
    c = f.lower(np.ones((16, 8), np.float32)).compile()
    r = c(np.ones((16, 8), np.float32))
    print(c.input_shardings[0][0], c.output_shardings.spec, r.sharding.spec, r.shape,
          r.addressable_shards[1].data.shape, c.memory_analysis().argument_size_in_bytes,
          "all-reduce" in c.as_text())
    """) == ("GSPMDSharding({devices=[4,2]<=[8]}, memory_kind=device) P('x',) P('x',) (16, 4) "
             "(4, 4) 64 True")


def test_devices_that_do_not_meet_get_an_error_at_once():
    errors = run_on_eight("""
    import time
    import jax, jax.numpy as jnp, numpy as np
    from jax import lax
    from jax.sharding import PartitionSpec as P
    mesh = jax.sharding.Mesh(jax.devices(), ("x",))
    def uneven(a):
        return lax.while_loop(lambda v: v.max() < 3, lambda v: v + lax.psum(v, "x") * 0 + 1, a)
    f = jax.jit(jax.shard_map(uneven, mesh=mesh, in_specs=P("x"), out_specs=P("x"),
                              check_vma=False))
    a = np.arange(8, dtype=np.float32)
    c = f.lower(a).compile()
    start = time.perf_counter()
    try:
        jax.block_until_ready(c(a))
        print("no error")
    except Exception as e:
        print(e)
    print(time.perf_counter() - start)
    print(jax.jit(jax.shard_map(lambda v: lax.psum(v, "x"), mesh=mesh, in_specs=P("x"),
                                out_specs=P()))(a))
    """).splitlines()
    assert "partition 0 waits in all_reduce (" in errors[0]
    assert "partition 3, which has ended" in errors[0]
    assert float(errors[1]) < 0.5
    assert errors[2] == "[28.]"  # the devices stay usable


def test_callbacks_run_once_per_device():
    assert run_on_eight("""
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import PartitionSpec as P
    mesh = jax.sharding.Mesh(jax.devices(), ("x",))
    seen = []
    def note(v):
        seen.append(int(v.sum()))
        return v * 2
    def f(a):
        b = jax.pure_callback(note, jax.ShapeDtypeStruct(a.shape, a.dtype), a)
        return b + jax.lax.psum(b, "x")
    g = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))
    print(np.asarray(g(np.arange(8, dtype=np.int32))), sorted(seen))
    """) == "[56 58 60 62 64 66 68 70] [0, 1, 2, 3, 4, 5, 6, 7]"


def test_donated_arguments_are_reused():
    assert run_on_eight("""
    import jax, numpy as np
    from jax.sharding import NamedSharding, PartitionSpec as P
    mesh = jax.sharding.Mesh(jax.devices(), ("x",))
    a = jax.device_put(np.ones((8, 1000), np.float32), NamedSharding(mesh, P("x")))
    f = jax.jit(jax.shard_map(lambda v: v + jax.lax.psum(v, "x"), mesh=mesh, in_specs=P("x"),
                              out_specs=P("x"), check_vma=False), donate_argnums=0)
    b = f(a)
    print(a.is_deleted(), np.asarray(b).sum())
    """) == "True 72000.0"


def run_module(body, results, replicas=1, partitions=4):
    """Runs a function of %a, which is [device] as f32 on each of four devices. Returns its
    results, one list of four numbers each."""
    return run_on_eight(f"""
    import jax, numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client as xc
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
    from jaxlib.mlir import ir
    devices = jax.devices()[:4]
    replicas, partitions = {replicas}, {partitions}
    text = '''
    module @t attributes {{mhlo.num_replicas = {replicas} : i32,
                          mhlo.num_partitions = {partitions} : i32}} {{
      func.func public @main(%a: tensor<1xf32>) -> ({results}) {{
        {body}
      }}
    }}'''
    options = xc.CompileOptions()
    for some in (options, options.executable_build_options):
        some.num_replicas, some.num_partitions = replicas, partitions
    options.device_assignment = xc.DeviceAssignment.create(
        np.arange(4).reshape(replicas, partitions))
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
    try:
        executable = devices[0].client.compile_and_load(module, xc.DeviceList(tuple(devices)),
                                                        options)
        parts = [jax.device_put(np.array([i], np.float32), d) for i, d in enumerate(devices)]
        array = jax.make_array_from_single_device_arrays(
            (4,), NamedSharding(Mesh(np.array(devices), ("x",)), P("x")), parts)
        results = executable.execute_sharded([array]).disassemble_into_single_device_arrays()
        print([[float(np.asarray(part).ravel()[0]) for part in parts] for parts in results])
    except Exception as e:
        print(e)
    """)


ADD = """({
          ^bb0(%x: tensor<f32>, %y: tensor<f32>):
            %s = stablehlo.add %x, %y : tensor<f32>
            stablehlo.return %s : tensor<f32>
          })"""
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"


def test_replicas_and_partitions_form_the_groups_of_the_specification():
    add = f"{ADD} : (tensor<1xf32>) -> tensor<1xf32>"
    assert run_module(f"""
        %0 = "stablehlo.all_reduce"(%a) <{{
            replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}}> {add}
        %1 = "stablehlo.all_reduce"(%a) <{{{CHANNEL},
            replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}}> {add}
        %2 = "stablehlo.all_reduce"(%a) <{{{CHANNEL}, use_global_device_ids,
            replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>}}> {add}
        %3 = "stablehlo.collective_permute"(%a) <{{{CHANNEL},
            source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}}>
            : (tensor<1xf32>) -> tensor<1xf32>
        %4 = stablehlo.replica_id : tensor<ui32>
        %5 = stablehlo.partition_id : tensor<ui32>
        return %0, %1, %2, %3, %4, %5 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>,
            tensor<1xf32>, tensor<ui32>, tensor<ui32>""",
                      ", ".join(["tensor<1xf32>"] * 4 + ["tensor<ui32>"] * 2), 2, 2) == str(
        [[2., 4., 2., 4.], [1., 1., 5., 5.], [3., 3., 3., 3.], [0., 0., 0., 2.],
         [0., 0., 1., 1.], [0., 1., 0., 1.]])


def test_reducers_may_compute_in_a_wider_type():
    """0.1 is not a bf16; the sum of four is rounded in f32."""
    assert run_module(f"""
        %scale = stablehlo.constant dense<0.1> : tensor<1xbf16>
        %0 = "stablehlo.all_reduce"(%scale) <{{{CHANNEL}, use_global_device_ids,
            replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}}> {ADD}
            : (tensor<1xbf16>) -> tensor<1xf32>
        return %0 : tensor<1xf32>""", "tensor<1xf32>") == str([[0.400390625] * 4])


# x + 2 y, in a loop.
LOOP = """({
          ^bb0(%x: tensor<f32>, %y: tensor<f32>):
            %zero = stablehlo.constant dense<0> : tensor<i32>
            %l:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<f32> cond {
              %two = stablehlo.constant dense<2> : tensor<i32>
              %more = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %more : tensor<i1>
            } do {
              %one = stablehlo.constant dense<1> : tensor<i32>
              %j = stablehlo.add %i, %one : tensor<i32>
              %t = stablehlo.add %s, %y : tensor<f32>
              stablehlo.return %j, %t : tensor<i32>, tensor<f32>
            }
            stablehlo.return %l#1 : tensor<f32>
          })"""


def test_reducers_with_loops():
    """In the same tree as others: of all devices (0 + 2 * 1) + 2 (2 + 2 * 3)."""
    assert run_module(f"""
        %0 = "stablehlo.all_reduce"(%a) <{{{CHANNEL}, use_global_device_ids,
            replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}}> {LOOP}
            : (tensor<1xf32>) -> tensor<1xf32>
        %1 = "stablehlo.all_reduce"(%a) <{{{CHANNEL}, use_global_device_ids,
            replica_groups = dense<[[2, 1, 0], [3, -1, -1]]> : tensor<2x3xi64>}}> {LOOP}
            : (tensor<1xf32>) -> tensor<1xf32>
        %iota = stablehlo.iota dim = 0 : tensor<4xf32>
        %wide = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
        %row = stablehlo.add %iota, %wide : tensor<4xf32>
        %2 = "stablehlo.reduce_scatter"(%row) <{{{CHANNEL}, use_global_device_ids,
            scatter_dimension = 0 : i64,
            replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}}> {LOOP}
            : (tensor<4xf32>) -> tensor<1xf32>
        return %0, %1, %2 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>""",
                      ", ".join(["tensor<1xf32>"] * 3)) == str(
        [[18.] * 4, [4.] * 3 + [3.], [18., 27., 36., 45.]])


def test_reducers_with_loops_and_branches_over_split_dimensions():
    assert run_on_eight("""
    import jax, jax.numpy as jnp, numpy as np
    from jax import lax
    from jax.sharding import NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    x = np.random.default_rng(0).integers(1, 50, (64, 3)).astype(np.int32) * 6
    split = jax.device_put(x, NamedSharding(mesh, P("x")))
    gcd = jax.jit(lambda v: lax.reduce(v, np.int32(0), jnp.gcd, (0,)))
    larger = jax.jit(lambda v: lax.reduce(v, np.int32(0), lambda a, b: lax.cond(
        a > b, lambda: a, lambda: b), (0,)))
    assert np.array_equal(gcd(split), np.gcd.reduce(x)), gcd(split)
    assert np.array_equal(larger(split), x.max(0)), larger(split)
    assert " all-gather(" in gcd.lower(split).compile().as_text()
    print("ok")
    """) == "ok"


def test_rows_outside_of_arrays_are_an_error():
    assert "part 3 has 3 rows from row 2 of the operand, which has 4 rows" in run_on_eight("""
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import PartitionSpec as P
    mesh = jax.sharding.Mesh(jax.devices(), ("x",))
    def f(a, sizes):
        zero = jnp.zeros(8, jnp.int32)
        return jax.lax.ragged_all_to_all(a[0], a[0], zero.at[3].set(2), sizes, zero, sizes,
                                         axis_name="x")[None]
    g = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"),
                              check_vma=False))
    a = np.arange(32, dtype=np.float32).reshape(8, 4)
    try:
        print(g(a, np.full(8, 3, np.int32)))
    except Exception as e:
        print(e)
    print(g(a, np.full(8, 1, np.int32))[0])
    """)


def test_rows_that_a_device_sends_to_itself():
    assert run_on_eight("""
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import PartitionSpec as P
    mesh = jax.sharding.Mesh(jax.devices()[:1], ("x",))
    f = jax.jit(jax.shard_map(lambda *a: jax.lax.ragged_all_to_all(*a, axis_name="x"), mesh=mesh,
                              in_specs=P(), out_specs=P(), check_vma=False))
    starts, sizes, places = np.array([2, 0, 4]), np.array([3, 2, 0]), np.array([0, 5, 7])
    print(f(np.arange(5) + 1, np.full(7, -1), starts, sizes, places, sizes))
    """) == "[ 3  4  5 -1 -1  1  2]"


def test_narrow_floats_in_programs_with_shardings():
    """jaxlib writes these types in a form of bytecode that MLIR 22 does not know."""
    assert run_on_eight("""
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    values = np.arange(16) % 4
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3", "float8_e5m2fnuz",
                 "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e3m4", "float4_e2m1fn"):
        x = jax.device_put(jnp.asarray(values).astype(name), NamedSharding(mesh, P("x")))
        whole = NamedSharding(mesh, P())
        doubled = jax.jit(lambda a: jax.lax.with_sharding_constraint(a + a, whole))(x)
        gathered = jax.jit(jax.shard_map(lambda v: jax.lax.all_gather(v, "x", tiled=True),
                                         mesh=mesh, in_specs=P("x"), out_specs=P("x")))(x)
        assert np.array_equal(np.asarray(doubled).astype(int), 2 * values), name
        assert np.array_equal(np.asarray(gathered).astype(int), np.tile(values, 8)), name
    print("ok")
    """) == "ok"
