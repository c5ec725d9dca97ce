"""jit with shardings on 8 devices: what JAX asks of a partitioner besides the results."""
from conftest import only_tenon
from own_process import run

pytestmark = only_tenon("programs over several devices")
HEAD = """
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
    values = np.arange(64, dtype=np.float32).reshape(8, 8)
"""


def on_eight(code):
    return run(HEAD + code, JAX_PLATFORMS="tenon,cpu", TENON_DEVICE_COUNT="8")


def test_meshes_with_the_same_devices_in_other_orders():
    assert on_eight("""
    turned = Mesh(np.array(jax.devices())[[3, 1, 0, 2, 7, 6, 4, 5]].reshape(8), ("z",))
    x = jax.device_put(values, NamedSharding(mesh, P("x", "y")))
    y = jax.device_put(x, NamedSharding(turned, P("z")))
    print(np.array_equal(y, values), [s.device.id for s in y.addressable_shards],
          all(np.array_equal(s.data, values[s.index]) for s in y.addressable_shards))
    """) == "True [3, 1, 0, 2, 7, 6, 4, 5] True"


def test_split_values_become_unreduced_in_place():
    assert on_eight("""
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Explicit,))
    with jax.set_mesh(mesh):
        x = jax.device_put(np.arange(8), P("x"))
        y = jax.jit(lambda a: a, out_shardings=P(unreduced={"x"}))(x)
        print([s.data.tolist().index(i) for i, s in enumerate(y.addressable_shards) if i],
              jax.reshard(y, P()).tolist())
    """) == "[1, 2, 3, 4, 5, 6, 7] [0, 1, 2, 3, 4, 5, 6, 7]"


def test_the_framework_is_told_shardings():
    assert on_eight("""
    seen = []
    def f(a):
        b = jnp.sin(a).T
        jax.debug.inspect_array_sharding(b, callback=seen.append)
        return b
    for _ in range(2):
        jax.jit(lambda a: f(a))(jax.device_put(values, NamedSharding(mesh, P("x", "y"))))
    print(len(seen), seen[0].shard_shape((8, 8)))
    def wrong(sharding):
        raise ValueError("not this one")
    def g(a):
        jax.debug.inspect_array_sharding(a, callback=wrong)
        return a
    try:
        jax.jit(g)(jax.device_put(values, NamedSharding(mesh, P("x", "y"))))
    except Exception as error:
        print("not this one" in str(error))
    """) == "2 (4, 2)\nTrue"


def test_callbacks_for_each_devices_part():
    assert on_eight("""
    shapes = []
    def f(a):
        jax.debug.callback(lambda v: shapes.append(v.shape), a, partitioned=True)
        jax.debug.callback(lambda v: shapes.append(v.shape), a)
        return a
    with jax.set_mesh(mesh):
        jax.jit(f)(jax.device_put(values, NamedSharding(mesh, P("x", "y"))))
    jax.effects_barrier()
    print(sorted(shapes) == [(2, 4)] * 8 + [(8, 8)])
    """) == "True"


def test_donated_arguments_are_used_for_results_of_other_shapes():
    assert on_eight("""
    x = jax.device_put(values, NamedSharding(mesh, P("x")))
    f = jax.jit(lambda a: a.reshape(8, 2, 4) + 1, donate_argnums=0,
                out_shardings=NamedSharding(mesh, P(None, "y", "x")))
    g = jax.jit(lambda a: a * 2, donate_argnums=0,
                out_shardings=NamedSharding(mesh, P(None, "x")))
    y = jax.device_put(values, NamedSharding(mesh, P("x")))
    print(np.array_equal(f(x), values.reshape(8, 2, 4) + 1), x.is_deleted() or "kept",
          np.array_equal(g(y), values * 2), y.is_deleted())
    """) == "True kept True True"


def test_calls_that_the_framework_partitions():
    assert on_eight("""
    from jax.experimental.custom_partitioning import custom_partitioning
    asked = []
    @custom_partitioning
    def f(a):
        return jnp.cumsum(a, 0)
    def partition(mesh, arguments, result):
        asked.append(arguments[0].sharding.spec)
        def local(part):
            sums = jnp.cumsum(part, 0)
            before = jax.lax.all_gather(sums[-1], "x")
            i = jax.lax.axis_index("x")
            return sums + jnp.where(jnp.arange(4)[:, None] < i, before, 0).sum(0)
        sharding = NamedSharding(mesh, P("x", "y"))
        return mesh, local, sharding, (sharding,)
    f.def_partition(partition, infer_sharding_from_operands=lambda mesh, a, r: a[0].sharding,
                    sharding_rule="i j -> i j")
    with mesh:
        x = jax.device_put(values, NamedSharding(mesh, P("y", "x")))
        y = jax.jit(lambda a: f(a * 2), out_shardings=NamedSharding(mesh, P("x")))(x)
    print(np.allclose(y, np.cumsum(2 * values, 0)), asked, y.sharding.spec)
    """) == "True [P('y', 'x')] P('x',)"


