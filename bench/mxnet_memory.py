"""The processes of an MXNet job: when the last has ended, and how much memory those take that are not the user's workers and servers."""

import contextlib
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


def wait_for_the_last_process_in(folder, seconds):
    """Waits until no process has the folder in its environment."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(mentions(process, folder) for process in Path("/proc").glob("[0-9]*")):
        time.sleep(0.01)


def mentions(process, folder):
    with contextlib.suppress(OSError):
        return str(folder).encode() in (process / "environ").read_bytes()
    return False
