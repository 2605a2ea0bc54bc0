"""What the chaos tests see with would show them the failures that they look for."""

import subprocess
import sys
from pathlib import Path

import pytest
from cluster_lib import network, processes, state
from faults import cut_off
from hdfs_files import eventually
from people import needs_network
from report import Report, recoveries
from run import Hit, Seen
from schedule import Fault

NOTE = Path(__file__).with_name("note.sh")


def task(notes, attempt, command):
    environment = {"PATH": "/usr/bin:/bin", "YDL_ROLE": "worker", "YDL_INDEX": "0", "YDL_ATTEMPT": str(attempt)}
    return subprocess.Popen(["sh", NOTE, notes, "sh", "-c", command], env=environment, stdin=subprocess.PIPE)


def test_two_attempts_of_a_rank_at_a_time_are_noted(tmp_path):
    notes = tmp_path / "worker-0"
    first = task(tmp_path, 1, "read line")
    eventually(lambda: notes.exists() and "start 1" in notes.read_text(), "the first attempt runs")
    second = task(tmp_path, 2, "exit 3")
    eventually(lambda: "overlap 2" in notes.read_text(), "the second one is seen")
    first.communicate(b"\n", timeout=30)
    assert second.wait(30) == 3
    words = [line.split() for line in notes.read_text().splitlines()]
    assert [word[:2] for word in words] == [["start", "1"], ["overlap", "2"], ["end", "1"], ["start", "2"], ["end", "2"]]


def test_what_a_killed_attempt_leaves_running_counts_as_the_attempt(tmp_path):
    notes = tmp_path / "worker-0"
    first = task(tmp_path, 1, "read line")
    eventually(lambda: notes.exists(), "the first attempt runs")
    first.kill()  # the script alone: the command goes on, and waits for the same pipe
    first.wait()
    second = task(tmp_path, 2, "true")
    eventually(lambda: "overlap 2" in notes.read_text(), "the second one is seen")
    first.stdin.close()
    assert second.wait(30) == 0


def test_attempts_that_follow_each_other_do_not_overlap(tmp_path):
    for attempt in (1, 2):
        assert task(tmp_path, attempt, "true").wait(30) == 0
    assert "overlap" not in (tmp_path / "worker-0").read_text()


@pytest.fixture
def cluster(tmp_path):
    """The network of a cluster of two hosts, without its daemons."""
    made = state.Cluster(tmp_path, state.Options(nodes=2, namespaces=network.choose_subnet()), leash=1)
    namespaces = network.Namespaces(made)
    namespaces.configure({})
    namespaces.start()
    eventually(lambda: network.is_made(made), "the network is made")
    yield made
    processes.kill([namespaces.pid()])


def hears(cluster, source, to):
    """Whether a datagram arrives. It needs no answer, so it shows one direction alone."""
    listen = "import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind((sys.argv[1], 7)); s.settimeout(1.5); print('up', flush=True); print(s.recv(9))"
    send = "import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'word', (sys.argv[1], 7))"
    address = cluster.address(to)
    listener = subprocess.Popen([*network.enter(cluster, to), sys.executable, "-c", listen, address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert listener.stdout.readline() == "up\n"
    sent = subprocess.run([*network.enter(cluster, source), sys.executable, "-c", send, address], capture_output=True, check=False)
    heard = "word" in listener.communicate(timeout=30)[0]
    return "heard" if heard else "error" if sent.returncode else "lost"


@needs_network
@pytest.mark.parametrize(("silent", "lost"), [(True, "lost"), (False, "error")])
def test_a_cut_has_a_direction_and_an_end(cluster, silent, lost):
    mend = cut_off(cluster, 1, [2], "out", silent)
    assert [hears(cluster, 1, 2), hears(cluster, 2, 1), hears(cluster, 1, 0)] == [lost, "heard", "heard"]
    mend()
    assert hears(cluster, 1, 2) == "heard"
    mend = cut_off(cluster, 1, [0, 1, 2], "in", silent)
    assert [hears(cluster, 2, 1), hears(cluster, 0, 1), hears(cluster, 1, 2)] == [lost, lost, "heard"]
    mend()
    assert [hears(cluster, 2, 1), hears(cluster, 0, 1)] == ["heard", "heard"]


def event(second, kind, text=""):
    return {"time": f"2026-01-01T00:00:{second:06.3f}Z", "kind": kind, "text": text}


def test_recovery_ends_when_the_last_task_runs_again():
    start = 1767225600  # 2026-01-01
    hits = [Hit(Fault("kill", "task", "running", 1, 0, 0), start + 10, ""), Hit(Fault("kill", "master", "running", 1, 0, 0), start + 20, ""),
            Hit(Fault("stop", "datanode", "running", 1, 0, 0), start + 30, "")]  # fmt: skip
    events = [event(5, "task_running"), event(11, "task_failed"), event(13, "task_running"), event(14.5, "task_running"),
              event(22, "note", "the job's master was lost; a new master on host1 has taken over"), event(40, "job_succeeded")]  # fmt: skip
    seen = Seen(hits=hits)
    assert recoveries(seen, events) == [("kill task", 4.5), ("kill master", 2.0), ("stop datanode", None)]
    report = Report()
    report.schedules = 1
    report.add(seen, events)
    table = list(report.lines())
    assert table[0] == "1 schedules, 0 failed"
    assert [line.split() for line in table[2:]] == [["kill", "master", "1", "0", "2.0", "s", "2.0", "s"], ["kill", "task", "1", "0", "4.5", "s", "4.5", "s"],
                                                   ["stop", "datanode", "1", "1"]]  # fmt: skip
