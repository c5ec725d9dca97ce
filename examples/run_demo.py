#!/usr/bin/env python3
"""Trains two models on Tenon and on JAX's built-in CPU in the same run and compares them.

The trainings (digits_cnn.py, char_transformer.py) are unchanged JAX code; here each runs twice
with the same seed, a few steps on one platform, then a few on the other, so that whatever else
the machine does hits both alike. Fails if the losses differ by more than TOLERANCE or the test
accuracy is too low. Losses go to build/demo/*.csv, curves to build/demo/*.png.
"""
import argparse
import csv
import dataclasses
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import plugin_env  # noqa: E402

# Largest |a - b| / |b| over all losses of a run. Both train in f32 (eps 1.2e-7), in which the
# order of every sum and the last bits of every exp may differ; training amplifies that. On the
# built-in CPU alone, noise of 2e-6 on every gradient moves losses by up to 2e-4.
TOLERANCE = 1e-3
BLOCK = 10  # steps on one platform before switching to the other


@dataclasses.dataclass
class Run:
    """One training on one platform."""
    platform: str
    label: str
    device: object = None
    generator: object = None
    losses: list = dataclasses.field(default_factory=list)
    seconds: list = dataclasses.field(default_factory=list)
    score: float = float("nan")

    def step(self):
        """Runs one step; returns false when the training is over."""
        import jax
        with jax.default_device(self.device):
            start = time.perf_counter()
            try:
                loss = jax.block_until_ready(next(self.generator))
            except StopIteration as end:
                self.score = end.value
                return False
            self.seconds.append(time.perf_counter() - start)
        if loss.devices() != {self.device}:
            raise RuntimeError(f"{self.label}: the loss is on {loss.devices()}")
        self.losses.append(float(loss))
        return True

    def step_ms(self):
        """Median time of a step, without the first one, which compiles."""
        steps = sorted(self.seconds[1:])
        return 1e3 * steps[len(steps) // 2]


def bold(text):
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() else text


def train(module, runs, steps):
    from tqdm import tqdm
    for run in runs:
        run.generator = module.training(steps)
    with tqdm(total=steps * len(runs), unit="step", desc=f"  {module.NAME}", leave=False,
              mininterval=0.5, file=sys.stdout, disable=not sys.stdout.isatty(),
              bar_format="{l_bar}{bar:32}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}] "
                         "{postfix}") as bar:
        active = list(runs)
        while active:
            for run in list(active):
                for _ in range(BLOCK):
                    if not run.step():
                        active.remove(run)
                        break
                    bar.update()
            bar.set_postfix_str("  ".join(f"{r.label} {r.losses[-1]:.4f}" for r in runs
                                          if r.losses))


def differences(ours, theirs):
    return [abs(a - b) / abs(b) if a == a and b == b else float("inf")
            for a, b in zip(ours.losses, theirs.losses)]


def report(module, ours, theirs, steps):
    """Prints the comparison and returns a list of failed checks."""
    relative = differences(ours, theirs)
    count, width = len(relative), max(len(ours.label), len(theirs.label), 12)
    shown = sorted({0, *range(count // 10 - 1, count, max(1, count // 10)), count - 1})
    print(f"  {'step':>6}  {'loss, ' + ours.label:>{width + 6}}  "
          f"{'loss, ' + theirs.label:>{width + 6}}  {'relative difference':>20}")
    for i in shown:
        print(f"  {i + 1:>6}  {ours.losses[i]:>{width + 6}.6f}  "
              f"{theirs.losses[i]:>{width + 6}.6f}  {relative[i]:>20.1e}")
    print()
    ratio = ours.step_ms() / theirs.step_ms()
    rows = [
        ("time per step (median)", f"{ours.step_ms():.2f} ms", f"{theirs.step_ms():.2f} ms",
         f"{ratio:.2f} x" + (" (Tenon faster)" if ratio < 1 else "")),
        ("first step (compiles)", f"{ours.seconds[0]:.2f} s", f"{theirs.seconds[0]:.2f} s",
         f"{ours.seconds[0] / theirs.seconds[0]:.2f} x"),
        (module.UNIT, f"{ours.score:.4f}", f"{theirs.score:.4f}",
         f"at least {module.TARGET}" if module.TARGET else ""),
    ]
    print(f"  {'':<42}{ours.label:>12}{theirs.label:>14}")
    for name, a, b, note in rows:
        print(f"  {name:<42}{a:>12}{b:>14}   {note}")
    wrong = []
    if not len(ours.losses) == len(theirs.losses) == steps:
        wrong.append(f"{len(ours.losses)} and {len(theirs.losses)} steps, {steps} expected")
    if max(relative) > TOLERANCE:
        wrong.append(f"losses differ by {max(relative):.1e}, more than {TOLERANCE:.0e}")
    if module.TARGET and steps >= module.STEPS and not ours.score >= module.TARGET:
        wrong.append(f"{module.UNIT} is {ours.score:.4f}, less than {module.TARGET}")
    print(f"  {'largest relative difference of the losses':<42}{max(relative):>12.1e}"
          f"{'':>14}   allowed {TOLERANCE:.0e}")
    print("\n  " + (bold("agrees") if not wrong else bold("FAILED: ") + "; ".join(wrong)))
    return [f"{module.NAME}: {w}" for w in wrong]


def save(module, ours, theirs, folder):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    name = module.__name__
    with open(folder / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["step", ours.label, theirs.label])
        writer.writerows(zip(range(1, len(ours.losses) + 1), ours.losses, theirs.losses))
    steps = range(1, len(ours.losses) + 1)
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 6), sharex=True,
                                         height_ratios=(3, 1), layout="constrained")
    top.plot(steps, theirs.losses, color="#bbbbbb", linewidth=4, label=theirs.label)
    top.plot(steps, ours.losses, color="#1f5fbf", linewidth=1.2, label=ours.label)
    top.set_title(f"{module.NAME}: training loss on {ours.label} and {theirs.label}")
    top.set_ylabel("loss")
    top.legend(frameon=False)
    bottom.semilogy(steps, [max(d, 1e-9) for d in differences(ours, theirs)],
                    color="#1f5fbf", linewidth=1)
    bottom.axhline(TOLERANCE, color="#c0392b", linewidth=1, linestyle="--")
    bottom.annotate("allowed", (1, TOLERANCE), color="#c0392b", xytext=(0, 3),
                    textcoords="offset points", fontsize=8)
    bottom.set_ylabel("relative\ndifference")
    bottom.set_xlabel("step")
    for axes in (top, bottom):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plugin_env.add_argument(parser)
    parser.add_argument("--platform", default="tenon", help="the platform to compare with cpu")
    parser.add_argument("--only", default="digits_cnn,char_transformer", help="which trainings")
    parser.add_argument("--steps", type=int, help="instead of each training's own number; "
                        "with fewer, the accuracy is not checked")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "demo")
    options = parser.parse_args()
    plugin_env.set_up(options.plugin, options.platform)
    import importlib
    import jax
    options.out.mkdir(parents=True, exist_ok=True)
    device, cpu = jax.devices(options.platform)[0], jax.devices("cpu")[0]
    print(f"\njax {jax.__version__}; {options.platform}: {device} "
          f"({device.client.platform_version.splitlines()[-1]})")
    wrong = []
    for name in options.only.split(","):
        module = importlib.import_module(name)
        runs = [Run(options.platform, "Tenon" if options.platform == "tenon" else
                    options.platform, device), Run("cpu", "built-in CPU", cpu)]
        steps = options.steps or module.STEPS
        print("\n" + bold(f"{module.NAME}: {steps} steps on each of "
                          f"{runs[0].label} and {runs[1].label}"))
        train(module, runs, steps)
        wrong += report(module, *runs, steps)
        path = save(module, *runs, options.out)
        print(f"  curves: {os.path.relpath(path)}")
    print("\n" + bold("both trainings agree" if not wrong else "FAILED: " + "; ".join(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
