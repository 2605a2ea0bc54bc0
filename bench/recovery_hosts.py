"""Hosts that are lost: what recovery.py measures. Several jobs lose a task at once, so that minutes are waited for once."""

import re
import time

from recovery_jobs import lines_of, log_time, manager_log, wait_for
from report import Goal, median, table

LABEL = "gpu"  # of the hosts where tasks are; masters are on the first one


def jobs_on_third_host(bench):
    """One task each, all on host 3; host 2 has room for them afterwards."""
    bench.cluster.run("stop", "nodemanager2")
    jobs = []
    for _ in range(bench.rounds):
        jobs.append(bench.job("--resource", f"worker:label={LABEL}", "--retries", 0))
        jobs[-1].wait_for_event("job_running")
    bench.cluster.run("start", "nodemanager2")
    # It has ydl's program already, as hosts that other jobs use.
    bench.job("--resource", f"worker:label={LABEL},hosts=127.0.0.3", task="true").wait()
    placed = {event["text"].rpartition(" ")[2] for job in jobs for event in job.events("task_placed")}
    assert placed == {"127.0.0.4"}, placed
    return jobs


def again_on_second_host(jobs, lost_at):
    taken = []
    for job in jobs:
        _, at = job.began_at("worker:0", 2)
        taken.append(at - lost_at)
        job.end()
    return taken


def node_manager_killed(bench):
    """Its host is alive. The ResourceManager logs the loss after its time limit without a heartbeat."""
    jobs = jobs_on_third_host(bench)
    bench.cluster.run("kill", "nodemanager3")
    pattern = re.compile(r"Deactivating Node 127\.0\.0\.4:\d+ as it is now LOST")
    line = wait_for(lambda: [line for line in lines_of(manager_log(bench.cluster)) if pattern.search(line)], "the ResourceManager's word", pause=0.1)[-1]
    taken = again_on_second_host(jobs, log_time(line))
    table("a NodeManager is killed, its host lives", ["jobs", "RM's word to running elsewhere", "worst"],
          [[str(len(taken)), f"{median(taken):.2f} s", f"{max(taken):.2f} s"]])
    bench.cluster.run("start", "nodemanager3")
    yield Goal("NM killed, host alive: RM's word to running elsewhere", median(taken), 3.0, "s")


def host_lost(bench):
    """As when its power fails: the ResourceManager does not notice for minutes."""
    jobs = jobs_on_third_host(bench)
    lost_at = time.time()
    bench.cluster.run("kill-host", "3")
    taken = again_on_second_host(jobs, lost_at)
    table("a host loses its power", ["jobs", "to running elsewhere", "worst"], [[str(len(taken)), f"{median(taken):.1f} s", f"{max(taken):.1f} s"]])
    yield Goal("host's power lost: to running elsewhere", median(taken), 130, "s")
