"""MNIST and CIFAR-10 as MXNet iterators, each worker with its share."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import mxnet as mx
import numpy as np

SEED = 1
CIFAR10_RECORD = 1 + 3 * 32 * 32


def read_bytes(path, data_set):
    try:
        return path.read_bytes()
    except FileNotFoundError:
        sys.exit(f"{path} is missing: download the data with tools/fetch_data.py {data_set}, or name its folder with --data-dir.")


def read_idx(path):
    """Reads an idx file: two zero bytes, the type (8 = bytes), the number of dimensions, each dimension, the values."""
    data = read_bytes(path, "mnist")
    shape = np.frombuffer(data, ">u4", count=data[3], offset=4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def read_mnist(folder, part):
    """Images (n, 1, 28, 28) and labels of "train" or "test", in bytes."""
    prefix = {"train": "train", "test": "t10k"}[part]
    images = read_idx(folder / f"{prefix}-images-idx3-ubyte")
    return images[:, np.newaxis], read_idx(folder / f"{prefix}-labels-idx1-ubyte")


def read_cifar10(folder, part):
    """Images (n, 3, 32, 32) and labels of "train" or "test", in bytes."""
    names = {"train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"]}[part]
    records = np.frombuffer(b"".join(read_bytes(folder / name, "cifar10") for name in names), np.uint8).reshape(-1, CIFAR10_RECORD)
    return records[:, 1:].reshape(-1, 3, 32, 32), records[:, 0]


@dataclass(frozen=True)
class DataSet:
    read: Callable  # (folder, part) -> images and labels in bytes
    scale: Callable  # images in floats -> as the network expects them
    train_iterator: type = mx.io.NDArrayIter

    def floats(self, arrays):
        """What MXNet trains on, four times the size: made of the rows that a worker needs, not of all."""
        images, labels = arrays
        return self.scale(images.astype(np.float32)), labels.astype(np.float32)


def share_of_worker(arrays, kv):
    """This worker's rows; all workers get the same number, for with dist_sync they must take the same number of steps.

    The rows are drawn from the whole: MNIST's odd rows are from other writers, and easier, than its even ones.
    """
    order = np.random.default_rng(SEED).permutation(len(arrays[0]))
    mine = np.array_split(order[: len(order) // kv.num_workers * kv.num_workers], kv.num_workers)[kv.rank]
    return tuple(array[mine] for array in arrays)


class MirroringIter(mx.io.NDArrayIter):
    """Shows half of the images as in a mirror, others each time: so a network learns what they are and not which way they look."""

    def getdata(self):
        (images,) = super().getdata()
        mirrored = mx.nd.array(np.random.randint(0, 2, len(images)))
        return [mx.nd.where(mirrored, mx.nd.flip(images, axis=3), images)]


def train_iterator(arrays, batch_size, kind=mx.io.NDArrayIter):
    images, labels = arrays
    if len(labels) < batch_size:
        sys.exit(f"{len(labels)} images per worker are less than one batch of {batch_size}: lower --batch-size.")
    return kind(images, labels, batch_size, shuffle=True, last_batch_handle="discard")


MNIST = DataSet(read_mnist, lambda images: images / 255.0)
CIFAR10 = DataSet(read_cifar10, lambda images: images / 127.5 - 1.0, MirroringIter)


def iterators(data_set, kv, arguments):
    """(train, validation, test). Validation is this worker's share of the test set: a look after each epoch need not cost every worker
    the whole of it."""
    taught = [array[: arguments.samples] for array in data_set.read(arguments.data_dir, "train")]
    held_out = data_set.read(arguments.data_dir, "test")
    return (
        train_iterator(data_set.floats(share_of_worker(taught, kv)), arguments.batch_size, data_set.train_iterator),
        mx.io.NDArrayIter(*data_set.floats(share_of_worker(held_out, kv)), arguments.batch_size),
        mx.io.NDArrayIter(*data_set.floats(held_out), arguments.batch_size),
    )
