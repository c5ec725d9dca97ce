"""run_pypjrt.py PLUGIN FILE:DIMS...: what run_program.c does, with pypjrt and a PJRT plugin.

DIMS is the shape of the input, such as 16x64. Prints a line for each file, and what the plugin says to a program that is not compiled.
"""
import array
import math
import sys

import pypjrt

F32 = 11
client = pypjrt.Client.create(sys.argv[1], options={})
with client.device() as device:
    for argument in sys.argv[2:]:
        path, shape = argument.rsplit(":", 1)
        dims = [int(dim) for dim in shape.split("x")]
        executable = client.deserialize_executable(open(path, "rb").read())
        x = array.array("f", [(i % 17 - 8) / 8 for i in range(math.prod(dims))])
        y, = executable(client.buffer_from_host(x, F32, dims, device))
        values = array.array("f", bytes(y.to_host()))
        print(values[0], values[1], sum(values))
    try:
        client.compile("module { func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> "
                       "{ return %x : tensor<4xf32> } }")
        print("compiled")
    except pypjrt.errors.PjrtError as error:
        print(error)
