"""The comparison of suite/against.py as text."""
import math

from .report import format_time, geometric_mean, table

_DIFFERENT = 2e-2  # of results, of their largest value; TF32 and bf16 are below


def _ratio(rows, column):
    reference, subject = rows
    if reference.get(column) and subject.get(column):
        return reference[column] / subject[column]
    return None


def _means(found, group=None):
    """Number of workloads, and the mean ratios of run, queued and compile times."""
    pairs = [pair for pair in found.values() if group in (None, pair[0]["group"])
             and _ratio(pair, "median_us")]
    return len(pairs), *(geometric_mean(filter(None, (_ratio(pair, column) for pair in pairs)))
                         for column in ("median_us", "queued_us", "compile_ms"))


def _cells(values):
    return ["-" if value is None or math.isnan(value) else f"{value:.2f}" for value in values]


def _listed(names):
    return ", ".join(names) or "none"


class Report:
    def __init__(self, data):
        self.data = data
        reference, subject = data["platforms"]
        self.found = {name: (by.get(reference, {}), by.get(subject, {}))
                      for name, by in table(data["rows"]).items()}
        self.groups = list(dict.fromkeys(pair[0]["group"] for pair in self.found.values()))
        self.names = {reference: f"JAX's `{reference}`", subject: f"`{subject}`"}

    def _failures(self):
        for name, pair in self.found.items():
            for row in pair:
                if row.get("error"):
                    yield f"{name} on {self.names[row['backend']]}: {row['error']}"

    def _summary(self, names=True):
        reference, subject = (self.names[p] for p in self.data["platforms"])
        lines = [f"Measured on {self.data['date']}: {', '.join(self.data['devices'])}; "
                 f"{self.data['versions']}. Ratios are the time of {reference} divided by that of "
                 f"{subject}: above 1, Tenon is faster. *Queued*: calls that do not wait for each "
                 f"other. {self.data['jobs']} workloads were compiled at a time.", "",
                 "| group | workloads | run time | queued | compile time | slower than 0.95 |",
                 "|---|---:|---:|---:|---:|---|"]
        for group in self.groups:
            count, *means = _means(self.found, group)
            slower = [f"{name} {_ratio(pair, 'median_us'):.2f}" for name, pair in self.found.items()
                      if pair[0]["group"] == group and (_ratio(pair, "median_us") or 1) < 0.95]
            lines.append(f"| {group} | {count} | {' | '.join(_cells(means))} "
                         f"| {', '.join(slower) if names else len(slower)} |")
        count, *means = _means(self.found)
        return [*lines, f"| **all** | {count} | {' | '.join(_cells(means))} | |", ""]

    def _losses(self, names=True):
        apart = [f"{name} {pair[1]['error_to_first']:.1e}" for name, pair in self.found.items()
                 if (pair[1].get("error_to_first") or 0) > _DIFFERENT
                 or math.isnan(pair[1].get("error_to_first") or 0)]
        left = _listed(self.data["left"]) if names else len(self.data["left"])
        return [f"Not compared: {'; '.join(self._failures()) or 'none'}.", "",
                f"Results more than {_DIFFERENT:g} of the largest value apart: {_listed(apart)}.", "",
                f"Not measured, for lack of time: {left}.", ""]

    def markdown(self):
        reference, subject = (self.names[p] for p in self.data["platforms"])
        lines = self._summary() + self._losses()
        for group in self.groups:
            lines += [f"### {group}", "",
                      f"| workload | {reference} | {subject} | ratio | queued | compile, ms | results |",
                      "|---|---:|---:|---:|---:|---:|---:|"]
            for name, pair in self.found.items():
                if pair[0]["group"] != group or not _ratio(pair, "median_us"):
                    continue
                times, queued = ([format_time(row[column]) if row.get(column) else "-" for row in pair]
                                 for column in ("median_us", "queued_us"))
                compiled = ", ".join(f"{row['compile_ms']:.0f}" for row in pair)
                error = pair[1].get("error_to_first")
                lines.append(f"| {name} | {' | '.join(times)} | {_ratio(pair, 'median_us'):.2f} "
                             f"| {', '.join(queued)} | {compiled} "
                             f"| {'-' if error is None else f'{error:.0e}'} |")
            lines.append("")
        return "\n".join(lines)

    def short(self):
        """The groups, and the workloads that are furthest behind and ahead."""
        ratios = sorted((_ratio(pair, "median_us"), name) for name, pair in self.found.items()
                        if _ratio(pair, "median_us"))
        each = [f"{name} {ratio:.2f} ({', '.join(format_time(row['median_us']) for row in self.found[name])})"
                for ratio, name in ratios]
        return "\n".join(self._summary(names=False) + self._losses(names=False) +
                         ["Furthest behind: " + "; ".join(each[:25]), "",
                          "Furthest ahead: " + "; ".join(each[-10:])])
