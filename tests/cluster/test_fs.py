"""`ydl fs` as a person uses it, against a real HDFS."""

import json
import os
import subprocess

import pytest
from hdfs_files import content, start_client
from programs import built
from settings import SETTINGS
from ydl_fs import Fs, folder_of_its_own, names


@pytest.fixture
def fs(cluster, folder, tmp_path):
    folder_of_its_own(cluster, folder)
    return Fs(cluster, tmp_path)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_day_with_files(guarded, folder, tmp_path):
    folder_of_its_own(guarded, folder)
    fs = Fs(guarded, tmp_path)
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\nthree\n")
    fs("put", "a.txt", f"{folder}/a.txt")
    assert fs("cat", f"{folder}/a.txt") == b"one\ntwo\nthree\n"
    assert fs("tail", "-n", "1", f"{folder}/a.txt") == b"three\n"
    assert fs("tail", "-n", "2", f"{folder}/a.txt") == b"two\nthree\n"

    fs("mkdir", "-p", f"{folder}/deep/er")
    assert "already exists" in fs.error("mkdir", f"{folder}/deep")
    assert "create it too with -p" in fs.error("mkdir", f"{folder}/no/such")
    fs("mv", f"{folder}/a.txt", f"{folder}/deep")
    assert names(fs("ls", f"{folder}/deep")) == [f"{folder}/deep/a.txt", f"{folder}/deep/er"]
    assert names(fs("ls", "-R", folder)) == [f"{folder}/deep", f"{folder}/deep/a.txt", f"{folder}/deep/er"]

    fs("chmod", "u=rw,go=", f"{folder}/deep/a.txt")
    assert fs("ls", f"{folder}/deep/a.txt").startswith(b"-rw-------   2 alice ")
    (status,) = map(json.loads, fs("stat", "--output", "json", f"{folder}/deep/a.txt").splitlines())
    assert (status["kind"], status["length"], status["mode"], status["owner"]) == ("file", 14, "0600", "alice")
    assert fs("du", "-s", f"{folder}/deep").split()[0] == b"14"

    fs("put", "-f", "-", "mine", stdin=b"in the home directory")
    assert fs("cat", f"/user/alice/mine") == b"in the home directory"
    fs("get", f"{folder}/deep/a.txt", "back.txt")
    assert (tmp_path / "back.txt").read_bytes() == b"one\ntwo\nthree\n"
    assert "delete it with -r" in fs.error("rm", f"{folder}/deep")
    fs("rm", "-r", "--skip-trash", f"{folder}/deep")
    assert fs("ls", folder) == b""
    assert "no such file" in fs.error("cat", f"{folder}/deep/a.txt")


def test_directories_are_copied_whole(fs, folder, tmp_path):
    for i in range(30):
        path = tmp_path / "tree" / f"d{i % 3}" / f"f{i}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(i * 1000))
    (tmp_path / "tree" / "empty").mkdir()
    fs("put", "tree", folder)
    fs("get", f"{folder}/tree", "back")
    for i in range(30):
        assert (tmp_path / "back" / f"d{i % 3}" / f"f{i}").read_bytes() == content(i * 1000)
    assert (tmp_path / "back" / "empty").is_dir()
    assert not any("_COPYING_" in name for name in names(fs("ls", "-R", folder)))


def test_patterns_and_standard_streams(fs, folder):
    for name in ("a1", "a2", "b1"):
        fs("put", "-", f"{folder}/{name}", stdin=name.encode())
    assert fs("cat", f"{folder}/a*") == b"a1a2"
    assert fs("cat", f"{folder}/[ab]1") == b"a1b1"
    assert "no file or directory matches" in fs.error("ls", f"{folder}/z*")
    fs("put", "-", f"{folder}/a*", stdin=b"literal")
    assert fs("cat", f"{folder}/a*") == b"literal"


