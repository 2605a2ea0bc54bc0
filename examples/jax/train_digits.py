"""Trains a small network on MNIST's handwritten digits with JAX, the images split over all processes.

JAX has no variables of its own for the number of processes and the rank, so the script passes it ydl's. Started without
them it trains alone.
"""

import argparse
import os
import sys
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, PartitionSpec

SEED = 1
LAYERS = (28 * 28, 256, 10)


def parse_arguments():
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    results = Path(os.environ.get("YDL_RESULTS_DIR", "."))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--data-dir", type=Path, default=cache / "ydl/data/mnist", help="folder with MNIST's four idx files")
    parser.add_argument("--samples", type=int, default=60_000, help="how many training images to use")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64, help="images per step and process")
    parser.add_argument("--lr", type=float, default=0.5, help="learning rate of the gradient descent")
    parser.add_argument("--model", type=Path, default=results / "digits.npz", help="where the model goes, after every epoch")
    parser.add_argument("--resume", action="store_true", help="go on from --model if it is there")
    return parser.parse_args()


def join_processes():
    if "YDL_COORDINATOR" not in os.environ:
        return
    # The collectives of the CPU; on GPUs and TPUs JAX has its own and ignores this.
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(
        coordinator_address=os.environ["YDL_COORDINATOR"],
        num_processes=int(os.environ["YDL_NUM_PROCESSES"]),
        process_id=int(os.environ["YDL_PROCESS_ID"]),
    )


# --- data ------------------------------------------------------------------------------------------------------------------


def read_idx(path):
    """Reads an idx file: two zero bytes, the type (8 = bytes), the number of dimensions, each dimension, the values."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        sys.exit(f"{path} is missing: download the data with tools/fetch_data.py mnist, or name its folder with --data-dir.")
    shape = np.frombuffer(data, ">u4", count=data[3], offset=4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def load_mnist(folder, part):
    images = read_idx(folder / f"{part}-images-idx3-ubyte").reshape(-1, 28 * 28)
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte")
    return images.astype(np.float32) / 255.0, labels.astype(np.int32)


def share_of_process(*arrays):
    """This process's rows; all processes get the same number, since they must take the same number of steps.

    The rows are drawn from the whole: MNIST's odd rows are from other writers, and easier, than its even ones.
    """
    count = jax.process_count()
    order = np.random.default_rng(SEED).permutation(len(arrays[0]))
    mine = np.array_split(order[: len(order) // count * count], count)[jax.process_index()]
    return tuple(array[mine] for array in arrays)


def epoch_batches(images, labels, batch_size, epoch):
    order = np.random.default_rng([SEED, epoch]).permutation(len(labels))
    for start in range(0, len(order) - batch_size + 1, batch_size):
        chosen = order[start : start + batch_size]
        yield images[chosen], labels[chosen]


# --- model -----------------------------------------------------------------------------------------------------------------


def initial_parameters():
    keys = jax.random.split(jax.random.key(SEED), len(LAYERS) - 1)
    shapes = zip(LAYERS, LAYERS[1:])
    return [
        {"w": np.asarray(jax.random.normal(key, (n_in, n_out)) * np.sqrt(2 / n_in)), "b": np.zeros(n_out, np.float32)}
        for key, (n_in, n_out) in zip(keys, shapes)
    ]


def logits_of(parameters, images):
    *hidden, last = parameters
    for layer in hidden:
        images = jax.nn.relu(images @ layer["w"] + layer["b"])
    return images @ last["w"] + last["b"]


def loss_of(parameters, images, labels):
    log_probabilities = jax.nn.log_softmax(logits_of(parameters, images))
    return -jnp.take_along_axis(log_probabilities, labels[:, None], axis=1).mean()


@partial(jax.jit, donate_argnums=0)
def train_step(parameters, images, labels, learning_rate):
    # The batch is spread over all processes and the parameters are on each: the compiler adds the all-reduce of the gradients.
    loss, gradients = jax.value_and_grad(loss_of)(parameters, images, labels)
    return jax.tree.map(lambda p, g: p - learning_rate * g, parameters, gradients), loss


@jax.jit
def count_correct(parameters, images, labels):
    return (logits_of(parameters, images).argmax(axis=1) == labels).sum()


# --- checkpoints -----------------------------------------------------------------------------------------------------------


def save_checkpoint(path, parameters, epochs_done):
    path.parent.mkdir(parents=True, exist_ok=True)
    partial_file = path.with_suffix(".partial.npz")
    arrays = {f"{name}{i}": np.asarray(value) for i, layer in enumerate(parameters) for name, value in layer.items()}
    np.savez(partial_file, epochs_done=epochs_done, **arrays)
    partial_file.replace(path)  # a reader, or a run after a crash, never sees half a file
    print("::checkpoint", flush=True)  # ydl saves it now


def load_checkpoint(path):
    with np.load(path) as file:
        parameters = [{"w": file[f"w{i}"], "b": file[f"b{i}"]} for i in range(len(LAYERS) - 1)]
        return parameters, int(file["epochs_done"])


def last_checkpoint(arguments):
    """What an earlier attempt saved, or the job of --restore-from; else what --resume says."""
    if restore := os.environ.get("YDL_RESTORE_DIR"):
        return Path(restore) / arguments.model.name
    return arguments.model if arguments.resume else None


def starting_point(arguments):
    """Parameters and finished epochs as process 0 has them, on every process: only process 0 needs to see the file."""
    start = initial_parameters(), 0
    path = last_checkpoint(arguments)
    if path and jax.process_index() == 0 and path.exists():
        start = load_checkpoint(path)
        print(f"resumed from {path} after epoch {start[1]}", flush=True)
    parameters, epochs_done = multihost_utils.broadcast_one_to_all(start)
    return parameters, int(epochs_done)


# --- training --------------------------------------------------------------------------------------------------------------


def main():
    arguments = parse_arguments()
    join_processes()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    replicated, split = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("data"))

    def spread(*arrays):
        return tuple(jax.make_array_from_process_local_data(split, array) for array in arrays)

    images, labels = share_of_process(*(array[: arguments.samples] for array in load_mnist(arguments.data_dir, "train")))
    steps = len(labels) // arguments.batch_size
    if steps == 0:
        sys.exit(f"{len(labels)} images per process are less than one batch of {arguments.batch_size}: lower --batch-size.")

    parameters, first_epoch = starting_point(arguments)
    parameters = jax.device_put(parameters, replicated)
    for epoch in range(first_epoch, arguments.epochs):
        for step, batch in enumerate(epoch_batches(images, labels, arguments.batch_size, epoch), start=1):
            parameters, loss = train_step(parameters, *spread(*batch), arguments.lr)
            if step % 100 == 0 or step == steps:
                done = (epoch + step / steps) / arguments.epochs
                print(f"::progress {done:.3f} epoch {epoch + 1}/{arguments.epochs} loss {loss:.4f}", flush=True)
        if jax.process_index() == 0:
            save_checkpoint(arguments.model, parameters, epoch + 1)

    test = share_of_process(*load_mnist(arguments.data_dir, "t10k"))
    correct = count_correct(parameters, *spread(*test))
    if jax.process_index() == 0:
        print(f"accuracy: {int(correct) / (len(test[1]) * jax.process_count()):.4f}", flush=True)


if __name__ == "__main__":
    main()