def test_layouts_that_are_left_to_the_compiler():
    assert on_eight("""
    from jax.experimental.layout import Format, Layout
    x = jax.device_put(values, NamedSharding(mesh, P("x", "y")))
    left = jax.jit(lambda a: a.T, out_shardings=Format(Layout.AUTO)).lower(x).compile()
    given = jax.jit(lambda a: jax.lax.with_sharding_constraint(
        a.T, Format(Layout(major_to_minor=(0, 1)), NamedSharding(mesh, P("x")))))(x)
    print(left.output_formats.layout.major_to_minor, np.array_equal(left(x), values.T),
          given.format.layout.major_to_minor, np.array_equal(given, values.T))
    """) == "(1, 0) True (0, 1) True"


def test_each_device_takes_its_own_branch():
    """The number of the device is not a constant of the program."""
    assert on_eight("""
    from jax import lax
    def local(v):
        i = lax.axis_index("i")
        folded = lax.switch(i, [lambda k=k: jnp.full((1,), 10.0 * k) for k in range(8)])
        summed = lax.cond(i < 4, lambda w: lax.psum(w, "i", axis_index_groups=groups),
                          lambda w: 2 * lax.psum(w, "i", axis_index_groups=groups), v)
        steps = lax.fori_loop(0, i + 1, lambda _, c: c + 1.0, jnp.zeros((1,)))
        return jnp.stack([folded, summed, steps])
    groups = [[0, 1, 2, 3], [4, 5, 6, 7]]
    flat = Mesh(np.array(jax.devices()), ("i",))
    f = jax.jit(jax.shard_map(local, mesh=flat, in_specs=P("i"), out_specs=P(None, "i"),
                              check_vma=False))
    print(f(np.arange(8.0, dtype=np.float32)).astype(int).tolist())
    """) == str([[10 * k for k in range(8)], [6] * 4 + [44] * 4, list(range(1, 9))])


def test_empty_and_strided_slices_of_split_dimensions():
    """associative_scan takes empty slices with strides at powers of two."""
    assert on_eight("""
    from jax import lax
    wrong = []
    for devices in (2, 4, 8):
        mesh = Mesh(np.array(jax.devices()[:devices]), ("x",))
        for size in (8, 16, 24, 40):
            v = np.arange(size, dtype=np.int32)
            x = jax.device_put(v, NamedSharding(mesh, P("x")))
            programs = {
                "scan": (lambda x: lax.associative_scan(jnp.add, x), np.cumsum(v)),
                "empty": (lambda x: lax.slice(x, (size,), (size,), (2,)), v[:0]),
                "window": (lambda x: lax.reduce_window(x[:0], 0, lax.add, (3,), (1,), ((1, 1),)),
                           np.zeros(0, np.int32)),
                "padded": (lambda x: lax.pad(x[:0], 7, [(size // 2, size // 2, 0)]), v * 0 + 7)}
            for name, (program, expected) in programs.items():
                for spec in (P(), P("x")):
                    out = NamedSharding(mesh, spec)
                    y = np.asarray(jax.jit(program, out_shardings=out)(x))
                    if not np.array_equal(y, expected):
                        wrong.append((name, devices, size, spec, y.shape))
    print(wrong)
    """) == "[]"


def test_argmax_along_a_split_dimension():
    """Parts are reduced on their devices; ties, NaNs and rows of infinities keep the first."""
    assert on_eight("""
    from jax_plugins import tenon
    random = np.random.default_rng(0)
    values = random.integers(0, 3, (16, 3, 128)).astype(np.float32)
    values.reshape(-1)[random.integers(0, values.size, 40)] = np.nan
    values[5] = -np.inf
    values[6] = 0.0 * random.choice([-1, 1], (3, 128))
    for spec in (P(None, None, "x"), P(None, None, ("y", "x")), P("y", None, "x")):
        split = NamedSharding(mesh, spec)
        for dtype in (np.float32, np.int32, jnp.bfloat16):
            x = np.nan_to_num(values, neginf=-9, nan=2) if dtype == np.int32 else values
            x = x.astype(dtype)
            for f, expected in ((jnp.argmax, np.argmax), (jnp.argmin, np.argmin)):
                g = jax.jit(lambda a: f(a, -1), in_shardings=split)
                assert np.array_equal(g(x), expected(x.astype(np.float32), -1)), (spec, dtype, f)
    report = tenon.explain_sharding(g.lower(x))
    print("reduce combines the results of all parts" in report, "all_to_all" in report)
    """) == "True False"


TRAIN = """
    def placed(*shape, spec=P(), seed=0):
        numbers = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
        return jax.device_put(numbers, NamedSharding(mesh, spec))
    def parameters():
        return [placed(256, 1024, spec=P(None, "y")), placed(1024, 256, spec=P("y"), seed=1)]
    data = placed(32, 256, spec=P("x"), seed=2)
    def loss(p, x):
        return ((jnp.tanh(x @ p[0]) @ p[1] - x) ** 2).mean()
    def update(p, x):
        return jax.tree.map(lambda w, g: w - 0.1 * g, p, jax.grad(loss)(p, x))
    def memories(array):
        return len({s.data.unsafe_buffer_pointer() for s in array.addressable_shards})
    def parts(array):
        return np.stack([s.data for s in array.addressable_shards]).tobytes()
"""


