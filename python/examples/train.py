"""Trains a small net on the quiet positions of a file: python train.py FILE.. [--epochs N]

768 -> 16 x 2 -> 1: what each side sees goes through the same weights, as in bullet's and
nnue-pytorch's nets. NumPy alone, for the shape of the loop: with torch, take tensors="torch" and
EmbeddingBag, whose input is us and them, with offsets.
"""

import argparse

import numpy as np
import swaplist

HIDDEN, RATE, SCALE = 16, 0.01, 400


class Net:
    """The weights, and Adam's moments."""

    def __init__(self, seed: int = 1) -> None:
        random = np.random.default_rng(seed)
        self.weights = [
            random.normal(0, 0.1, (768, HIDDEN)),
            np.full(HIDDEN, 0.5),
            random.normal(0, 0.1, 2 * HIDDEN),
            np.zeros(1),
        ]
        self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in self.weights]
        self.steps = 0

    def learn(self, batch: dict[str, np.ndarray], target: np.ndarray) -> float:
        """One step; returns the mean squared error before it."""
        embedding, bias, last, last_bias = self.weights
        views, offsets = (batch["us"], batch["them"]), batch["offsets"]
        bags = [np.add.reduceat(embedding[view], offsets) + bias for view in views]
        sums = np.concatenate(bags, axis=1)
        hidden = np.clip(sums, 0, 1)
        guess = 1 / (1 + np.exp(-(hidden @ last + last_bias)))
        error = guess - target

        slope = 2 * error * guess * (1 - guess) / len(target)
        back = np.outer(slope, last) * ((sums > 0) & (sums < 1))
        gradients = [np.zeros_like(w) for w in self.weights]
        sizes = np.diff(offsets, append=len(views[0]))
        for view, part in zip(views, np.split(back, 2, axis=1), strict=True):
            np.add.at(gradients[0], view, np.repeat(part, sizes, axis=0))
            gradients[1] += part.sum(axis=0)
        gradients[2], gradients[3] = hidden.T @ slope, slope.sum(keepdims=True)
        self.adam(gradients)
        return float(np.mean(error**2))

    def adam(self, gradients: list[np.ndarray]) -> None:
        self.steps += 1
        for weight, gradient, (m, v) in zip(self.weights, gradients, self.moments, strict=True):
            m += 0.1 * (gradient - m)
            v += 0.001 * (gradient**2 - v)
            scaled = m / (1 - 0.9**self.steps)
            weight -= RATE * scaled / (np.sqrt(v / (1 - 0.999**self.steps)) + 1e-8)


def train(files: list[str], epochs: int, batch_size: int = 512) -> tuple[float, float]:
    """Returns the last epoch's loss, and that of guessing the mean."""
    net, losses, targets = Net(), [0.0], np.zeros(1)
    batches = swaplist.batches(files, filter="quiet", batch_size=batch_size)
    for epoch in range(epochs):  # each in another order
        seen = [(1 / (1 + np.exp(-b["score"] / SCALE)), b) for b in batches]
        losses = [net.learn(batch, target) for target, batch in seen]
        targets = np.concatenate([target for target, _ in seen])
        print(f"epoch {epoch + 1}: {len(targets)} positions, loss {np.mean(losses):.6f}")
    return float(np.mean(losses)), float(targets.var())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--epochs", type=int, default=40)
    given = parser.parse_args()
    loss, mean = train(given.files, given.epochs)
    print(f"loss {loss:.6f}, {loss / mean:.1%} of that of guessing the mean")
