#!/usr/bin/python3
"""An MXNet job on this machine: `ydl-mx` beside another launcher, and the native example beside the Python one.

usage: mxnet_launch.py --ydl-mx BINARY --python PYTHON --data-dir DIR --native PROGRAM [--rounds N]

The other launcher is dmlc-core's tracker if DMLC_TRACKER names the folder that holds dmlc_tracker, else bench/plain_launcher.py. Each runs
the same script with the same variables, as a user would call it, and is measured from the command to its exit.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from mxnet_processes import NotUserCode, adopt_orphans, cpu_of_ended_children, wait_for_orphans
from report import Goal, fail, median, print_goals, table

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parent / "examples/mxnet/train_mnist.py"
WORKERS = SERVERS = 2
LIMIT_S = 300
SHORT = ["--network", "mlp", "--samples", "2000", "--num-epochs", "1"]
LENET = ["--network", "lenet", "--samples", "30000", "--num-epochs", "2"]


@dataclass(frozen=True)
class Launcher:
    name: str
    prefix: list  # the words before the task's command
    python: list  # the words before a script in Python


def ydl_launcher(ydl_mx, python):
    prefix = [ydl_mx, "--cluster", "local", "--n", str(WORKERS), "--s", str(SERVERS)]
    return Launcher("ydl-mx", [*prefix, "--python", python], [])


def other_launcher(python):
    folder = os.environ.get("DMLC_TRACKER")
    if folder is None:
        return Launcher("plain script", ["/usr/bin/python3", str(HERE / "plain_launcher.py"), str(WORKERS), str(SERVERS)], [python])
    if not Path(folder, "dmlc_tracker").is_dir():
        fail(f"DMLC_TRACKER names {folder}, which has no folder dmlc_tracker.")
    # What dmlc-submit does for this machine; dmlc-submit itself does not start without the libraries of other clusters.
    start = f"import sys; sys.path.insert(0, {folder!r}); from dmlc_tracker import local, opts; local.submit(opts.get_opts())"
    options = ["--cluster", "local", "--num-workers", str(WORKERS), "--num-servers", str(SERVERS)]
    return Launcher("dmlc tracker", ["/usr/bin/python3", "-c", start, *options], [python])


@dataclass
class Run:
    seconds: float  # to the launcher's exit
    gone_seconds: float  # to the end of the last process of the job
    cpu_seconds: float  # of all processes of the job
    accuracy: float


class Stage:
    """A folder for what the jobs write; all jobs get the same environment."""

    def __init__(self, root, data_dir):
        self.root = Path(root)
        self.state = self.root / "state"
        self.cwd = self.root / "empty"  # ydl shows tasks what lies in the current directory
        self.cwd.mkdir()
        self.task_options = ["--data-dir", data_dir, "--model-prefix", str(self.root / "model")]
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state), "OMP_NUM_THREADS": "1"}

    def run(self, launcher, task, options, while_running=None):
        """Runs a job to its exit. `while_running` is called again and again with the launcher's process."""
        log = self.root / "log"
        cpu_before = cpu_of_ended_children()
        with log.open("wb") as output:
            start = time.monotonic()
            process = subprocess.Popen(
                [*launcher.prefix, *task, *self.task_options, *options],
                cwd=self.cwd, env=self.env, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
            while while_running is not None and process.poll() is None:
                while_running(process)
                time.sleep(0.2)
            code = process.wait(LIMIT_S)
            seconds = time.monotonic() - start
            # A launcher may exit before its tasks do. The next job must not run beside them.
            if not wait_for_orphans(LIMIT_S):
                fail(f"processes of {launcher.name} still run {LIMIT_S} s after its exit.")
            gone_seconds = time.monotonic() - start
            cpu_seconds = cpu_of_ended_children() - cpu_before
        # dmlc's tracker ends with 0 even if a worker failed: what counts is that the model was tested.
        accuracy = re.search(r"^(?:\[worker:\d+\] )?accuracy: (\S+)$", log.read_text(), re.MULTILINE)
        if code != 0 or accuracy is None:
            fail(f"{launcher.name} ended with code {code}; it said: {log.read_text()[-2000:]}")
        return Run(seconds, gone_seconds, cpu_seconds, float(accuracy.group(1)))


def compare_times(stage, launchers, rounds):
    """Medians of alternating rounds, each round with another launcher first."""
    runs = {launcher.name: [] for launcher in launchers}
    for launcher in launchers:
        stage.run(launcher, [*launcher.python, str(EXAMPLE)], SHORT)  # to warm caches
    for turn in range(rounds):
        for launcher in launchers if turn % 2 == 0 else launchers[::-1]:
            runs[launcher.name].append(stage.run(launcher, [*launcher.python, str(EXAMPLE)], SHORT))
    exits = {name: median(run.seconds for run in done) for name, done in runs.items()}
    other = launchers[-1].name
    rows = []
    for name in runs:
        row = [name]
        for measure in ("seconds", "gone_seconds", "cpu_seconds"):
            ours, theirs = (median(getattr(run, measure) for run in runs[which]) for which in (name, other))
            row += [f"{ours:.2f}", f"{ours / theirs:.2f}"]
        rows.append(row)
    title = f"A short job of MXNet, {WORKERS} workers and {SERVERS} servers: medians of {rounds} alternating rounds (x {other})"
    table(title, ["launcher", "command to exit, s", "x", "to its last process's end, s", "x", "CPU of them all, s", "x"], rows)
    return exits


def compare_memory(stage, launchers):
    """The peak of what is not the user's code, while the job runs."""
    rows, peaks = [], {}
    for launcher in launchers:
        memory = NotUserCode(stage.state)
        stage.run(launcher, [*launcher.python, str(EXAMPLE)], SHORT, memory.look)
        peaks[launcher.name] = memory.peak_mb
        rows.append([launcher.name, f"{memory.peak_mb:.1f}", ", ".join(memory.processes_at_peak)])
    table("Memory of everything that is not the user's code, peak of one job", ["launcher", "PSS, MB", "processes"], rows)
    return peaks


def compare_languages(stage, ydl, native):
    runs = {
        "Python": stage.run(ydl, [str(EXAMPLE)], LENET),
        "native": stage.run(ydl, [native], LENET),
    }
    rows = [[name, f"{run.seconds:.1f}", f"{run.accuracy:.4f}"] for name, run in runs.items()]
    table(f"LeNet in Python and natively with ydl-mx ({' '.join(LENET[2:])})", ["example", "s", "accuracy"], rows)


def main():
    parser = argparse.ArgumentParser()
    for name in ("--ydl-mx", "--python", "--data-dir", "--native"):
        parser.add_argument(name, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="ydl-bench-") as root:
        stage = Stage(root, options.data_dir)
        ydl = ydl_launcher(options.ydl_mx, options.python)
        other = other_launcher(options.python)
        medians = compare_times(stage, [ydl, other], options.rounds)
        peaks = compare_memory(stage, [ydl, other])
        compare_languages(stage, ydl, options.native)
        print_goals(
            [
                Goal(f"MXNet job, command to exit, beside the {other.name}", medians[ydl.name] / medians[other.name], 0.85, "x"),
                Goal(f"memory that is not user code, beside the {other.name}", peaks[ydl.name] / peaks[other.name], 0.1, "x"),
            ]
        )


if __name__ == "__main__":
    sys.exit(main())
