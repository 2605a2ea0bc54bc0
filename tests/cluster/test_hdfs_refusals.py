"""What HDFS refuses: each a sentence that says why and what helps, and nothing is left behind."""

import contextlib
import json
import os
import subprocess

import pytest
from hdfs_files import BLOCK, content, datanodes_of, read_back, start_client
from settings import PLAIN
from ydl_fs import Fs, folder_of_its_own, names

from cluster_lib.running import ClientError

pytestmark = pytest.mark.parametrize("setting", PLAIN, ids=lambda setting: setting.name)


@pytest.fixture
def fs(guarded, folder, tmp_path):
    folder_of_its_own(guarded, folder)
    return Fs(guarded, tmp_path)


def test_safe_mode(guarded, fs, folder):
    fs("put", "-", f"{folder}/file", stdin=b"still readable")
    guarded.client("safe-mode", enter=True)
    try:
        for words in (("put", "-", f"{folder}/other"), ("mkdir", f"{folder}/d"), ("mv", f"{folder}/file", f"{folder}/g"), ("rm", f"{folder}/file"),
                      ("chmod", "600", f"{folder}/file")):
            assert "the NameNode is read-only in safe mode" in fs.error(*words, stdin=b"x")
        assert fs("cat", f"{folder}/file") == b"still readable"
        assert names(fs("ls", folder)) == [f"{folder}/file"]
    finally:
        guarded.client("safe-mode", enter=False)
    fs("put", "-", f"{folder}/other", stdin=b"x")


def test_a_quota_of_names(guarded, fs, folder):
    guarded.client.quota(remote=folder, names=3)
    fs("put", "-", f"{folder}/one", stdin=b"x")
    fs("mkdir", f"{folder}/two")
    for words in (("put", "-", f"{folder}/three"), ("mkdir", f"{folder}/three")):
        error = fs.error(*words, stdin=b"x")
        assert f"{folder} is exceeded: quota=3" in error and "delete files in the directory with the quota" in error
    assert names(fs("ls", folder)) == [f"{folder}/one", f"{folder}/two"]


def test_a_quota_of_space(guarded, fs, folder, tmp_path):
    guarded.client.quota(remote=folder, space=1000)
    (tmp_path / "large").write_bytes(content(5000))
    error = fs.error("put", "large", f"{folder}/large")
    assert "The DiskSpace quota of" in error and "delete files in the directory with the quota" in error
    assert fs("ls", folder) == b"", "what could not be written is taken away"


def test_permission_denied(guarded, fs, folder, tmp_path):
    guarded.client.mkdirs(remote=f"{folder}-root")
    for path in ("file", "folder/file"):
        fs("put", "-", f"{folder}/{path}", stdin=b"mine")
    fs("chmod", "700", f"{folder}/folder")
    fs("chmod", "600", f"{folder}/file")
    bob = Fs(guarded, tmp_path, HADOOP_USER_NAME="bob")
    for words in (("cat", f"{folder}/file"), ("ls", f"{folder}/folder"), ("get", f"{folder}/file", "copy"), ("put", "-", f"{folder}/bobs"),
                  ("rm", f"{folder}/file"), ("chmod", "777", f"{folder}/file"), ("mv", f"{folder}/file", f"{folder}/away")):
        error = bob.error(*words)
        assert "ermission denied" in error and "ask the owner for permission" in error, (words, error)
    assert not (tmp_path / "copy").exists()
    assert "ermission denied" in fs.error("put", "-", f"{folder}-root/file")


@contextlib.contextmanager
def file_size_limit(guarded, daemons, size):
    """As if their disks were full: the daemons can write no file beyond this size. Needs no root."""
    pids = {name: int((guarded.folder / name / "pid").read_text().split()[0]) for name in daemons}
    try:
        for pid in pids.values():
            subprocess.run(["prlimit", "--pid", str(pid), f"--fsize={size}:"], check=True)
        yield
    finally:
        for pid in pids.values():
            subprocess.run(["prlimit", "--pid", str(pid), "--fsize=unlimited:"], check=True)


