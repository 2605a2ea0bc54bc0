"""The launchers that are compared, and one measured launch."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from report import fail

LINE = 20  # bytes that each task appends: trivial_task.c
LIMIT_S = 120


@dataclass(frozen=True)
class Launcher:
    name: str
    command: object  # (count, task command) -> argv
    in_memory: bool = False  # ydl's state lies in a memory file system


def all_launchers(ydl, bare_loop, torch_python):
    if shutil.which("parallel") is None:
        fail("GNU parallel is not on PATH; `make bench` installs it.")
    ydl_run = lambda n, task: [ydl, "run", "--cluster", "local", "--role", f"worker={n}", "--", *task]
    # torchrun looks at its processes every 5 s unless told otherwise: 0.1 s is what its newer releases do.
    torchrun = [torch_python, "-m", "torch.distributed.run", "--no_python", "--monitor_interval", "0.1"]
    return [
        Launcher("bare loop", lambda n, task: [bare_loop, str(n), *task]),
        Launcher("ydl run", ydl_run),
        Launcher("ydl run, tmpfs", ydl_run, in_memory=True),
        Launcher("parallel", lambda n, task: ["parallel", "--will-cite", "-j", str(n), "-N0", *task, ":::", *map(str, range(n))]),
        # Its default, to redirect nothing, fails on Python 3.11 in Debian's release: so it redirects the output of task 9.
        Launcher("torchrun", lambda n, task: [*torchrun, "--nproc_per_node", str(n), "-r", "9:1", "-t", "9:1", *task]),
    ]


@dataclass
class Launch:
    """Nanoseconds of the monotonic clock, but for `wall_start`."""

    wall_start: float
    start: int
    all_running: int
    released: int
    exited: int

    @property
    def to_running_ms(self):
        return (self.all_running - self.start) / 1e6

    @property
    def to_exit_ms(self):
        return (self.exited - self.released) / 1e6

    @property
    def both_ms(self):
        return self.to_running_ms + self.to_exit_ms


class Stage:
    """A folder with what the tasks of a launch need, made anew for each."""

    def __init__(self, root, memory_root, task):
        self.root = Path(root)
        self.memory_root = Path(memory_root)
        self.task = str(task)
        self.launches = 0
        self.cwd = self.root / "empty"  # ydl shows tasks what lies in the current directory
        self.state = self.root / "state"
        self.env = dict(os.environ, XDG_STATE_HOME=str(self.state), HOME=str(self.root / "home"), OMP_NUM_THREADS="1")
        for folder in (self.cwd, self.root / "home"):
            folder.mkdir(parents=True, exist_ok=True)

    def _reset(self):
        # Everything stays until the end: ext4 spends long on new files right after others were deleted.
        self.launches += 1
        self.folder = self.root / f"launch-{self.launches}"
        self.folder.mkdir()
        (self.folder / "started").touch()
        os.mkfifo(self.folder / "release")

    def _wait_for_tasks(self, process, count, log):
        started = self.folder / "started"
        deadline = time.monotonic() + LIMIT_S
        while started.stat().st_size < count * LINE:
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                fail(f"{process.args[0]} started {started.stat().st_size // LINE} of {count} tasks; it said: {log.read_text()[-2000:]}")
            time.sleep(0.002)
        return max(int(line) for line in started.read_text().split())

    def launch(self, launcher, count, while_running=lambda process: None):
        """Runs `count` tasks; `while_running` is called with the launcher's process when all of them run."""
        self._reset()
        log = self.root / "log"
        argv = launcher.command(count, [self.task, str(self.folder)])
        env = dict(self.env, XDG_STATE_HOME=str(self.memory_root)) if launcher.in_memory else self.env
        with log.open("wb") as output:
            wall_start, start = time.time(), time.monotonic_ns()
            process = subprocess.Popen(argv, cwd=self.cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            all_running = self._wait_for_tasks(process, count, log)
            while_running(process)
            # A launcher learns a little later than the task itself that it runs; the end must not meet it half-way.
            time.sleep(0.1)
            released = time.monotonic_ns()
            # Kept open: a task that comes to the FIFO only now goes through as well.
            release = os.open(self.folder / "release", os.O_WRONLY)
            try:
                code = process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                fail(f"{launcher.name} did not end within {LIMIT_S} s of its tasks.")
            exited = time.monotonic_ns()
            os.close(release)
        if code != 0:
            fail(f"{launcher.name} ended with code {code}; it said: {log.read_text()[-2000:]}")
        return Launch(wall_start, start, all_running, released, exited)
