"""DataNodes and NameNodes that fail while a file is written or read: success or a clear error, and never a wrong byte."""

import threading

import pytest
from hdfs_files import BLOCK, content, damage, datanodes_of, eventually, read_back, start_client
from settings import SETTINGS

from cluster_lib.running import ClientError

# Four hosts: a DataNode that is lost can be replaced. A cluster of their own, for they leave it in pieces.
HOSTS = ("--nodes", "4", "--set", "dfs.client.socket-timeout=8000", "--set", "dfs.heartbeat.interval=1")
pytestmark = pytest.mark.on_cluster(*HOSTS)


@pytest.fixture
def broken(clusters):
    """A cluster to break, and our client; whole again afterwards."""
    cluster = clusters(*HOSTS)
    client = start_client(cluster)
    yield cluster, client
    client.stop()
    for host in range(1, 5):
        if f"datanode{host}" not in living(cluster):
            cluster.run("start", f"datanode{host}")


def living(cluster):
    return {line.split()[0] for line in cluster.run("status").splitlines() if " pid " in line}


def test_a_datanode_dies_while_a_file_is_written_and_another_takes_its_place(broken, folder, local):
    cluster, client = broken
    data = content(3 * BLOCK)
    client.hold(local=local(data[: BLOCK + 1000]), remote=f"{folder}/file", block_size=64 * BLOCK)
    cluster.run("kill", sorted(datanodes_of(cluster, f"{folder}/file"))[0])
    client.more(local=local(data[BLOCK + 1000 :]), remote=f"{folder}/file")
    client.release(remote=f"{folder}/file")
    assert len(datanodes_of(cluster, f"{folder}/file")) >= 3
    assert read_back(client, f"{folder}/file", local) == data
    assert read_back(cluster.client, f"{folder}/file", local) == data


def test_a_pipeline_that_cannot_be_filled_names_the_setting(broken, folder, local):
    """Java gives up here too: what was flushed must not depend on two DataNodes where three were asked for."""
    cluster, client = broken
    client.hold(local=local(content(1000)), remote=f"{folder}/file")
    for victim in sorted(datanodes_of(cluster, f"{folder}/file"))[:2]:
        cluster.run("kill", victim)
    with pytest.raises(ClientError, match="no other DataNode can replace it.*replace-datanode-on-failure.policy"):
        client.more(local=local(content(1000)), remote=f"{folder}/file")
        client.release(remote=f"{folder}/file")


def test_a_silent_datanode_is_left_behind(broken, folder, local):
    cluster, client = broken
    data = content(2 * BLOCK)
    client.hold(local=local(data[:1000]), remote=f"{folder}/file", block_size=64 * BLOCK)
    victim = sorted(datanodes_of(cluster, f"{folder}/file"))[0]
    cluster.run("pause", victim)
    try:
        client.more(local=local(data[1000:]), remote=f"{folder}/file")
        client.release(remote=f"{folder}/file")
        assert read_back(client, f"{folder}/file", local) == data
    finally:
        cluster.run("resume", victim)


def test_a_dead_datanode_is_passed_over_when_a_block_begins(broken, folder, local):
    cluster, client = broken
    cluster.run("kill", "datanode1")
    data = content(4 * BLOCK)
    client.put(local=local(data), remote=f"{folder}/file", block_size=BLOCK)
    assert read_back(client, f"{folder}/file", local) == data


def test_a_read_goes_on_with_another_replica(broken, folder, local):
    cluster, client = broken
    data = content(16 * BLOCK)
    client.put(local=local(data), remote=f"{folder}/file", block_size=16 * BLOCK)
    for victim in sorted(datanodes_of(cluster, f"{folder}/file"))[:2]:
        cluster.run("kill", victim)
        assert read_back(client, f"{folder}/file", local) == data


