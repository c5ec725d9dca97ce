#!/usr/bin/env python3
"""Writes docs/jax_tests.md from results of run_jax_tests.py.

  jax_tests_report.py --out docs/jax_tests.md build/jax_tests/replace.json build/jax_tests/own.json

The page has the totals of all results, a table by file of the first result, and the causes of
failures, each with its number of tests. jax_tests_reasons.txt lists the causes as lines
`pattern | cause`, where the pattern is a shell pattern on the test id. The ids are in the results
and in the summaries that run_jax_tests.py prints.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REASONS = pathlib.Path(__file__).with_name("jax_tests_reasons.txt")


def outcomes(file):
    """(outcome, outcome on the built-in CPU) of each test, also if it was not run."""
    names = dict.fromkeys([*file["tests"], *file["selected"], *file["builtin"]])
    for name in names:
        outcome = file["tests"].get(name, {}).get("outcome", "not run")
        # A test that passes and was not run on the built-in CPU counts as passing there.
        yield name, outcome, file["builtin"].get(
            name, "passed" if outcome == "passed" else "unknown")


def count(file):
    """The counts of one file: passed, passed of those that should, crashed and so on."""
    total = collections.Counter()
    for _, outcome, builtin in outcomes(file):
        total[outcome] += 1
        if builtin in ("passed", "unknown") and outcome not in ("skipped", "not run") or \
                builtin == "passed":
            total["due"] += 1
            total["good"] += outcome == "passed"
    return total


def add(files):
    return sum((count(file) for file in files.values()), collections.Counter())


def percent(total):
    return f"{100 * total['good'] / total['due']:.2f} %" if total["due"] else "-"


def line(name, file):
    total = count(file)
    other = ", ".join(f"{total[k]} {k}" for k in
                      ("failed", "crashed", "timeout", "skipped", "not run")
                      if total[k])
    state = "" if file["complete"] else "  INCOMPLETE " + " ".join(file["errors"])[-300:]
    return f"{name}: {total['good']} of {total['due']} {percent(total)}  ({other}){state}"


def describe(arguments):
    """A description of the options of a result."""
    words = {"replace": "replacement mode", "builtin": "built-in CPU",
             "own-name": f"own-name mode, label `{arguments['label']}`"}[arguments["mode"]]
    if arguments["mode"] != "builtin":
        plugin = pathlib.Path(arguments["plugin"]).stem
        words += f" of `{plugin}`" * (plugin != "pjrt_plugin_tenon_cpu")
        words += f", {arguments['devices']} devices"
    words += f", {arguments['cases']} generated case{'s' * (arguments['cases'] > 1)}"
    if arguments["case_seed"] is not None:
        words += f" of seed {arguments['case_seed']}"
    if arguments["x64"]:
        words += ", x64"
    if arguments["sample"] != [1, 1]:
        words += ", {}/{} of the tests".format(*arguments["sample"])
    return words


def files_of(result):
    whole, count = sum(file["complete"] for file in result["files"].values()), \
        len(result["files"])
    if count == 1:
        return f" ({next(iter(result['files']))})"
    return f" ({count} files)" if whole == count else f" ({whole} of {count} files)"


def table(rows):
    return [f"| {' | '.join(map(str, row))} |" for row in rows]


def by_file(result):
    """One row per file with missed tests, and one row for all others."""
    rows = [("file", "passed", "pass on the built-in CPU", "score", "skipped"),
            ("---", "---:", "---:", "---:", "---:")]
    totals = {name: count(file) for name, file in result["files"].items()}
    whole = {name for name, t in totals.items() if t["good"] == t["due"]}
    skipped = {name for name in whole if not totals[name]["due"]}
    groups = [(name, [name]) for name in totals if name not in whole]
    groups += [(f"{len(names)} others, {what}", names) for what, names in
               (("which pass whole", whole - skipped), ("of which nothing runs", skipped)) if names]
    for name, members in [*groups, ("**all**", totals)]:
        total = sum((totals[member] for member in members), collections.Counter())
        rows.append((name, total["good"], total["due"], percent(total), total["skipped"]))
    return table(rows)


def missed(result):
    """(id, outcome, message) of tests that should pass and do not."""
    for file in result["files"].values():
        for name, outcome, builtin in outcomes(file):
            if outcome != "passed" and (
                    builtin == "passed" or builtin == "unknown" and outcome in
                    ("failed", "crashed", "timeout")):
                yield name, outcome, file["tests"].get(name, {}).get("message", "")


def summary(result):
    """Markdown of one result."""
    lines = [f"{describe(result['args'])}:", "", *by_file(result), ""]
    for name, outcome, message in missed(result):
        lines.append(f"- `{name}` {outcome}: {' '.join(message.split())[:300]}")
    return "\n".join(lines) + "\n"


def read_reasons(path):
    pairs = [text.split("|", 1) for text in path.read_text().splitlines()
             if text.strip() and not text.startswith("#")]
    return [(pattern.strip(), reason.strip()) for pattern, reason in pairs]


def causes(results, reasons):
    """Table rows of (cause, number of tests by mode), and the tests without a cause."""
    seen, unexplained = collections.defaultdict(collections.Counter), []
    for number, result in enumerate(results, 1):
        for name, outcome, _ in missed(result):
            reason = next((r for p, r in reasons if fnmatch.fnmatchcase(name, p)), None)
            if reason is None:
                unexplained.append(name)
            seen[reason or "not explained"][number, outcome] += 1
    rows = [(reason, ", ".join(f"{count} {outcome} in mode {number}"
                               for (number, outcome), count in sorted(counts.items())))
            for reason, counts in sorted(seen.items())]
    return [("cause", "tests"), ("---", "---"), *rows], unexplained


def page(results, reasons, note):
    modes = [("", "mode", "commit", "passed", "of", "score", "crashed", "timed out",
              "not run"), ("---:", "---", "---", *["---:"] * 6)]
    for number, result in enumerate(results, 1):
        t = add(result["files"])
        modes.append((number, describe(result["args"]) + files_of(result),
                      result["args"]["commit"][:7], t["good"], t["due"], percent(t),
                      t["crashed"], t["timeout"], t["not run"]))
    rows, unexplained = causes(results, reasons)
    lines = [
        "# JAX's own tests on Tenon", "",
        "The results of JAX's own tests on Tenon, written by `scripts/run_jax_tests.py` and "
        "`scripts/jax_tests_report.py` (see `--help`). A score is the share of passing tests among "
        "the tests that pass on JAX's built-in CPU with the same settings. A test that is skipped "
        "on Tenon and runs on the built-in CPU counts as missed. The commit's hash seeds the "
        "samples.",
        *(["", note] if note else []), "", "## Modes", "", *table(modes),
        "", f"## By file: {describe(results[0]['args'])}", "", *by_file(results[0]), "",
        "## What does not pass", "", "Modes are numbered as above.", "", *table(rows)]
    return "\n".join(lines) + "\n", unexplained


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    parser.add_argument("--reasons", type=pathlib.Path, default=REASONS)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "jax_tests.md")
    parser.add_argument("--note", help="a paragraph for the top: date, builds")
    options = parser.parse_args()
    text, unexplained = page([json.loads(path.read_text()) for path in options.results],
                             read_reasons(options.reasons), options.note)
    options.out.write_text(text)
    for name in unexplained:
        print(f"no reason given for {name}")
    return bool(unexplained)


if __name__ == "__main__":
    sys.exit(main())
