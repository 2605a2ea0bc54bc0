"""What a job must not leave on a machine."""

import contextlib
import fcntl
import os
from pathlib import Path

from harness import processes_that_mention

# Where programs put what others shall find, and forget it.
SHARED_FOLDERS = ("/tmp", "/dev/shm", "/run/lock", "/var/tmp")


def cgroups():
    """The groups of processes that ydl made."""
    return {str(path) for path in Path("/sys/fs/cgroup").rglob("*ydl*") if path.is_dir()}


def listening_ports():
    """Every TCP port of this machine on which a process listens, by its inode: a port that is used again is another one."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A":  # listening
                    found.add((int(fields[1].rpartition(":")[2], 16), fields[9]))
    return found


def sockets_of(pids):
    """The inodes of the sockets that these processes have open."""
    found = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for entry in os.scandir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    target = os.readlink(entry.path)
                    if target.startswith("socket:["):
                        found.add(target[len("socket:[") : -1])
    return found


def shared_entries():
    found = set()
    for folder in SHARED_FOLDERS:
        with contextlib.suppress(OSError):
            found |= {f"{folder}/{name}" for name in os.listdir(folder) if "ydl" in name}
    return found


def is_locked(path):
    """Whether a process holds a lock on the file, as ydl takes it."""
    with contextlib.suppress(FileNotFoundError), open(path, "r+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def unfinished_files(folder, pattern):
    """Files that were to be renamed when they were whole. Only a process that was killed in that moment may leave one."""
    return [str(path) for path in folder.glob(pattern)]


class Machine:
    """Sees what has come since it was made: processes, listening ports, cgroups, files in shared folders."""

    def __init__(self, scratch):
        self.scratch = scratch
        self._cgroups = cgroups()
        self._entries = shared_entries()

    def left(self):
        """A sentence for each thing that should not be there; none when all is well."""
        found = [f"process {pid}: {command}" for pid, command in processes_that_mention(self.scratch).items()]
        found += [f"cgroup {path}" for path in sorted(cgroups() - self._cgroups)]
        found += [f"file {path}" for path in sorted(shared_entries() - self._entries)]
        return found


class Ports:
    """The ports that processes of a job were seen to listen on."""

    def __init__(self):
        self._seen = set()

    def look(self, scratch):
        sockets = sockets_of(processes_that_mention(scratch))
        self._seen |= {entry for entry in listening_ports() if entry[1] in sockets}

    def left(self):
        return [f"port {port}" for port, inode in sorted(self._seen & listening_ports())]
