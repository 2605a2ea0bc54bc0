#!/usr/bin/python3
"""`ydl run --cluster local` beside other ways to start processes: time, memory, and where ydl's time goes.

usage: local_launch.py --ydl BINARY --task BINARY --bare-loop BINARY --torch-python PYTHON [--rounds N]
"""

import argparse
import json
import subprocess
import tempfile
import time
from datetime import datetime
from functools import partial
from pathlib import Path

from launchers import Stage, all_launchers
from report import Goal, fail, median, print_goals, table

SIZES = (2, 64)
MEMORY_LAUNCHES = 5
IDLE_S = 10


def measure(stage, launchers, rounds, after_launch):
    """{(launcher's name, size): launches}. Each round has every launcher once, each time another one first."""
    results = {}
    for size in SIZES:
        for launcher in launchers:
            stage.launch(launcher, size)  # to warm caches
        for turn in range(rounds):
            first = turn % len(launchers)
            for launcher in launchers[first:] + launchers[:first]:
                launch = stage.launch(launcher, size)
                results.setdefault((launcher.name, size), []).append(launch)
                after_launch(launcher, size, launch)
    return results


def print_launches(results, launchers, rounds):
    of = {key: {m: median(getattr(x, m) for x in runs) for m in ("to_running_ms", "to_exit_ms", "both_ms")} for key, runs in results.items()}
    for size in SIZES:
        bare = of["bare loop", size]
        rows = []
        for name in (launcher.name for launcher in launchers):
            row = [name]
            for m, ours in of[name, size].items():
                row += [f"{ours:.1f}", f"{ours / bare[m]:.2f}"]
            rows.append(row)
        table(
            f"{size} tasks: medians of {rounds} alternating rounds",
            ["launcher", "all running, ms", "x bare", "released to exit, ms", "x bare", "sum, ms", "x bare"],
            rows,
        )
    return of


