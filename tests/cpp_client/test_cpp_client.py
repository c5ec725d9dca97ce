"""The C++ client over any plugin (tenon/pjrt.hpp): installed, built by others, on other plugins.

Its C++ tests are in tenon/pjrt/cpp. Here they run on the builds of XLA:CPU that
scripts/get_foreign_plugins.sh fetches; without those the tests are skipped.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import plugin_env
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUGIN = plugin_env.default_plugin()
EXAMPLE = ROOT / "examples" / "cpp_client"
FOREIGN = ("lammps_jax_pjrt_cpu", "fastatomstruct_xla_cpu", "xla_cpu_pjrt")
MODES = {"exceptions": "", "no_exceptions": "-fno-exceptions -fno-rtti"}
WARNINGS = "-Wall -Wextra -Wpedantic -Werror"


def command(*args, **options):
    done = subprocess.run(list(map(str, args)), capture_output=True, text=True, timeout=300,
                          **options)
    assert done.returncode == 0, " ".join(map(str, args)) + "\n" + done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """A folder with the installed client, made without a build of Tenon."""
    folder = tmp_path_factory.mktemp("pjrt")
    command("cmake", "-S", ROOT / "cmake" / "pjrt", "-B", folder / "build")
    command("cmake", "--install", folder / "build", "--prefix", folder / "prefix")
    return folder / "prefix"


@pytest.fixture(params=["g++-12", "clang++-22"])
def compiler(request):
    return shutil.which(request.param) or pytest.skip(f"{request.param} is not installed")


def pkg_config(prefix):
    tool = shutil.which("pkg-config") or pytest.skip("pkg-config is not installed")
    return command(tool, "--cflags", "--libs", "tenon-pjrt",
                   env={**os.environ, "PKG_CONFIG_PATH": str(prefix / "share/pkgconfig")}).split()


def test_only_headers_of_the_client_are_installed(prefix):
    files = [str(p.relative_to(prefix)) for p in prefix.rglob("*") if p.is_file()]
    assert "include/tenon/pjrt.hpp" in files
    wrong = [f for f in files if not re.fullmatch(
        r"include/tenon/pjrt(\.hpp|/raw\.hpp|/cpp/\w+\.hpp|/abi/\w+\.h|/c_api/api_table\.inc)|"
        r"share/cmake/TenonPjrt/\w+\.cmake|share/pkgconfig/tenon-pjrt\.pc", f)]
    assert not wrong
    # Each header of the client includes only installed headers.
    for path in prefix.rglob("*.h*"):
        for include in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
            assert (prefix / "include" / include).exists(), f"{path.name} includes {include}"


def check_hello(program, tmp_path):
    assert command(program, PLUGIN) == "2 4 6 "
    command("strip", "-o", tmp_path / "stripped", program)
    assert (tmp_path / "stripped").stat().st_size <= 200e3
    missing = subprocess.run([program, "no_such_plugin.so"], capture_output=True, text=True)
    assert missing.returncode < 0 and "NOT_FOUND: dlopen" in missing.stderr


@pytest.mark.parametrize("name, mode", [("g++-12", "exceptions"),
                                        ("clang++-22", "no_exceptions")])
def test_hello_with_cmake(prefix, name, mode, tmp_path):
    compiler = shutil.which(name) or pytest.skip(f"{name} is not installed")
    command("cmake", "-S", EXAMPLE, "-B", tmp_path, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}",
            f"-DCMAKE_CXX_FLAGS={WARNINGS} {MODES[mode]}")
    command("ninja", "-C", tmp_path)
    assert str(ROOT / "tenon") not in (tmp_path / "build.ninja").read_text()
    check_hello(tmp_path / "hello", tmp_path)


@pytest.mark.parametrize("mode", MODES)
def test_hello_with_pkg_config(prefix, compiler, mode, tmp_path):
    command(compiler, "-std=c++20", "-O2", *WARNINGS.split(), *MODES[mode].split(),
            EXAMPLE / "hello.cc", "-o", tmp_path / "hello", *pkg_config(prefix))
    check_hello(tmp_path / "hello", tmp_path)


def test_hello_with_one_header(tmp_path):
    clang = shutil.which("clang++-22") or pytest.skip("clang++-22 is not installed")
    command(sys.executable, ROOT / "scripts" / "make_single_header.py", tmp_path / "pjrt.hpp")
    source = (EXAMPLE / "hello.cc").read_text().replace("tenon/pjrt.hpp", "pjrt.hpp")
    (tmp_path / "hello.cc").write_text(source)
    command(clang, "-std=c++20", "-O0", *WARNINGS.split(), "hello.cc", "-o", "hello", "-ldl",
            "-pthread", cwd=tmp_path)
    assert command(tmp_path / "hello", PLUGIN) == "2 4 6 "


def test_hello_is_short():
    assert len((EXAMPLE / "hello.cc").read_text().splitlines()) < 30


def test_objects_with_and_without_exceptions_link(prefix, tmp_path):
    """Inline functions of both kinds have different names, so neither replaces the other."""
    (tmp_path / "main.cc").write_text(
        '#include "tenon/pjrt.hpp"\nbool fails();\n'
        'int main() { try { pjrt::Plugin::load("/none.so").value(); }\n'
        "  catch (const pjrt::Exception&) { return fails() ? 0 : 2; } return 1; }\n")
    (tmp_path / "part.cc").write_text(
        '#include "tenon/pjrt.hpp"\nbool fails() { return !pjrt::Plugin::load("/none.so"); }\n')
    flags = ["clang++-22", "-std=c++20", "-O1", "-c", f"-I{prefix}/include"]
    if not shutil.which(flags[0]):
        pytest.skip("clang++-22 is not installed")
    command(*flags, "main.cc", cwd=tmp_path)
    command(*flags, *MODES["no_exceptions"].split(), "part.cc", cwd=tmp_path)
    command("clang++-22", "part.o", "main.o", "-ldl", "-pthread", "-o", "both", cwd=tmp_path)
    command("./both", cwd=tmp_path)


def run_cpp_tests(**variables):
    program = plugin_env.BUILD / "tenon" / "pjrt" / "cpp" / "tenon_pjrt_cpp_test"
    if not program.exists():
        pytest.skip(f"{program} is not built")
    output = command(program, "--gtest_brief=1", env={**plugin_env.clean(), **variables})
    assert re.search(r"\[  PASSED  \] \d\d tests", output), output


@pytest.mark.parametrize("name", FOREIGN)
def test_on_other_plugins(name):
    plugin = ROOT / "build" / "foreign_plugins" / f"{name}.so"
    if not plugin.exists():
        pytest.skip(f"no {plugin.relative_to(ROOT)}; scripts/get_foreign_plugins.sh fetches it")
    run_cpp_tests(TENON_CPP_CLIENT_PLUGIN=str(plugin))


def test_on_a_plugin_of_api_0_54():
    """Tenon's table, cut after the functions of that version."""
    run_cpp_tests(TENON_CPP_CLIENT_PLUGIN=str(PLUGIN), TENON_CPP_CLIENT_OLD="1")


