"""Runs jobs with the real binary, in a state directory of the test's own, and looks at what they leave."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Job:
    exit_code: int
    output: str
    _runner: "JobRunner"

    def log(self, task):
        """What one task printed, on both streams, as a user reads it: ydl logs ID worker:0."""
        return self._runner.ydl_output("logs", self.job_id(), task, stderr=subprocess.STDOUT)

    def job_id(self):
        jobs = [json.loads(line) for line in self._runner.ydl_output("ls", "--output", "json").splitlines()]
        assert len(jobs) == 1, f"the state directory holds one job, but ydl ls shows {jobs}"
        return jobs[0]["job"]


class JobRunner:
    def __init__(self, ydl, scratch, repository):
        self._ydl = ydl
        self._scratch = scratch
        self._repository = repository
        # The scratch folder is in the environment of all processes of the job: that is how leftover processes are found.
        self._environment = {
            **os.environ,
            "XDG_STATE_HOME": str(scratch / "state"),
            "YDL_TEST_SCRATCH": str(scratch),
            "NO_COLOR": "1",
        }

    def __call__(self, framework, roles, *command, timeout=100):
        role_options = [f"--role={name}={count}" for name, count in roles.items()]
        words = ["run", "--cluster", "local", "--framework", framework, *role_options, "--output", "plain", "--", *command]
        return self._run(self._ydl, words, self._repository, timeout)

    def mx(self, *words, folder=None, timeout=100):
        """Runs `ydl-mx` with these words in a folder (default: the repository)."""
        options = ["--cluster", "local", "--output", "plain"]
        return self._run(self._ydl.with_name("ydl-mx"), [*options, *words], folder or self._repository, timeout)

    def submit(self, job_file, timeout=100):
        return self._run(self._ydl, ["submit", "--cluster", "local", "--output", "plain", job_file], self._repository, timeout)

    def _run(self, binary, words, folder, timeout):
        done = subprocess.run(
            [str(word) for word in [binary, *words]],
            cwd=folder, env=self._environment, timeout=timeout, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        return Job(done.returncode, done.stdout, self)

    def ydl_output(self, *arguments, stderr=subprocess.PIPE):
        done = subprocess.run(
            [str(self._ydl), *arguments], env=self._environment, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False, timeout=20
        )
        assert done.returncode == 0, f"ydl {' '.join(arguments)} ended with {done.returncode}: {done.stderr or done.stdout}"
        return done.stdout

    def assert_nothing_left_running(self):
        """ydl run returns when its processes are gone; two seconds are for the kernel to finish the last exits."""
        leftovers = still_alive_after(processes_that_mention(self._scratch), seconds=2)
        assert not leftovers, f"left running: {leftovers}"


def accuracy_in(log):
    """The test accuracy that an example printed, which it does exactly once."""
    lines = re.findall(r"^accuracy: (\d\.\d{4})$", log, re.MULTILINE)
    assert len(lines) == 1, f"{len(lines)} accuracies in:\n{log}"
    return float(lines[0])


def processes_that_mention(folder):
    """{pid: command line} of the processes that have the folder in their environment, command line or working directory."""
    found = {}
    needle = str(folder).encode()
    for process in Path("/proc").glob("[0-9]*"):
        # A process may end while we look at it; a zombie has no environment any more and does not count.
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes()
            traces = [command, (process / "environ").read_bytes(), os.fsencode(os.readlink(process / "cwd"))]
            if int(process.name) != os.getpid() and any(needle in trace for trace in traces):
                found[int(process.name)] = command.replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def still_alive_after(processes, seconds):
    deadline = time.monotonic() + seconds
    return {pid: command for pid, command in processes.items() if not ends_before(pid, deadline)}


def ends_before(pid, deadline):
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        # A pidfd becomes readable when its process ends.
        readable, _, _ = select.select([descriptor], [], [], max(0, deadline - time.monotonic()))
        return bool(readable)
    finally:
        os.close(descriptor)


def kill_all(processes):
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
