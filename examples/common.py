"""Runs one training with a progress bar."""
import jax
from tqdm import tqdm


def run_alone(training, steps, unit):
    print(f"on {jax.devices()[0]}")
    with tqdm(total=steps, unit="step") as bar:
        while True:
            try:
                loss = next(training)
            except StopIteration as end:
                bar.close()
                print(f"{unit}: {end.value:.4f}")
                return
            bar.update()
            if bar.n % 20 == 0:
                bar.set_postfix(loss=f"{float(loss):.4f}")