def test_a_file_that_is_there_is_replaced_only_with_f(fs, folder, tmp_path):
    fs("put", "-", f"{folder}/file", stdin=b"old")
    for words in (("put", "-"), ("mv", f"{folder}/other")):
        fs("put", "-f", "-", f"{folder}/other", stdin=b"new")
        assert f"{folder}/file already exists; replace it with -f" in fs.error(*words, f"{folder}/file", stdin=b"new")
        assert fs("cat", f"{folder}/file") == b"old"
        fs(words[0], "-f", *words[1:], f"{folder}/file", stdin=b"new")
        assert fs("cat", f"{folder}/file") == b"new"
        fs("put", "-f", "-", f"{folder}/file", stdin=b"old")
    assert names(fs("ls", folder)) == [f"{folder}/file"]
    (tmp_path / "file").write_bytes(b"mine")
    assert "file already exists on this machine; replace it with -f" in fs.error("get", f"{folder}/file")
    assert (tmp_path / "file").read_bytes() == b"mine"
    fs("get", "-f", f"{folder}/file")
    assert (tmp_path / "file").read_bytes() == b"old"


def test_get_writes_into_a_pipe_and_leaves_it_one(fs, folder, tmp_path):
    data = content(300_000)  # more than a pipe holds
    fs("put", "-", f"{folder}/file", stdin=data)
    os.mkfifo(tmp_path / "pipe")
    process = fs.start("get", f"{folder}/file", "pipe")
    with open(tmp_path / "pipe", "rb") as pipe:
        assert pipe.read() == data
    assert process.wait(60) == 0
    assert (tmp_path / "pipe").is_fifo()


def test_one_bad_path_does_not_stop_the_others(fs, folder):
    fs("put", "-", f"{folder}/file", stdin=b"here")
    done = fs.run("cat", f"{folder}/nothing", f"{folder}/file")
    assert (done.returncode, done.stdout) == (1, b"here")


def test_relative_paths_lie_in_the_home_directory(fs):
    fs("put", "-f", "-", "mine", stdin=b"x")
    assert names(fs("ls")) == ["/user/alice/mine"]
    fs("rm", "mine")


def test_rm_goes_to_the_trash_where_there_is_one(strict, tmp_path):
    folder_of_its_own(strict, "/elsewhere")
    fs = Fs(strict, tmp_path)
    for time in ("first", "second"):
        fs("put", "-", "file", stdin=time.encode())
        assert b"/user/alice/.Trash/Current/user/alice/file" in fs("rm", "file")
    assert fs("cat", ".Trash/Current/user/alice/file") == b"first"
    assert len(names(fs("ls", ".Trash/Current/user/alice"))) == 2
    fs("rm", "-r", ".Trash")
    assert fs("ls") == b""


def test_a_hundred_pages_of_a_directory(strict, folder, tmp_path):
    """As many as 100,000 entries have where the NameNode gives a thousand at a time."""
    client = start_client(strict)
    try:
        client.mkdirs(remote=folder)
        client("time-small-files", remote=folder, count=2100, threads=20, bytes=0)
        assert len(client.ls(remote=folder)) == 2100
    finally:
        client.stop()
    fs = Fs(strict, tmp_path)
    assert names(fs("ls", folder)) == sorted(f"{folder}/file-{i}" for i in range(2100))
    assert names(fs("ls", f"{folder}/file-209?")) == [f"{folder}/file-209{i}" for i in range(10)]


def test_files_with_encryption_of_their_own_are_refused(strict, folder, local, tmp_path):
    folder_of_its_own(strict, folder)
    strict.client.encrypt(remote=folder, key="zone")
    strict.client.put(local=local(content(5000)), remote=f"{folder}/java")
    fs = Fs(strict, tmp_path)
    assert "the file is in an encryption zone, which is not supported" in fs.error("cat", f"{folder}/java")
    assert "encrypted files are not supported" in fs.error("put", "-", f"{folder}/ours", stdin=b"x")
    assert names(fs("ls", folder)) == [f"{folder}/java"]


def test_without_a_configuration_it_says_where_it_looked(tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HADOOP")}
    done = subprocess.run([built("ydl"), "fs", "ls"], env={**environment, "HADOOP_CONF_DIR": str(tmp_path)}, capture_output=True, timeout=30)
    assert done.returncode == 2 and b"HADOOP_CONF_DIR" in done.stderr
