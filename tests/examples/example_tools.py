"""What the tests of the examples share."""
import pathlib

import plugin_env

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(plugin_env.default_plugin()).parents[1]


def right(labels, output):
    """The part of the digits in `output`, one per line, that are those of `labels`."""
    found = output.split()
    assert len(found) == len(labels)
    return sum(a == b for a, b in zip(found, labels)) / len(labels)
