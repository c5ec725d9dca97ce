"""bench/first_compile.py measures two compilations of a program on Tenon and one on the built-in CPU."""
import subprocess
import sys

import plugin_env


def test_measures_one_program():
    run = subprocess.run(
        [sys.executable, plugin_env.ROOT / "bench" / "first_compile.py", "--rounds", "1", "--only",
         "^product, 512$", "--plugin", plugin_env.default_plugin()],
        env=plugin_env.clean(), check=True, capture_output=True, text=True)
    heading, row = run.stdout.splitlines()
    assert heading.split() == ["ms", "first", "cached", "built-in", "first", "cached"]
    assert row.startswith("product, 512 ")
    first, cached, builtin, ratio, cached_ratio = map(float, row.split()[2:])
    assert min(first, cached, builtin) > 0
    assert abs(ratio - builtin / first) < 0.2 and abs(cached_ratio - builtin / cached) < 0.5
