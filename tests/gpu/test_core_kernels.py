"""The instructions of hand-planned kernels, and what ptxas says that they take."""
import pathlib
import re

import gpu_kernels
import ptx_programs
import pytest

pytestmark = pytest.mark.skipif(
    not ptx_programs.ptxas() or not (ptx_programs.BIN / "tenon-core-kernels").exists(),
    reason="needs ptxas (scripts/install_ptxas.sh) and tenon-core-kernels")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """{kernel: {processor: (PTX, Use)}}"""
    measured = gpu_kernels.measure(tmp_path_factory.mktemp("kernels"))
    return {name: {processor: (pathlib.Path(launch["file"]).read_text(), use)
                   for processor, (launch, use) in uses.items()}
            for name, uses in measured.items()}


def test_nothing_is_spilled(kernels):
    for name, uses in kernels.items():
        for processor, (ptx, use) in uses.items():
            assert (use.spills, use.stack) == (0, 0), f"{name} for {processor}: {use}"
            assert ".local" not in ptx
            # Two groups of 256 items fit into the registers of a processor, or, with much
            # local memory, one.
            limit = 255 if name.startswith("wide_") else 160
            assert use.registers <= limit, f"{name} for {processor}: {use}"


@pytest.mark.parametrize("kernel, instruction", [
    ("product_bf16_nn", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
    ("product_f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
    ("product_tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
    ("product_s8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"),
    ("product_f64", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64")])
def test_products_have_matrix_instructions(kernels, kernel, instruction):
    for ptx, _ in kernels[kernel].values():
        assert instruction in ptx
        assert "cp.async.cg.shared.global" in ptx and "cp.async.wait_group" in ptx
        # All other accesses to global memory are stores of results.
        assert "ld.global" not in ptx


@pytest.mark.parametrize("kernel, plain, transposed", [
    ("product_bf16_nn", True, True), ("product_bf16_nt", True, False),
    ("product_bf16_tn", False, True), ("product_bf16_tt", True, True),
    ("product_s8", True, False)])
def test_fragments_are_loaded_as_matrices(kernels, kernel, plain, transposed):
    for ptx, _ in kernels[kernel].values():
        assert ("ldmatrix.sync.aligned.m8n8.x4.shared.b16" in ptx) == plain
        assert ("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16" in ptx) == transposed
        assert "ld.shared" not in ptx


def test_tf32_is_rounded(kernels):
    for ptx, _ in kernels["product_tf32"].values():
        assert "cvt.rna.tf32.f32" in ptx


def test_results_are_stored_16_bytes_at_a_time(kernels):
    for name in ("product_bf16_nn", "product_bf16_bias_relu", "wide_product_bf16_nn",
                 "wide_product_bf16_bias_relu"):
        for ptx, _ in kernels[name].values():
            stores = re.findall(r"st.global.(\S+)", ptx)
            assert stores and set(stores) == {"v4.b32"}, (name, set(stores))
    for ptx, _ in kernels["product_bf16_bias_relu"].values():
        assert "cvt.rn.bf16x2" in ptx


def test_wide_products_read_both_operands_from_shared_memory(kernels):
    wide = {name: uses for name, uses in kernels.items() if name.startswith("wide_")}
    assert len(wide) >= 5
    for name, uses in wide.items():
        assert list(uses) == ["sm_90a"]
        ptx = uses["sm_90a"][0]
        assert len(re.findall(r"wgmma.mma_async.sync.aligned.m64n(64|128|256)k16.f32", ptx)) == 4, name
        assert "fence.proxy.async" in ptx
        assert "ldmatrix" not in ptx and "mma.sync" not in ptx and "ld.shared" not in ptx


def test_wide_products_are_under_way_in_the_next_step(kernels):
    for name, uses in kernels.items():
        if name.startswith("wide_"):
            waits = re.findall(r"wgmma.wait_group.sync.aligned (\d)", uses["sm_90a"][0])
            assert waits == ["1", "0"], name
            assert not uses["sm_90a"][1].serialized, name
