"""What floats are in PTX: the NaN of NVIDIA's processors, which has all bits set but the sign."""
import subprocess

import ptx_programs
import pytest

TOOL = ptx_programs.BIN / "tenon-compile"

pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="tenon-compile is not built")


def test_rounding_to_bf16_is_an_instruction(tmp_path):
    """Adding half of the last place to such a NaN would give -0."""
    program = tmp_path / "program.mlir"
    program.write_text("""
func.func @main(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %0 = stablehlo.multiply %x, %x : tensor<64xbf16>
  %1 = stablehlo.add %0, %x : tensor<64xbf16>
  return %1 : tensor<64xbf16>
}
""")
    subprocess.run([TOOL, program, "--target", "nvptx64:sm_90a", "--dump", tmp_path, "-o",
                    tmp_path / "program.tenon"], check=True)
    ptx, = tmp_path.glob("*.ptx")
    text = ptx.read_text()
    # Both results are rounded, each for as many elements as the code computes at a time.
    additions = text.count("add.rn.ftz.f32")
    rounded = text.count("cvt.rn.bf16.f32") + 2 * text.count("cvt.rn.bf16x2.f32")
    assert additions > 0 and rounded >= 2 * additions
    assert "32767" not in text
