"""libhdfs.so of ydl against real HDFS: every function, threads and forks, and what fails in the middle."""

import errno
import functools
import os
import subprocess
import uuid

import pytest
from hdfs_files import BLOCK, datanodes_of, eventually
from libhdfs import Refused, Shell, compile_program, environment_of, helpers, install, sockets_of, unix_socket_names
from settings import SECURE

HA = ("--nodes", "1", "--ha")
FOUR = ("--nodes", "4", "--set", "dfs.client.socket-timeout=8000", "--set", "dfs.heartbeat.interval=1")


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    return install(tmp_path_factory.mktemp("libhdfs"))


@pytest.fixture(scope="session")
def program(library, tmp_path_factory):
    """A program of tests/libhdfs by its name, compiled once."""
    folder = tmp_path_factory.mktemp("programs")
    return functools.cache(lambda name: compile_program(name, library, folder))


def environment(cluster):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HADOOP", "YDL_HDFS"))}
    return {**kept, **cluster.variables, "YDL_TEST_SHELL": uuid.uuid4().hex}


def run(program, cluster, *words):
    done = subprocess.run([program, *map(str, words)], env=environment(cluster), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture
def shell_on(program):
    shells = []

    def start(cluster):
        shells.append(Shell(program("shell"), environment(cluster)))
        return shells[-1]

    yield start
    for shell in shells:
        shell.kill()


def helper_of(shell):
    """The helper of one program: both have its mark in their environments."""
    mark = environment_of(shell.pid)["YDL_TEST_SHELL"]
    return [pid for pid in helpers() if environment_of(pid).get("YDL_TEST_SHELL") == mark]


def test_every_function(cluster, program, folder):
    cluster.client.mkdirs(remote=folder)
    run(program("calls"), cluster, folder)


@pytest.mark.parametrize("setting", [SECURE[2]], ids=lambda setting: setting.name)
def test_every_function_with_kerberos(guarded, program, folder, setting):
    guarded.client.mkdirs(remote=folder)
    run(program("calls"), guarded, folder)


@pytest.mark.on_cluster(*HA)
def test_every_function_with_two_namenodes(clusters, program, folder):
    cluster = clusters(*HA)
    cluster.client.mkdirs(remote=folder)
    run(program("calls"), cluster, folder)


def test_threads_and_forks(cluster, program, folder):
    cluster.client.mkdirs(remote=folder)
    run(program("stress"), cluster, folder, 8, 4)


def test_the_calls_of_dmlc_core(cluster, program, folder):
    cluster.client.mkdirs(remote=folder)
    run(program("dmlc"), cluster, folder)


def test_without_a_configuration_it_says_where_it_looked(program, tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HADOOP", "YDL_HDFS"))}
    done = subprocess.run([program("dmlc"), "/x"], env={**kept, "HADOOP_CONF_DIR": str(tmp_path)}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "no Hadoop configuration was found" in done.stderr and str(tmp_path) in done.stderr


def test_no_other_program_can_connect(cluster, shell_on):
    """The sockets have no name: there is nothing that another user, or the task of another job, could connect to."""
    shell = shell_on(cluster)
    assert shell("exists", "/") == "0"
    (helper,) = helper_of(shell)
    inodes = {name.removeprefix("socket:[").removesuffix("]") for name in sockets_of(helper) | sockets_of(shell.pid)}
    assert inodes and not inodes & unix_socket_names().keys()


def test_the_helper_ends_with_its_program(cluster, shell_on):
    for end in (Shell.stop, Shell.kill):
        shell = shell_on(cluster)
        (helper,) = helper_of(shell)
        end(shell)
        eventually(lambda gone=helper: gone not in helpers(), "the end of the helper")


def test_a_program_that_is_killed_leaves_a_file_that_others_can_append_to(cluster, shell_on, folder):
    cluster.client.mkdirs(remote=folder)
    shell, other = shell_on(cluster), shell_on(cluster)
    file = shell("open", "W", f"{folder}/file")
    shell("write", file, 3000)
    shell("hflush", file)
    shell.kill()

    def appended():
        try:
            return other("open", "A", f"{folder}/file")
        except Refused as refused:
            assert refused.errno == errno.EBUSY
            return None

    file = eventually(appended, "the end of the lease")
    other("write", file, 10)
    other("close", file)
    read = other("open", "R", f"{folder}/file")
    assert other("pread", read, 0, 5000) == "3010"


def test_when_the_helper_is_killed_readers_go_on_and_writers_are_told(cluster, shell_on, folder):
    cluster.client.mkdirs(remote=folder)
    shell = shell_on(cluster)
    file = shell("open", "W", f"{folder}/read")
    shell("write", file, 3 * BLOCK)
    shell("close", file)
    read, write = shell("open", "R", f"{folder}/read"), shell("open", "W", f"{folder}/written")
    shell("read", read, 1000)
    shell("write", write, 10)
    (helper,) = helper_of(shell)
    os.kill(helper, 9)
    eventually(lambda: helper not in helpers(), "the end of the helper")
    assert shell("read", read, 3 * BLOCK) == str(3 * BLOCK - 1000)
    with pytest.raises(Refused) as refused:
        shell("hflush", write)
    assert refused.value.errno == errno.EIO
    with pytest.raises(Refused):
        shell("close", write)
    assert shell("exists", "/") == "0"


def test_a_file_that_is_written_is_read_up_to_its_last_flush(cluster, shell_on, folder):
    cluster.client.mkdirs(remote=folder)
    shell = shell_on(cluster)
    write = shell("open", "W", f"{folder}/events")
    shell("write", write, 1000)
    shell("hflush", write)
    read = shell("open", "R", f"{folder}/events")
    assert shell("pread", read, 0, 5000) == "1000"
    assert shell("pread", read, 1000, 10) == "0"  # tensorflow-io opens the file again now
    shell("write", write, 500)
    shell("hflush", write)
    again = shell("open", "R", f"{folder}/events")
    assert shell("pread", again, 1000, 5000) == "500"


def test_a_full_quota_is_edquot_and_the_message_has_the_folder(cluster, shell_on, folder):
    cluster.client.mkdirs(remote=folder)
    cluster.client.quota(remote=folder, space=1000)
    shell = shell_on(cluster)
    file = shell("open", "W", f"{folder}/file")
    with pytest.raises(Refused) as refused:
        shell("write", file, 1 << 20)
        shell("close", file)
    assert refused.value.errno == errno.EDQUOT and folder in refused.value.message
    cluster.client.quota(remote=folder, space=-1)


def test_safe_mode_is_erofs(cluster, shell_on, folder):
    shell = shell_on(cluster)
    cluster.client("safe-mode", enter=True)
    try:
        with pytest.raises(Refused) as refused:
            shell("mkdir", f"{folder}/d")
        assert refused.value.errno == errno.EROFS
    finally:
        cluster.client("safe-mode", enter=False)


@pytest.mark.on_cluster(*FOUR)
def test_a_datanode_dies_while_a_file_is_written_and_read(clusters, shell_on, folder):
    cluster = clusters(*FOUR)
    cluster.client.mkdirs(remote=folder)
    shell = shell_on(cluster)
    file = shell("open", "W", f"{folder}/file")
    shell("write", file, BLOCK)
    shell("hflush", file)
    victim = sorted(datanodes_of(cluster, f"{folder}/file"))[0]
    cluster.run("kill", victim)
    try:
        shell("write", file, 40 * BLOCK)
        shell("close", file)
        read = shell("open", "R", f"{folder}/file")
        shell("read", read, BLOCK)
        second = sorted(datanodes_of(cluster, f"{folder}/file"))[0]
        cluster.run("kill", second)
        try:
            assert shell("read", read, 50 * BLOCK) == str(40 * BLOCK)
        finally:
            cluster.run("start", second)
    finally:
        cluster.run("start", victim)


@pytest.mark.on_cluster(*HA)
def test_the_other_namenode_takes_over(clusters, shell_on, folder):
    cluster = clusters(*HA)
    cluster.client.mkdirs(remote=folder)
    shell = shell_on(cluster)
    file = shell("open", "W", f"{folder}/file")
    shell("write", file, BLOCK)
    cluster.run("failover")
    shell("write", file, BLOCK)
    shell("close", file)
    read = shell("open", "R", f"{folder}/file")
    assert shell("read", read, 3 * BLOCK) == str(2 * BLOCK)


def test_the_library_runs_on_old_systems_and_exports_only_its_interface(library):
    """glibc 2.17 is that of CentOS 7, and of manylinux2014."""
    file = library / "lib/native/libhdfs.so"
    needed = subprocess.run(["readelf", "-W", "-d", file], capture_output=True, text=True, check=True).stdout
    assert {line.split("[")[1].rstrip("]") for line in needed.splitlines() if "(NEEDED)" in line} <= {"libc.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0"}
    symbols = subprocess.run(["nm", "-D", "--with-symbol-versions", file], capture_output=True, text=True, check=True).stdout.split()
    versions = {tuple(map(int, word.split("GLIBC_")[1].split("."))) for word in symbols if "GLIBC_" in word}
    assert versions and max(versions) <= (2, 17)
    exported = subprocess.run(["nm", "-D", "--defined-only", "-P", file], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0] for line in exported.splitlines()}
    assert all(name.startswith(("hdfs", "hadoop")) for name in names)
    of_tensorflow = """hdfsNewBuilder hdfsBuilderSetNameNode hdfsBuilderConnect hdfsConfGetStr hdfsOpenFile hdfsCloseFile hdfsPread hdfsWrite hdfsTell
        hdfsHFlush hdfsHSync hdfsExists hdfsListDirectory hdfsGetPathInfo hdfsFreeFileInfo hdfsDelete hdfsCreateDirectory hdfsRename""".split()
    of_pyarrow = """hdfsBuilderSetNameNodePort hdfsBuilderSetUserName hdfsBuilderSetKerbTicketCachePath hdfsBuilderSetForceNewInstance hdfsBuilderConfSetStr
        hdfsDisconnect hdfsGetCapacity hdfsGetUsed hdfsChown hdfsChmod hdfsFlush hdfsRead hdfsSeek""".split()
    assert names >= set(of_tensorflow) | set(of_pyarrow)

