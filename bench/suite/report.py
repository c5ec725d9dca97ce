"""Writes the suite's rows as CSV, Markdown and plots."""
import csv
import math
import statistics

COLUMNS = ["workload", "group", "backend", "median_us", "minimum_us", "ratio", "ratio_low",
           "ratio_high", "processor_us", "limit_fraction", "lower_ms", "compile_ms", "first_ms",
           "first_run_mib", "error_to_first", "rounds", "load", "implementation", "error"]
_TEXTS = ("workload", "group", "backend", "implementation", "error")
# The project's targets: minimum geometric means of run time ratios per group (issues 5, 12).
TARGETS = {"dispatch": 1.5, "elementwise": 3, "reduce": 2.5, "sort_scan": 10, "matmul": 2,
           "matmul_narrow": 4, "convolution": 4, "movement": 1.7, "fft_linalg": 1.3, "random": 5,
           "loops": 2, "model": 2.5, "overlap": 1, "collectives": 2, "sharded": 2}
REFERENCE, SUBJECT = "cpu", "tenon"
_TITLES = {"cpu": "built-in CPU", "cpu_tuned": "built-in CPU, tuned malloc", "tenon": "Tenon",
           "tenon_as_cpu": "Tenon, as `cpu`", "before": "the previous build", "null": "null plugin",
           "iree": "IREE", "numpy": "NumPy", "scipy": "SciPy", "c_loop": "C loop",
           "onednn": "oneDNN", "onednn_packed": "oneDNN, packed"}
_NOT_PEERS = (REFERENCE, SUBJECT, "tenon_as_cpu", "null", "before")
_QUICKER = 0.97  # a peer in another process is ahead below this fraction of Tenon's time


def write_csv(rows, path):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path):
    """The rows of a file of write_csv; numbers as floats, empty cells left out."""
    rows = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            rows.append({k: v if k in _TEXTS else float(v)
                         for k, v in row.items() if v})
    return rows


def geometric_mean(values):
    values = list(values)
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def format_time(us):
    for limit, unit, scale in ((1e3, "us", 1), (1e6, "ms", 1e3)):
        if us < limit:
            return f"{us / scale:.3g} {unit}"
    return f"{us / 1e6:.3g} s"


def table(rows):
    """{workload: {backend: row}}, in order."""
    found = {}
    for row in rows:
        found.setdefault(row["workload"], {})[row["backend"]] = row
    return found


def _ratios(found, group, backend=SUBJECT, column="median_us"):
    for by in found.values():
        rows = by.get(REFERENCE), by.get(backend)
        if all(r and not r.get("error") and r["group"] == group and r.get(column)
               for r in rows):
            # Run times of Tenon are paired by repetition, others are compared as a whole.
            paired = column == "median_us" and backend == SUBJECT
            yield rows[1]["ratio"] if paired else rows[0][column] / rows[1][column]


def _slower(found, group=None):
    """Workloads whose interval against the built-in CPU lies below 0.95."""
    return [w for w, by in found.items() if by.get(SUBJECT, {}).get("ratio_high", 9) < 0.95
            and group in (None, by[SUBJECT]["group"])]


def _behind(found):
    """[(workload, {peer: its time divided by Tenon's})] where a peer is ahead, the furthest first."""
    result = []
    for workload, by in found.items():
        subject = by.get(SUBJECT, {}).get("median_us")
        ahead = {b: r["median_us"] / subject for b, r in by.items() if subject
                 and b not in _NOT_PEERS and not r.get("error") and r.get("median_us")
                 and r["median_us"] < _QUICKER * subject}
        if ahead:
            result.append((workload, dict(sorted(ahead.items(), key=lambda x: x[1]))))
    return sorted(result, key=lambda x: min(x[1].values()))


def _losses(found):
    failing = [f"{w} ({_TITLES[b]}: {by[b]['error']})" for w, by in found.items()
               for b in (REFERENCE, SUBJECT) if by.get(b, {}).get("error")]
    slower = [f"{w} {found[w][SUBJECT]['ratio']:.2f}" for w in _slower(found)]
    lines = ["### Losses", "",
             "Slower than the built-in CPU (the interval lies below 0.95): "
             + (", ".join(slower) or "none") + ".", ""]
    if failing:
        lines += ["Not compared: " + "; ".join(failing) + ".", ""]
    behind = _behind(found)
    if behind:
        lines += ["A peer is ahead of Tenon; its time divided by Tenon's:", "",
                  "| workload | Tenon | peers |", "|---|---:|---|"]
        lines += [f"| {w} | {format_time(found[w][SUBJECT]['median_us'])} | "
                  + ", ".join(f"{_TITLES.get(p, p)} {x:.2f}" for p, x in ahead.items()) + " |"
                  for w, ahead in behind]
        lines.append("")
    return lines


def _peers(found):
    """The comparison of all other back ends with Tenon over all workloads."""
    labels = dict.fromkeys(b for by in found.values() for b in by if b not in (REFERENCE, SUBJECT))
    lines = ["### Peers", "", "Geometric mean of a peer's time divided by Tenon's.", "",
             "| peer | workloads | its time divided by Tenon's | ahead of Tenon in | fails in |",
             "|---|---:|---:|---:|---:|"]
    for label in labels:
        pairs = [(by[label], by[SUBJECT]) for by in found.values() if label in by
                 and by.get(SUBJECT, {}).get("median_us")]
        ratios = [p["median_us"] / s["median_us"] for p, s in pairs if p.get("median_us")]
        lines.append(f"| {_TITLES.get(label, label)} | {len(ratios)} "
                     f"| {geometric_mean(ratios):.2f} | {sum(r < _QUICKER for r in ratios)} "
                     f"| {sum(bool(p.get('error')) for p, _ in pairs)} |")
    return lines + [""] if labels else []


