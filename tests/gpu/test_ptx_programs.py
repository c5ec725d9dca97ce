"""Whole programs for NVIDIA's processors, on the emulator of tests/gpu.

The kernels are the LLVM IR that also becomes PTX; test_ptx.py assembles that.
"""
import attention_programs
import bf16_programs
import jax_programs
import matrix_programs
import memory_programs
import ptx_programs
import pytest

TOOL = ptx_programs.BIN / "tenon-test-ptx"

pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="tenon-test-ptx is not built")


def run(files, *options):
    """The counts of executed instructions, after all programs were right."""
    done = ptx_programs.call(TOOL, *files, *options)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    lines = done.stdout.splitlines()
    return {line.split(" ", 1)[1]: int(line.split()[0]) for line in lines[:-1]
            if "nvvm" in line or "wgmma" in line}


@pytest.fixture(scope="module")
def products(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs") / "products.mlir"
    path.write_text(matrix_programs.matrix_programs())
    return path


@pytest.mark.parametrize("options", [(), ("--backwards",)], ids=["forwards", "backwards"])
def test_products_with_fragments(products, options):
    counts = run([products], *options)
    for instruction in ("m16n8k16.row.col.bf16", "m16n8k16.row.col.f32.f32", "m16n8k32.row.col.s8",
                        "m16n8k32.row.col.u8", "m8n8k4.row.col.f64", "ldmatrix", "cp.async.cg"):
        assert any(instruction in name for name in counts), instruction
    # f32 is not rounded to tf32.
    assert not any("tf32" in name for name in counts)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_tf32_is_chosen_if_programs_allow_it(products, target):
    # Small integers are exact in tf32.
    counts = run([products], "--target", target, "--tf32")
    assert any("m16n8k8.row.col.tf32" in name for name in counts)


@pytest.mark.parametrize("options, precisions", [
    (("--tf32",), ("HIGHEST, HIGHEST", "HIGH, HIGH", "DEFAULT, HIGHEST")),
    ((), ("HIGHEST, HIGHEST", "DEFAULT, DEFAULT"))], ids=["tf32", "f32"])
def test_other_products_are_not_rounded(tmp_path, options, precisions):
    path = tmp_path / "precise.mlir"
    path.write_text(matrix_programs.precise_programs(precisions))
    counts = run([path], "--target", "sm_90a", *options)
    assert not any("tf32" in name for name in counts)


def test_wide_products(products):
    counts = run([products], "--target", "sm_90a")
    assert any("wgmma" in name for name in counts)


@pytest.mark.parametrize("options", [(), ("--backwards",)], ids=["forwards", "backwards"])
def test_memory(tmp_path, options):
    path = tmp_path / "memory.mlir"
    path.write_text(memory_programs.memory_programs())
    run([path], "--target", "sm_90a", *options)


@pytest.mark.parametrize("options", [(), ("--backwards",)], ids=["forwards", "backwards"])
def test_attention(tmp_path, options):
    path = tmp_path / "attention.mlir"
    path.write_text(attention_programs.attention_programs())
    counts = run([path], *options)
    for instruction in ("m16n8k16.row.col.bf16", "m16n8k16.row.col.f32.f32", "ex2.approx", "shfl.sync.bfly"):
        assert any(instruction in name for name in counts), instruction


def test_attention_of_f32_is_fused_if_it_may_be_rounded(tmp_path):
    path = tmp_path / "attention.mlir"
    path.write_text(attention_programs.attention_programs(
        [case for case in attention_programs.CASES if case.element == "f32"]))
    assert not any("ex2" in name for name in run([path]))
    counts = run([path], "--tf32")
    assert any("ex2" in name for name in counts)
    assert any("m16n8k8.row.col.tf32" in name for name in counts)


def test_attention_of_jax(tmp_path):
    path = tmp_path / "attention.mlir"
    path.write_text(jax_programs.attention_programs())
    run([path])


def test_attention_stores_weights_that_are_results(tmp_path):
    path = tmp_path / "attention.mlir"
    path.write_text(attention_programs.attention_programs(
        [case for case in attention_programs.CASES if case.name == "weights"]))
    assert not any("ex2" in name for name in run([path]))


def test_factorizations_by_blocks(tmp_path):
    path = tmp_path / "factorizations.mlir"
    path.write_text(jax_programs.factorization_programs())
    # Pivots are found in registers; products are not rounded.
    counts = run([path], "--tf32")
    assert any("shfl" in name for name in counts)
    assert not any("tf32" in name for name in counts)


def test_operations():
    # unsupported.mlir is several files in one.
    run([path for path in sorted((ptx_programs.ROOT / "tests" / "ops").glob("*.mlir"))
         if path.stem != "unsupported"], "--target", "sm_90a")


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_bits_of_bf16(tmp_path, target):
    """All operands of functions, many pairs, and all quotients by divisors of all sizes."""
    texts = {"unary": bf16_programs.unary_program(), "binary": bf16_programs.binary_program()}
    if target == "sm_90a":
        texts |= {f"divide_{divisor:04x}": bf16_programs.divisor_program(divisor)
                  for divisor in (0x4040, 0x7ea0, 0x7f7f, 0x0080, 0, 0x8001, 0x7f80)}
    for name, text in texts.items():
        (tmp_path / f"{name}.mlir").write_text(text)
    run(sorted(tmp_path.glob("*.mlir")), "--target", target)
