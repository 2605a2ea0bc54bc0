"""Programs with ydl's libhdfs.so, compiled from tests/libhdfs, and the helper process behind them."""

import os
import subprocess
from pathlib import Path

from programs import REPOSITORY, built

SOURCES = REPOSITORY / "tests" / "libhdfs"


def install(cache):
    """The folder for HADOOP_HDFS_HOME, below a cache of the test's own."""
    done = subprocess.run([built("ydl"), "__libhdfs"], env={**os.environ, "XDG_CACHE_HOME": str(cache)}, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def compile_program(name, library, to):
    program = to / name
    subprocess.run(["clang-19", "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", f"-I{REPOSITORY / 'src'}", "-o", program,
                    SOURCES / f"{name}.c", library / "lib/native/libhdfs.so", "-lpthread", f"-Wl,-rpath,{library / 'lib/native'}"], check=True)
    return program


class Shell:
    """tests/libhdfs/shell.c on a cluster: a call is a line, its answer the rest of "ok ..."; a failure is a Refused with its errno."""

    def __init__(self, program, environment):
        self._process = subprocess.Popen([program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.pid = self._process.pid
        self._answer()

    def __call__(self, *words):
        self.start(*words)
        return self._answer()

    def start(self, *words):
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()

    def finish(self):
        return self._answer()

    def _answer(self):
        line = self._process.stdout.readline().rstrip("\n")
        if line.startswith("ok "):
            return line[3:]
        if line.startswith("errno "):
            code, _, message = line[6:].partition(" ")
            raise Refused(int(code), message)
        raise AssertionError(f"the program answered {line!r}")

    def stop(self):
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def kill(self):
        self._process.kill()
        self._process.wait(60)


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(f"errno {code}: {message}")
        self.errno = code
        self.message = message


def helpers():
    """The helper processes of this machine that this user may look at."""
    found = []
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            if path.read_text().strip() == "ydl-hdfs":
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def environment_of(pid):
    try:
        return dict(entry.split("=", 1) for entry in Path(f"/proc/{pid}/environ").read_text().split("\0") if "=" in entry)
    except OSError:
        return {}


def sockets_of(pid):
    return {os.readlink(fd) for fd in Path(f"/proc/{pid}/fd").iterdir() if os.readlink(fd).startswith("socket:")}


def unix_socket_names():
    """{inode: name} of the sockets of this machine that have a name."""
    lines = Path("/proc/net/unix").read_text().splitlines()[1:]
    return {fields[6]: fields[7] for fields in map(str.split, lines) if len(fields) > 7}
