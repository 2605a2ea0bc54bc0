"""Many connections without a key at once against the master of a job on YARN, which must neither end nor miss a heartbeat."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "testing"))
from cluster_lib import processes  # noqa: E402
from cluster_lib.running import RunningCluster  # noqa: E402
from yarn_shell import SMALL, jobs_on  # noqa: E402

ATTACKERS = Path(__file__).with_name("attackers.py")
# Processes and their connections: 1,460 at the same time.
KINDS = {"Idle": 600, "IdleWithTls": 300, "SlowHeaders": 200, "LongHeaders": 50, "HalfBodies": 50, "EndlessChunks": 50, "WrongKeys": 100,
         "Garbage": 50, "Handshakes": 60}  # fmt: skip
PROMISED = 48  # MiB that calls without a key cost the master, docs/http-api.md
AGENTS = 4
ESTABLISHED = "01"
# The ResourceManager ends a master that is silent for this time, so a master that runs was not silent.
OPTIONS = ("--nodes", "2", "--yarn", "--set", "yarn.am.liveness-monitor.expiry-interval-ms=10000")
TROUBLE = ("silent", "lost", "gone", "retry", "restart", "failed")


pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can look at the connections of agents")


@pytest.fixture
def jobs(tmp_path):
    cluster = RunningCluster(*OPTIONS)
    yield jobs_on(cluster, tmp_path)
    cluster.stop()


def memory(pid):
    """MiB: what it has, and the most it had."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def forget_peak(pid):
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def containers_of(jobs, part):
    """Process ids of the job's masters, or of its agents."""
    found = [pid for node in jobs.cluster.folder.glob("nodemanager*") for pid in processes.containers_of(node / "local")]
    return [pid for pid in found if processes.command_line(pid).split("\0")[1:2] == [part]]


def master_of(jobs):
    (master,) = containers_of(jobs, "__master")
    return master


def connections_of(jobs, port):
    """Of the agents to the master; an agent has one, which it keeps for as long as its calls are answered in time."""
    agents = containers_of(jobs, "__agent")
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{fields[9]}]" for fields in lines if fields[3] == ESTABLISHED and int(fields[2].split(":")[1], 16) == port}
    return sorted(sockets & {os.readlink(path) for pid in agents for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_symlink()})


def start_attack(master, seconds):
    nice = ["nice", "-n", "10"]  # the machine may have few cores, and the attackers take what they get
    return {kind: subprocess.Popen([*nice, sys.executable, ATTACKERS, kind, master["address"], str(master["port"]), str(count), str(seconds)],
                                   stdout=subprocess.PIPE, text=True) for kind, count in KINDS.items()}  # fmt: skip


def watch(jobs, job, pid, attackers):
    """Asks for the job's state as its owner does, until the attack is over: how long that took, and the most memory that was seen."""
    taken, most = [], 0
    while running := [attacker for attacker in attackers.values() if attacker.poll() is None]:
        began = time.monotonic()
        out, _ = jobs.run("status", job, timeout=30)
        taken.append(time.monotonic() - began)
        assert out.count("running") >= AGENTS + 1, out
        most = max(most, *memory(pid))
        with contextlib.suppress(subprocess.TimeoutExpired):
            running[0].wait(0.5)
    return taken, most


@pytest.mark.timeout(1200)
def test_a_master_under_attack_neither_ends_nor_misses_a_heartbeat(jobs, tmp_path, pytestconfig):
    seconds = pytestconfig.getoption("--seconds")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    opened = os.open(gate, os.O_RDWR)  # and kept open: the reader must not see its end
    job = jobs.run("run", "--detach", "--n", AGENTS, *SMALL, "--", "sh", "-c", f"read line < {gate}")[0].strip()
    jobs.wait_for(job, "job_running")
    endpoint = json.loads(jobs.run("fs", "cat", f"{jobs.root}/{job}/master.json")[0])
    pid = master_of(jobs)
    connections = connections_of(jobs, endpoint["port"])
    assert len(connections) == AGENTS
    forget_peak(pid)
    before = memory(pid)[0]
    attackers = start_attack(endpoint, seconds)
    try:
        taken, most = watch(jobs, job, pid, attackers)
    finally:
        for attacker in attackers.values():
            attacker.terminate()
    counts = {kind: json.loads(attacker.communicate()[0]) for kind, attacker in attackers.items()}
    report(counts, taken, before, most)
    assert most - before <= PROMISED
    assert master_of(jobs) == pid
    assert connections_of(jobs, endpoint["port"]) == connections, "no agent has had to connect again"
    os.write(opened, b"\n" * AGENTS)
    jobs.wait_for(job, "job_succeeded")
    events = [json.loads(line) for line in jobs.run("events", "--output", "json", job)[0].splitlines()]
    told = [event["text"] for event in events if "refused" in event["text"]]
    print("\n".join(told[:3]))
    assert told and len(told) <= seconds / 60 + 2, told
    others = [event["text"] for event in events if event["text"] not in told]
    assert not [text for text in others if any(word in text for word in TROUBLE)], others


def report(counts, taken, before, most):
    print(f"\n{sum(KINDS.values())} connections at the same time")
    for kind, count in counts.items():
        print(f"  {kind:14}" + ", ".join(f"{number} {name}" for name, number in count.items()))
    print(f"the master had {before:.1f} MiB before and {most:.1f} MiB at most: {most - before:.1f} MiB for callers without a key")
    print(f"`ydl status` answered {len(taken)} times: median {median(taken) * 1000:.0f} ms, slowest {max(taken) * 1000:.0f} ms")
