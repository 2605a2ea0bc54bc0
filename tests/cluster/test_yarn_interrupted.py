"""A client of a YARN cluster that is interrupted while it uploads, and one whose job's master does not answer for a while."""

import contextlib
import os
import re
import signal
from pathlib import Path

import pytest
from hdfs_files import eventually
from yarn_shell import SMALL, jobs_on

LIMIT = 300
HUGE = 256 << 20


@pytest.fixture
def jobs(clusters, tmp_path):
    return jobs_on(clusters("--nodes", "3", "--yarn"), tmp_path)


def listed(jobs, folder):
    """All that is below a folder of HDFS; nothing where it does not exist."""
    out, _ = jobs.start("fs", "ls", "-R", folder).communicate(timeout=LIMIT)
    return [line.split()[-1] for line in out.splitlines()]


def unfinished(jobs):
    """The uploads to the cache that are under way, or were left so."""
    return [path for path in listed(jobs, f"/user/{jobs.user}/.ydl/cache/sha256") if path.rpartition("/")[2].startswith(".huge.bin")]


def stopped(process):
    with open(f"/proc/{process.pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] == "T"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_upload_that_is_interrupted_leaves_nothing(jobs, number):
    with open(jobs.work / "huge.bin", "wb") as huge:
        huge.write(os.urandom(16))  # another content each time: it is not in the cache
        huge.truncate(HUGE)
    before = listed(jobs, jobs.root)
    process = jobs.start("run", *SMALL, "--", "true")
    try:
        eventually(lambda: unfinished(jobs), "the upload has begun", LIMIT)
        process.send_signal(signal.SIGSTOP)
        eventually(lambda: stopped(process), "the client is stopped")
        assert unfinished(jobs), "the file is too small for this machine: it was uploaded before the client could be stopped"
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == 130, out + err
    assert "was not submitted: interrupted" in err
    assert "is application_" not in err
    assert unfinished(jobs) == []
    assert listed(jobs, jobs.root) == before
    folders = jobs.work.parent / "state/ydl/jobs"
    assert not folders.exists() or list(folders.iterdir()) == []


def master_of(application):
    """The pid of the application's master in its container."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{entry}/comm").read_text().strip() == "ydl-master" and f"/{application}/" in os.readlink(f"/proc/{entry}/cwd"):
                return int(entry)
    return None


def read_until(stream, text):
    seen = ""
    for line in stream:
        seen += line
        if text in line:
            return line
    raise AssertionError(seen)


def test_a_client_waits_for_a_master_that_does_not_answer_and_goes_on(jobs):
    go = jobs.work / "go"
    os.mkfifo(go)
    process = jobs.start("run", *SMALL, "--output", "plain", "--", "sh", "-c", f"read line < {go}; echo went on")
    try:
        application = re.search(r"application_\d+_\d+", read_until(process.stderr, " is application_")).group(0)
        read_until(process.stdout, "started after")
        master = master_of(application)
        os.kill(master, signal.SIGSTOP)
        line = read_until(process.stdout, "has not answered for 15 s")
        assert "the ResourceManager reports that the application is running" in line
        os.kill(master, signal.SIGCONT)
        read_until(process.stdout, "the job's master answers again")
        go.write_text("\n")
        out, err = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == 0, out + err
    assert "went on" in out
