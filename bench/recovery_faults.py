"""Faults of tasks, masters and the ResourceManager: what recovery.py measures, a function for each. Each yields its goals."""

import os
import signal
import subprocess
import time
from pathlib import Path

from cluster_lib import state, web
from cluster_lib.running import LineClient

from recovery_jobs import agents_back_at, lines_of, log_time, manager_log, master_of, wait_for, wait_until_known
from report import Goal, median, table

BENCH = Path(__file__).resolve().parent
WINDOW_S = 8  # before and after the loss of a master


def workers(count):
    return [f"worker:{index}" for index in range(count)]


def task_killed(bench):
    """A task that starts again alone, in its container and at its address."""
    job = bench.job("--framework", "tensorflow", "--role=chief=1", "--role=ps=1", f"--role=worker={bench.rounds}", "--resource=chief:memory=64m",
                    "--resource=ps:memory=64m", "--retries", 2 * bench.rounds)  # fmt: skip
    job.wait_for_event("job_running")
    taken = []
    for task in workers(bench.rounds):
        killed = job.kill_task(task)
        _, again = job.began_at(task, 2)
        taken.append(again - killed - job.back_off(task))
    job.end()
    table("a task is killed, its container lives", ["rounds", "median", "worst"], [[str(len(taken)), f"{median(taken):.2f} s", f"{max(taken):.2f} s"]])
    yield Goal("task killed, container lives: exit to running", median(taken), 1.0, "s")


def gang_restarted(bench):
    """One of eight tasks that start again together."""
    tasks, starts, restarts = workers(8), [], []
    for _ in range(bench.rounds + 1):
        job = bench.job("--framework", "pytorch", "--n", len(tasks), "--retries", 2)
        starts.append(job.all_began_at(tasks, 1) - job.began)
        job.wait_for_event("job_running")
        killed = job.kill_task(tasks[-1])
        restarts.append(job.all_began_at(tasks, 2) - killed - job.back_off(tasks[-1]))
        job.end()
    # The first one fills caches.
    starts, restarts = starts[1:], restarts[1:]
    table(f"one of {len(tasks)} tasks of a gang is killed", ["rounds", "first start", "all running again"],
          [[str(len(restarts)), f"{median(starts):.2f} s", f"{median(restarts):.2f} s"]])
    yield Goal(f"one of {len(tasks)} gang tasks killed: exit to all running", median(restarts) / median(starts), 0.5, "x the job's first start")


# ---- the loss of a master ----------------------------------------------------------------------------------------


class Idle:
    """A master that asks for nothing and does nothing: what the ResourceManager and the NodeManager need to start one again."""

    def __init__(self, bench):
        self._bench = bench

    def _tool(self, *words):
        done = subprocess.run([str(word) for word in [self._bench.tool("yarn_tool"), *words]], env=self._bench.env, capture_output=True, text=True)
        return done.stdout.split()

    def restart(self, folder):
        """Seconds from the end of its process to the registration of the next one."""
        conf = self._bench.cluster.variables["HADOOP_CONF_DIR"]
        run = f"exec {self._bench.tool('yarn_tool')} master > {folder}/$CONTAINER_ID"
        submitted = self._tool("--attempts", 2, "--env", f"HADOOP_CONF_DIR={conf}", "start", "/bin/sh", "-c", run)
        application = submitted[submitted.index("submitted") + 1]
        registered = lambda: [path for path in folder.glob("container_*") if "registered" in path.read_text()]
        wait_for(lambda: len(registered()) == 1, "the idle master")
        pid = master_of(self._bench.cluster, ["yarn_tool\0master"])
        killed = time.time()
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: len(registered()) == 2, "the next idle master", pause=0.005)
        took = time.time() - killed
        self._tool("kill", application)
        return took


STEPS = """
import os, sys, time
role = os.environ["YDL_ROLE"] + "-" + os.environ["YDL_INDEX"]
if len(sys.argv) > 2:
    import torch
    import torch.distributed as dist
    dist.init_process_group("gloo")
    gradient = torch.ones(100_000)
steps = open(f"{sys.argv[1]}/steps-{role}-{os.environ['YDL_ATTEMPT']}", "w", buffering=1)
while True:
    time.sleep(0.05)
    if len(sys.argv) > 2:
        dist.all_reduce(gradient)
        gradient /= dist.get_world_size()
    steps.write(f"{time.time()}\\n")
    print("step", time.time(), flush=True)
"""


def steps_of(job):
    return {path.name: [float(line) for line in path.read_text().split("\n")[:-1]] for path in job.folder.glob("steps-*")}


def longest_gap(steps, begin, end):
    return max(later - earlier for times in steps.values() for earlier, later in zip(times, times[1:]) if later > begin and earlier < end)


def lose_master(bench, tasks, words, script_words):
    """(seconds until all agents are back, the longest gap between steps before, and meanwhile)"""
    (program := Path(bench.env["XDG_STATE_HOME"]) / "steps.py").write_text(STEPS)
    job = bench.job("--n", tasks, "--retries", 0, *words, task=f"exec $PYTHON {program} {{folder}} {script_words}")
    job.wait_for_event("job_running")
    wait_until_known(bench.cluster, job.application(), tasks + 1)
    wait_for(lambda: len(steps_of(job)) == tasks and all(steps_of(job).values()), "the first steps")
    quiet_from = time.time()
    time.sleep(WINDOW_S)
    killed = time.time()
    os.kill(master_of(bench.cluster, ["\0__master\0"]), signal.SIGKILL)
    back = agents_back_at(bench.cluster, job.application(), tasks) - killed
    wait_for(lambda: time.time() > killed + WINDOW_S, "the end of the window")
    steps = steps_of(job)
    attempts = {name.rpartition("-")[2] for name in steps}
    assert attempts == {"1"} and len(steps) == tasks, f"tasks started again: {sorted(steps)}"
    gaps = longest_gap(steps, quiet_from, killed), longest_gap(steps, killed, killed + WINDOW_S)
    job.end()
    return back, *gaps


