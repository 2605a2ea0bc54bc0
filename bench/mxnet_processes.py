"""The processes of an MXNet job: when the last has ended, their CPU time, and the memory of those that are not the user's workers and
servers."""

import contextlib
import ctypes
import os
import resource
import time
from pathlib import Path

LAUNCHERS = ("ydl", "bash", "sh")


def pss_mb(process):
    for line in (process / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1000
    return 0


def parents():
    """{pid: its parent's pid} of all processes."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it may end while we look
            # The name, in parentheses, may hold anything; after it come the state and the parent.
            found[int(process.name)] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
    return found


def descends_from(pid, ancestor, parent_of):
    while pid in parent_of and pid != ancestor:
        pid = parent_of[pid]
    return pid == ancestor


def is_user_code(process):
    """A worker or a server. What a launcher itself starts for them (a shell, a reaper) has their variables, but is not they."""
    environment = (process / "environ").read_bytes().split(b"\0")
    tasks = b"DMLC_ROLE=worker" in environment or b"DMLC_ROLE=server" in environment
    return tasks and not (process / "comm").read_text().startswith(LAUNCHERS)


class NotUserCode:
    """Looks at a job again and again. Its processes descend from the launcher's, or name the folder of ydl's state."""

    def __init__(self, state):
        self._state = str(state).encode()
        self.peak_mb = 0
        self.processes_at_peak = []

    def look(self, launcher):
        parent_of = parents()
        sizes = []
        for pid in parent_of:
            process = Path(f"/proc/{pid}")
            with contextlib.suppress(OSError):
                mentions_state = self._state in (process / "cmdline").read_bytes()
                if (mentions_state or descends_from(pid, launcher.pid, parent_of)) and not is_user_code(process):
                    sizes.append(((process / "comm").read_text().strip(), pss_mb(process)))
        total = sum(size for _, size in sizes)
        if total > self.peak_mb:
            self.peak_mb = total
            self.processes_at_peak = [f"{name} {size:.1f}" for name, size in sorted(sizes)]


def adopt_orphans():
    """Processes whose parents end become this one's children, so that nothing of a job is lost sight of."""
    set_child_subreaper = 36  # PR_SET_CHILD_SUBREAPER of linux/prctl.h
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def wait_for_orphans(seconds):
    """Waits until no child is left. Returns whether that was in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
        except ChildProcessError:
            return True
    return False


def cpu_of_ended_children():
    """Seconds of all descendants that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
