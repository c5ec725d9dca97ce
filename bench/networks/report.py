"""docs/networks.md from the rows of bench/run_networks.py."""
import dataclasses
import math
import statistics

from .interleaved import BUILT_IN, PEERS, SUBJECT

TITLES = {"tenon": "Tenon", "cpu": "built-in CPU", "torch": "torch", "torch_compiled":
          "torch.compile", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO"}
_LAYERS_SHOWN = 5


@dataclasses.dataclass
class Context:
    date: str
    cpu: str
    threads: int
    commit: str
    versions: list[str]


def geometric_mean(values):
    values = list(values)
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def reason(failure):
    """A failure as text for the reader."""
    return "not installed" if "No module named" in failure else failure


def is_wrong(row):
    """Whether Tenon failed or computed something else."""
    subject = row["peers"].get(SUBJECT, {})
    return bool(row.get("failure") or subject.get("failure") or not subject.get("right", True))


def is_slow(row):
    return "ratio" in row and row["ratio"][0] < 1


def _ms(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def _interval(ratio):
    return "{:.2f} ({:.2f}-{:.2f})".format(*ratio)


def _label(row):
    return f"{row['program']}, {row['dtype']}"


def line(row):
    text = f"{_label(row):40s}"
    if row.get("failure"):
        return f"{text} FAILED {row['failure']}"
    text += " ".join(f"{p} {ms:.4g}" for p, ms in row.get("ms", {}).items()) + " ms"
    if "ratio" in row:
        text += f"; best {row['best']} {_interval(row['ratio'])}"
    for peer, entry in row["peers"].items():
        if entry.get("failure"):
            text += f"; {peer}: {entry['failure'][:60]}"
        elif not entry["right"]:
            text += f"; {peer} WRONG, error {entry['error']:.1g} beyond {row['tolerance']:.1g}"
    return text


def summary(rows):
    compared = [r for r in rows if "ratio" in r]
    built_in = [r["built_in_ratio"][0] for r in rows if "built_in_ratio" in r]
    return (f"{len(rows)} rows: {sum(map(is_wrong, rows))} fail or are wrong, "
            f"{sum(map(is_slow, compared))} of {len(compared)} slower than the best peer; geometric "
            f"means: the best peer's time divided by Tenon's "
            f"{geometric_mean(r['ratio'][0] for r in compared):.2f}, the built-in CPU's by Tenon's "
            f"{geometric_mean(built_in):.2f}.")


def _table(head, rows):
    align = ["---"] + ["---:" if h.endswith(" ") else "---" for h in head[1:]]
    lines = ["| " + " | ".join(h.strip() for h in head) + " |", "|" + "|".join(align) + "|"]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows] + [""]


def _ratio_rows(rows):
    return [(_label(r), _ms(r["ms"][SUBJECT]), TITLES[r["best"]], _ms(r["ms"][r["best"]]),
             _interval(r["ratio"]), f"{r['built_in_ratio'][0]:.2f}" if "built_in_ratio" in r else "")
            for r in sorted(rows, key=lambda r: r["ratio"][0])]


def _cell(row, peer):
    entry = row["peers"].get(peer)
    if entry is None:
        return ""
    if entry.get("failure"):
        failure = " ".join(entry["failure"].split()).replace("|", "\\|")
        return failure if len(failure) < 40 else failure[:37] + "..."
    return _ms(row["ms"][peer]) + ("" if entry["right"] else f" (error {entry['error']:.1g})")


def _every_time(rows):
    order = (SUBJECT, BUILT_IN, *PEERS)
    return _table(("program", *(TITLES[p] + " " for p in order), "error, tolerance "), [
        (_label(r), *(_cell(r, p) for p in order),
         f"{r['peers'][SUBJECT].get('error', math.nan):.1g}, {r['tolerance']:.1g}")
        for r in rows if r.get("ms")])


def _layers(row):
    layers = sorted(row["layers"], key=lambda x: -x["count"] * x["ms"][SUBJECT])
    sums = {p: sum(x["count"] * x["ms"][p] for x in layers) for p in (SUBJECT, "torch")}
    lines = [f"**{_label(row)}**: its layers one by one take {_ms(sums[SUBJECT])} ms (torch's "
             f"{_ms(sums['torch'])}); the whole takes {_ms(row['ms'][SUBJECT])} (torch's "
             f"{_ms(row['ms'].get('torch', math.nan))}).", ""]
    return lines + _table(("layer", "times ", "Tenon, ms ", "torch, ms ", "ratio (95 %) ",
                           "of all layers "), [
        (f"`{x['layer']}`", x["count"], _ms(x["ms"][SUBJECT]), _ms(x["ms"]["torch"]),
         _interval(x["ratio"]),
         f"{100 * x['count'] * x['ms'][SUBJECT] / sums[SUBJECT]:.0f} %")
        for x in layers[:_LAYERS_SHOWN]])


def _profile(rows):
    shown = [r for r in rows if r.get("layers") and r["dtype"] == "f32"]
    if not shown:
        return []
    lines = ["## Where the time goes", "",
             f"The {_LAYERS_SHOWN} layers of each forward program in f32 on which Tenon spends most, "
             "as programs of their own", "beside torch's (eager, operation by operation). *Ratio* is "
             "torch's time divided by Tenon's. Each call of a", "layer costs Tenon about 10 us in JAX's "
             "dispatch, which the whole network pays once.", ""]
    for row in shown:
        lines += _layers(row)
    return lines


def markdown(rows, context, count):
    good = [r for r in rows if not r.get("failure") and "ratio" in r]
    wrong = [r for r in rows if is_wrong(r)]
    loads = [r["load"] for r in rows if "load" in r]
    commits = sorted({r["commit"] for r in rows})
    head = ("program", "Tenon, ms ", "best peer", "its ms ", "ratio (95 %) ", "built-in ")
    lines = [
        "# Whole networks", "",
        "Networks people deploy, on Tenon and on what they deploy them with. `make networks` measures "
        "them and writes", "this page; `bench/run_networks.py --only REGEX` measures some.", "",
        f"Commit {', '.join(commits)}, {context.date}: {context.cpu}, {context.threads} threads, "
        f"median load {statistics.median(loads) if loads else 0:.1f}; "
        + ", ".join(context.versions) + ".",
        *([f"**{len(rows)} of {count} rows were measured.**"] if len(rows) < count else []), "",
        summary(rows), "",
        "*Ratio* is the time of the best peer (of torch, torch.compile, ONNX Runtime and OpenVINO) by "
        "Tenon's: below 1", "Tenon is slower. *Built-in* is the built-in CPU's time divided by Tenon's.", ""]
    if wrong:
        lines += ["## Failures", ""] + _table(("program", "what happens"), [
            (_label(r), r.get("failure") or r["peers"][SUBJECT].get("failure")
             or f"error {r['peers'][SUBJECT]['error']:.1g}") for r in wrong])
    slow = [r for r in good if is_slow(r)]
    lines += ["## Losses", ""] + (_table(head, _ratio_rows(slow)) if slow else ["None.", ""])
    lines += ["## As fast as the best peer, or faster", ""]
    lines += _table(head, _ratio_rows([r for r in good if not is_slow(r)]))
    lines += ["## Every peer", "", "Milliseconds a call, medians. *Error* is Tenon's.", ""]
    lines += _every_time(rows) + _profile(rows) + _METHOD
    return "\n".join(lines).rstrip() + "\n"


_METHOD = """## Method

* The networks are written once, in `bench/networks`, over a set of operations that JAX and torch
  implement each in its usual way (channels last in JAX, `channels_last` memory in torch). Weights
  are random, from fixed seeds, and the same everywhere. ONNX Runtime and OpenVINO run what they
  convert from the torch module. torch.compile packs constant weights (`freezing`), as those two do;
  JAX gets weights as arguments.
* Stable Diffusion's UNet has half its width, as six copies of its weights would not fit into
  memory; a training step of it works on 32x32 latents.
* A training step is forward, backward and the update: SGD with momentum for convolutional networks
  and the UNet, Adam for the others. ONNX Runtime and OpenVINO do not train.
* Decoding is one token against a cache of fixed length, which is updated in place (ONNX Runtime and
  OpenVINO concatenate and return it).
* In bf16 weights, activations and optimiser states are bf16; OpenVINO gets f32 and is told to
  compute in bf16. ONNX Runtime has no bf16 kernels for CPUs.
* Every peer has a process of its own, bound to the same cores with as many threads. The processes
  are interleaved in rotating order; each starts once the one before is idle. Times are medians over
  the half of the repetitions (at least 7) that waited least for a core; the ratio is paired by
  repetition, with a bootstrap 95 % interval of its median.
* Results are compared with torch's in f64: the root mean square of the difference by that of the
  result, or the largest relative difference among the losses of three training steps. The tolerance
  follows from the number of roundings and the length of the sums (`networks/ops.py`). Of training
  steps it is at least four times torch's own error, because updates amplify rounding errors. A peer
  whose result is off is not the best.
""".splitlines()
