"""jax_plugins.tenon.explain_sharding: what sharded programs communicate."""
import json

import pytest
from conftest import only_tenon
from own_process import run

pytestmark = only_tenon("reports on sharded programs")

PROGRAM = """
import json
import jax, jax.numpy as jnp
import jax_plugins.tenon as tenon
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("x", "y"), devices=jax.devices("tenon"),
                     axis_types=(AxisType.Auto,) * 2)
spread = lambda *axes: NamedSharding(mesh, P(*axes))
x = jax.device_put(jnp.ones((16, 32)), spread("x", "y"))
w = jax.device_put(jnp.ones((32, 64)), spread("y", None))

def layer(x, w):
    return jnp.tanh(x @ w)

lowered = jax.jit(layer, out_shardings=spread("x", None)).lower(x, w)
report = json.loads(tenon.explain_sharding(lowered, "json"))
text = tenon.explain_sharding(lowered)
page = tenon.explain_sharding(lowered, "html")
errors = []
plain = jax.jit(layer).lower(*(jax.device_put(v, jax.devices("cpu")[0]) for v in (x, w)))
for wrong in (lambda: tenon.explain_sharding(lowered, "pdf"),
              lambda: tenon.explain_sharding(plain)):
    try:
        wrong()
    except ValueError as error:
        errors.append(str(error))
print(json.dumps({"report": report, "text": text, "page": page, "errors": errors}))
"""


@pytest.fixture(scope="module")
def found():
    return json.loads(run(PROGRAM, JAX_PLATFORMS="tenon,cpu", TENON_DEVICE_COUNT="8").splitlines()[-1])


def test_report_names_axes_and_reasons(found):
    report = found["report"]
    assert report["devices"] == 8 and report["mesh"] == {"x": 4, "y": 2}
    [collective] = report["collectives"]
    assert collective["kind"] == "all_reduce" and collective["axes"] == '"y"'
    assert collective["bytes"] == report["bytes"] == 4 * 64 * 4  # the part, 2 (n-1)/n times
    assert collective["source"]
    assert collective["reasons"] == ['each device along "y" has a part of the result of '
                                     'dot_general']
    assert "all_reduce" in found["text"] and "1 collective;" in found["text"]
    assert found["page"].count('<div class="device">') == 8


def test_errors_say_what_to_do(found):
    form, platform = found["errors"]
    assert "'pdf' is not known" in form and "not Tenon" in platform
