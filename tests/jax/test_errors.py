"""Errors name the operation, the place and the reason, and the process continues."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import PLATFORM, only_tenon

pytestmark = only_tenon("about Tenon's messages")


def compile_text(text):
    from jax._src.lib import xla_client
    device = jax.devices(PLATFORM)[0]
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[device.id]]))
    return device.client.compile_and_load(text, xla_client.DeviceList((device,)), options)


def main(body, types="tensor<4xf32>"):
    return f"module @m {{ func.func public @main(%x: {types}) -> {types} {{ {body} }} }}"


def test_unknown_custom_call_names_its_target():
    with pytest.raises(Exception, match="UNIMPLEMENTED.*no_such_target"):
        jax.block_until_ready(jax.jit(lambda x: jax.ffi.ffi_call(
            "no_such_target", jax.ShapeDtypeStruct(x.shape, x.dtype))(x))(jnp.ones(3)))
    assert int(jnp.add(1, 1)) == 2


def test_more_devices_than_there_are(device):
    from jax._src.lib import xla_client
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 2, 1
    with pytest.raises(Exception) as error:
        device.client.compile_and_load(
            main("return %x : tensor<4xf32>"), xla_client.DeviceList((device,)), options)
    text = str(error.value)
    assert "INVALID_ARGUMENT" in text and "needs 2 x 1 (replicas x partitions) devices" in text


@pytest.mark.parametrize("text", [
    "", "not a program", "module { func.func @other() { return } }",
    main("%y = stablehlo.no_such_op %x : tensor<4xf32> return %y : tensor<4xf32>"),
    main("%y = stablehlo.add %x, %z : tensor<4xf32> return %y : tensor<4xf32>")])
def test_malformed_text_is_an_error(text):
    with pytest.raises(Exception):
        compile_text(text)
    assert int(jnp.add(1, 1)) == 2


def test_text_does_not_see_what_earlier_programs_loaded(device):
    text = main("%y = vhlo.add_v1 %x, %x : !vhlo.tensor_v1<4x!vhlo.f32_v1> return %x : tensor<4xf32>")

    def error():
        with pytest.raises(Exception) as error:
            compile_text(text)
        return str(error.value)
    first = error()
    for size in range(1, 40):  # bytecode of VHLO
        jax.jit(lambda x: x * 3).lower(jnp.ones(size)).compile()
    assert error() == first


def test_wrong_number_of_arguments(device):
    compiled = jax.jit(lambda x, y: x + y).lower(jnp.ones(3), jnp.ones(3)).compile()
    with pytest.raises(TypeError):
        compiled(jnp.ones(3))
    with pytest.raises(TypeError):
        compiled(jnp.ones(4), jnp.ones(4))
