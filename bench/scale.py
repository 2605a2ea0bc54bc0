#!/usr/bin/python3
"""Jobs of up to ten thousand tasks: time, processor time and memory of one master.

usage: scale.py [--programs FOLDER] [--ydl BINARY] [--fake N]... [--agents N]... [--yarn N]... [--nodes N]

--programs has scale_bench and hollow_nodes. Nothing here starts a task's process: tasks are those of the fake backend, or of hollow agents, which speak
to the master as real ones do. With --yarn the job is one of `ydl run --am unmanaged` on a real ResourceManager with hollow NodeManagers.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from datetime import datetime
from pathlib import Path

from report import fail, table

BENCH = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH.parent / "testing"))

from cluster_lib.running import RunningCluster  # noqa: E402
from yarn_launchers import peak_mebibytes  # noqa: E402

TASK_LIFE_MS = 5000
TASK_MIB = 64
LIMIT_S = 300


def measure(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        fail(f"`scale_bench {' '.join(map(str, words))}` ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def seconds(value):
    return f"{value:.2f} s"


def mebibytes(kibibytes):
    return f"{kibibytes / 1024:.0f} MiB"


def fake_row(one):
    n = one["tasks"]
    return [f"{n:,} {one['framework']}", seconds(one["running_s"]), f"{one['processor_s'] / n * 1e6:.0f} us", f"{one['memory_kib'] / n:.1f} KiB",
            mebibytes(one["peak_kib"]), seconds(one["ended_s"]), f"{one['event_bytes'] / n:.0f} B", f"{one['view_s'] * 1e3:.1f} ms"]  # fmt: skip


def agents_row(one):
    n = one["tasks"]
    return [f"{n:,} {one['framework']}", seconds(one["running_s"]), f"{one['processor_s'] / n * 1e6:.0f} us", mebibytes(one["peak_running_kib"]),
            str(one["connections"]), f"{one['at_rest'] * 100:.1f} %", seconds(one["ended_s"])]  # fmt: skip


class HollowNodes:
    """NodeManagers without processes; they end with this program."""

    def __init__(self, program, cluster, nodes, tasks):
        (tracker,) = [value for name, value in settings_of(cluster) if name == "yarn.resourcemanager.resource-tracker.address"]
        host, port = tracker.rsplit(":", 1)
        each = -(-tasks // nodes) + 1
        words = [program, nodes, each * TASK_MIB, each, TASK_LIFE_MS, host, port]
        self._process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self._process.stdout.readline() != "ready\n":
            fail("the hollow NodeManagers did not register.")

    def report(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self):
        self._process.stdin.close()
        self._process.wait()


def settings_of(cluster):
    for property in xml.etree.ElementTree.parse(cluster.conf / "yarn-site.xml").getroot().iter("property"):
        yield property.findtext("name"), property.findtext("value")


def time_of(events, kind):
    """The last event of this kind."""
    return max(datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp() for event in events if event["kind"] == kind)


def run_on_yarn(cluster, options, tasks):
    nodes = HollowNodes(options.programs / "hollow_nodes", cluster, options.nodes, tasks)
    state = tempfile.mkdtemp(prefix="ydl-bench-state-")
    env = {**os.environ, **cluster.variables, "XDG_STATE_HOME": state, "XDG_CACHE_HOME": state}
    command = [options.ydl, "run", "--n", tasks, "--resource", f"worker:memory={TASK_MIB}m", "--no-auto-files", "--output", "json", "--am", "unmanaged",
               "--", "true"]  # fmt: skip
    log = Path(state) / "output"
    with log.open("w") as output:
        process = subprocess.Popen([str(word) for word in command], env=env, cwd=state, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        peak, deadline = 0, time.monotonic() + LIMIT_S
        while process.poll() is None:
            peak = max(peak, peak_mebibytes("ydl", "__master"))
            if time.monotonic() > deadline:
                process.kill()
                fail(f"a job of {tasks} tasks does not end: {log.read_text()[-2000:]}")
            time.sleep(0.2)
    if process.returncode != 0:
        fail(f"a job of {tasks} tasks ended with {process.returncode}: {log.read_text()[-2000:]}")
    counts = nodes.report()
    nodes.end()
    events = [one for one in map(json.loads, log.read_text().splitlines()) if one["type"] == "event"]
    asked, running, ended = (time_of(events, kind) for kind in ("job_placing", "job_running", "job_succeeded"))
    return [f"{tasks:,} on {options.nodes} nodes", seconds(running - asked), seconds(counts["start_s"]), f"{peak:.0f} MiB", seconds(ended - asked)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, default=BENCH.parent / "build/release/bin")
    parser.add_argument("--ydl", default=BENCH.parent / "build/bin/ydl")
    parser.add_argument("--fake", type=int, action="append", metavar="N")
    parser.add_argument("--agents", type=int, action="append", metavar="N")
    parser.add_argument("--yarn", type=int, action="append", metavar="N")
    parser.add_argument("--nodes", type=int, default=100)
    options = parser.parse_args()
    if not (options.fake or options.agents or options.yarn):
        options.fake, options.agents, options.yarn = [100, 1_000, 10_000], [100, 1_000, 2_000], [2_000]
    bench = options.programs / "scale_bench"
    if options.fake:
        rows = [fake_row(measure(bench, "fake", n, framework)) for framework in ("none", "tensorflow") for n in options.fake
                if framework == "none" or n <= 1_000]  # fmt: skip
        table("One master, fake backend", ["tasks", "all running", "CPU a task", "memory a task", "peak", "all ended", "events a task", "one view"], rows)
    if options.agents:
        rows = [agents_row(measure(bench, "agents", n)) for n in options.agents]
        table("One master, an agent for each task", ["tasks", "all running", "CPU a task", "peak", "connections", "CPU at rest", "all ended, 12 s later"], rows)
    if options.yarn:
        cluster = RunningCluster("--nodes", "1", "--yarn", "--set", f"yarn.scheduler.minimum-allocation-mb={TASK_MIB}")
        cluster.run("stop", "nodemanager1")
        rows = [run_on_yarn(cluster, options, n) for n in options.yarn]
        table(f"ydl --am unmanaged on a real ResourceManager, tasks of {TASK_LIFE_MS // 1000} s", [
            "tasks", "all running", "containers started in", "master's peak", "all ended"], rows)  # fmt: skip


if __name__ == "__main__":
    main()
