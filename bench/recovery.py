#!/usr/bin/python3
"""What a fault costs a job on YARN: one part is killed, and the time is taken until the job is as it was.

usage: recovery.py [--ydl BINARY] [--programs FOLDER] [--torch-python PYTHON] [--rounds N] [--only ROW]...

--programs has yarn_tool, journal_tool and replay_bench. Medians of N rounds (5). The time that a retry waits on purpose (the back-off) is subtracted.
Without --torch-python the training of PyTorch is left out.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from report import Goal, fail, median, print_goals, table

BENCH = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH.parent / "testing"))

import recovery_faults as faults  # noqa: E402
import recovery_hosts as hosts  # noqa: E402
from cluster_lib.running import RunningCluster  # noqa: E402
from recovery_jobs import Job  # noqa: E402

REPLAY_TASKS, REPLAY_EVENTS = 10_000, 100_000


class Bench:
    """A cluster, the programs that are measured, and how often."""

    def __init__(self, options, *cluster_options):
        self.options = options
        self.rounds = options.rounds
        self.cluster = RunningCluster(*cluster_options, "--set", "yarn.nodemanager.resource.cpu-vcores=128")  # a task has one
        state = tempfile.mkdtemp(prefix="ydl-bench-state-")
        self.env = {**os.environ, **self.cluster.variables, "XDG_STATE_HOME": state, "XDG_CACHE_HOME": state}

    def job(self, *words, **more):
        return Job(self.options.ydl, self.env, *words, **more)

    def tool(self, name):
        return self.options.programs / name


def replay(options):
    """Without a cluster: the time and the memory of a master that reads what the one before it was told."""
    rounds = []
    for _ in range(options.rounds):
        done = subprocess.run([options.programs / "replay_bench", str(REPLAY_TASKS), str(REPLAY_EVENTS)], capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"replay_bench ended with {done.returncode}: {done.stderr}")
        rounds.append(json.loads(done.stdout))
    of = lambda key: median([one[key] for one in rounds])
    table(f"a journal of {REPLAY_TASKS:,} tasks and {of('events'):,.0f} events ({of('file_bytes') / 1e6:.1f} MB)", ["what", "time", "processor", "peak memory"], [
        ["lines to events", f"{of('read_s'):.2f} s", "", f"{of('read_kib') / 1024:.0f} MiB"],
        ["and to the master's state", f"{of('both_s'):.2f} s", f"{of('processor_s'):.2f} s", f"{of('peak_kib') / 1024:.0f} MiB"],
        ["the state machine alone", f"{of('machine_s'):.2f} s", "", ""],
    ])  # fmt: skip
    yield Goal(f"replay of {REPLAY_TASKS:,} tasks, {REPLAY_EVENTS:,} events", of("both_s"), 1.0, "s")
    yield Goal("its memory", of("peak_kib") * 1024 / 1e6, 100, "MB")


PLAIN = ("--nodes", "3", "--yarn")
PREEMPTING = ("--nodes", "1", "--yarn", "--queue", "urgent=50", *(word for setting in (
    "yarn.resourcemanager.scheduler.monitor.enable=true",
    "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval=300",
    "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill=4000",
    "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round=1.0",
    "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor=1.0",
    "yarn.resourcemanager.monitor.capacity.preemption.max_ignored_over_capacity=0",
) for word in ("--set", setting)))  # fmt: skip
# The second host has what is to go elsewhere, the third what is lost.
TWO_KINDS = (*PLAIN, "--label", f"{hosts.LABEL}=2,3")
# So long that the ResourceManager has no part in it, as with its default of 10 min.
LATE = ("--set", "yarn.nm.liveness-monitor.expiry-interval-ms=600000")

# By cluster: each is started once.
ROWS = [
    (PLAIN, {"task": faults.task_killed, "gang": faults.gang_restarted, "journal": faults.journal_share, "master": faults.master_killed}),
    (("--nodes", "1", "--yarn", "--ha"), {"failover": faults.manager_fails_over}),
    (PREEMPTING, {"preemption": faults.preemption_warned}),
    (TWO_KINDS, {"nodemanager": hosts.node_manager_killed}),
    ((*TWO_KINDS, *LATE), {"host": hosts.host_lost}),
]
NAMES = ["replay", *(name for _, rows in ROWS for name in rows)]


def program(text):
    return Path(text).absolute()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ydl", default=BENCH.parent / "build/bin/ydl", type=program)
    parser.add_argument("--programs", default=BENCH.parent / "build/release/bin", type=program)
    parser.add_argument("--torch-python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=NAMES, nargs="+", default=NAMES)
    options = parser.parse_args()
    goals = list(replay(options)) if "replay" in options.only else []
    for cluster_options, rows in ROWS:
        wanted = [measure for name, measure in rows.items() if name in options.only]
        if not wanted:
            continue
        bench = Bench(options, *cluster_options)
        try:
            for measure in wanted:
                began = time.monotonic()
                goals += measure(bench)
                print(f"  ({measure.__name__}: {time.monotonic() - began:.0f} s)")
        finally:
            bench.cluster.stop()
    print_goals(goals)


if __name__ == "__main__":
    main()
