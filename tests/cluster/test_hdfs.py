"""What we write Hadoop's own client reads, and the other way round."""

import pytest

from cluster_lib.running import ClientError
from hdfs_files import BLOCK, CHUNK, PACKET, SIZES, Interoperation, content, read_back, start_client


@pytest.fixture
def both(ours, cluster, folder, local):
    return Interoperation(ours, cluster.client, folder, local)


@pytest.mark.parametrize("size", SIZES)
def test_both_clients_read_what_either_wrote(both, size):
    both.size(size)


@pytest.mark.parametrize("at", [1, CHUNK - 1, CHUNK, CHUNK + 1, PACKET + 100, BLOCK])
def test_a_flush_in_the_middle_changes_nothing(both, at):
    both.flush(at)


@pytest.mark.parametrize("has", [0, 1, CHUNK - 1, CHUNK, CHUNK + 7, PACKET, BLOCK - 1, BLOCK, BLOCK + 1])
def test_an_append_goes_on_where_the_file_ends(both, has):
    both.append(has)


@pytest.mark.parametrize("size", [1, CHUNK + 1, BLOCK, BLOCK + 1000])
def test_a_file_being_written_is_read_as_far_as_it_was_flushed(both, size):
    both.open_file(size)


def test_any_part_of_a_file_can_be_read(cluster, ours, folder, local):
    data = content(2 * BLOCK + 777)
    cluster.client.put(local=local(data), remote=f"{folder}/file", block_size=BLOCK)
    for offset in (0, 1, 511, 512, 513, PACKET - 1, BLOCK - 1, BLOCK, 2 * BLOCK + 776, 2 * BLOCK + 777, 9 * BLOCK):
        for length in (0, 1, 512, 513, BLOCK + 2):
            seen = ours("read-at", remote=f"{folder}/file", offset=offset, length=length)
            assert bytes.fromhex(seen) == data[offset : offset + length], (offset, length)


@pytest.mark.parametrize("name", ["a b", "ü%20?*[x]", "semi;colon&'\"", "back\\slash", "x" * 255, ".hidden", "-r", "a=b,c"])
def test_odd_names(cluster, ours, folder, local, name):
    ours.put(local=local(b"here"), remote=f"{folder}/{name}")
    assert [entry["name"] for entry in ours.ls(remote=folder)] == [name]
    assert [entry["name"] for entry in cluster.client.ls(remote=folder)] == [name]
    ours.rename(remote=f"{folder}/{name}", to=f"{folder}/plain")
    assert read_back(ours, f"{folder}/plain", local) == b"here"


@pytest.mark.parametrize("kind, chunk", [("CRC32", 512), ("CRC32C", 1024)])
def test_the_checksums_of_new_files_are_the_configured_ones(cluster, folder, local, kind, chunk):
    client = start_client(cluster.view({"dfs.checksum.type": kind, "dfs.bytes-per-checksum": chunk}))
    try:
        data = content(BLOCK + 5000)
        client.put(local=local(data), remote=f"{folder}/file", block_size=BLOCK)
        assert cluster.client.checksum(remote=f"{folder}/file")["algorithm"].endswith(f"MD5-of-{chunk}{kind}")
        for reader in (client, cluster.client):
            assert read_back(reader, f"{folder}/file", local) == data
    finally:
        client.stop()


def test_rename_replaces_only_when_told_to(ours, folder, local):
    for name in ("a", "b"):
        ours.put(local=local(name.encode()), remote=f"{folder}/{name}")
    with pytest.raises(ClientError, match="exists"):
        ours.rename(remote=f"{folder}/a", to=f"{folder}/b")
    ours.replace(remote=f"{folder}/a", to=f"{folder}/b")
    assert read_back(ours, f"{folder}/b", local) == b"a"
    assert ours.stat(remote=f"{folder}/a") is None


def test_nothing_there_is_told_apart_from_an_error(ours, folder):
    assert ours.stat(remote=f"{folder}/nothing") is None
    assert ours.delete(remote=f"{folder}/nothing") is False
    with pytest.raises(ClientError, match="no such file"):
        ours.ls(remote=f"{folder}/nothing")
    with pytest.raises(ClientError, match=f"reading {folder}/nothing"):
        ours.get(remote=f"{folder}/nothing", local="/dev/null")


def test_another_users_file_is_out_of_reach(cluster, folder, local):
    owner, stranger = start_client(cluster), start_client(cluster, HADOOP_USER_NAME="stranger")
    try:
        owner.put(local=local(b"mine"), remote=f"{folder}/file")
        owner.chmod(remote=f"{folder}/file", mode=0o600)
        with pytest.raises(ClientError, match="[Pp]ermission denied.*HADOOP_USER_NAME"):
            stranger.get(remote=f"{folder}/file", local="/dev/null")
        with pytest.raises(ClientError, match="[Pp]ermission denied"):
            stranger.put(local=local(b"x"), remote=f"{folder}/other")
    finally:
        owner.stop()
        stranger.stop()


def test_a_file_that_is_being_written_cannot_be_appended_to(cluster, ours, folder, local):
    cluster.client.hold(local=local(b"x"), remote=f"{folder}/file")
    with pytest.raises(ClientError, match="another client is writing the file"):
        ours.append(local=local(b"y"), remote=f"{folder}/file")
    cluster.client.release(remote=f"{folder}/file")