def test_a_disk_that_is_full_is_left_for_another(guarded, folder, local):
    data = content(3 * BLOCK)
    client = start_client(guarded)
    try:
        client.hold(local=local(data[:1000]), remote=f"{folder}/file", block_size=8 * BLOCK)
        full = sorted(datanodes_of(guarded, f"{folder}/file"))[:1]
        with file_size_limit(guarded, full, 2 * BLOCK):
            client.more(local=local(data[1000:]), remote=f"{folder}/file")
            client.release(remote=f"{folder}/file")
        assert read_back(client, f"{folder}/file", local) == data
        assert read_back(guarded.client, f"{folder}/file", local) == data
    finally:
        client.stop()


def test_disks_that_are_all_full_end_a_write(guarded, folder, local):
    client = start_client(guarded)
    try:
        with file_size_limit(guarded, ["datanode1", "datanode2", "datanode3"], 2 * BLOCK):
            with pytest.raises(ClientError, match=f"writing {folder}/file: .*DataNode"):
                client.put(local=local(content(3 * BLOCK)), remote=f"{folder}/file", block_size=8 * BLOCK)
    finally:
        client.stop()


def test_erasure_coded_files_are_refused_and_none_are_made(guarded, fs, folder, local):
    guarded.client.mkdirs(remote=f"{folder}/coded")
    guarded.client.chown(remote=f"{folder}/coded", owner="alice")
    guarded.client("erasure-code", remote=f"{folder}/coded")
    guarded.client.put(local=local(content(5000)), remote=f"{folder}/coded/java")
    assert guarded.client.stat(remote=f"{folder}/coded/java")["erasure_coded"]
    assert "the file is erasure-coded (XOR-2-1-1024k), which is not supported" in fs.error("cat", f"{folder}/coded/java")
    fs("put", "-", f"{folder}/coded/ours", stdin=b"replicated")
    assert not guarded.client.stat(remote=f"{folder}/coded/ours")["erasure_coded"]
    assert read_back(guarded.client, f"{folder}/coded/ours", local) == b"replicated"


# Every character below 128 that a name may hold, the first ones of Unicode's other blocks, and what looks like an option or a home directory.
ODD = ["".join(map(chr, range(1, 0x2f))), "".join(chr(code) for code in range(0x30, 0x80) if chr(code) != ":"), "\u0080\u009b\u00e9e\u0301\u05d0\u202e\u4e2d\U0001f418",
       "-rf", "~", "...", " ", "\t", "*", "x" * 255, ".Trash", "a._COPYING_"]


def test_names_of_every_odd_character(guarded, fs, folder, tmp_path):
    (tmp_path / "tree").mkdir()
    for number, name in enumerate(ODD):
        (tmp_path / "tree" / name).write_text(str(number))
    fs("put", "tree", folder)
    assert sorted(entry["name"] for entry in guarded.client.ls(remote=f"{folder}/tree")) == sorted(ODD)
    fs("get", f"{folder}/tree", "back")
    assert {file.name: file.read_text() for file in (tmp_path / "back").iterdir()} == {name: str(number) for number, name in enumerate(ODD)}
    for number, name in enumerate(ODD):
        assert fs("cat", f"{folder}/tree/{name}") == str(number).encode()
    shown = [line for line in fs("ls", "--output", "json", f"{folder}/tree").splitlines()]
    assert sorted(json.loads(line)["path"] for line in shown) == sorted(f"{folder}/tree/{name}" for name in ODD)
    for name in ODD:
        fs("mv", f"{folder}/tree/{name}", f"{folder}/moved")
        fs("rm", f"{folder}/moved")
    assert fs("ls", f"{folder}/tree") == b""


def test_names_that_cannot_be_are_refused(fs, folder, tmp_path):
    assert "nvalid" in fs.error("put", "-", f"{folder}/a:b", stdin=b"x")
    assert "is not valid UTF-8" in fs.error("put", "-", os.fsencode(folder) + b"/caf\xe9", code=2, stdin=b"x")
    os.makedirs(os.fsencode(tmp_path) + b"/tree/\xff\xfe")
    assert "is not valid UTF-8" in fs.error("put", "tree", folder, code=2)
    assert "is exceeded: limit=255" in fs.error("put", "-", f"{folder}/{'x' * 256}", stdin=b"x")
    assert names(fs("ls", "-R", folder)) == [f"{folder}/tree"]