def test_devices_of_a_group_share_weights():
    """Of 4 x 2 devices, four have the same part of each matrix. Donated weights stay where they
    are, while several steps are in flight."""
    assert on_eight(TRAIN + """
    # Only copies that are there can be compared.
    kept, given = jax.block_until_ready((parameters(), parameters()))
    step, in_place = jax.jit(update), jax.jit(update, donate_argnums=0)
    for i in range(6):
        kept, given = step(kept, data), in_place(given, data)
    print([memories(w) for w in given], [memories(w) for w in kept],
          all(parts(a) == parts(b) for a, b in zip(kept, given)))
    old = [parts(w) for w in given]
    scaled = jax.jit(lambda p: [w * 2 for w in p], donate_argnums=0)(given)
    print([memories(w) for w in scaled],
          all(np.array_equal(2 * np.frombuffer(o, np.float32), np.frombuffer(parts(s), np.float32))
              for o, s in zip(old, scaled)))
    """) == "[2, 2] [2, 2] True\n[8, 8] True"


def test_copies_that_differ_are_not_shared():
    """A program may be given different copies of what should be equal, and computes with them."""
    assert on_eight(TRAIN + """
    def torn():
        copies = [jax.device_put(np.full((256, 512), d / 8, np.float32), device)
                  for d, device in enumerate(mesh.devices.flat)]
        return [jax.make_array_from_single_device_arrays(
            (256, 1024), NamedSharding(mesh, P(None, "y")), copies), parameters()[1]]
    kept, given = jax.jit(update)(torn(), data), jax.jit(update, donate_argnums=0)(torn(), data)
    print(memories(given[0]), all(parts(a) == parts(b) for a, b in zip(kept, given)))
    """) == "8 True"


def boundary(module):
    """The shardings of a program's arguments and results, for each way of asking to propagate."""
    return on_eight(f"""
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client as xc
    from jaxlib.mlir import ir
    devices = xc.DeviceList(tuple(jax.devices()))
    for may in (None, [True], [False], [False, False]):
        options = xc.CompileOptions()
        build = options.executable_build_options
        for some in (options, build):
            some.num_replicas, some.num_partitions = 1, 8
        build.use_spmd_partitioning = build.use_shardy_partitioner = True
        if may is not None:
            build.allow_spmd_sharding_propagation_to_parameters = may
            build.allow_spmd_sharding_propagation_to_output = may
        options.device_assignment = xc.DeviceAssignment.create(np.arange(8).reshape(1, 8))
        with mlir.make_ir_context():
            parsed = ir.Module.parse({module!r})
        program = jax.devices()[0].client.compile_and_load(parsed, devices, options)
        print([str(xc.HloSharding.from_proto(s)) for s in program.get_parameter_shardings()],
              [str(xc.HloSharding.from_proto(s)) for s in program.get_output_shardings()])
    """).splitlines()


def test_shardings_propagate_to_the_boundary_as_in_xla():
    """With Shardy, jaxlib 0.10.2 does not look at allow_spmd_sharding_propagation either."""
    split = "'{devices=[8]<=[8]}'"
    assert boundary("""
    module @m attributes {mhlo.num_partitions = 8 : i32} {
      sdy.mesh @mesh = <["x"=8]>
      func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                             %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
        %0 = stablehlo.add %a, %b : tensor<8xf32>
        return %0, %a : tensor<8xf32>, tensor<8xf32>
      }
    }""") == [f"[{split}, {split}] [{split}, {split}]"] * 4


def test_shardings_as_text():
    """As XLA writes them into HLO."""
    assert boundary(r"""
    module @m attributes {mhlo.num_partitions = 8 : i32, mhlo.frontend_attributes = {
        xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=8]>}"}} {
      func.func public @main(%a: tensor<8xf32> {mhlo.frontend_attributes = {
          xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}}) -> tensor<8xf32> {
        %0 = stablehlo.add %a, %a : tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    }""") == ["['{devices=[8]<=[8]}'] ['{devices=[8]<=[8]}']"] * 4


def test_small_factorizations_do_not_depend_on_the_devices():
    """A device has a part of the batch, too small for the kernels that a whole one gets."""
    assert on_eight("""
    a = np.random.default_rng(1).standard_normal((8, 6, 6)).astype(np.float32)
    a = a + a.transpose(0, 2, 1)
    sharded = jax.device_put(a, NamedSharding(mesh, P("x")))
    for function in (jnp.linalg.qr, jnp.linalg.eigh, jnp.linalg.svd):
        f = jax.jit(function)
        print(all(np.allclose(x, y, rtol=1e-4, atol=1e-5)
                  for x, y in zip(f(jnp.asarray(a)), f(sharded))), end=" ")
    """) == "True True True"
