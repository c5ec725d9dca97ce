"""libtenon_runtime: sizes, what it needs, how fast it opens files, what processes share."""
import os
import platform
import re
import shutil
import subprocess
import time

import pytest
import tenon_file
from runtime_tools import (BUILD, HERE, ROOT, build_c, check_shared, command, compile_file, same, shown,
                           values)

on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the targets are for x86-64")


@pytest.mark.parametrize("threads", [1, 4])
def test_a_c_program_runs_a_file(run_program, mlp, threads):
    same(values(command(run_program, mlp[1], "--threads", threads)), mlp[2])


def test_the_library_is_small_and_needs_libc_alone(prefix, run_program, tmp_path):
    library = tmp_path / "stripped.so"
    command("strip", "-o", library, (prefix / "lib" / "libtenon_runtime.so").resolve())
    assert library.stat().st_size <= 100_000  # the goal was 600 KB
    needed = set(re.findall(r"\(NEEDED\).*\[(.*?)\]", command("readelf", "-d", library)))
    assert not any(re.match(r"libstdc|libc\+\+|libz|LLVM", name) for name in needed), needed
    for file in (library, run_program):
        symbols = command("nm", "-DC", file) + command("strings", file)
        assert not re.search(r"LLVM|llvm::|mlir::|_ZSt|__cxa_throw", symbols)
    text = int(command("size", run_program).split("\n")[1].split()[0])
    assert text <= 80_000  # the goal was 250 KB
    exported = command("nm", "-D", "--defined-only", library).split()[2::3]
    assert exported and all(name.startswith("tenon_") for name in exported)


