"""docs/wide.md and docs/libraries.md from the rows of their suites."""
import dataclasses
import math
import statistics

SLOW = 0.97  # a program is a loss if its ratio's interval lies below


@dataclasses.dataclass
class Context:
    date: str
    cpu: str
    cores: int
    commit: str
    programs: int = 0  # of the suite; 0: as many as there are rows
    suite: str = "wide"
    libraries: tuple[str, ...] = ()  # with versions, where the suite has its own


# The title and the first lines of each suite's page.
HEADS = {
    "wide": ["# Wide suite", "",
             "Small programs in the style of the tutorials of JAX libraries, compared with JAX's "
             "built-in CPU. Their author", "had not seen the [benchmark suite](performance.md). "
             "`make wide` measures all of them and writes this",
             "page; `bench/run_wide.py --only REGEX` measures a part."],
    "operations": ["# Operations, type by type", "",
                   "One operation in each program, for every type that has it, on 100 x 101 and "
                   "1,000 x 1,001 elements, compared", "with JAX's built-in CPU. `make operations` "
                   "measures all and writes this page;", "`bench/run_wide.py --suite operations "
                   "--only REGEX` measures a part. What short programs cost is the call itself."],
    "libraries": ["# Libraries on JAX", "",
                  "Programs that follow the tutorials of libraries on JAX and call the real "
                  "libraries, compared with JAX's", "built-in CPU. `make libraries` installs the "
                  "libraries into `build/libraries/venv`, measures all programs", "and writes this "
                  "page; `build/libraries/venv/bin/python bench/run_wide.py --suite libraries "
                  "--only REGEX`", "measures a part."],
}


NO_REFERENCE = ["* Some libraries fix their types, or draw random numbers of the default type. "
                "There is no f64 reference", "  for these programs: they are compared with the "
                "built-in CPU's result, with a tolerance of the program."]


def geometric_mean(values):
    values = list(values)
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def compile_ratio(row):
    if not row.get("compile_ms_tenon") or not row.get("compile_ms_cpu"):
        return None
    return row["compile_ms_cpu"] / row["compile_ms_tenon"]


def is_wrong(row):
    return bool(row.get("failure") or row.get("complaint"))


def is_slow(row):
    return row.get("ratio_high", math.inf) < SLOW


def _time(us):
    for limit, unit, scale in ((1e3, "us", 1), (1e6, "ms", 1e3)):
        if us < limit:
            return f"{us / scale:.3g} {unit}"
    return f"{us / 1e6:.3g} s"


def line(row):
    """One row as a line of text."""
    if row.get("failure"):
        return f"{row['program']:36s} FAILED {row['failure']}"
    text = f"{row['program']:36s} compile {row['compile_ms_cpu']:6.0f} " \
           f"{row['compile_ms_tenon']:6.0f} ms"
    if "ratio" in row:
        text += f"  run {_time(row['us_cpu']):>8} {_time(row['us_tenon']):>8} " \
                f"ratio {row['ratio']:6.2f} ({row['ratio_low']:.2f}-{row['ratio_high']:.2f})"
    if is_slow(row):
        text += " SLOWER"
    return text + (f" WRONG {row['complaint']}" if row["complaint"] else "")


def _share(rows):
    compiled = [c for c in map(compile_ratio, rows) if c]
    return sum(c >= 1 for c in compiled) / len(compiled) if compiled else float("nan")


def summary(rows):
    ratios = [r["ratio"] for r in rows if "ratio" in r]
    wrong, slow = (sum(map(f, rows)) for f in (is_wrong, is_slow))
    return (f"{len(rows)} programs: {wrong} fail or disagree, {slow} slower than the built-in CPU; "
            f"geometric mean of run time {geometric_mean(ratios):.2f} over the {len(ratios)} that "
            f"run, of compile time "
            f"{geometric_mean(filter(None, map(compile_ratio, rows))):.2f}; "
            f"{_share(rows):.0%} compile at least as fast.")


def _table(head, rows):
    align = ["---"] + ["---:" if h.endswith(" ") else "---" for h in head[1:]]
    lines = ["| " + " | ".join(h.strip() for h in head) + " |", "|" + "|".join(align) + "|"]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows] + [""]


def _escape(text):
    return " ".join(text.split()).replace("|", "\\|")


