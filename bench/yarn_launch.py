#!/usr/bin/python3
"""Launchers beside each other on one YARN cluster: how long until all tasks run, how long after them, how much memory.

usage: yarn_launch.py [--ydl BINARY] [--yarn-tool BINARY] [--skein-python PYTHON] [--rounds N] [--tasks N]... [--hosts N]...

A task writes the time at which it began and waits until it may end. Launchers take turns; the first round of a cluster fills caches (files in HDFS,
localized files) and is shown apart. Without --skein-python skein is left out, and with it the goals that are ratios to its times.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from report import Goal, median, print_goals, table

BENCH = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH.parent / "testing"))

from cluster_lib import jvm  # noqa: E402
from cluster_lib.running import RunningCluster  # noqa: E402
from yarn_launchers import Bare, Skein, Ydl  # noqa: E402

VERSION = "3.4.1"
MANAGED, UNMANAGED, BARE, SKEIN = "ydl", "ydl --am unmanaged", "bare master", "skein"
# DESIGN: of skein's, 16 tasks on three hosts, caches warm.
GOALS = {MANAGED: 0.25, UNMANAGED: 0.16}
GOAL_HOSTS, GOAL_TASKS = 3, 16
OWN_SHARE_GOAL = 0.3  # s, beyond what a bare master takes
MEMORY_GOAL = 0.06
LIST_GOAL = 0.03


def start_cluster(hosts):
    folder = Path(tempfile.mkdtemp(prefix="ydl-bench-cluster-")) / "cluster"
    # Masters written in Java take configuration and jars from there.
    classpath = ",".join(str(entry) for entry in [folder / "conf", *jvm.classpath(VERSION)])
    return RunningCluster("--dir", str(folder), "--nodes", str(hosts), "--yarn", "--set", f"yarn.application.classpath={classpath}",
                          "--set", "yarn.nodemanager.resource.cpu-vcores=128")  # a task has one


def launchers_of(cluster, options):
    state = Path(tempfile.mkdtemp(prefix="ydl-bench-state-"))
    launchers = {MANAGED: Ydl(cluster, options.ydl, state), UNMANAGED: Ydl(cluster, options.ydl, state, "--am", "unmanaged")}
    if options.yarn_tool:
        launchers[BARE] = Bare(cluster, options.yarn_tool)
    if options.skein_python:
        launchers[SKEIN] = Skein(cluster, options.skein_python, state, VERSION)
    return launchers


def compare(launchers, tasks, rounds):
    """{launcher: its rounds}, the launchers taking turns."""
    taken = {name: [] for name in launchers}
    for _ in range(rounds):
        for name, run in launchers.items():
            taken[name].append(run(tasks))
    return {name: {what: median([getattr(one, what) for one in each]) for what in ("running", "after", "memory")} for name, each in taken.items()}


def goals_of(of):
    if BARE in of:
        yield Goal(f"{GOAL_TASKS} tasks running, our own share", of[UNMANAGED]["running"] - of[BARE]["running"], OWN_SHARE_GOAL, "s more than a bare master")
    if SKEIN not in of:
        return
    skein = of[SKEIN]
    yield from (Goal(f"{GOAL_TASKS} tasks running, {name}", of[name]["running"] / skein["running"], limit, "x skein") for name, limit in GOALS.items())
    yield Goal("memory, client + master", of[MANAGED]["memory"] / skein["memory"], MEMORY_GOAL, "x skein")


def timeline_of(ydl):
    done = subprocess.run([ydl._program, "events", "--timeline"], env=ydl.env, capture_output=True, text=True)
    return done.stdout + done.stderr


def seconds_of(command, env):
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], env=env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def list_goal(cluster, ydl, program):
    java = [BENCH.parent / "testing/cluster", "java", "--dir", cluster.folder, "org.apache.hadoop.yarn.client.cli.ApplicationCLI", "application", "-list"]
    ours, theirs = [], []
    for _ in range(5):
        ours.append(seconds_of([program, "ls"], ydl.env))
        theirs.append(seconds_of(java, ydl.env))
    table("listing jobs", ["command", "time"], [["ydl ls", f"{median(ours) * 1000:.0f} ms"], ["yarn application -list", f"{median(theirs) * 1000:.0f} ms"]])
    return Goal("`ydl ls`", median(ours) / median(theirs), LIST_GOAL, "x `yarn application -list`")


def measure_cluster(hosts, options):
    """The goals that this cluster decides."""
    cluster = start_cluster(hosts)
    try:
        launchers = launchers_of(cluster, options)
        goals = []
        # Of the two ways of ydl only one finds the caches empty.
        cold = compare({name: run for name, run in launchers.items() if name in (MANAGED, SKEIN)}, options.tasks[0], 1)
        table(f"{options.tasks[0]} tasks, {hosts} host(s), caches empty", ["launcher", "all running"],
              [[name, f"{of['running']:.2f} s"] for name, of in cold.items()])  # fmt: skip
        for tasks in options.tasks:
            of = compare(launchers, tasks, options.rounds)
            table(f"{tasks} tasks, {hosts} host(s), caches warm, medians of {options.rounds}", ["launcher", "all running", "last task to exit", "client + master"],
                  [[name, f"{one['running']:.2f} s", f"{one['after']:.2f} s", f"{one['memory']:.0f} MiB"] for name, one in of.items()])  # fmt: skip
            if (hosts, tasks) == (GOAL_HOSTS, GOAL_TASKS):
                print("\nwhere the time of one such job went (`ydl events --timeline`)\n" + timeline_of(launchers[MANAGED]))
                goals += goals_of(of)
        return goals + ([list_goal(cluster, launchers[MANAGED], options.ydl)] if hosts == options.hosts[-1] else [])
    finally:
        cluster.stop()


def program(text):
    return str(Path(text).absolute())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ydl", default=BENCH.parent / "build/bin/ydl", type=program)
    parser.add_argument("--yarn-tool", type=program)
    parser.add_argument("--skein-python")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, nargs="+", default=[2, 16, 64])
    parser.add_argument("--hosts", type=int, nargs="+", default=[1, 3])
    options = parser.parse_args()
    options.ydl = str(options.ydl)
    print_goals([goal for hosts in options.hosts for goal in measure_cluster(hosts, options)])


if __name__ == "__main__":
    main()
