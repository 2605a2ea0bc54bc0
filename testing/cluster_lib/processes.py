"""Processes by id: started, recognised again by another run of this program, and ended."""

import ctypes
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
PATIENCE = 30  # seconds; a daemon that writes an archive of its classes takes up to ten on a busy machine


def start_time(pid):
    """When a process started, in the kernel's ticks: with the id it names a process for ever. None if there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat[stat.rindex(")") + 2:].split()
    return None if fields[0] == "Z" else int(fields[19])


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


class PidFile:
    """A process id with its start time, so that a number that is used again is not taken for the old process."""

    def __init__(self, path):
        self._path = path

    def write(self, pid):
        self._path.write_text(f"{pid} {start_time(pid)}\n")

    def pid(self):
        """The id of the process if it still runs, else None."""
        try:
            pid, started = self._path.read_text().split()
        except (OSError, ValueError):
            return None
        return int(pid) if str(start_time(pid)) == started else None

    def remove(self):
        self._path.unlink(missing_ok=True)


def spawn(command, log, cwd, env, dies_with_parent=False):
    """Starts a process in a session of its own, so that a Ctrl-C in the terminal does not reach it. Its output is appended to `log`."""

    def die_with_parent():
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    with open(log, "ab") as output:
        return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=cwd,
                                env=env, start_new_session=True, preexec_fn=die_with_parent if dies_with_parent else None)


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def end(pids):
    """Asks processes to end, and kills those that have not after a while; says whether there were none of these."""
    left = {pid: start_time(pid) for pid in pids}
    send(left, signal.SIGTERM)
    left = _wait_until_gone(left, PATIENCE)
    send(left, signal.SIGKILL)
    _wait_until_gone(left, 10)
    return not left


def kill(pids):
    left = {pid: start_time(pid) for pid in pids}
    send(left, signal.SIGKILL)
    _wait_until_gone(left, 10)


def containers_of(local_dirs):
    """Ids of the processes of a NodeManager's containers, by the variable that it gives each of them, and of their descendants.

    A container is in a session of its own and outlives a NodeManager that is killed.
    """
    children = {}
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
            children.setdefault(int(stat[stat.rindex(")") + 2:].split()[1]), []).append(int(entry.name))
            if f"LOCAL_DIRS={local_dirs}/".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue  # it has ended, or is another user's
    for pid in found:  # grows while it runs
        found += [child for child in children.get(pid, []) if child not in found]
    return found


def _wait_until_gone(left, seconds):
    """Waits for {id: start time} and returns what is left of it."""
    deadline = time.monotonic() + seconds
    while True:
        left = {pid: start for pid, start in left.items() if start is not None and start_time(pid) == start}
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)


def output_of(command, env):
    """Runs a command until it ends; its output, errors included, is in `stdout`."""
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)


def accepts_connections(address, port):
    try:
        socket.create_connection((address, port), timeout=1).close()
        return True
    except OSError:
        return False