def _builds(found, groups):
    """Mean ratios of the previous build's time to this one's, and the largest changes."""
    def pairs(column, group=None):
        return {w: by["before"][column] / by[SUBJECT][column] for w, by in found.items()
                if by.get("before", {}).get(column) and by.get(SUBJECT, {}).get(column)
                and group in (None, by[SUBJECT]["group"])}
    if not any("before" in by for by in found.values()):
        return []
    lines = ["### The previous build", "", "Its time divided by Tenon's: above 1, Tenon became faster.", "",
             "| group | run time | minimum run time | compile time |", "|---|---:|---:|---:|"]
    for group in (*groups, None):
        means = [geometric_mean(pairs(column, group).values())
                 for column in ("median_us", "minimum_us", "compile_ms")]
        lines.append("| " + " | ".join([group or "**all**", *(f"{m:.3f}" for m in means)]) + " |")
    each = sorted(pairs("minimum_us").items(), key=lambda pair: pair[1])
    apart = [f"{w} {r:.2f}" for w, r in each if abs(math.log(r)) > 0.05]
    return lines + ["", "Least times more than 5 % apart: " + (", ".join(apart) or "none") + ".",
                    ""]


def markdown(rows, machine, date):
    found = table(rows)
    groups = list(dict.fromkeys(r["group"] for r in rows))
    lines = [f"Measured on {date}: {machine['cpu']}, {machine['threads']} cores, load "
             f"{statistics.median(r['load'] for r in rows if 'load' in r):.1f}; "
             f"{machine['versions']}. Ratios are built-in CPU's time divided by Tenon's: above 1, Tenon "
             "is faster.", "", *_losses(found), "### Groups", "",
             "| group | workloads | run time | target | compile time | slower |",
             "|---|---:|---:|---:|---:|---|"]
    every = []
    for group in groups:
        ratios = list(_ratios(found, group))
        compiled = geometric_mean(_ratios(found, group, column="compile_ms"))
        slower = _slower(found, group)
        if group != "compile":
            every += ratios
        lines.append(f"| {group} | {len(ratios)} | {geometric_mean(ratios):.2f} "
                     f"| {TARGETS.get(group, '')} | {compiled:.2f} | {', '.join(slower)} |")
    lines += [f"| **all** | {len(every)} | **{geometric_mean(every):.2f}** | 3 | | |", ""]
    lines += _builds(found, groups) + _peers(found)
    for group in groups:
        lines += [f"### {group}", "",
                  "| workload | built-in CPU | Tenon | ratio (95 %) | of the limit "
                  "| compile, ms | others |", "|---|---:|---:|---:|---:|---:|---|"]
        for name, by in found.items():
            reference, subject = by.get(REFERENCE, {}), by.get(SUBJECT, {})
            if reference.get("group") != group:
                continue
            if subject.get("error") or reference.get("error"):
                lines.append(f"| {name} | {reference.get('error', '')} | "
                             f"{subject.get('error', '')} | | | | |")
                continue
            others = "; ".join(
                f"{_TITLES.get(b, b)} " + ("fails" if r.get("error") else format_time(r["median_us"]))
                for b, r in by.items() if b not in (REFERENCE, SUBJECT))
            limit = f"{100 * subject['limit_fraction']:.0f} %" \
                if subject.get("limit_fraction") else ""
            lines.append(
                f"| {name} | {format_time(reference['median_us'])} | {format_time(subject['median_us'])} "
                f"| {subject['ratio']:.2f} ({subject['ratio_low']:.2f}-"
                f"{subject['ratio_high']:.2f}) | {limit} | {reference['compile_ms']:.0f}, "
                f"{subject['compile_ms']:.0f} | {others} |")
        lines.append("")
    return "\n".join(lines)


def plot(rows, path):
    """Each workload's ratio, by group, with the groups' means and targets."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    found = table(rows)
    groups = [g for g in TARGETS if list(_ratios(found, g))]
    figure, axes = plt.subplots(figsize=(10, 5), layout="constrained")
    for x, group in enumerate(groups):
        ratios = list(_ratios(found, group))
        axes.scatter([x + 0.5 * ((i + 0.5) / len(ratios) - 0.5) for i in range(len(ratios))],
                     ratios, s=18, color="#4c78a8", alpha=0.7, linewidths=0, zorder=2,
                     label="a workload" if x == 0 else None)
        axes.hlines(geometric_mean(ratios), x - 0.35, x + 0.35, color="#e45756", linewidth=2.5,
                    zorder=3, label="geometric mean" if x == 0 else None)
        axes.hlines(TARGETS[group], x - 0.35, x + 0.35, color="#777777", linestyle=":",
                    linewidth=1.5, zorder=1, label="target" if x == 0 else None)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_yticks([0.1, 0.25, 0.5, 1, 2, 4, 10, 25, 50])
    axes.yaxis.set_major_formatter("{x:g}x")
    axes.yaxis.minorticks_off()
    axes.set_xticks(range(len(groups)), [g.replace("_", "\n") for g in groups], fontsize=8)
    axes.set_ylabel("built-in CPU's time / Tenon's")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper right", ncols=3)
    figure.savefig(path)
    plt.close(figure)