@pytest.mark.parametrize("name, mode", [("g++-12", "exceptions"),
                                        ("clang++-22", "no_exceptions")])
def test_the_snippets_of_the_guide(prefix, name, mode, tmp_path):
    """The page's snippets, one after the other, are one program."""
    compiler = shutil.which(name) or pytest.skip(f"{name} is not installed")
    snippets = re.findall(r"^```cpp\n(.*?)^```", (ROOT / "docs/cpp_client.md").read_text(),
                          re.MULTILINE | re.DOTALL)
    lines = "".join(snippets).split("\n")
    includes = [line for line in lines if line.startswith("#include")]
    body = [line for line in lines if line not in includes]
    source = tmp_path / "guide.cc"
    source.write_text("\n".join([*includes, "int main(int, char** argv) {",
                                 "const char* path = argv[1];", *body, "}\n"]))
    command(compiler, "-std=c++20", "-O0", *WARNINGS.split(), *MODES[mode].split(), source, "-o",
            tmp_path / "guide", *pkg_config(prefix))
    output = command(tmp_path / "guide", PLUGIN)
    assert output.startswith("2 4 6\nINVALID_ARGUMENT PJRT_Client_Compile\n"), output
    assert "\nsum 12\n" in output and "\n{1,0}\n" in output, output


def benchmark(name):
    program = plugin_env.BUILD / "bin" / name
    return program if program.exists() else pytest.skip(f"{program} is not built")


def portable_artifact(text):
    """A StableHLO program in bytecode, as every plugin reads it."""
    from jaxlib.mlir.dialects import stablehlo
    return stablehlo.serialize_portable_artifact_str(text, stablehlo.get_minimum_version())


def test_the_benchmark_of_two_plugins_runs(tmp_path):
    text = ("func.func public @main(%x: tensor<2x2xf32>, %n: tensor<i32>) -> tensor<2x2xf32> {\n"
            "%y = stablehlo.add %x, %x : tensor<2x2xf32>\nreturn %y : tensor<2x2xf32>\n}\n")
    (tmp_path / "add.mlir").write_text(text)
    (tmp_path / "add.mlirbc").write_bytes(portable_artifact(text))
    (tmp_path / "x.bin").write_bytes(bytes(16))
    (tmp_path / "n.bin").write_bytes(bytes(4))
    (tmp_path / "manifest.txt").write_text(
        "program text add.mlir\ninput f32 2,2 x.bin\ninput s32 - n.bin\n"
        "program bytecode add.mlirbc\ninput f32 2,2 x.bin\ninput s32 - n.bin\n")
    output = command(benchmark("cpp_client_compare"), PLUGIN, PLUGIN, tmp_path / "manifest.txt",
                     "--batches", "3", "--milliseconds", "1")
    assert re.fullmatch(r"text(\t[\d.e+-]+){6}\nbytecode(\t[\d.e+-]+){6}\n", output), output
    assert len(command(benchmark("cpp_client_overhead"), PLUGIN, "--quick").splitlines()) == 5


@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_under_sanitizers(sanitizer, tmp_path):
    """On a plugin inside the test, which the sanitizers see into."""
    clang = shutil.which("clang++-22") or pytest.skip("clang++-22 is not installed")
    command(clang, "-std=c++20", "-O1", "-g1", f"-I{ROOT}", f"-fsanitize={sanitizer}",
            "-fno-sanitize-recover=undefined", "-fuse-ld=lld",
            ROOT / "tenon/pjrt/cpp/concurrency_test.cc", "-lgtest", "-lgtest_main", "-ldl",
            "-pthread", "-o", tmp_path / "test")
    output = command(tmp_path / "test", "--gtest_brief=1")
    assert "[  PASSED  ] 5 tests" in output, output
