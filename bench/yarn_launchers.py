"""What yarn_launch.py compares: each starts a job of so many trivial tasks on a cluster and says when they ran and what it took."""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from cluster_lib import jvm

from report import fail

LIMIT_S = 300


@dataclass
class Measured:
    """Seconds from the command to the last task's first line, and from the last task's end to the end of the command; MiB."""

    running: float
    after: float
    memory: float


class Tasks:
    """A folder into which tasks write when they began, and a fifo for each that lets it end. All hosts are this machine: there is one clock."""

    def __init__(self, count):
        self.count = count
        self.folder = Path(tempfile.mkdtemp(prefix="ydl-bench-"))

    @property
    def script(self):
        f = self.folder
        # A task that ended its wait by looking again and again would be measured along with its launcher.
        return f"mkfifo {f}/go-$$; date +%s%N > {f}/at-$$; mv {f}/at-$$ {f}/began-$$; read -r x < {f}/go-$$; date +%s%N > {f}/ended-$$"

    def wait_until_all_run(self, process):
        deadline = time.monotonic() + LIMIT_S
        while len(began := list(self.folder.glob("began-*"))) < self.count:
            if time.monotonic() > deadline or process.poll() is not None:
                fail(f"only {len(began)} of {self.count} tasks of {process.args[0]} began.")
            time.sleep(0.02)
        return max(int(path.read_text()) for path in began) / 1e9

    def let_end(self):
        for fifo in self.folder.glob("go-*"):
            fifo.write_text("\n")

    def last_end(self):
        return max(int(path.read_text()) for path in self.folder.glob("ended-*")) / 1e9


def peak_mebibytes(*words):
    """Of all processes whose command line has these words: the most memory each had, together."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            command = (status.parent / "cmdline").read_text().replace("\0", " ")
            if all(word in command for word in words) and "bash -c" not in command:
                total += int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
        except (OSError, IndexError):
            continue
    return total


def measure(tasks, command, env, memory_of):
    """`memory_of`: the words that each of the launcher's processes has in its command line."""
    log = tasks.folder / "log"
    with log.open("w") as output:
        began = time.time()
        process = subprocess.Popen([str(word) for word in command], env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        running = tasks.wait_until_all_run(process) - began
        memory = sum(peak_mebibytes(*words) for words in memory_of)
        tasks.let_end()
        code = process.wait()
        ended = time.time()
    if code != 0:
        fail(f"`{command[0]}` ended with {code}: {log.read_text()[-2000:]}")
    return Measured(running, ended - tasks.last_end(), memory)


class Ydl:
    def __init__(self, cluster, program, state, *options):
        self._program = program
        self._options = options
        self.env = {**os.environ, **cluster.variables, "XDG_STATE_HOME": str(state), "XDG_CACHE_HOME": str(state)}

    def __call__(self, count):
        tasks = Tasks(count)
        command = [self._program, "run", "--n", count, "--resource", "worker:memory=64m", "--no-auto-files", "--output", "quiet", *self._options,
                   "--", "sh", "-c", tasks.script]  # fmt: skip
        return measure(tasks, command, self.env, [("ydl", "__master"), (self._program, "run")])


class Bare:
    """The minimum: an unmanaged master that requests containers by host and starts the shell in them. Not a launcher."""

    def __init__(self, cluster, tool):
        self._tool = tool
        self._env = {**os.environ, **cluster.variables}

    def __call__(self, count):
        tasks = Tasks(count)
        return measure(tasks, [self._tool, "--memory", "64", "gang", count, "/bin/sh", "-c", tasks.script], self._env, [(self._tool, "gang")])


class Skein:
    """As its command line does it: a driver of its own for each command, here in one process with the wait for the job's end."""

    PROGRAM = """
import sys, time, skein
with skein.Client() as client:
    app = client.submit(skein.ApplicationSpec.from_file(sys.argv[1]))
    while client.application_report(app).state not in ("FINISHED", "FAILED", "KILLED"):
        time.sleep(0.02)
"""

    def __init__(self, cluster, python, state, version):
        self._python = python
        tools = state / "tools"
        tools.mkdir(exist_ok=True)
        yarn = tools / "yarn"  # skein asks Hadoop's own command for the jars
        yarn.write_text(f"#!/bin/sh\necho '{':'.join(str(entry) for entry in [cluster.conf, *jvm.classpath(version)])}'\n")
        yarn.chmod(0o755)
        self._env = {**os.environ, **cluster.variables, "PATH": f"{tools}:{os.environ['PATH']}", "SKEIN_CONFIG": str(state / "skein")}

    def __call__(self, count):
        tasks = Tasks(count)
        spec = tasks.folder / "spec.yaml"
        spec.write_text(f"name: bench\nservices:\n  worker:\n    instances: {count}\n    resources: {{memory: 64 MiB, vcores: 1}}\n"
                        f"    script: '{tasks.script}'\n")  # fmt: skip
        return measure(tasks, [self._python, "-c", self.PROGRAM, spec], self._env, [("java", "skein"), (self._python, str(spec))])
