"""MNIST and CIFAR-10 as MXNet iterators, each worker with its share."""

import sys

import mxnet as mx
import numpy as np

SEED = 1
CIFAR10_RECORD = 1 + 3 * 32 * 32


def read_bytes(path, data_set):
    try:
        return path.read_bytes()
    except FileNotFoundError:
        sys.exit(f"{path} is missing: bring the data with tools/fetch_data.py {data_set}, or name its folder with --data-dir.")


def read_idx(path):
    """Reads an idx file: two zero bytes, the type (8 = bytes), the number of dimensions, each dimension, the values."""
    data = read_bytes(path, "mnist")
    shape = np.frombuffer(data, ">u4", count=data[3], offset=4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def load_mnist(folder, part):
    """Images (n, 1, 28, 28) from 0 to 1 and labels of "train" or "test"."""
    prefix = {"train": "train", "test": "t10k"}[part]
    images = read_idx(folder / f"{prefix}-images-idx3-ubyte")
    labels = read_idx(folder / f"{prefix}-labels-idx1-ubyte")
    return images[:, np.newaxis].astype(np.float32) / 255.0, labels.astype(np.float32)


def load_cifar10(folder, part):
    """Images (n, 3, 32, 32) from -1 to 1 and labels of "train" or "test"."""
    names = {"train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"]}[part]
    records = np.frombuffer(b"".join(read_bytes(folder / name, "cifar10") for name in names), np.uint8).reshape(-1, CIFAR10_RECORD)
    images = records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32)
    return images / 127.5 - 1.0, records[:, 0].astype(np.float32)


def share_of_worker(arrays, kv):
    """This worker's rows; all workers get the same number, for with dist_sync they must take the same number of steps.

    The rows are drawn from the whole: MNIST's odd rows are from other writers, and easier, than its even ones.
    """
    order = np.random.default_rng(SEED).permutation(len(arrays[0]))
    mine = np.array_split(order[: len(order) // kv.num_workers * kv.num_workers], kv.num_workers)[kv.rank]
    return tuple(array[mine] for array in arrays)


def train_iterator(arrays, kv, batch_size, samples):
    images, labels = share_of_worker([array[:samples] for array in arrays], kv)
    if len(labels) < batch_size:
        sys.exit(f"{len(labels)} images per worker are less than one batch of {batch_size}: lower --batch-size.")
    return mx.io.NDArrayIter(images, labels, batch_size, shuffle=True, last_batch_handle="discard")


def test_iterator(arrays, batch_size):
    return mx.io.NDArrayIter(*arrays, batch_size)


def validation_iterator(arrays, kv, batch_size):
    """This worker's share of the test set, for a look after each epoch that does not cost every worker the whole of it."""
    return test_iterator(share_of_worker(arrays, kv), batch_size)


def iterators(load, kv, arguments):
    """(train, validation, test) of a data set, from its load function."""
    held_out = load(arguments.data_dir, "test")
    return (
        train_iterator(load(arguments.data_dir, "train"), kv, arguments.batch_size, arguments.samples),
        validation_iterator(held_out, kv, arguments.batch_size),
        test_iterator(held_out, arguments.batch_size),
    )
