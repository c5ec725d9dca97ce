"""docs/deploy.md: its commands, in its order, in one shell.

A block of commands begins with ```sh; `needs=a,b` after it names programs or files without which the
block is left out.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

import plugin_env
import pytest
from example_tools import ROOT

PAGE = ROOT / "docs" / "deploy.md"
# For some block, by the heading above it: what its output must have.
EXPECTED = {
    "The function": ["digits.tenon", "digits-16.tenon", "digits.wasm"],
    "A file": [r"^35\d of 360 are right$", r"^7\t7$"],
    "An object": [r"^int digits_run\(const float x\[64\],$", r"^7\t7$"],
    "A simulation": [r"largest change of the energy per atom: \d\.\d+e-0[45]"],
    "A server": [r'"shape":\[1,10\]', r"'inputs' must be a list of one tensor", r'"lost": 0'],
    "A web page": [r"^7\t7$"],
    "A microcontroller": [r"DIGITS_STACK_BYTES", r"^this is a 7$"],
}


def blocks():
    """(heading, what is needed, commands) of each block of the page."""
    heading = ""
    for found in re.finditer(r"^(?:#+ ([^\n]*)|```sh(?: needs=(\S+))?\n(.*?)^```)$", PAGE.read_text(),
                             re.MULTILINE | re.DOTALL):
        if found.group(1):
            heading = found.group(1)
        else:
            yield heading, (found.group(2) or "").split(","), found.group(3)


def is_there(need):
    return not need or shutil.which(need) or os.path.exists(need)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def test_commands(tmp_path, run):
    script, absent, headings = ["set -euo pipefail"], [], []
    for heading, needs, commands in blocks():
        if all(map(is_there, needs)):
            headings.append(heading)
            script += [f"echo '=== {heading}'", commands]
        else:
            absent += [need for need in needs if not is_there(need)]
    commands = "\n".join(script)
    for port in sorted(set(re.findall(r"\b80\d\d\b", commands))):
        commands = commands.replace(port, free_port())
    environment = plugin_env.child(base={**run.env, "TENON": str(ROOT)})
    with open(tmp_path / "output.log", "w+") as log:
        shell = subprocess.Popen(["bash", "-c", commands], cwd=tmp_path, env=environment,
                                 stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = shell.wait(timeout=300)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)  # servers that a failed command left behind
            shell.wait()
        log.seek(0)
        printed = log.read()
    assert code == 0, printed[-5000:]
    outputs = {}
    for part in printed.split("=== ")[1:]:
        heading, _, output = part.partition("\n")
        outputs[heading] = outputs.get(heading, "") + output
    for heading in set(headings):
        for expected in EXPECTED.get(heading, []):
            assert re.search(expected, outputs[heading], re.MULTILINE), (expected, outputs[heading])
    if absent:
        pytest.skip(f"all that could run did; not installed: {', '.join(absent)}")


def test_every_section_has_commands():
    found = {heading for heading, _, _ in blocks()}
    assert set(EXPECTED) <= found and len(found) >= 8
    assert all(pathlib.Path(ROOT / "examples" / name).is_dir() for name in re.findall(
        r"\.\./(\w+)/", "".join(commands for *_, commands in blocks())))