def master_killed(bench):
    idle_folder = Path(bench.env["XDG_STATE_HOME"]) / "idle"
    kinds = {"8 tasks": (8, ["--env", "PYTHON=/usr/bin/python3"], "")}
    if bench.options.torch_python:
        kinds["PyTorch, 2 workers"] = (2, ["--framework", "pytorch", "--env", f"PYTHON={bench.options.torch_python}"], "torch")
    idle, taken = [], {name: [] for name in kinds}
    for number in range(bench.rounds):
        (folder := Path(f"{idle_folder}-{number}")).mkdir()
        idle.append(Idle(bench).restart(folder))
        for name, kind in kinds.items():
            taken[name].append(lose_master(bench, *kind))
    of = {name: [median(values) for values in zip(*rounds)] for name, rounds in taken.items()}
    table(f"a master is killed, medians of {bench.rounds}", ["job", "all agents back", "longest gap, undisturbed", "meanwhile"], [
        ["a master that does nothing", f"{median(idle):.2f} s (registered)", "", ""],
        *([name, f"{back:.2f} s", f"{before * 1000:.0f} ms", f"{meanwhile * 1000:.0f} ms"] for name, (back, before, meanwhile) in of.items()),
    ])  # fmt: skip
    for name, (back, before, meanwhile) in of.items():
        yield Goal(f"master killed, {name}: until all agents are back", back - median(idle), 1.5, "s more than a master that does nothing")
        yield Goal(f"the training meanwhile, {name}: longest gap between steps", meanwhile / before, 1.5, "x undisturbed")


def journal_share(bench):
    """What a start of tasks waits for: the journal's file, and two events that are to be written before they are acted on (the job begins; the last
    task is placed)."""
    opens, appends = [], []
    for number in range(bench.rounds):
        tool = LineClient([bench.tool("journal_tool")], bench.cluster.variables)
        # A master has its connection to the NameNode in any case, for the job's other files.
        tool("open", folder=f"/bench/connects-{number}")
        opens.append(tool("open", folder=f"/bench/journal-{number}")["seconds"])
        tool("time-appends", count=5)
        appends.append(tool("time-appends", count=100)["median_ms"] / 1000)
        tool("close")
        tool.stop()
    share = [opened + 2 * append for opened, append in zip(opens, appends)]
    table(f"the journal, medians of {bench.rounds}", ["open", "an event is written", "added to the start of a job"],
          [[f"{median(opens) * 1000:.1f} ms", f"{median(appends) * 1000:.1f} ms", f"{median(share) * 1000:.1f} ms"]])
    yield Goal("journal: added to the start of a job", median(share) * 1000, 30, "ms")


# ---- the ResourceManager -----------------------------------------------------------------------------------------


def manager_fails_over(bench):
    """The other one becomes active again and again under one job."""
    tasks = workers(4)
    job = bench.job("--n", len(tasks), "--retries", 5)
    job.wait_for_event("job_running")
    took = []
    for _ in range(bench.rounds):
        began = time.time()
        bench.cluster.run("failover", "resourcemanager")
        took.append(time.time() - began)
    time.sleep(5)  # what an RM tells late would be told by now
    restarts = [event for event in job.events("task_running") if event["attempt"] > 1] + job.events("task_lost") + job.events("task_retry")
    lives = all(Path(f"/proc/{job.began_at(task, 1)[0]}").exists() for task in tasks)
    assert lives or restarts
    job.end()
    table("the other ResourceManager takes over", ["times", "each", "tasks that started again"],
          [[str(bench.rounds), f"{median(took):.1f} s", str(len(restarts))]])
    yield Goal("RM failover: tasks that start again", len(restarts), 0, "tasks")


SCHEDULER = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler"
WARNED = """f={folder}/$YDL_ROLE-$YDL_INDEX-$YDL_ATTEMPT; echo $$ $(date +%s%N) > $f.new; mv $f.new $f
while [ ! -e $YDL_PREEMPTION_FILE ]; do sleep 0.02; done; cp -p $YDL_PREEMPTION_FILE $f.warning; sleep 3600"""


def preemption_warned(bench):
    """From the scheduler's decision, which it logs where it is told to, to the file."""
    cluster = state.load(bench.cluster.folder)
    url = f"/logLevel?log={SCHEDULER}&level=DEBUG"
    web.json_of("127.0.0.1", cluster.port("resourcemanager1.http"), url)
    taken = []
    for _ in range(bench.rounds):
        before = len(lines_of(manager_log(bench.cluster)))
        training = bench.job("--n", 3, "--resource", "worker:memory=2g", "--retries", 0, task=WARNED)
        training.wait_for_event("job_running")
        urgent = bench.job("--queue", "urgent", "--resource", "worker:memory=2g")
        warning = wait_for(lambda: list(training.folder.glob("*.warning")), "the task's file")[0]
        marked = [line for line in lines_of(manager_log(bench.cluster))[before:] if "MARK_CONTAINER_FOR_PREEMPTION" in line.upper()]
        if not marked:
            marked = [line for line in lines_of(manager_log(bench.cluster))[before:] if "reempt" in line]
            print("\n".join(marked[:5]))
        taken.append(warning.stat().st_mtime - log_time(marked[0]))
        urgent.end()
        training.end()
    table("preemption", ["rounds", "message to file", "worst"], [[str(len(taken)), f"{median(taken):.2f} s", f"{max(taken):.2f} s"]])
    yield Goal("preemption: RM's message to the task's file", median(taken), 1.5, "s")
