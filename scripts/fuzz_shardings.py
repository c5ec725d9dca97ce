#!/usr/bin/env python3
"""Propagates shardings through random programs with Tenon and with Shardy, and compares.

  fuzz_shardings.py --seed 0 --count 1000       # seeds 0 to 999
  fuzz_shardings.py --seed 17 --show            # the program of a seed

Shardy's passes are those of the installed jaxlib. The programs are those of scripts/fuzz.py, with
meshes, shardings, constraints, groups, barriers and manual computations added
(tests/partition/annotate.py). A seed gives the same program on every machine. Exit status 0: no
differences.
"""
import argparse
import collections
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "partition"), str(ROOT / "tests" / "fuzz")]
import annotate  # noqa: E402
import compare  # noqa: E402
import shardy  # noqa: E402
from fuzzer import generate  # noqa: E402


def program(seed):
    return annotate.annotate(generate.generate(seed).text, seed)


def oracle(text):
    """Shardy's modules after propagation and after the whole pipeline, or the error."""
    try:
        return (shardy.shardy(text, compare.PROPAGATION),
                shardy.shardy(text, "sdy-propagation-pipeline")), None
    except Exception as error:  # jaxlib's MLIRError
        return None, str(error)


def compare_batch(seeds, counts):
    """Differences of each seed. Programs that Shardy refuses are counted."""
    texts, modules = {}, {}
    for seed in seeds:
        text = program(seed)
        modules[seed], error = oracle(text)
        if error is None:
            texts[seed] = text
        else:
            counts["refused by Shardy"] += 1
    try:
        ours = dict(zip(texts, shardy.tenon_many(list(texts.values()), "--propagate-shardings")))
        propagated = [str(module) for module in ours.values()]
        settled = dict(zip(texts, shardy.tenon_many(propagated, "--settle-boundary")))
    except RuntimeError:
        if len(seeds) > 1:  # find the seed
            for seed in seeds:
                yield from compare_batch([seed], counts)
            return
        yield seeds[0], ["Tenon fails: " + error_of(texts[seeds[0]])]
        return
    for seed in texts:
        yield seed, (compare.differences(ours[seed], modules[seed][0]) +
                     compare.boundary_differences(settled[seed], modules[seed][1]))


def error_of(text):
    try:
        shardy.tenon(text, "--propagate-shardings")
    except RuntimeError as error:
        return str(error)
    return "only in settle-boundary"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=500, help="how many seeds")
    parser.add_argument("--show", action="store_true", help="print the program of --seed")
    options = parser.parse_args()
    if options.show:
        print(program(options.seed))
        return 0
    begin, counts, batch = time.monotonic(), collections.Counter(), 50
    for first in range(options.seed, options.seed + options.count, batch):
        seeds = list(range(first, min(first + batch, options.seed + options.count)))
        for seed, lines in compare_batch(seeds, counts):
            counts["different" if lines else "equal"] += 1
            for line in lines[:4]:
                print(f"seed {seed}: {line[:600]}", flush=True)
    print(f"{dict(counts)} in {time.monotonic() - begin:.0f} s")
    return 1 if counts["different"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