def _losses(rows):
    wrong = [r for r in rows if is_wrong(r)]
    slow = sorted((r for r in rows if is_slow(r)), key=lambda r: r["ratio"])
    compiling = sorted((r for r in rows if (compile_ratio(r) or 1) < 1), key=compile_ratio)
    lines = []
    if wrong:
        lines += ["Fail, or disagree beyond their tolerance:", ""]
        lines += _table(("program", "what happens"),
                        [(r["program"], _escape(r.get("failure") or r["complaint"]))
                         for r in wrong])
    if slow:
        lines += [f"Slower than the built-in CPU (the 95 % interval lies below {SLOW}):", ""]
        lines += _table(("program", "built-in ", "Tenon ", "ratio (95 %) "),
                        [(r["program"], _time(r["us_cpu"]), _time(r["us_tenon"]), _interval(r))
                         for r in slow])
    if compiling:
        lines += ["Compile slower than on the built-in CPU (its time divided by Tenon's): "
                  + ", ".join(f"{r['program']} {compile_ratio(r):.2f}" for r in compiling) + ".",
                  ""]
    return lines or ["No losses.", ""]


def _ratio(x):
    return f"{x:.2f}" if x >= 0.1 else f"{x:.2g}"


def _interval(row):
    return "{} ({}-{})".format(*(_ratio(row[c]) for c in ("ratio", "ratio_low", "ratio_high")))


def _unmeasured(rows, context):
    if context.programs <= len(rows):
        return []
    return [f"**{len(rows)} of {context.programs} programs were measured**; the others have no row "
            "below.", ""]


def markdown(rows, context):
    loads = [r["load"] for r in rows if "load" in r]
    lines = [
        *HEADS[context.suite], "",
        *([f"Versions: {', '.join(context.libraries)}.", ""] if context.libraries else []),
        f"Commit {context.commit}, {context.date}: {context.cpu}, {context.cores} cores, median "
        f"load {statistics.median(loads) if loads else 0:.1f}.",
        "Other load on the machine makes single ratios uncertain; the intervals show how much.", "",
        *_unmeasured(rows, context), summary(rows), "", "## Losses", "", *_losses(rows),
        "## By domain", "",
        "Geometric means of the built-in CPU's time divided by Tenon's: above 1, Tenon is faster.", ""]
    domains = {}
    for row in rows:
        domains.setdefault(row["domain"], []).append(row)
    lines += _table(("domain", "programs ", "run time ", "minimum ", "compile time "), [
        (d, len(r), f"{geometric_mean(x['ratio'] for x in r if 'ratio' in x):.2f}",
         _ratio(min((x["ratio"] for x in r if "ratio" in x), default=math.nan)),
         f"{geometric_mean(filter(None, map(compile_ratio, r))):.2f}")
        for d, r in domains.items()])
    lines += [
        "## Method", "",
        "* Both platforms run in one process, interleaved in rotating order, in batches of about "
        "5 ms. Ratios are", "  paired by repetition. The ratio is their median over the calmer "
        "half of the repetitions, with a", "  bootstrap 95 % interval.",
        "* Compile time is that of `lowered.compile()` without caches, the minimum of two where "
        "it is under 0.5 s.",
        "* The reference for a result is the same program with f64 arguments and 64-bit types on "
        "the built-in", "  CPU. Tenon's maximum error may be 8 times the built-in CPU's, and its "
        "rms error 4 times, plus 32", "  roundings of the result type, all relative to the "
        "largest value. Integers and booleans must equal", "  the built-in CPU's, except for a "
        "stated share of elements where rounding decides a comparison.",
        *(NO_REFERENCE if context.suite == "libraries" else []), "", "## Programs", ""]
    if context.suite == "operations":
        return "\n".join(lines + _by_type(rows)).rstrip() + "\n"
    for domain, members in domains.items():
        lines += [f"### {domain}", ""]
        lines += _table(("program", "built-in ", "Tenon ", "ratio (95 %) ", "compile, ms ",
                         "error, tolerance "), [_cells(r) for r in members])
    return "\n".join(lines).rstrip() + "\n"


def _by_type(rows):
    """The suite `operations`: a line for each operation, a column for each type."""
    cells, types = {}, []
    for row in rows:
        name, dtype, _ = row["program"].rsplit("_", 2)
        cells.setdefault(name, {}).setdefault(dtype, []).append(row.get("ratio"))
        if dtype not in types:
            types.append(dtype)

    def cell(ratios):
        return ", ".join(_ratio(r) if r else "fails" for r in ratios)
    return ["The built-in CPU's time divided by Tenon's, for the smaller and the larger matrix.", "",
            *_table(("operation", *(f"{t} " for t in types)),
                    [(name, *(cell(of.get(t, ())) for t in types)) for name, of in cells.items()])]


def _cells(row):
    if row.get("failure"):
        return row["program"], "", "", "", "", "fails"
    run = ("", "", "")
    if "ratio" in row:
        run = _time(row["us_cpu"]), _time(row["us_tenon"]), _interval(row)
    return (row["program"], *run, f"{row['compile_ms_cpu']:.0f}, {row['compile_ms_tenon']:.0f}",
            f"{row['error']:.1g}, {row['tolerance']:.1g}")
