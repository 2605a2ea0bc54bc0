#!/usr/bin/python3
"""What the commands cost that people and shell prompts run again and again: processor time of `ydl --version` and `ydl ls`.

usage: command_cost.py --ydl BINARY [--runs N]
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from report import Goal, fail, median, print_goals, table

JOBS = (1, 50, 500)
LIMIT_MS = 20


def cpu_ms(command, env):
    """User and system time of one run, as the kernel counted it for that process."""
    output = os.open(os.devnull, os.O_WRONLY)
    pid = os.posix_spawn(command[0], command, env, file_actions=[(os.POSIX_SPAWN_DUP2, output, 1)])
    os.close(output)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        fail(f"`{' '.join(command)}` ended with status {status}.")
    return (usage.ru_utime + usage.ru_stime) * 1000


def run_one_job(ydl, env, jobs):
    done = subprocess.run([ydl, "run", "--cluster", "local", "-n", "2", "--", "/bin/true"], env=env, cwd=jobs.parent, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"the job to copy failed: {done.stderr}")
    (folder,) = (jobs / "ydl" / "jobs").iterdir()
    return folder


def copy_job(folder, number):
    copy = folder.with_name(re.sub(r"[^-]*$", f"{number:04x}", folder.name))
    if copy.exists():
        return
    shutil.copytree(folder, copy, symlinks=True)
    job = copy / "job.json"
    job.write_text(job.read_text().replace(folder.name, copy.name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ydl", required=True)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ydl-bench-") as root:
        state = Path(root) / "state"
        state.mkdir()
        env = dict(os.environ, XDG_STATE_HOME=str(state))
        folder = run_one_job(options.ydl, env, state)
        costs = {"ydl --version": [cpu_ms([options.ydl, "--version"], env) for _ in range(options.runs)]}
        for count in JOBS:
            number = 0
            while len(list(folder.parent.iterdir())) < count:
                copy_job(folder, number)
                number += 1
            listed = subprocess.run([options.ydl, "ls", "--limit", str(count), "--output", "json"], env=env, capture_output=True, text=True).stdout
            if listed.count('"state":"succeeded"') != count:
                fail(f"`ydl ls` shows {listed.count(chr(10))} lines where {count} jobs have succeeded.")
            costs[f"ydl ls, {count} jobs"] = [cpu_ms([options.ydl, "ls"], env) for _ in range(options.runs)]
    rows = [[name, f"{median(runs):.1f}", f"{min(runs):.1f}", f"{max(runs):.1f}"] for name, runs in costs.items()]
    table(f"Processor time, {options.runs} runs each", ["command", "median, ms", "least", "most"], rows)
    print_goals([Goal(name, median(runs), LIMIT_MS, "ms") for name, runs in costs.items()])


if __name__ == "__main__":
    main()
