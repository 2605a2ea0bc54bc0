"""The fixture itself: a cluster that tests can rely on."""

import os
import select
import subprocess
import tempfile
from pathlib import Path

import pytest

from cluster_lib import jvm
from cluster_lib.running import PROGRAM, ClientError
from settings import RELEASES, secure


def test_the_java_client_reads_back_what_it_wrote(cluster, folder, tmp_path):
    content = bytes(range(256)) * 5000
    (tmp_path / "out").write_bytes(content)
    written = cluster.client.put(local=tmp_path / "out", remote=f"{folder}/file", block_size=1 << 20)
    assert (written["length"], written["replication"], written["block_size"]) == (len(content), 3, 1 << 20)

    cluster.client.get(remote=f"{folder}/file", local=tmp_path / "in")
    assert (tmp_path / "in").read_bytes() == content


def test_another_program_sees_the_same_file_system(cluster, folder):
    cluster.client.mkdirs(remote=folder)
    assert folder in cluster.run("java", "org.apache.hadoop.fs.FsShell", "-ls", "/")


def test_an_error_of_hadoop_keeps_its_class(cluster, folder):
    with pytest.raises(ClientError) as error:
        cluster.client.stat(remote=f"{folder}/nothing")
    assert error.value.kind == "FileNotFoundException"


def test_a_flushed_file_is_visible_while_it_is_being_written(cluster, folder, tmp_path):
    (tmp_path / "part").write_bytes(b"x" * 1000)
    cluster.client.hold(local=tmp_path / "part", remote=f"{folder}/open")
    cluster.client.get(remote=f"{folder}/open", local=tmp_path / "seen")
    cluster.client.release(remote=f"{folder}/open")
    assert (tmp_path / "seen").read_bytes() == b"x" * 1000


def test_a_killed_host_comes_back(cluster):
    cluster.run("kill-host", "2")
    gone = cluster.run("status")
    cluster.run("start-host", "2")
    back = cluster.run("status")
    assert "not running" in gone and "not running" not in back


@pytest.mark.on_cluster("--nodes", "1", "--ha")
def test_the_file_system_goes_on_when_the_active_namenode_is_killed(clusters, folder):
    cluster = clusters("--nodes", "1", "--ha")
    cluster.client.mkdirs(remote=folder)
    active = next(line.split()[0] for line in cluster.run("status").splitlines() if line.endswith("active"))
    cluster.run("kill", active)
    taken_over = cluster.run("failover")
    assert active not in taken_over
    assert cluster.client.stat(remote=folder)["directory"]
    cluster.run("start", active)


@pytest.mark.on_cluster(*secure(RELEASES[0]))
def test_a_secure_cluster_requires_a_ticket(clusters):
    cluster = clusters(*secure(RELEASES[0]))
    environment = {**os.environ, **cluster.variables, "KRB5CCNAME": "/nowhere/ticket-cache"}
    done = subprocess.run([PROGRAM, "java", "org.apache.hadoop.fs.FsShell", "-ls", "/"], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Client cannot authenticate via:[TOKEN, KERBEROS]" in done.stderr
    assert cluster.client.stat(remote="/")["directory"]


def test_nothing_outlives_a_starter_that_is_killed(tmp_path):
    starter = subprocess.Popen([PROGRAM, "up", "--foreground", "--nodes", "1", "--secure", "--dir", tmp_path / "c"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    assert starter.stdout.readline().startswith("Ready")
    # A daemon that another process has started ends with the same process.
    subprocess.run([PROGRAM, "restart", "--dir", tmp_path / "c", "datanode1"], check=True)
    daemons = [int(file.read_text().split()[0]) for file in (tmp_path / "c").glob("*/pid")]
    watched = [os.pidfd_open(pid) for pid in daemons]
    starter.kill()
    starter.communicate()
    for process in watched:
        ended, _, _ = select.select([process], [], [], 30)
        assert ended, "a daemon is still there 30 s after its starter was killed"
        os.close(process)
    assert len(watched) == 3


def test_a_daemon_that_does_not_come_up_is_named_with_the_end_of_its_log(tmp_path):
    done = subprocess.run([PROGRAM, "up", "--nodes", "1", "--dir", tmp_path / "c", "--set", "dfs.datanode.data.dir=/proc/nowhere"],
                          capture_output=True, text=True)
    assert done.returncode == 1
    assert "datanode1 has ended before the cluster was up" in done.stderr
    assert "/proc/nowhere" in done.stderr


def test_a_folder_in_use_is_refused(cluster):
    done = subprocess.run([PROGRAM, "up", "--dir", cluster.folder], capture_output=True, text=True)
    assert done.returncode == 1
    assert "is not empty" in done.stderr


def test_classes_are_kept_on_another_file_system_than_the_clusters(tmp_path):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as elsewhere:
        new, kept = Path(elsewhere) / "new.jsa", tmp_path / "kept.jsa"
        assert new.parent.stat().st_dev != kept.parent.stat().st_dev
        new.write_bytes(b"classes")
        jvm.keep_archive(new, kept)
        assert [file.name for file in tmp_path.iterdir()] == ["kept.jsa"]
        assert kept.read_bytes() == b"classes"
        jvm.keep_archive(new, kept)  # none was written