# ---- where the time goes -------------------------------------------------------------------------------------------


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def json_lines(ydl, stage, *arguments):
    done = subprocess.run([ydl, *arguments, "--output", "json"], env=stage.env, cwd=stage.cwd, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"`ydl {' '.join(arguments)}` failed: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]


class Phases:
    """Reads what ydl noted of each job. Its clock shows milliseconds."""

    NAMES = ("command to submitted", "to asking", "to all placed", "to all starting", "to all running", "released to job's end", "to exit")

    def __init__(self, ydl, stage):
        self.ydl, self.stage, self.rows = ydl, stage, []

    def add(self, launch):
        job = json_lines(self.ydl, self.stage, "ls")[0]  # the newest
        last = {event["kind"]: seconds(event["time"]) for event in json_lines(self.ydl, self.stage, "events", job["job"])}
        wall = lambda monotonic: launch.wall_start + (monotonic - launch.start) / 1e9
        marks = [launch.wall_start, seconds(job["submitted"])]
        marks += [last[kind] for kind in ("job_placing", "task_placed", "task_starting", "task_running")]
        ends = [wall(launch.released), last["job_succeeded"], wall(launch.exited)]
        self.rows.append([(b - a) * 1000 for series in (marks, ends) for a, b in zip(series, series[1:])])

    def print(self):
        parts = [f"{name} {median(column):.0f} ms" for name, column in zip(self.NAMES, zip(*self.rows))]
        print(f"\nWhere ydl's time goes, {SIZES[-1]} tasks, medians: " + ", ".join(parts))


# ---- memory --------------------------------------------------------------------------------------------------------


def pss_mb(process):
    for line in (process / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1000
    fail(f"{process}/smaps_rollup has no line of Pss.")


def processes_by_kind(client, state):
    """The job's processes in /proc, as lists by their names."""
    found = {"client": [Path(f"/proc/{client}")], "ydl-master": [], "ydl-agent": [], "ydl-task": []}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            kind = (process / "comm").read_text().strip()
            if kind in found and str(state) in (process / "cmdline").read_text():
                found[kind].append(process)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
    counts = {kind: len(processes) for kind, processes in found.items()}
    if counts != {"client": 1, "ydl-master": 1, "ydl-agent": 1, "ydl-task": SIZES[-1]}:
        fail(f"the processes of the job were not all found: {counts}.")
    return found


def memory_by_kind(client, state):
    return {kind: [pss_mb(process) for process in processes] for kind, processes in processes_by_kind(client, state).items()}


def print_memory(stage, ydl):
    size = SIZES[-1]
    samples = []
    for _ in range(MEMORY_LAUNCHES):
        stage.launch(ydl, size, lambda process: samples.append(memory_by_kind(process.pid, stage.state)))
    of = {kind: median(sum(sample[kind]) for sample in samples) for kind in samples[0]}
    both = median(sum(sample["ydl-master"]) + sum(sample["ydl-agent"]) for sample in samples)
    rows = [
        ["master", f"{of['ydl-master']:.1f}"],
        ["agent", f"{of['ydl-agent']:.1f}"],
        ["master + agent", f"{both:.1f}"],
        [f"{size} reapers together", f"{of['ydl-task']:.1f}"],
        ["client", f"{of['client']:.1f}"],
        ["all", f"{sum(of.values()):.1f}"],
    ]
    table(f"Memory while {size} tasks run: median of {MEMORY_LAUNCHES} jobs", ["process", "PSS, MB"], rows)
    return both


# ---- processor time of a job in which nothing happens --------------------------------------------------------------


def used_ns(processes):
    return sum(int((process / "schedstat").read_text().split()[0]) for process in processes)


def print_idle(stage, ydl):
    percent = {}

    def watch(process):
        kinds = processes_by_kind(process.pid, stage.state)
        before, start = {kind: used_ns(found) for kind, found in kinds.items()}, time.monotonic_ns()
        time.sleep(IDLE_S)
        elapsed = time.monotonic_ns() - start
        percent.update({kind: 100 * (used_ns(found) - before[kind]) / elapsed for kind, found in kinds.items()})

    stage.launch(ydl, SIZES[-1], watch)
    parts = ", ".join(f"{kind.removeprefix('ydl-')} {value:.2f} %" for kind, value in percent.items() if kind != "ydl-task")
    print(f"\nProcessor time while {SIZES[-1]} tasks wait, of one core, over {IDLE_S} s: {parts}, all reapers {percent['ydl-task']:.2f} %")
    return sum(percent.values())


def main():
    parser = argparse.ArgumentParser()
    for name in ("--ydl", "--task", "--bare-loop", "--torch-python"):
        parser.add_argument(name, required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--skip", action="append", default=[], metavar="LAUNCHER", help="leave one out, to look at the others sooner")
    options = parser.parse_args()
    scratch = partial(tempfile.TemporaryDirectory, prefix="ydl-bench-")
    with scratch() as root, scratch(dir="/dev/shm") as memory_root:
        stage = Stage(root, memory_root, options.task)
        launchers = [x for x in all_launchers(options.ydl, options.bare_loop, options.torch_python) if x.name not in options.skip]
        phases = Phases(options.ydl, stage)

        def after_launch(launcher, size, launch):
            if launcher.name == "ydl run" and size == SIZES[-1]:
                phases.add(launch)

        medians = print_launches(measure(stage, launchers, options.rounds, after_launch), launchers, options.rounds)
        phases.print()
        ydl = next(x for x in launchers if x.name == "ydl run")
        memory = print_memory(stage, ydl)
        idle = print_idle(stage, ydl)
        big = SIZES[-1]
        ratio = medians["ydl run", big]["to_running_ms"] / medians["bare loop", big]["to_running_ms"]
        print_goals(
            [
                Goal(f"{big} tasks running, beside the bare loop", ratio, 2, "x"),
                Goal(f"master + agent while {big} tasks run", memory, 24, "MB"),
                Goal(f"all of ydl while {big} tasks wait", idle, 3, "% of a core"),
            ]
        )


if __name__ == "__main__":
    main()
