"""The factor rule of every op is Shardy's (jaxlib's sdy-populate-op-sharding-rules)."""
import collections
import pathlib
import sys

import pytest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "fuzz")]
import shardy  # noqa: E402
from fuzzer import generate  # noqa: E402

RULE = "sdy.sharding_rule"

# Ops that neither JAX's programs nor the fuzzer's have.
OTHERS = """
func.func @collectives(%a: tensor<8x4x6xf32>, %b: tensor<8x8xcomplex<f32>>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x4x6xf32>) -> tensor<8x8x6xf32>
  %1 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x4x6xf32>) -> tensor<4x4x12xf32>
  %2 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x4x6xf32>) -> tensor<8x4x6xf32>
  %3 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x4x6xf32>) -> tensor<8x4x6xf32>
  %4 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x4x6xf32>) -> tensor<8x4x6xf32>
  %5 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<8x4x6xf32>) -> tensor<8x4x3xf32>
  %6 = stablehlo.fft %b, type = FFT, length = [8, 8] : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
  %7 = stablehlo.fft %a, type = RFFT, length = [6] : (tensor<8x4x6xf32>) -> tensor<8x4x4xcomplex<f32>>
  return
}
func.func @calls(%a: tensor<3x8x4xf32>, %tau: tensor<3x4xf32>, %i: tensor<3x8x4xi32>, %s: tensor<f32>, %t: tensor<i32>, %u: tensor<2xui32>) {
  %0:2 = stablehlo.custom_call @Eigh(%a) : (tensor<3x8x4xf32>) -> (tensor<3x8x4xf32>, tensor<3x4xf32>)
  %1:2 = stablehlo.custom_call @Qr(%a) : (tensor<3x8x4xf32>) -> (tensor<3x8x4xf32>, tensor<3x4xf32>)
  %2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %tau) : (tensor<3x8x4xf32>, tensor<3x4xf32>) -> tensor<3x8x4xf32>
  %3:2 = stablehlo.custom_call @mhlo.topk(%a) : (tensor<3x8x4xf32>) -> (tensor<3x8x2xf32>, tensor<3x8x2xi32>)
  %4:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %s, %t) : (tensor<3x8x4xf32>, tensor<3x8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3x8x2xf32>, tensor<3x8x2xi32>)
  %5 = stablehlo.custom_call @MoveToHost(%a) : (tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %6 = stablehlo.custom_call @unknown(%a) : (tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %7 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%a) : (tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %8 = stablehlo.custom_call @mine(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([k, i, j]) {i=3, j=8, k=4} need_replication={j}, custom>} : (tensor<3x8x4xf32>) -> tensor<4x3x8xf32>
  %9 = stablehlo.custom_call @X64Combine(%u, %u) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui64>
  %state, %bits = stablehlo.rng_bit_generator %9, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %10 = stablehlo.custom_call @X64Combine(%u, %u) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xui64>
  return
}
"""


def rule_of(op):
    return str(op.attributes[RULE]) if RULE in op.attributes else None


def compare(ours, text, kinds):
    theirs = shardy.shardy(text, "func.func(sdy-populate-op-sharding-rules)")
    wrong = []
    for a, b in zip(shardy.operations(ours.operation), shardy.operations(theirs.operation),
                    strict=True):
        assert a.name == b.name
        kinds[a.name] += rule_of(a) is not None
        # XLA expands chlo before Shardy sees it.
        if not a.name.startswith("chlo.") and rule_of(a) != rule_of(b):
            wrong.append(f"{b}: {rule_of(a)}, not {rule_of(b)}")
    return wrong


@pytest.mark.parametrize("path", sorted(shardy.PROGRAMS.glob("*.mlir")), ids=lambda path: path.stem)
def test_programs_of_jax(path):
    text = path.read_text()
    ours = shardy.tenon(text, "--populate-sharding-rules")
    assert not compare(ours, text, collections.Counter())


def test_other_ops():
    kinds = collections.Counter()
    assert not compare(shardy.tenon(OTHERS, "--populate-sharding-rules"), OTHERS, kinds)
    assert kinds["stablehlo.custom_call"] == 9


def test_random_programs():
    texts = [generate.generate(seed).text for seed in range(400)]
    kinds = collections.Counter()
    for text, ours in zip(texts, shardy.tenon_many(texts, "--populate-sharding-rules")):
        assert not compare(ours, text, kinds)
    assert len([kind for kind, count in kinds.items() if count]) > 50


def test_sharding_rule_that_does_not_match_is_an_error():
    text = """func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @mine(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=4, j=2}, custom>} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    with pytest.raises(RuntimeError, match="a tensor has 1 dimensions, but the rule gives 2"):
        shardy.tenon(text, "--populate-sharding-rules")
