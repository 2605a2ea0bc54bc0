"""Real trainings on a real YARN cluster that lose their master, the ResourceManager and a host. On Hadoop 3.3.6, and the rare ones: make test-kinds."""

import json
import time
from dataclasses import dataclass

import pytest
from cluster_lib import processes
from hdfs_files import eventually
from installed import EXAMPLES, accuracy, mnist, python_of
from masters import events, kill_master, masters_of, wait_until_known
from shared import YARN
from yarn_shell import YDL, jobs_on

# A first run may install the frameworks.
pytestmark = [pytest.mark.timeout(900), pytest.mark.on_cluster(*YARN)]


@dataclass(frozen=True)
class Training:
    """A job of the examples: what follows `ydl run` or `ydl-mx`."""

    folder: str
    words: tuple
    least: float  # accuracy of an undisturbed run
    containers: int
    decider: str = "worker:0"
    binary: str = "ydl"

    def start(self, jobs, *options):
        environment = python_of({"mxnet": "mxnet", "pytorch": "torch", "tensorflow": "tensorflow"}[self.folder])
        more = ("--python", environment, "--file", f"{mnist()}=data", *options)
        before, after = (self.words[: self.words.index("--")], self.words[self.words.index("--") + 1 :])
        words = [*before, *more, *([] if self.binary == "ydl-mx" else ["--"]), *after]
        run = [] if self.binary == "ydl-mx" else ["run"]
        return jobs.start(*run, *words, binary=YDL.with_name(self.binary), folder=EXAMPLES / self.folder)


def pytorch(epochs, samples=60_000):
    return Training("pytorch", ("--framework", "pytorch", "--n", 2, "--", "train_mnist.py", "--data-dir", "data", "--samples", samples, "--epochs", epochs),
                    0.9, 3)  # fmt: skip


def mxnet(store, epochs):
    return Training("mxnet", ("--n", 2, "--", "train_mnist.py", "--kv-store", store, "--data-dir", "data", "--num-epochs", epochs), 0.9, 5,
                    binary="ydl-mx")  # fmt: skip


def tensorflow(checkpoints, epochs):
    roles = ("--role=chief=1", "--role=worker=2", "--role=ps=1")
    return Training("tensorflow", ("--framework", "tensorflow", *roles, "--", "train_mnist_ps.py", "--data-dir", "data", "--model-dir", checkpoints,
                                   "--samples", 12_800, "--epochs", epochs), 0.88, 5, decider="chief:0")  # fmt: skip


@pytest.fixture
def jobs(clusters, kind, tmp_path):
    return jobs_on(clusters(*YARN, *kind), tmp_path)


def listed(jobs):
    """{job: state}"""
    return {line["job"]: line["state"] for line in map(json.loads, jobs.run("ls", "--output", "json")[0].splitlines())}


def wait_until_it_trains(jobs, training, running):
    """Until the deciding task has reported its progress. The job's id."""
    eventually(lambda: "running" in listed(jobs).values(), "the job runs", 300)
    (job,) = [job for job, state in listed(jobs).items() if state == "running"]

    def trains():
        assert running.poll() is None, running.communicate()
        tasks = json.loads(jobs.run("status", "--output", "json", job)[0])["tasks"]
        return any(task["task"] == training.decider and task["percent"] for task in tasks)

    eventually(trains, "the first progress", 300)
    return job


def kill_master_of(jobs, training, running):
    job = wait_until_it_trains(jobs, training, running)
    wait_until_known(jobs, training.containers)
    kill_master(jobs)
    return job


def goes_on_without_a_restart(jobs, training):
    running = training.start(jobs)
    job = kill_master_of(jobs, training, running)
    out, err = running.communicate(timeout=600)
    assert running.returncode == 0, out + err
    assert "has taken over" in out + err
    assert accuracy(out) > training.least, out
    started = [(event["task"], event["attempt"]) for event in events(jobs, job) if event["kind"] == "task_running"]
    assert len(started) == training.containers - 1 and {attempt for _, attempt in started} == {1}, started


def test_pytorch_trains_on_while_its_master_is_replaced(jobs):
    goes_on_without_a_restart(jobs, pytorch(1, 30_000))


def test_mxnet_dist_sync_trains_on_while_its_master_is_replaced(jobs):
    goes_on_without_a_restart(jobs, mxnet("dist_sync", 3))


@pytest.mark.rare
def test_mxnet_dist_async_trains_on_while_its_master_is_replaced(jobs):
    goes_on_without_a_restart(jobs, mxnet("dist_async", 3))


@pytest.mark.rare
def test_tensorflow_with_ps_trains_on_while_its_master_is_replaced(jobs):
    """Checkpoints lie on a disk that all hosts share: here one of this machine's."""
    goes_on_without_a_restart(jobs, tensorflow(jobs.work / "checkpoints", 3))


# ---- one fault after the other -----------------------------------------------------------------------------------


def host_of(event):
    return int(event["text"].rpartition(".")[2]) - 1  # 127.0.0.3 is host 2


def a_host_without_the_master(jobs, job):
    """One of a worker."""
    (master,) = masters_of(jobs)
    hosts = {host_of(event) for event in events(jobs, job) if event["kind"] == "task_placed" and event["task"].startswith("worker")}
    return next(host for host in hosts if master not in processes.containers_of(jobs.cluster.folder / f"nodemanager{host}/local"))


def note_of(jobs, job, text):
    return any(text in event["text"] for event in events(jobs, job))


@pytest.mark.rare
@pytest.mark.parametrize("training", [pytest.param(pytorch(10, 20_000), id="pytorch"), pytest.param(mxnet("dist_sync", 12), id="mxnet")])
def test_a_training_that_loses_its_master_the_resource_manager_and_a_host_ends_in_the_same_accuracy(jobs, training):
    spread = ("--resource", "worker:memory=5g")  # two hosts
    undisturbed = training.start(jobs, *spread)
    expected, err = undisturbed.communicate(timeout=600)
    assert undisturbed.returncode == 0, expected + err
    running = training.start(jobs, *spread)
    job = kill_master_of(jobs, training, running)
    eventually(lambda: note_of(jobs, job, "has taken over"), "another master")
    jobs.cluster.run("kill", "resourcemanager1")
    jobs.cluster.run("start", "resourcemanager1")
    eventually(lambda: saved(jobs, job), "a checkpoint", 120)
    host = a_host_without_the_master(jobs, job)
    assert running.poll() is None, "it is to lose a host, too"
    began = time.monotonic()
    jobs.cluster.run("kill-host", str(host))
    try:
        out, err = running.communicate(timeout=600)
    finally:
        jobs.cluster.run("start-host", str(host))
    assert running.returncode == 0, out + err
    attempts = {event["attempt"] for event in events(jobs, job) if event["kind"] == "task_running"}
    assert attempts == {1, 2}, f"it started again once, after {time.monotonic() - began:.0f} s: {attempts}"
    assert "resumed after epoch" in out or "goes on from" in out, out
    assert abs(accuracy(out) - accuracy(expected)) < 0.01, (accuracy(out), accuracy(expected))


def saved(jobs, job):
    """A task has a checkpoint on HDFS."""
    return " SAVED " in jobs.run("status", job)[0]
