"""Each release of Hadoop and each way of protecting RPC and blocks: files in both directions, and a DataNode that dies."""

import pytest
from hdfs_files import BLOCK, CHUNK, PACKET, SIZES, Interoperation, content, damage, datanodes_of, read_back, start_client
from settings import SETTINGS

pytestmark = pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)


@pytest.fixture
def client(guarded):
    client = start_client(guarded)
    yield client
    client.stop()


def test_files_of_every_size_go_both_ways(guarded, client, folder, local):
    both = Interoperation(client, guarded.client, folder, local)
    for size in SIZES:
        both.size(size)


def test_flushed_and_appended_files_go_both_ways(guarded, client, folder, local):
    both = Interoperation(client, guarded.client, folder, local)
    for at in (CHUNK - 1, PACKET + 100):
        both.flush(at)
    for has in (0, CHUNK + 7, BLOCK - 1, BLOCK):
        both.append(has)
    both.open_file(BLOCK + 1000)


def test_a_file_outlives_a_dead_datanode_and_a_damaged_replica(guarded, client, folder, local):
    data = content(2 * BLOCK + 1000)
    client.put(local=local(data), remote=f"{folder}/read", block_size=4 * BLOCK, replication=3)
    client.hold(local=local(data[: BLOCK + 1000]), remote=f"{folder}/written", block_size=4 * BLOCK)
    replicas = datanodes_of(guarded, f"{folder}/read")
    victim = sorted(datanodes_of(guarded, f"{folder}/written"))[0]
    guarded.run("kill", victim)
    try:
        client.more(local=local(data[BLOCK + 1000 :]), remote=f"{folder}/written")
        client.release(remote=f"{folder}/written")
        damage(next(path for name, path in replicas.items() if name != victim), BLOCK + 17)
        for name in ("read", "written"):
            for reader in (client, guarded.client):
                assert read_back(reader, f"{folder}/{name}", local) == data
        assert len(datanodes_of(guarded, f"{folder}/written").keys() - {victim}) == 2
    finally:
        guarded.run("start", victim)
