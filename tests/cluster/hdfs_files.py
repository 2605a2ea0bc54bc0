"""Our HDFS client beside Hadoop's own, and files of every awkward size."""

import hashlib
import select
import time

from programs import built

from cluster_lib.running import LineClient

CHUNK, PACKET, BLOCK = 512, 126 * 512, 1 << 20
SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, PACKET - 1, PACKET, PACKET + 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 12345]


def content(size):
    """No chunk, packet or block looks like its neighbour."""
    return hashlib.shake_128(b"ydl").digest(size)


def start_client(cluster, **variables):
    return LineClient([built("hdfs_client")], {**cluster.variables, **variables})


def eventually(condition, what, seconds=60):
    """The first true value of condition(), or a failure that says what was waited for."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        select.select([], [], [], 0.02)
    return value


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


def read_back(client, remote, local):
    path = local()
    client.get(remote=remote, local=path)
    return path.read_bytes()


def datanodes_of(cluster, remote):
    """{name of a DataNode: its replica's file}, of the file's first block."""
    block = cluster.client.blocks(remote=remote)[0]["id"]
    found = {path.relative_to(cluster.folder).parts[0]: path for path in cluster.folder.glob(f"datanode*/**/blk_{block}")}
    assert found, f"no DataNode has block {block} of {remote}"
    return found


def damage(path, at):
    """Changes one bit of a replica, as a disk may."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


class Interoperation:
    """What either client wrote both read: one check for each way in which a file may come about."""

    def __init__(self, ours, java, folder, local):
        self._ours = ours
        self._java = java
        self._folder = folder
        self._local = local

    def size(self, size):
        data = content(size)
        names = {"ours": self._ours, "java": self._java}
        for name, writer in names.items():
            writer.put(local=self._local(data), remote=self._path(f"{name}-{size}"), block_size=BLOCK)
        for name in names:
            self._both_read(f"{name}-{size}", data)
        if size > 0:
            self._same_checksum(f"ours-{size}", f"java-{size}")

    def flush(self, at):
        data = content(BLOCK + 5000)
        for name, writer in (("ours", self._ours), ("java", self._java)):
            writer.put(local=self._local(data), remote=self._path(f"{name}-flushed-{at}"), block_size=BLOCK, flush_at=at)
            self._both_read(f"{name}-flushed-{at}", data)
        self._same_checksum(f"ours-flushed-{at}", f"java-flushed-{at}")

    def append(self, has):
        data = content(has + 3 * CHUNK + BLOCK)
        name = f"appended-{has}"
        self._java.put(local=self._local(data[:has]), remote=self._path(name), block_size=BLOCK)
        self._ours.append(local=self._local(data[has : has + CHUNK + 3]), remote=self._path(name), flush_at=5)
        self._java.append(local=self._local(data[has + CHUNK + 3 : has + 2 * CHUNK]), remote=self._path(name))
        self._ours.append(local=self._local(data[has + 2 * CHUNK :]), remote=self._path(name))
        self._both_read(name, data)

    def open_file(self, size):
        """It is read as far as it was flushed while its writer goes on."""
        data = content(size)
        for name, writer, reader in (("ours", self._ours, self._java), ("java", self._java, self._ours)):
            path = self._path(f"{name}-open-{size}")
            writer.hold(local=self._local(data), remote=path, block_size=BLOCK)
            assert read_back(reader, path, self._local) == data
            writer.release(remote=path)

    def _path(self, name):
        return f"{self._folder}/{name}"

    def _both_read(self, name, data):
        for reader in (self._ours, self._java):
            assert read_back(reader, self._path(name), self._local) == data, name

    def _same_checksum(self, one, other):
        assert self._java.checksum(remote=self._path(one)) == self._java.checksum(remote=self._path(other))
