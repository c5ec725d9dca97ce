"""The programs of docs/many_devices.md run as the page says."""
import re
import socket
import subprocess
import sys

import plugin_env
from conftest import ROOT, only_tenon
from own_process import run

pytestmark = only_tenon("a page about Tenon's devices")
PAGE = (ROOT / "docs" / "many_devices.md").read_text()


def test_blocks_run_one_after_the_other_on_eight_devices():
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.S | re.M))
    output = run(code, JAX_PLATFORMS="tenon", TENON_DEVICE_COUNT="8")
    assert "P('data',) (16, 512)" in output
    assert "1 collective; a device receives 32.0 KiB in one execution" in output
    assert "waits in all_reduce" in output


def test_training_in_two_processes(tmp_path):
    code = re.search(r"^```\n# train.py\n(.*?)^```$", PAGE, re.S | re.M)[1]
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        code = code.replace("localhost:12345", f"localhost:{probe.getsockname()[1]}")
    script = tmp_path / "train.py"
    script.write_text(code)
    env = {**plugin_env.clean(), "TENON_PLUGIN": str(plugin_env.default_plugin()),
           "PYTHONPATH": str(plugin_env.PACKAGE), "JAX_PLATFORMS": "tenon",
           "TENON_DEVICE_COUNT": "4"}
    children = [subprocess.Popen([sys.executable, script, str(number)], env=env, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                for number in range(2)]
    outputs = [child.communicate(timeout=200)[0] for child in children]
    losses = [re.search(r"process \d of 2: 4 of 8 devices, loss (\S+)", text)
              for text in outputs]
    assert all(losses), outputs
    assert losses[0][1] == losses[1][1] and float(losses[0][1]) < 0.01, outputs
