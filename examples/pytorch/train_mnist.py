"""Trains a small convolutional network on MNIST with DistributedDataParallel.

The process group comes from the variables every PyTorch launcher sets (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT). Started without
them the script trains alone. Of ydl it uses two variables: where results go, and where an earlier attempt left off.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, TensorDataset

SEED = 1


def parse_arguments():
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    results = Path(os.environ.get("YDL_RESULTS_DIR", "."))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--data-dir", type=Path, default=cache / "ydl/data/mnist", help="folder with MNIST's four idx files")
    parser.add_argument("--samples", type=int, default=60_000, help="how many training images to use")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64, help="images per step and worker")
    parser.add_argument("--lr", type=float, default=2e-3, help="Adam's learning rate")
    parser.add_argument("--model", type=Path, default=results / "mnist.pt", help="where the model goes, after every epoch")
    parser.add_argument("--resume", action="store_true", help="go on from --model if it is there")
    return parser.parse_args()


def read_idx(path):
    """Reads an idx file: two zero bytes, the type (8 = bytes), the number of dimensions, each dimension, the values."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        sys.exit(f"{path} is missing: download the data with tools/fetch_data.py mnist, or name its folder with --data-dir.")
    shape = np.frombuffer(data, ">u4", count=data[3], offset=4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def load_mnist(folder, part):
    images = read_idx(folder / f"{part}-images-idx3-ubyte")
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte")
    pixels = torch.from_numpy(images.astype(np.float32) / 255.0).unsqueeze(1)
    return TensorDataset((pixels - 0.1307) / 0.3081, torch.from_numpy(labels.astype(np.int64)))


def sharded_loader(dataset, batch_size, shuffle):
    """Batches of this rank's share. The sampler hands out whole index lists: one indexing operation per batch, not one per image."""
    sampler = DistributedSampler(dataset, shuffle=shuffle, seed=SEED)
    return DataLoader(dataset, sampler=BatchSampler(sampler, batch_size, drop_last=False), batch_size=None), sampler


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=5, stride=2), nn.ReLU(),
        nn.Conv2d(16, 32, kernel_size=3, stride=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(32 * 5 * 5, 128), nn.ReLU(),
        nn.Linear(128, 10),
    )  # fmt: skip


def load_checkpoint(path):
    """The checkpoint as rank 0 finds it (None if there is none), on every rank: only rank 0 needs to see the file."""
    box = [torch.load(path) if dist.get_rank() == 0 and path and path.exists() else None]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def last_checkpoint(arguments):
    """What an earlier attempt saved, or the job of --restore-from; else what --resume says."""
    if restore := os.environ.get("YDL_RESTORE_DIR"):
        return Path(restore) / arguments.model.name
    return arguments.model if arguments.resume else None


def save_checkpoint(path, model, optimizer, epochs_done):
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epochs_done": epochs_done}, partial)
    partial.replace(path)  # a reader, or a run after a crash, never sees half a file
    print("::checkpoint", flush=True)  # ydl saves it now


def train_epoch(model, optimizer, loader, report):
    model.train()
    for step, (images, labels) in enumerate(loader, start=1):
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0 or step == len(loader):
            report(step / len(loader), loss.item())


@torch.no_grad()
def evaluate(model, dataset):
    """Accuracy on the whole data set, each rank looking at every world-size-th image."""
    model.eval()
    images, labels = dataset[dist.get_rank() :: dist.get_world_size()]
    correct = sum((model(x).argmax(dim=1) == y).sum() for x, y in zip(images.split(1000), labels.split(1000)))
    total = torch.tensor([float(correct), float(len(labels))])
    dist.all_reduce(total)
    return (total[0] / total[1]).item()


def train(arguments):
    torch.manual_seed(SEED)
    train_set = TensorDataset(*load_mnist(arguments.data_dir, "train")[: arguments.samples])
    loader, sampler = sharded_loader(train_set, arguments.batch_size, shuffle=True)
    model = DistributedDataParallel(build_model())
    optimizer = torch.optim.Adam(model.parameters(), lr=arguments.lr)

    first_epoch = 0
    if checkpoint := load_checkpoint(last_checkpoint(arguments)):
        model.module.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        first_epoch = checkpoint["epochs_done"]
        print(f"resumed after epoch {first_epoch}", flush=True)

    for epoch in range(first_epoch, arguments.epochs):

        def report(fraction, loss, epoch=epoch):
            done = (epoch + fraction) / arguments.epochs
            print(f"::progress {done:.3f} epoch {epoch + 1}/{arguments.epochs} loss {loss:.4f}", flush=True)

        sampler.set_epoch(epoch)  # another order in every epoch, the same on every run
        train_epoch(model, optimizer, loader, report)
        if dist.get_rank() == 0:
            save_checkpoint(arguments.model, model.module, optimizer, epoch + 1)

    accuracy = evaluate(model.module, load_mnist(arguments.data_dir, "t10k"))
    if dist.get_rank() == 0:
        print(f"accuracy: {accuracy:.4f}", flush=True)


def main():
    arguments = parse_arguments()
    if "WORLD_SIZE" in os.environ:
        dist.init_process_group("gloo")
        # Workers may share a machine, and each taking all its cores would make them wait for each other. Launchers name each one's share.
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    else:
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        train(arguments)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