def test_the_header_is_c_and_cpp(prefix, tmp_path):
    source = tmp_path / "use.c"
    source.write_text('#include "tenon/runtime.h"\nint main(void) { tenon_team_destroy(0); return 0; }\n')
    for language in (["cc", "-std=c99", "-pedantic-errors", "-xc"], ["c++", "-std=c++11", "-xc++"]):
        command(*language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{prefix}/include", source)
    source.write_text('#include "tenon/runtime.hpp"\n')
    command("c++", "-std=c++20", "-xc++", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror",
            "-fsyntax-only", f"-I{prefix}/include", source)


# Generous, since other tests run at the same time. bench/runtime_start.py measures.
def test_start_to_first_result_is_short(run_program, mlp):
    times = []
    for _ in range(20):
        start = time.perf_counter()
        subprocess.run([run_program, mlp[1]], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05, times


def test_a_gigabyte_of_constants_is_not_read(run_program, mlp, tmp_path):
    path = tmp_path / "large.tenon"
    try:
        assert tenon_file.enlarge_constants(mlp[1], path, 1 << 30) > 1 << 30
    except OSError as error:
        pytest.skip(f"no sparse file of 1 GB here: {error}")
    runs = [shown(command(run_program, path)) for _ in range(5)]
    assert min(float(run["opened_ms"]) for run in runs) < 5
    assert max(int(run["opened_kb"]) for run in runs) < 2048
    same(values(command(run_program, path)), mlp[2])


def test_processes_share_code_and_constants(run_program, mlp):
    assert {"r--s", "r-xp"} <= check_shared(run_program, mlp[1], mlp[1])


@on_x86
def test_levels_are_chosen_or_named(run_program, mlp, tmp_path):
    path = compile_file(mlp[0], tmp_path / "levels.tenon", "--cpu", "x86-64-v2,native,x86-64-v3")
    output = command(run_program, path)
    assert shown(output)["target"].startswith("x86_64:")
    assert shown(output)["target"] not in ("x86_64:x86-64-v2", "x86_64:x86-64-v3")
    same(values(output), mlp[2])
    # A feature that no processor has, in place of one that the code needs.
    path = compile_file(mlp[0], tmp_path / "other.tenon", "--cpu", "x86-64-v3")
    data = path.read_bytes()
    assert data.count(b"avx2\0") == 1
    data = bytearray(data.replace(b"avx2\0", b"avx9\0"))
    table = [list(row) for row in tenon_file.sections(data)]
    for row in table:
        if row[0] == tenon_file.METADATA:
            row[6] = tenon_file.xxh64(bytes(data[row[4]:row[4] + row[5]]))
    start = tenon_file.frame(data, table, len(data))
    path.write_bytes(start + bytes(data[len(start):]))
    done = subprocess.run([run_program, path], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ("error 9: the file has no code for this machine, which is x86_64: "
                           "x86_64:x86-64-v3 needs the processor feature 'avx9'\n")


QEMU = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")


def on_processor(name, *args):
    """(exit status, output) of a program on an emulated processor. 132 and -4 are SIGILL."""
    done = subprocess.run([QEMU, "-cpu", name, *map(str, args)], capture_output=True, text=True, timeout=300)
    # qemu warns of features that it does not emulate.
    lines = [line for line in done.stderr.splitlines(True) if not line.startswith("qemu-")]
    return done.returncode, done.stdout + "".join(lines)


@on_x86
@pytest.mark.skipif(not QEMU, reason="there is no qemu-x86_64 (Debian's qemu-user-static)")
def test_code_for_a_higher_level_is_never_run(run_program, mlp, tmp_path):
    levels = compile_file(mlp[0], tmp_path / "levels.tenon", "--cpu", "x86-64-v2,x86-64-v3,x86-64-v4")
    for processor, level in (("Nehalem", "x86-64-v2"), ("Haswell", "x86-64-v3")):
        status, output = on_processor(processor, run_program, levels)
        assert status == 0, output
        assert shown(output)["target"] == f"x86_64:{level}"
        same(values(output), mlp[2])
    tool = BUILD / "bin" / "tenon-run-image"  # the loader of the plugins
    for processor, level, feature in (("Nehalem", "x86-64-v3", "avx"), ("Haswell", "x86-64-v4", "avx512bw")):
        path = compile_file(mlp[0], tmp_path / "one.tenon", "--cpu", level)
        status, output = on_processor(processor, run_program, path)
        assert (status, output) == (1, (
            "error 9: the file has no code for this machine, which is x86_64: "
            f"x86_64:{level} needs the processor feature '{feature}'\n"))
        if tool.exists():
            status, output = on_processor(processor, tool, path)
            assert status == 1 and level in output and feature in output, output


# The files in golden/ were written by releases; their names begin with it.
@on_x86
@pytest.mark.parametrize("path", sorted((HERE / "golden").glob("*.tenon")), ids=lambda path: path.stem)
def test_files_of_releases_run(run_program, path):
    wanted = [float(value) for value in path.with_suffix(".txt").read_text().split()]
    same(values(command(run_program, path)), wanted)


COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-22", "clang++-22")}


# The sources are changed in comments only, so files of this build must load.
@pytest.mark.parametrize("compiler", COMPILERS)
def test_it_builds_without_llvm(mlp, tmp_path, compiler):
    # A folder with nothing of LLVM but the compiler, not even by another name.
    tools = tmp_path / "bin"
    tools.mkdir()
    cc, cxx = COMPILERS[compiler]
    for name in (cc, cxx, "ld", "as", "ar", "ranlib", "ninja", "sh", "env"):
        found = shutil.which(name)
        if not found:
            pytest.skip(f"there is no {name}")
        (tools / name).symlink_to(found)
    env = {"PATH": str(tools)}
    cmake = shutil.which("cmake")
    source = tmp_path / "source"
    for name in ("cmake", "python"):
        shutil.copytree(ROOT / name, source / name)
    shutil.copytree(ROOT / "tenon", source / "tenon", ignore=shutil.ignore_patterns("compiler", "dialects", "test"))
    shutil.copy(ROOT / "CMakeLists.txt", source)
    for folder in ("embed", "executable", "ffi", "format", "types"):
        for path in (source / "tenon" / folder).iterdir():
            if path.suffix in (".cc", ".h"):
                path.write_text("// Another comment.\n" + path.read_text() + "// And another one.\n")
    start = time.perf_counter()
    command(cmake, "-S", source, "-B", tmp_path / "build", "-G", "Ninja", "-DTENON_BUILD_COMPILER=OFF",
            "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_C_COMPILER={cc}", f"-DCMAKE_CXX_COMPILER={cxx}", env=env)
    command(cmake, "--build", tmp_path / "build", env=env)
    assert time.perf_counter() - start < 120  # alone on the machine it takes seconds
    command(cmake, "--install", tmp_path / "build", "--prefix", tmp_path / "prefix", env=env)
    program = build_c(tmp_path / "prefix", HERE / "run_program.c", tmp_path / "run_program",
                      tmp_path / "prefix/lib/libtenon_runtime.a", "-lpthread")
    same(values(command(program, mlp[1])), mlp[2])


def test_cmake_and_pkg_config_find_it(prefix, mlp, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(user C)\nset(CMAKE_C_STANDARD 11)\n"
        "find_package(Tenon REQUIRED)\nfind_package(Tenon REQUIRED COMPONENTS runtime)\n"
        f"foreach(kind runtime runtime_static)\n  add_executable(use_${{kind}} {HERE}/run_program.c)\n"
        "  target_link_libraries(use_${kind} PRIVATE Tenon::${kind})\nendforeach()\n")
    command("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_C_FLAGS=-D_GNU_SOURCE")
    command("ninja", "-C", tmp_path / "build")
    for kind in ("runtime", "runtime_static"):
        same(values(command(tmp_path / "build" / f"use_{kind}", mlp[1])), mlp[2])
    if subprocess.run(["which", "pkg-config"], capture_output=True).returncode:
        pytest.skip("there is no pkg-config")
    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    flags = command("pkg-config", "--cflags", "--libs", "tenon-runtime", env=env).split()
    program = build_c(prefix, HERE / "run_program.c", tmp_path / "use", *flags)
    same(values(command(program, mlp[1], env={**env, "LD_LIBRARY_PATH": str(prefix / "lib")})), mlp[2])


def test_the_build_has_both_kinds_of_the_library():
    assert (BUILD / "lib" / "libtenon_runtime.a").exists()
