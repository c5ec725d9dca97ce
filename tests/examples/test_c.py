"""The examples in C: on this machine and on a microcontroller."""
import pytest
from example_tools import right


@pytest.mark.needs("make", "cc")
def test_c_object(run, example, digits):
    folder = example("c_object")
    run("make CFLAGS='-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror'", cwd=folder)
    assert right(digits.labels, run(f"./classify {digits.images}", cwd=folder)) > 0.95
    assert right(digits.labels, run(f"./classify < {digits.images}", cwd=folder)) > 0.95
    assert run("nm -u digits.o", cwd=folder).split() in ([], ["U", "memcpy"], ["U", "memset"])
    for text, message in [("1 2 3", "image 1 has 3 numbers, not 64"),
                          ("1 " * 64 + "2 x", "image 2: what follows number 1 is not a number")]:
        assert message in run("./classify", code=1, input=text, cwd=folder)
    assert "nowhere" in run("./classify nowhere.txt", code=1, cwd=folder)


@pytest.mark.needs("make", "arm-none-eabi-gcc", "qemu-system-arm")
def test_microcontroller(run, example, digits):
    folder = example("microcontroller")
    for name in ("digits.txt", "labels.txt"):
        (folder / name).write_bytes((digits.folder / name).read_bytes())
    output = run("make -s run CFLAGS='-std=c11 -O2 -Wall -Wextra -Werror'", cwd=folder)
    assert [f"this is a {digit}" for digit in digits.labels[:3]] == [
        line for line in output.splitlines() if line.startswith("this is")]
    sizes = dict(zip(*[line.split() for line in output.splitlines()[:2]]))
    assert int(sizes["text"]) + int(sizes["data"]) < 256 * 1024 and int(sizes["bss"]) < 32 * 1024
