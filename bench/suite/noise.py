"""Measurement on a loaded machine: waiting times for cores, idle detection, intervals."""
import os
import random
import statistics
import time


def wait_nanoseconds():
    """How long this process's threads have waited for a core so far."""
    total = 0
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/schedstat") as file:
                total += int(file.read().split()[1])
        except OSError:
            pass  # the thread has ended
    return total


def settle():
    """Waits until this process is idle: threads of libraries may still spin or free memory."""
    end = time.perf_counter() + 0.2
    while time.perf_counter() < end:
        used = time.process_time()
        time.sleep(0.002)
        if time.process_time() - used < 0.0005:
            return


def calm_repetitions(waited, minimum):
    """The repetitions in which the process waited least for a core: half, at least `minimum`."""
    return sorted(sorted(range(len(waited)), key=waited.__getitem__)
                  [:max(minimum, (len(waited) + 1) // 2)])


def ratio_interval(reference, times, draws=500):
    """Median and 95 % interval (bootstrap) of the paired ratios reference / times."""
    ratios = [a / b for a, b in zip(reference, times)]
    generator = random.Random(0)
    medians = sorted(statistics.median(generator.choices(ratios, k=len(ratios)))
                     for _ in range(draws))
    return (statistics.median(ratios), medians[int(0.025 * draws)],
            medians[int(0.975 * draws) - 1])
