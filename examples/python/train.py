"""A function that runs in two workers, reports its loss and returns its accuracy. `python train.py` runs it here."""

import ydl


def train(steps):
    for step in range(1, steps + 1):
        ydl.report(step=step, steps=steps, loss=1 / step)
    return 0.97


if __name__ == "__main__":
    job = ydl.run(train, args=(5,), roles={"worker": ydl.Role(2)})
    print(dict(job.results))
