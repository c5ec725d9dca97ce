"""Writes the network of ../digits/model.py as ONNX, with a free batch dimension, for serve_onnx.

python to_onnx.py digits.onnx --width 2048      # needs the packages onnx and jax
"""
import argparse
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "digits"))
import model  # noqa: E402


def graph(params):
    constants = [numpy_helper.from_array(np.float32(16), "sixteen")]
    nodes = [helper.make_node("Div", ["x", "sixteen"], ["y0"])]
    for i, (w, b) in enumerate(params):
        constants += [numpy_helper.from_array(np.asarray(w), f"w{i}"),
                      numpy_helper.from_array(np.asarray(b), f"b{i}")]
        last = i + 1 == len(params)
        nodes.append(helper.make_node("Gemm", [f"y{i}", f"w{i}", f"b{i}"],
                                      ["scores" if last else f"s{i}"]))
        if not last:
            nodes.append(helper.make_node("Relu", [f"s{i}"], [f"y{i + 1}"]))
    tensor = lambda name, n: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", n])
    return helper.make_graph(nodes, "digits", [tensor("x", 64)], [tensor("scores", 10)], constants)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--width", type=int, default=128)
    options = parser.parse_args()
    written = helper.make_model(graph(model.train(options.width)),
                                opset_imports=[helper.make_opsetid("", 17)])
    written.ir_version = 8
    onnx.save(written, options.output)
