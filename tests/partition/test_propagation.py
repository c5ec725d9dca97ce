"""Propagated shardings are Shardy's: on JAX's programs, and on random ones."""
import pathlib
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "fuzz")]
import annotate  # noqa: E402
import compare  # noqa: E402
import shardy  # noqa: E402
from fuzzer import generate  # noqa: E402

PIPELINE = "sdy-propagation-pipeline"


@pytest.mark.parametrize("path", sorted(shardy.PROGRAMS.glob("*.mlir")), ids=lambda path: path.stem)
def test_programs_of_jax(path):
    text = path.read_text()
    ours = shardy.tenon(text, "--propagate-shardings")
    text = compare.chlo_rules(text)
    assert not compare.differences(ours, shardy.shardy(text, compare.PROPAGATION))
    settled = shardy.tenon(str(ours), "--settle-boundary")
    assert not compare.boundary_differences(settled, shardy.shardy(text, PIPELINE))


# scripts/fuzz_shardings.py runs more.
def test_random_programs():
    texts = [annotate.annotate(generate.generate(seed).text, seed) for seed in range(250)]
    wrong = []
    for seed, (text, ours) in enumerate(
            zip(texts, shardy.tenon_many(texts, "--propagate-shardings"))):
        lines = compare.differences(ours, shardy.shardy(text, compare.PROPAGATION))
        wrong += [f"seed {seed}: {line}" for line in lines]
    assert not wrong


@pytest.mark.parametrize("program, message", [
    ("func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@none, [{}]>}) { return }",
     "a sharding refers to mesh @none, which the program does not define"),
    ("""sdy.mesh @mesh = <["x"=2]>
     func.func @main(%a: tensor<4xf32>, %b: tensor<8xf32>) {
       sdy.sharding_group %a group_id=0 : tensor<4xf32>
       sdy.sharding_group %b group_id=0 : tensor<8xf32>
       return
     }""", "all values of sharding group 0 must have one shape"),
    ("""func.func @main(%a: tensor<4xf32>) { func.call @f(%a) : (tensor<4xf32>) -> () return }
     func.func private @f(%a: tensor<4xf32>) {
       func.call @f(%a) : (tensor<4xf32>) -> ()
       return
     }""", "call of function 'f' is recursive"),
    ("func.func private @main(tensor<4xf32>)", "the program has no function to call"),
    ("""func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
       %0 = sdy.data_flow_edge %a : tensor<4xf32>
       return %0 : tensor<4xf32>
     }""", "'sdy.data_flow_edge' op at .* is reserved for the compiler"),
])
def test_errors(program, message):
    with pytest.raises(RuntimeError, match=message):
        shardy.tenon(program, "--propagate-shardings")
