"""Our HDFS client beside Hadoop's own, and files of every awkward size."""

import hashlib
import os

from cluster_lib.running import LineClient
from conftest import REPOSITORY

PROGRAM = REPOSITORY / os.environ.get("YDL_BUILD", "build/dev") / "bin" / "hdfs_client"
CHUNK, PACKET, BLOCK = 512, 126 * 512, 1 << 20
SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, PACKET - 1, PACKET, PACKET + 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 12345]


def content(size):
    """No chunk, packet or block looks like its neighbour."""
    return hashlib.shake_128(b"ydl").digest(size)


def start_client(cluster, **variables):
    assert PROGRAM.exists(), f"{PROGRAM} is not built: ninja -C build/dev hdfs_client"
    return LineClient([str(PROGRAM)], {**cluster.variables, **variables})


class LocalFile:
    """Files of a test on this machine, by their content."""

    def __init__(self, folder):
        self._folder = folder
        self._count = 0

    def __call__(self, data=None):
        self._count += 1
        path = self._folder / f"file-{self._count}"
        if data is not None:
            path.write_bytes(data)
        return path
