"""What goes wrong around a job on a real YARN cluster, and what becomes of the job."""

import os
import signal

import pytest
from cluster_lib import processes
from hdfs_files import eventually
from shared import SMALL_YARN, YARN
from yarn_shell import SMALL, jobs_on

pytestmark = pytest.mark.on_cluster(*YARN)


@pytest.fixture
def jobs(clusters, tmp_path):
    return jobs_on(clusters(*YARN), tmp_path)


class Gate:
    """A task stops at it until it is opened."""

    def __init__(self, path):
        self.path = path
        os.mkfifo(path)

    @property
    def task(self):
        return ("sh", "-c", f"echo at the gate; read line < {self.path}")

    def open(self):
        self.path.write_text("\n")


@pytest.fixture
def gate(tmp_path):
    return Gate(tmp_path / "gate")


@pytest.mark.on_cluster("--nodes", "1", "--yarn", "--ha")
def test_a_job_goes_on_when_the_other_resource_manager_takes_over(clusters, tmp_path, gate):
    jobs = jobs_on(clusters("--nodes", "1", "--yarn", "--ha"), tmp_path)
    running = jobs.start_and_see("at the gate", "run", *SMALL, "--", *gate.task)
    jobs.cluster.run("failover", "resourcemanager")
    gate.open()
    out, err = running.communicate(timeout=120)
    assert running.returncode == 0, out + err
    assert "succeeded" in jobs.run("ls")[0]


@pytest.fixture
def full(jobs, gate):
    """A job that has all hosts, but for a little that masters of others find room in."""
    holder = jobs.start_and_see("at the gate", "run", "--resource", "worker:memory=7g", "--n", 3, "--", *gate.task)
    yield holder
    holder.terminate()
    holder.communicate(timeout=60)


def test_a_gang_that_cannot_be_placed_names_the_missing_tasks_and_the_reason(jobs, full):
    out, _ = jobs.run("run", "--retries", 0, "--allocation-timeout", "4s", "--resource", "worker:memory=7g", "--n", 2, "--", "true", code=1)
    why = "2 of 2 tasks could not be placed within 4 s: worker:0 (queue default has allocated no container of 7 GiB, 1 vcore yet: it is full, or no host has enough free resources)"
    assert f"restarting all tasks: {why}" in out
    (end,) = [line for line in out.splitlines() if "failed after" in line]
    assert why in end


@pytest.mark.on_cluster(*SMALL_YARN)
def test_what_the_resource_manager_says_is_shown_while_masters_wait_for_each_other(clusters, tmp_path, gate):
    jobs = jobs_on(clusters(*SMALL_YARN), tmp_path)  # masters may have half of it, 4 GiB
    first = jobs.start_and_see("at the gate", "run", *SMALL, "--resource", "am:memory=3g", "--", *gate.task)
    second = jobs.start_and_see("Queue's AM resource limit exceeded", "run", *SMALL, "--resource", "am:memory=3g", "--", "true")
    gate.open()
    for process in (first, second):
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err


@pytest.mark.on_cluster(*SMALL_YARN)
def test_a_home_without_room_is_named_before_anything_is_submitted(clusters, tmp_path):
    jobs = jobs_on(clusters(*SMALL_YARN), tmp_path)
    jobs.run("fs", "mkdir", "-p", "/user/ann")
    jobs.cluster.client.quota(remote="/user/ann", space=1000)
    try:
        _, err = jobs.run("run", *SMALL, "--", "true", code=1)
    finally:
        jobs.cluster.client.quota(remote="/user/ann", space=-1)
    assert "The DiskSpace quota of /user/ann is exceeded" in err.splitlines()[-1], err
    assert "is application_" not in err
    jobs.run("run", *SMALL, "--", "true")


def test_safe_mode_is_named_before_anything_is_submitted(jobs):
    jobs.cluster.client("safe-mode", enter=True)
    try:
        _, err = jobs.run("run", *SMALL, "--", "true", code=1)
    finally:
        jobs.cluster.client("safe-mode", enter=False)
    assert "safe mode" in err.splitlines()[-1], err


def test_a_staged_file_that_changes_under_a_job_is_named(jobs, full):
    model = jobs.work / "model"
    model.write_text("one")
    waiting = jobs.start_and_see("worker:0 waiting: ", "run", "--retries", 0, "--resource", "worker:memory=7g", "--file", "model", "--", "cat", "model")
    listed, _ = jobs.run("fs", "ls", "-R", "/user/ann/.ydl/cache/sha256")
    staged = [line.split()[-1] for line in listed.splitlines() if line.startswith("-") and not line.endswith("/ydl")]
    for path in staged:
        jobs.run("fs", "rm", "--skip-trash", path)
        jobs.run("fs", "put", "model", path)
    assert staged
    full.terminate()
    out, err = waiting.communicate(timeout=60)
    assert waiting.returncode == 1, out + err
    (end,) = [line for line in out.splitlines() if "failed after" in line]
    assert "its files could not be downloaded to the host" in end and "changed on src filesystem" in end


@pytest.mark.on_cluster(*SMALL_YARN)
def test_a_master_that_is_killed_again_and_again_is_told_in_one_sentence(clusters, tmp_path, gate):
    """The ResourceManager starts it no more often than its configuration allows. Then the job ends, and nothing of it stays."""
    jobs = jobs_on(clusters(*SMALL_YARN), tmp_path)
    running = jobs.start_and_see("at the gate", "run", *SMALL, "--", *gate.task)
    containers = jobs.cluster.folder / "nodemanager1/local"
    killed = set()
    for _ in range(2):
        masters = lambda: {pid for pid in processes.containers_of(containers) if "\0__master\0" in processes.command_line(pid)} - killed
        (master,) = eventually(masters, "there is a master")
        os.kill(master, signal.SIGKILL)
        killed.add(master)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 1, out + err
    (end,) = [line for line in out.splitlines() if "failed after" in line]
    assert end.endswith("was ended by the cluster: the container of the application's master ended: it was killed by signal 9 (Container killed on request. Exit code is 137 | Killed by external signal)")
    assert "logs: hdfs://" in out
    eventually(lambda: not processes.containers_of(containers), "nothing is left on the node")


@pytest.mark.on_cluster("--nodes", "1", "--yarn", "late")
def test_a_nodemanager_that_refuses_is_named_with_its_words(clusters, tmp_path):
    """What it is shown is older than it may be, as when clocks differ."""
    jobs = jobs_on(clusters("--nodes", "1", "--yarn", "--set", "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms=1"), tmp_path)
    out, _ = jobs.run("run", "--am", "unmanaged", "--retries", 0, *SMALL, "--", "true", code=1)
    (end,) = [line for line in out.splitlines() if "failed after" in line]
    assert "the NodeManager on 127.0.0.2 did not start its container" in end
    assert "Unauthorized request to start container. (the clocks of the node and the ResourceManager differ, or the container was started too late)" in end
