#!/usr/bin/python3
"""Launchers beside each other on one YARN cluster: how long until all tasks run, how long after them, how much memory.

usage: yarn_launch.py [--ydl BINARY] [--skein-python PYTHON] [--rounds N] [--tasks N]...

A task writes the time at which it began and waits until it may end. All hosts of the cluster are this machine, so there is one clock. Launchers take
turns; the first round fills caches (files in HDFS, localized files) and is shown apart. Without --skein-python only ydl is measured.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from report import Goal, fail, median, print_goals, table

BENCH = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH.parent / "testing"))

from cluster_lib import jvm  # noqa: E402
from cluster_lib.running import RunningCluster  # noqa: E402

HOSTS = 3
MANAGED, UNMANAGED, SKEIN = "ydl", "ydl --am unmanaged", "skein"
# Of skein's, started cold as its command line is.
GOALS = {MANAGED: 0.25, UNMANAGED: 0.16}
LIST_GOAL = 0.03
MEMORY_GOAL = 0.06


class Round:
    """One job: a folder into which its tasks write when they began, and a file that lets them end."""

    def __init__(self, tasks):
        self.tasks = tasks
        self.folder = Path(tempfile.mkdtemp(prefix="ydl-bench-"))

    @property
    def script(self):
        return f"date +%s%N > {self.folder}/began-$$; while [ ! -e {self.folder}/end ]; do sleep 0.02; done; date +%s%N > {self.folder}/ended-$$"

    def wait_until_all_run(self, process, limit=300):
        deadline = time.monotonic() + limit
        while len(list(self.folder.glob("began-*"))) < self.tasks:
            if time.monotonic() > deadline or (process.poll() or 0) != 0:
                fail(f"only {len(list(self.folder.glob('began-*')))} of {self.tasks} tasks began.")
            time.sleep(0.02)
        return max(int(path.read_text() or 0) for path in self.folder.glob("began-*")) / 1e9

    def let_end(self):
        (self.folder / "end").touch()

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


def run_ydl(cluster, options, tasks, *extra):
    round_ = Round(tasks)
    env = {**os.environ, **cluster.variables, "XDG_STATE_HOME": str(options.state)}
    began = time.time()
    process = subprocess.Popen([options.ydl, "run", "--n", str(tasks), "--resource", "worker:memory=128m", "--no-auto-files", "--output", "quiet",
                                *extra, "--", "sh", "-c", round_.script], env=env, stdin=subprocess.DEVNULL)  # fmt: skip
    running = round_.wait_until_all_run(process) - began
    memory = peak_mebibytes("ydl", "__master") + peak_mebibytes(options.ydl, "run")
    round_.let_end()
    if process.wait() != 0:
        fail(f"`ydl run` ended with {process.returncode}.")
    return {"running": running, "after": time.time() - round_.last_end(), "memory": memory}


SKEIN_PROGRAM = """
import sys, skein
spec, = sys.argv[1:]
with skein.Client() as client:
    app = client.submit(skein.ApplicationSpec.from_file(spec))
    while client.application_report(app).state not in ("FINISHED", "FAILED", "KILLED"):
        pass
"""


def run_skein(cluster, options, tasks):
    round_ = Round(tasks)
    spec = round_.folder / "spec.yaml"
    script = round_.script.replace("'", "''")
    spec.write_text(f"name: bench\nservices:\n  worker:\n    instances: {tasks}\n    resources: {{memory: 128 MiB, vcores: 1}}\n    script: '{script}'\n")
    tools = options.state / "tools"
    tools.mkdir(exist_ok=True)
    yarn = tools / "yarn"  # what skein asks for the jars
    yarn.write_text(f"#!/bin/sh\necho '{':'.join(str(entry) for entry in [cluster.conf, *jvm.classpath(options.version)])}'\n")
    yarn.chmod(0o755)
    env = {**os.environ, **cluster.variables, "PATH": f"{tools}:{os.environ['PATH']}", "SKEIN_CONFIG": str(options.state / "skein")}
    began = time.time()
    process = subprocess.Popen([options.skein_python, "-c", SKEIN_PROGRAM, spec], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    running = round_.wait_until_all_run(process) - began
    memory = peak_mebibytes("java", "skein")
    round_.let_end()
    process.wait()
    return {"running": running, "after": time.time() - round_.last_end(), "memory": memory}


def seconds_of(command, env):
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], env=env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def list_times(cluster, options):
    env = {**os.environ, **cluster.variables, "XDG_STATE_HOME": str(options.state)}
    java = [BENCH.parent / "testing/cluster", "java", "--dir", cluster.folder, "org.apache.hadoop.yarn.client.cli.ApplicationCLI", "application", "-list"]
    ours = median([seconds_of([options.ydl, "ls"], env) for _ in range(5)])
    return ours, median([seconds_of(java, env) for _ in range(3)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ydl", default=BENCH.parent / "build/bin/ydl", type=lambda text: str(Path(text).absolute()))
    parser.add_argument("--skein-python")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, action="append")
    options = parser.parse_args()
    options.ydl = str(options.ydl)
    options.version = "3.4.1"
    options.state = Path(tempfile.mkdtemp(prefix="ydl-bench-state-"))
    classpath = ",".join(str(entry) for entry in jvm.classpath(options.version))
    cluster = RunningCluster("--nodes", str(HOSTS), "--yarn", "--set", f"yarn.application.classpath={classpath}")
    launchers = {MANAGED: lambda n: run_ydl(cluster, options, n), UNMANAGED: lambda n: run_ydl(cluster, options, n, "--am", "unmanaged")}
    if options.skein_python:
        launchers[SKEIN] = lambda n: run_skein(cluster, options, n)
    goals = []
    for tasks in options.tasks or [2, 16]:
        taken = {name: [] for name in launchers}
        for number in range(options.rounds + 1):
            for name, run in launchers.items():
                taken[name].append(run(tasks))
        rows = []
        for name, rounds in taken.items():
            cold, warm = rounds[0], rounds[1:]
            rows.append([name, f"{cold['running']:.2f} s", *(f"{median([one[what] for one in warm]):.2f} {unit}" for what, unit in
                                                              (("running", "s"), ("after", "s"), ("memory", "MiB")))])  # fmt: skip
        table(f"{tasks} tasks on {HOSTS} hosts, medians of {options.rounds} rounds after the first",
              ["launcher", "all running, cold", "all running", "last task to exit", "client + master"], rows)  # fmt: skip
        if SKEIN in taken:
            skein = {what: median([one[what] for one in taken[SKEIN][1:]]) for what in ("running", "memory")}
            for name, limit in GOALS.items():
                if tasks == 16:
                    goals.append(Goal(f"16 tasks running, {name}", median([one["running"] for one in taken[name][1:]]) / skein["running"], limit, "x skein"))
            if tasks == 16:
                goals.append(Goal("memory, client + master", median([one["memory"] for one in taken[MANAGED][1:]]) / skein["memory"], MEMORY_GOAL, "x skein"))
    ours, java = list_times(cluster, options)
    table("listing jobs", ["command", "time"], [["ydl ls", f"{ours * 1000:.0f} ms"], ["yarn application -list", f"{java * 1000:.0f} ms"]])
    goals.append(Goal("`ydl ls`", ours / java, LIST_GOAL, "x `yarn application -list`"))
    print_goals(goals)
    cluster.stop()


if __name__ == "__main__":
    main()
