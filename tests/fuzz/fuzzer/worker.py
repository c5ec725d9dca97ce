"""A process that runs and compares programs, one per line of its standard input.

A line is `seed N` or `file PATH` (a pickled Program); the answer has a status, a message and the
number of operations. The file --stage has the current step, for the report of a crash. Statuses:

  ok         Tenon, the built-in CPU (and the evaluator, where asked) agree
  differs    Tenon and the built-in CPU do not
  evaluator  the evaluator does not agree with the built-in CPU
  refused    Tenon refuses what the built-in CPU runs
  folded     a program and the same one with constants for arguments differ on Tenon
  slow       Tenon compiles over 20 times as long as the built-in CPU, and over 2 s
  builtin    Tenon and the evaluator agree, the built-in CPU does not (kinds but `mixed`)
  denormals  they differ, but Tenon and the evaluator agree where both keep denormals: a number
             was flushed by one that the other rounded up to a normal one (kinds but `mixed`)
  skipped    the built-in CPU refuses the program; Tenon has run it or refused it
  generator  the generator's own fault
"""
import argparse
import ctypes
import dataclasses
import pathlib
import pickle
import resource
import signal
import traceback

import isolated_worker

from . import compare, execute
from .generate import generate
from .ranges import BITS, EXACT


def message_of(error):
    return (str(error).strip() or repr(error))[:1500]


def check(program, tenon, cpu, evaluator, stage):
    """(status, message) of one program."""
    theirs, refused, ours, failed = None, None, None, None
    try:
        theirs = execute.run(program, cpu, stage)
    except Exception as error:
        refused = message_of(error)
    try:
        ours = execute.run(program, tenon, stage)
    except Exception as error:
        failed = message_of(error)
    if theirs is None:
        return "skipped", refused
    if ours is None:
        return "refused", failed
    stage("compare")
    if wrong := compare.out_of_range(program, theirs):
        # Tenon too, or it is Tenon's result that is right.
        if compare.out_of_range(program, ours):
            return "generator", "; ".join(wrong)
    if found := compare.differences(program, ours, theirs):
        if evaluator:
            found.append(verdict(program, evaluator, ours, theirs))
        return "differs", "; ".join(found)
    return "ok", ""


def verdict(program, evaluator, ours, theirs):
    try:
        third = execute.evaluate(program, evaluator)
    except Exception as error:
        return f"the evaluator: {message_of(error)}"
    return "the evaluator agrees with " + (
        "Tenon" if not compare.differences(program, third, ours) else
        "the built-in CPU" if not compare.differences(program, third, theirs) else "neither")


def check_evaluator(program, cpu, evaluator, stage):
    stage("evaluate")
    third = execute.evaluate(program, evaluator)
    stage("evaluate, compare")
    found = compare.differences(program, third, execute.run(program, cpu))
    return ("evaluator", "; ".join(found)) if found else ("ok", "")


def judge_by_evaluator(program, tenon, evaluator, stage):
    """judge without the built-in CPU, which runs twice as many programs in the same time."""
    stage("evaluate")
    theirs = execute.evaluate(program, evaluator)
    found = compare.differences(program, execute.run(program, tenon, stage), theirs)
    return ("differs", "; ".join(found)) if found else ("ok", "")


SLOW_RATIO, SLOW_SECONDS = 20, 2.0


def is_due_to_denormals(program, evaluator, plugin, stage):
    """Whether Tenon and the evaluator agree bit by bit if both keep denormals."""
    stage("with denormals")
    ours = execute.run_with_denormals(program, evaluator, plugin)
    theirs = execute.evaluate(program, evaluator, keep_denormals=True)
    return not compare.differences(program, ours, theirs)