def test_an_unfinished_file_is_read_although_datanodes_of_it_were_restarted(broken, folder, local):
    """A restarted DataNode does not say how long its replica is until the NameNode has ended the write. Another one does."""
    cluster, client = broken
    writer = start_client(cluster)
    data = content(BLOCK)
    try:
        writer.hold(local=local(data), remote=f"{folder}/file", block_size=4 * BLOCK)
    finally:
        writer.stop()  # and the file stays open
    for victim in sorted(datanodes_of(cluster, f"{folder}/file"))[:2]:
        cluster.run("kill", victim)
        cluster.run("start", victim)
    # Which DataNode is asked first is the NameNode's choice.
    assert [read_back(client, f"{folder}/file", local) == data for _ in range(8)] == [True] * 8


def test_damaged_replicas_are_not_used(broken, folder, local):
    cluster, client = broken
    data = content(2 * BLOCK)
    client.put(local=local(data), remote=f"{folder}/file", block_size=4 * BLOCK)
    for path in list(datanodes_of(cluster, f"{folder}/file").values())[:2]:
        damage(path, BLOCK + 17)
    assert read_back(client, f"{folder}/file", local) == data


def test_a_damaged_replica_is_reported_and_replaced(broken, folder, local):
    cluster, client = broken
    data = content(2 * BLOCK)
    client.put(local=local(data), remote=f"{folder}/file", block_size=4 * BLOCK)
    damage(next(iter(datanodes_of(cluster, f"{folder}/file").values())), BLOCK + 17)

    def is_whole_again():
        # Which replica is read is the NameNode's choice: the damaged one has its turn.
        assert read_back(client, f"{folder}/file", local) == data
        try:
            return [path.read_bytes() for path in datanodes_of(cluster, f"{folder}/file").values()] == [data] * 3
        except FileNotFoundError:  # it is just being deleted
            return False

    eventually(is_whole_again, "three good replicas")


def test_no_replica_left_is_an_error_that_names_the_file(broken, folder, local):
    cluster, client = broken
    client.put(local=local(content(1000)), remote=f"{folder}/file", replication=1)
    (path,) = datanodes_of(cluster, f"{folder}/file").values()
    path.write_bytes(b"\0" * 1000)
    with pytest.raises(ClientError, match=f"reading {folder}/file: block .* cannot be read from any DataNode"):
        client.get(remote=f"{folder}/file", local="/dev/null")
    eventually(lambda: cluster.client("corrupt-files", remote=folder) == [f"{folder}/file"], "the NameNode was told")


@pytest.mark.parametrize("setting", [setting for setting in SETTINGS if setting.name.startswith(("plain-", "privacy-3"))], ids=lambda setting: setting.name)
def test_a_namenode_that_restarts_is_waited_for(guarded, folder, local):
    client = start_client(guarded)
    try:
        data = content(3 * BLOCK)
        client.hold(local=local(data[:1000]), remote=f"{folder}/file", block_size=BLOCK)
        restart = threading.Thread(target=guarded.run, args=("restart", "namenode1"))
        restart.start()
        client.more(local=local(data[1000:]), remote=f"{folder}/file")
        client.release(remote=f"{folder}/file")
        restart.join()
        assert read_back(client, f"{folder}/file", local) == data
    finally:
        client.stop()


def pair(name, *options):
    return pytest.param(options, id=name, marks=pytest.mark.on_cluster("--nodes", "1", "--ha", *options))


@pytest.mark.parametrize("options", [pair("plain-3.4.1"), pair("secure-3.3.6", "--secure", "--version", "3.3.6")])
def test_the_other_namenode_takes_over_in_the_middle_of_a_write(clusters, folder, local, options):
    cluster = clusters("--nodes", "1", "--ha", *options)
    client = start_client(cluster)
    try:
        data = content(3 * BLOCK)
        client.hold(local=local(data[:1000]), remote=f"{folder}/file", block_size=BLOCK, replication=1)
        cluster.run("failover")
        client.more(local=local(data[1000:]), remote=f"{folder}/file")
        client.release(remote=f"{folder}/file")
        assert read_back(client, f"{folder}/file", local) == data
    finally:
        client.stop()
