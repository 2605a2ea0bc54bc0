"""The journal of a job on real HDFS: one master at a time can write it, and no line is lost or doubled."""

import json
import os
import signal
import threading

import pytest
from hdfs_files import read_back
from programs import built

from cluster_lib.running import ClientError, LineClient

# Blocks of three DataNodes, of which a writer may lose some. A cluster of their own, for they stop its daemons.
HOSTS = ("--nodes", "4", "--set", "dfs.client.socket-timeout=8000", "--set", "dfs.heartbeat.interval=1")
pytestmark = pytest.mark.on_cluster(*HOSTS)


@pytest.fixture
def hosts(clusters):
    cluster = clusters(*HOSTS)
    yield cluster
    alive = {line.split()[0] for line in cluster.run("status").splitlines() if " pid " in line}
    for name in (f"datanode{host}" for host in range(1, 5)):
        if name not in alive:
            cluster.run("start", name)


@pytest.fixture
def master(hosts):
    """Starts masters: programs that hold a journal."""
    started = []

    def start():
        started.append(LineClient([built("journal_tool")], hosts.variables))
        return started[-1]

    yield start
    for each in started:
        if each._process.poll() is None:
            each._process.kill()
            each._process.wait()


def write(journal, first, count):
    journal.add(first=first, count=count)
    state = journal.wait(count=first + count)
    assert state["durable"] == first + count, state
    return state


def kill(journal):
    os.kill(journal.pid, signal.SIGKILL)
    journal._process.wait()


def test_the_next_master_reads_what_a_killed_one_wrote(master, folder):
    first = master()
    opened = first.open(folder=folder)
    assert (opened["epoch"], opened["events"]) == (1, [])
    write(first, 0, 50)
    kill(first)
    second = master()
    again = second.open(folder=folder)
    print(f"taken over in {again['seconds']:.1f} s")
    assert (again["epoch"], again["began"], again["events"]) == (2, opened["began"], list(range(50)))
    write(second, 0, 1)
    second.close()
    third = master().open(folder=folder)
    assert (third["epoch"], third["events"]) == (3, [*range(50), 0])


def test_an_old_master_that_lives_is_told_and_adds_nothing(master, folder):
    old, new = master(), master()
    old.open(folder=folder)
    write(old, 0, 10)
    assert not old("is-taken")
    assert new.open(folder=folder)["events"] == list(range(10))
    assert old("is-taken")
    old.add(first=10, count=5)
    state = old.wait(count=15)
    assert state["durable"] == 10
    assert [what for what, _ in state["told"]][-1] == "taken", state
    write(new, 0, 3)
    assert master().open(folder=folder)["events"] == [*range(10), *range(3)]


def test_of_two_masters_at_once_the_newest_epoch_writes(master, folder):
    masters = [master() for _ in range(4)]
    epochs = {}

    def open_journal(index):
        try:
            epochs[index] = masters[index].open(folder=folder)["epoch"]
        except ClientError as error:
            assert "another master" in str(error)

    threads = [threading.Thread(target=open_journal, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert epochs and len(set(epochs.values())) == len(epochs)
    newest = max(epochs, key=epochs.get)
    for index in epochs:
        masters[index].add(first=100 * index, count=2)
    assert masters[newest].wait(count=2)["durable"] == 2
    for index in epochs.keys() - {newest}:
        assert masters[index].wait(count=2)["told"][-1][0] == "taken"
    events = master().open(folder=folder)["events"]
    assert events[-2:] == [100 * newest, 100 * newest + 1]


@pytest.mark.parametrize("daemons", [["datanode1"], ["datanode1", "datanode2", "datanode3", "datanode4"], ["namenode1"]], ids=len)
def test_daemons_that_restart_cost_no_line(hosts, master, folder, daemons):
    journal = master()
    journal.open(folder=folder)
    write(journal, 0, 20)
    for name in daemons:
        hosts.run("kill", name)
    journal.add(first=20, count=20)
    for name in daemons:
        hosts.run("start", name)
    write(journal, 40, 20)
    kill(journal)
    assert master().open(folder=folder)["events"] == list(range(60))


def test_a_torn_line_is_dropped_and_one_that_cannot_be_read_is_named(hosts, master, folder, local):
    journal = master()
    journal.open(folder=folder)
    write(journal, 0, 2)
    journal.close()
    hosts.client.append(local=local(b'{"v":1,"at":2,"ev'), remote=f"{folder}/journal/1")
    second = master()
    assert second.open(folder=folder)["events"] == [0, 1]
    second.close()
    lines = read_back(hosts.client, f"{folder}/journal/2", local)
    hosts.client.append(local=local(b"garbage\n" + lines), remote=f"{folder}/journal/2")
    with pytest.raises(ClientError, match="journal/2, line 2: "):
        master().open(folder=folder)


def test_a_master_that_died_before_its_header_does_not_block_the_next(hosts, master, folder, local):
    journal = master()
    began = journal.open(folder=folder)["began"]
    write(journal, 0, 3)
    kill(journal)
    hosts.client.put(local=local(b""), remote=f"{folder}/journal/2")
    opened = master().open(folder=folder)
    assert (opened["epoch"], opened["began"], opened["events"]) == (3, began, [0, 1, 2])


def test_the_time_of_an_append(master, folder):
    journal = master()
    journal.open(folder=folder)
    print(json.dumps(journal("time-appends", count=200)))
    journal.close()