def judge_sharply(program, devices, evaluator, plugin, without_cpu, stage):
    """(status, message) of a program of a kind, which all three execute."""
    found, seconds, seen = {}, {}, {}
    without_cpu = without_cpu or bool(program.faults)
    for name, device in zip(("Tenon", "the built-in CPU"), devices[:1 if without_cpu else 2]):
        try:
            found[name] = execute.run(program, device, stage)
            seconds[name] = execute.run.compile_seconds
        except Exception as error:
            seen[name] = message_of(error)
    if evaluator:
        stage("evaluate")
        try:
            found["the evaluator"] = execute.evaluate(program, evaluator)
        except Exception as error:
            seen["the evaluator"] = message_of(error)
    if len(found) < 2:
        return "skipped", "; ".join(f"{name}: {text}" for name, text in seen.items())
    if "Tenon" in seen:
        return "refused", seen["Tenon"]
    if "the evaluator" in seen:
        return "evaluator", seen["the evaluator"]
    status, message = "ok", ""
    differ = {name: "; ".join(compare.differences(program, found["Tenon"], results))
              for name, results in found.items() if name != "Tenon"}
    if any(differ.values()):
        agree = [name for name, text in differ.items() if not text]
        status = "differs" if not agree else \
            "builtin" if agree == ["the evaluator"] else "evaluator"
        if status != "builtin" and evaluator and is_due_to_denormals(
                program, evaluator, plugin, stage):
            status = "denormals"
        message = "; ".join(f"{name}: {text}" for name, text in differ.items() if text)
    elif wrong := compare.unexpected(program, found["Tenon"]):
        status, message = "differs", "from what is known: " + "; ".join(wrong)
    elif program.folded:
        status, message = judge_folded(program, found["Tenon"], devices[0], stage)
    if status == "ok" and len(seconds) == 2:
        ours, theirs = seconds.values()
        if ours > SLOW_SECONDS and ours > SLOW_RATIO * theirs:
            return "slow", f"compiles in {ours:.2f} s, on the built-in CPU in {theirs:.2f} s"
    return status, message


def judge_folded(program, ours, tenon, stage):
    text, kept = program.folded
    constant = dataclasses.replace(
        program, text=text, inputs=[program.inputs[i] for i in kept],
        layouts=[program.layouts[i] for i in kept], donated=[False] * len(kept))
    stage("folded")
    theirs = execute.run(constant, tenon, stage)
    exact = dataclasses.replace(program, outputs=[
        (etype, BITS if etype.is_inexact else EXACT) for etype, _ in program.outputs])
    found = compare.differences(exact, theirs, ours)
    return ("folded", f"constants against arguments: {'; '.join(found)}") if found else ("ok", "")


def judge(program, devices, evaluator, stage):
    """(status, message), the evaluator included if there is one."""
    status, message = check(program, *devices, evaluator, stage)
    if status == "ok" and evaluator:
        try:
            return check_evaluator(program, devices[1], evaluator, stage)
        except Exception as error:
            return "evaluator", message_of(error)
    return status, message


def stay_within_bounds(megabytes):
    """Limits memory, so that a program fails only this process, and ends with the parent."""
    limit = megabytes << 20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    parent_death_signal = 1   # PR_SET_PDEATHSIG
    ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGKILL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--stage", required=True, help="file that tells what is being done")
    parser.add_argument("--evaluator", help="tenon-run")
    parser.add_argument("--evaluate-every", type=int, default=1, help="every Nth seed")
    parser.add_argument("--kind", default="mixed")
    parser.add_argument("--cpu-every", type=int, default=1, help="every Nth seed of a kind")
    parser.add_argument("--memory", type=int, default=4096, help="MiB that this process may take")
    parser.add_argument("--without-cpu", action="store_true")
    options = parser.parse_args()
    stay_within_bounds(options.memory)
    devices = execute.start(options.plugin)
    record = open(options.stage, "w")

    def stage(name):
        record.seek(0)
        record.truncate()
        record.write(name)
        record.flush()

    def answer(line):
        kind, what = line.split(" ", 1)
        stage("generate")
        try:
            if kind == "seed":
                program = generate(int(what), options.kind)
                often = options.evaluate_every and int(what) % options.evaluate_every == 0
            else:
                program, often = pickle.loads(pathlib.Path(what).read_bytes()), True
            if program.kind != "mixed":
                rare = kind == "seed" and (not options.cpu_every or
                                           int(what) % options.cpu_every != 0)
                status, message = judge_sharply(program, devices, options.evaluator,
                                                options.plugin, rare or options.without_cpu,
                                                stage)
            elif options.without_cpu:
                status, message = judge_by_evaluator(program, devices[0], options.evaluator, stage)
            else:
                status, message = judge(program, devices, options.evaluator if often else None,
                                        stage)
            return {"status": status, "message": message, "ops": len(program.ops),
                    "kind": program.kind, "faults": list(program.faults)}
        except Exception:
            return {"status": "generator", "message": traceback.format_exc(limit=-4), "ops": 0}
    isolated_worker.serve(answer)


if __name__ == "__main__":
    main()
