"""How floats are computed in PTX."""
import subprocess

import ptx_programs
import pytest

TOOL = ptx_programs.BIN / "tenon-compile"

pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="tenon-compile is not built")


def ptx_of(tmp_path, target, *lines):
    program = tmp_path / "program.mlir"
    program.write_text("\n".join(["func.func @main(%x: tensor<64xbf16>) -> tensor<64xbf16> {", *lines, "}"]))
    subprocess.run([TOOL, program, "--target", f"nvptx64:{target}", "--dump", tmp_path, "-o",
                    tmp_path / "program.tenon"], check=True)
    ptx, = tmp_path.glob("*.ptx")
    return ptx.read_text()


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_arithmetic_of_bf16_is_of_pairs(tmp_path, target):
    text = ptx_of(tmp_path, target,
                  "%0 = stablehlo.multiply %x, %x : tensor<64xbf16>",
                  "%1 = stablehlo.add %0, %x : tensor<64xbf16>",
                  "%2 = stablehlo.maximum %1, %x : tensor<64xbf16>",
                  "%3 = stablehlo.negate %2 : tensor<64xbf16>",
                  "return %3 : tensor<64xbf16>")
    assert text.count("fma.rn.bf16x2") == 2 * text.count("max.NaN.bf16x2") > 0
    assert ".f32" not in text.replace(".reg .f32", "")


def test_rounding_to_bf16_is_an_instruction(tmp_path):
    """Of two elements: ptxas makes another of one, of a quarter of the rate."""
    text = ptx_of(tmp_path, "sm_90a",
                  "%0 = stablehlo.sine %x : tensor<64xbf16>",
                  "return %0 : tensor<64xbf16>")
    assert "cvt.rn.bf16x2.f32" in text and "cvt.rn.bf16.f32" not in text
    assert "32767" not in text
