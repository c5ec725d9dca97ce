"""PTX of generated kernels is assembled by ptxas. Nothing here runs on a GPU.

scripts/install_ptxas.sh installs ptxas; `make test` does so. scripts/ptx_programs.py runs all
programs.
"""
import re

import ptx_programs
import pytest

pytestmark = pytest.mark.skipif(
    not ptx_programs.ptxas() or not (ptx_programs.BIN / "tenon-ptx").exists(),
    reason="needs ptxas (scripts/install_ptxas.sh) and the programs of the build")

# One program of each kind in this test, the first that has kernels; the script runs them all.
KINDS = ["abs", "add", "atan2", "bitcast_convert", "cholesky", "convert", "convolution",
         "dot_general", "exponential", "fft", "gather", "log", "power", "reduce", "remainder",
         "rng_bit_generator", "scatter", "select_and_scatter", "sort", "tanh", "transpose"]
PROGRAMS = {kind: [] for kind in KINDS}
for name, text in ptx_programs.programs(f"^({'|'.join(KINDS)})$"):
    PROGRAMS[name.split(".")[0]].append((name, text))
# The first programs of these have only results without elements, or constants.
WITHOUT_KERNELS = 4


def assemble(path, ir, processor):
    source = path / "kernel.ll"
    source.write_text(ir)
    ptx = ptx_programs.write_ptx(source, processor)
    return ptx.read_text(), ptx_programs.assemble(ptx, processor)


@pytest.mark.parametrize("processor", ptx_programs.PROCESSORS)
@pytest.mark.parametrize("kind", KINDS)
def test_programs_assemble(kind, processor, tmp_path):
    for name, text in PROGRAMS[kind][:WITHOUT_KERNELS + 1]:
        [(_, _, uses)] = ptx_programs.run(name, text, tmp_path, [processor])
        assert not isinstance(uses, ptx_programs.Refused), uses
        if uses:
            break
    assert uses
    # Private memory of an elementwise kernel is all in registers.
    assert not any(use.stack for use in uses if use.kernel.startswith("loop_"))


ELEMENTWISE = """
define internal void @phase(ptr %env, i64 %i) {
  %x = load ptr, ptr %env
  %f = getelementptr { ptr, ptr }, ptr %env, i32 0, i32 1
  %y = load ptr, ptr %f
  %p = getelementptr float, ptr %x, i64 %i
  %q = getelementptr float, ptr %y, i64 %i
  %v = load <4 x float>, ptr %p, align 16
  %m = fmul <4 x float> %v, %v
  %s = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %m)
  %d = fdiv <4 x float> %s, splat (float 3.0)
  store <4 x float> %d, ptr %q, align 16
  ret void
}
declare <4 x float> @llvm.sqrt.v4f32(<4 x float>)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @loop.0(ptr addrspace(1) %x, ptr addrspace(1) %y) "nvvm.maxntid"="256" {
  %env = alloca { ptr, ptr }
  %a = addrspacecast ptr addrspace(1) %x to ptr
  %b = addrspacecast ptr addrspace(1) %y to ptr
  store ptr %a, ptr %env
  %f = getelementptr { ptr, ptr }, ptr %env, i32 0, i32 1
  store ptr %b, ptr %f
  %item = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %item to i64
  %first = mul i64 %i, 4
  call void @phase(ptr %env, i64 %first)
  ret void
}
"""


@pytest.mark.parametrize("processor", ptx_programs.PROCESSORS)
def test_an_elementwise_kernel_has_vector_loads_and_no_stack(processor, tmp_path):
    ptx, [use] = assemble(tmp_path, ELEMENTWISE, processor)
    assert "ld.global.v4" in ptx and "st.global.v4" in ptx
    assert not re.search(r"\.local|fma|ftz|approx", ptx)
    assert use.kernel == "loop$0" and use.registers <= 32
    assert (use.stack, use.spills, use.shared) == (0, 0, 0)


def test_uses_are_parsed(tmp_path):
    ir = """
@group = internal addrspace(3) global [64 x i32] poison
define void @k(ptr addrspace(1) %x, i32 %i) {
  %private = alloca [16 x i32]
  %p = getelementptr [16 x i32], ptr %private, i32 0, i32 %i
  store volatile i32 %i, ptr %p
  %q = getelementptr [64 x i32], ptr addrspace(3) @group, i32 0, i32 %i
  store volatile i32 %i, ptr addrspace(3) %q
  ret void
}
"""
    _, [use] = assemble(tmp_path, ir, "sm_80")
    assert use.stack == 64 and use.shared == 256


def test_errors_of_the_assembler_are_reported(tmp_path):
    broken = tmp_path / "broken.ptx"
    broken.write_text(".version 8.0\n.target sm_80\n.address_size 64\n"
                      ".visible .entry k() { add.no.f32 %a, %b, %c; ret; }\n")
    with pytest.raises(ptx_programs.Refused, match="ptxas: .*"):
        ptx_programs.assemble(broken, "sm_80")
