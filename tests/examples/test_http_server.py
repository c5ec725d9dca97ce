"""The HTTP server: right answers in batches, errors for bad requests, limits, a graceful stop.

Speed is measured by examples/http_server/measure.py, not here.
"""
import concurrent.futures
import http.client
import json
import re
import signal
import socket
import subprocess
import threading
import time

import pytest
from example_tools import ROOT

PATH = "/v2/models/digits/infer"
pytestmark = pytest.mark.needs("make", "g++", "pkg-config", "/usr/include/httplib.h",
                               "/usr/include/nlohmann/json.hpp", "/usr/include/openssl/ssl.h",
                               "/usr/include/brotli/decode.h")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, run, digits):
    """The built example with the network for batches of 1 to 16."""
    folder = tmp_path_factory.mktemp("http_server")
    run(f"cp {ROOT}/examples/http_server/* {digits.folder}/* {folder}")
    run("cp digits.mlir digits-1.mlir", cwd=folder)
    run("make -j2 CXXFLAGS='-std=c++20 -O1 -Wall -Wextra -Werror'", cwd=folder)
    return folder


class Server:
    def __init__(self, folder, env, *options, files="digits-*.tenon"):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        words = ["./serve", "--model", "digits", "--port", str(self.port), *options,
                 *sorted(str(path) for path in folder.glob(files))]
        self.process = subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == f"http://127.0.0.1:{self.port}/v2/models/digits\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=30) == 0

    def ask(self, method, path, body=None, connection=None):
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read().decode()

    def classify(self, rows, connection=None):
        status, text = self.ask("POST", PATH, body(rows), connection)
        assert status == 200, text
        output, = json.loads(text)["outputs"]
        assert output["shape"] == [len(rows), 10]
        scores = [output["data"][i:i + 10] for i in range(0, len(output["data"]), 10)]
        return [str(max(range(10), key=row.__getitem__)) for row in scores]


def body(rows, **changes):
    data = [value for row in rows for value in row]
    tensor = {"name": "x", "datatype": "FP32", "shape": [len(rows), 64], "data": data}
    return json.dumps({"inputs": [{**tensor, **changes}]})


@pytest.fixture(scope="module")
def images(digits):
    return [[float(value) for value in line.split()] for line in digits.images.open()]


@pytest.fixture(scope="module")
def server(folder, run):
    with Server(folder, run.env) as server:
        yield server


def test_answers_are_right_alone_and_in_batches(server, images, digits):
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        alone = [digit for one in pool.map(lambda x: server.classify([x]), images) for digit in one]
    together = [digit for i in range(0, 360, 9) for digit in server.classify(images[i:i + 9])]
    assert alone == together
    assert sum(a == b for a, b in zip(alone, digits.labels)) > 0.95 * len(images)


def test_what_is_served_can_be_asked(server):
    assert json.loads(server.ask("GET", "/v2/models/digits")[1])["inputs"][0]["shape"] == [-1, 64]
    assert server.ask("GET", "/v2/health/live")[0] == server.ask("GET", "/v2/health/ready")[0] == 200
    assert re.search(r"serve_batches_total \d+", server.ask("GET", "/metrics")[1])


X = [[0.0] * 64]
BAD = [
    ("", "the body is not JSON"),
    ("[" * 100_000, "the body is not JSON"),
    ("[]", "'inputs' must be a list of one tensor"),
    ('{"inputs":[1]}', "'inputs' must be a list of one tensor"),
    (body(X, datatype="FP64"), "'datatype' must be \"FP32\""),
    (body(X, shape=[1, 63]), "'shape' must be [N,64] with N from 1 to 16"),
    (body(X, shape=[0, 64]), "'shape' must be"),
    (body(X, shape=[17, 64]), "'shape' must be"),
    (body(X, shape=[-1, 64]), "'shape' must be"),
    (body(X, shape=[2**32 + 1, 64]), "'shape' must be"),
    (body(X, shape={}), "'shape' must be"),
    (body(X, data=[0.0] * 63), "'data' must be a list of 64 numbers"),
    (body(X, data=[0.0] * 63 + ["1"]), "an element that is not a number"),
    (body(X).replace("0.0", "1e39", 1), "outside the range of f32|not JSON"),
]


def test_bad_requests_get_the_reason(server):
    for text, reason in BAD:
        status, answer = server.ask("POST", PATH, text)
        assert status == 400 and re.search(reason.replace("[", r"\[").replace("]", r"\]"),
                                           json.loads(answer)["error"]), (text[:80], answer)
    assert server.ask("POST", PATH, "x" * (2 << 20))[0] == 413
    assert server.ask("POST", "/v2/models/other/infer", body(X)) == (
        404, '{"error":"there is no POST /v2/models/other/infer"}')
    assert len(server.classify(X)) == 1


def test_load_loses_nothing_beside_malformed_requests(server, run, folder):
    result = json.loads(run(f"./load --port {server.port} --seconds 2 --malformed 50", cwd=folder))
    assert result["answers"] > 20 and result["malformed"] > 0
    assert result["lost"] == result["wrong"] == result["malformed_accepted"] == 0
    result = json.loads(run(f"./load --port {server.port} --seconds 1 --rate 50", cwd=folder))
    assert 20 < result["answers"] < 100 and 0 < result["p50_ms"] <= result["p99_ms"]


def test_too_many_requests_are_refused(folder, run):
    with Server(folder, run.env, "--max-waiting", "0") as server:
        status, answer = server.ask("POST", PATH, body(X))
        assert (status, json.loads(answer)["error"]) == (503, "too many requests are waiting")


def test_a_stop_answers_what_was_asked(folder, run, images):
    answered, failures = [0] * 8, []
    with Server(folder, run.env) as server:
        def client(i):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            try:
                while True:
                    server.classify([images[i]], connection)
                    answered[i] += 1
                    if connection.sock is None:  # the answer said that the server stops
                        return
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=client, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join(timeout=30)
        assert server.process.wait(timeout=30) == 0
    assert not failures and all(answered), (failures, answered)


def test_batches_can_be_timed(folder, run):
    run("make time_batches CXXFLAGS='-std=c++20 -O1 -Wall -Wextra -Werror'", cwd=folder)
    lines = run("./time_batches digits-*.tenon", cwd=folder).splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "4", "8", "16"]
    assert "nowhere.tenon" in run("./time_batches nowhere.tenon", code=1, cwd=folder)


def test_what_is_no_network_is_refused(folder, run):
    (folder / "broken.tenon").write_bytes((folder / "digits-1.tenon").read_bytes()[:5000])
    assert "broken.tenon: " in run("./serve broken.tenon", code=1, cwd=folder)
    (folder / "add.mlir").write_text("""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}""")
    run("tenon-compile add.mlir -o add.tenon", cwd=folder)
    assert "is not a function from f32[N,A] to f32[N,B]" in run("./serve add.tenon", code=1, cwd=folder)
    assert "serve [--model NAME]" in run("./serve --port x add.tenon", code=2, cwd=folder)
