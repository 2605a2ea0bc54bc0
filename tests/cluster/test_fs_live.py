"""`ydl fs` while something happens: a file that grows, Ctrl-C, a terminal that watches."""

import contextlib
import os
import re
import select
import signal
import subprocess
import time

import pytest
from hdfs_files import content, eventually
from ydl_fs import Fs, folder_of_its_own, names

PATIENCE = 60
INTERRUPTED = 130


@pytest.fixture
def fs(cluster, folder, tmp_path):
    folder_of_its_own(cluster, folder)
    return Fs(cluster, tmp_path)


@contextlib.contextmanager
def running(process):
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def read_until(descriptor, text):
    """What comes until it holds the text."""
    seen = b""
    deadline = time.monotonic() + PATIENCE
    while text not in seen:
        ready, _, _ = select.select([descriptor], [], [], max(0, deadline - time.monotonic()))
        assert ready, f"{text} has not come within {PATIENCE} s: {seen}"
        more = os.read(descriptor, 65536)
        assert more, f"the end came before {text}: {seen}"
        seen += more
    return seen


def test_tail_follows_a_file_that_grows(cluster, fs, folder, local):
    fs("put", "-", f"{folder}/log", stdin=b"old\nlast\n")
    with running(fs.start("tail", "-n", "1", "-f", f"{folder}/log", stdout=subprocess.PIPE, stderr=subprocess.PIPE)) as tail:
        assert read_until(tail.stdout.fileno(), b"last\n") == b"last\n"
        cluster.client.append(local=local(b"appended\n"), remote=f"{folder}/log")
        assert read_until(tail.stdout.fileno(), b"appended\n") == b"appended\n"
        # One that is still being written, as far as it was flushed.
        cluster.client.delete(remote=f"{folder}/log")
        cluster.client.hold(local=local(b"new\n"), remote=f"{folder}/log")
        assert read_until(tail.stdout.fileno(), b"new\n") == b"new\n"
        cluster.client.release(remote=f"{folder}/log")
        tail.send_signal(signal.SIGINT)
        assert tail.wait(PATIENCE) == -signal.SIGINT
        assert tail.stderr.read() == b""


def test_ctrl_c_takes_away_what_put_has_begun(fs, folder, tmp_path):
    """From a pipe in which nothing comes, and from a file: the progress bar is on the terminal when it happens."""
    with running(fs.start("put", "-", f"{folder}/piped", stdin=subprocess.PIPE, stderr=subprocess.PIPE)) as put:
        put.stdin.write(content(100000))
        put.stdin.flush()
        eventually(lambda: names(fs("ls", folder)) == [f"{folder}/piped._COPYING_"], "the unfinished file is there")
        put.send_signal(signal.SIGINT)
        assert put.wait(PATIENCE) == INTERRUPTED
        assert put.stderr.read() == b"ydl: the copy of - was interrupted\n"
    assert fs("ls", folder) == b""

    with open(tmp_path / "huge", "wb") as file:
        file.truncate(64 << 30)
    terminal, theirs = os.openpty()
    with running(fs.start("put", "huge", f"{folder}/file", stdin=subprocess.DEVNULL, stderr=theirs)) as put:
        os.close(theirs)
        bar = read_until(terminal, b"/s")
        assert b"%" in bar and b"\r" in bar, bar
        put.send_signal(signal.SIGINT)
        rest = read_until(terminal, b"interrupted")
        assert put.wait(PATIENCE) == INTERRUPTED
        assert b"\r\x1b[K" in rest, "the bar is taken away before the message"
    os.close(terminal)
    assert fs("ls", folder) == b""


def test_ctrl_c_takes_away_what_get_has_begun(fs, folder, tmp_path):
    with open(tmp_path / "large", "wb") as file:
        file.truncate(256 << 20)
    fs("put", "large", f"{folder}/large")
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "large").write_bytes(b"old")
    with running(fs.start("get", "-f", f"{folder}/large", "to/large", stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)) as get:
        eventually(lambda: len(list((tmp_path / "to").iterdir())) > 1 or get.poll() is not None, "a file under another name")
        get.send_signal(signal.SIGINT)
        assert get.wait(PATIENCE) == INTERRUPTED
        # The local file, or the whole copy, if nothing of it has come yet.
        assert re.search(rb"(was not copied: interrupted|was interrupted)", get.stderr.read())
    assert [file.name for file in (tmp_path / "to").iterdir()] == ["large"]
    assert (tmp_path / "to" / "large").read_bytes() == b"old"


def test_a_bar_without_a_size_says_how_much_and_how_fast(fs, folder):
    terminal, theirs = os.openpty()
    with running(fs.start("put", "-", f"{folder}/piped", stdin=subprocess.PIPE, stderr=theirs)) as put:
        os.close(theirs)
        while not select.select([terminal], [], [], 0)[0]:
            put.stdin.write(bytes(1 << 20))
        put.stdin.close()
        bar = read_until(terminal, b"/s")
        assert b"MiB, " in bar and b"%" not in bar, bar
        assert put.wait(PATIENCE) == 0
    os.close(terminal)


def test_a_program_that_stops_reading_is_not_an_error(fs, folder, tmp_path):
    fs("put", "-", f"{folder}/lines", stdin=b"line\n" * 100000)
    done = subprocess.run(["sh", "-c", '"$0" fs cat "$1" | head -n 1', fs.program, f"{folder}/lines"], env=fs.environment, capture_output=True, timeout=PATIENCE)
    assert (done.stdout, done.stderr) == (b"line\n", b"")
