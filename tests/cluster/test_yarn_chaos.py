"""Five schedules of `make chaos` that are carried out each time. tests/chaos has what they are made of, and draws many more."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hdfs_files import eventually
from people import needs_network
from programs import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests/chaos"))

from checks import Checks  # noqa: E402
from faults import heal  # noqa: E402
from hosts import options  # noqa: E402
from run import Run  # noqa: E402
from schedule import WORKER, Fault, Schedule  # noqa: E402

CHAOS_YARN = options()
pytestmark = [needs_network, pytest.mark.timeout(600), pytest.mark.on_cluster(*CHAOS_YARN)]


def fault(action, target, after, seconds=0.0, pick=0, way=""):
    return Fault(action, target, "running", after, seconds, pick, way)


HOST_LOST = Schedule(1, "mxnet-async", (fault("kill", "host", 5, 12, WORKER),))
SCHEDULES = {
    "the master is killed": Schedule(2, "mxnet-sync", (fault("kill", "master", 4),)),
    "the ResourceManager and the master are killed": Schedule(3, "pytorch", (fault("kill", "resourcemanager", 4, 5), fault("kill", "master", 5))),
    "a task is killed while the NameNode is away": Schedule(4, "mxnet-sync", (fault("kill", "namenode", 3, 15), fault("kill", "task", 6))),
    "a host is silent for a while": Schedule(5, "tensorflow-mirrored", (fault("cut", "host", 5, 15, WORKER, "out"),)),
}


@pytest.fixture(scope="module")
def cluster(clusters):
    return clusters(*CHAOS_YARN)


@pytest.fixture(scope="module")
def lost_host(cluster, tmp_path_factory):
    """A training that loses a host. The two minutes until its task may run elsewhere are spent with the other schedules."""
    run = Run(HOST_LOST, cluster, tmp_path_factory.mktemp("lost-host"))
    with ThreadPoolExecutor(1) as thread:
        ending = thread.submit(run.play)
        eventually(lambda: ending.done() or run.seen.hits and run.seen.hits[0].mended, "the host is lost and back", 200)
        heal(cluster)
        yield run, ending


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_training_ends_as_it_should_although(cluster, lost_host, tmp_path, name):
    run = Run(SCHEDULES[name], cluster, tmp_path)
    try:
        seen = run.play()
    finally:
        heal(cluster)
    assert len(seen.hits) == len(SCHEDULES[name].faults), "the training was over before"
    assert Checks(run).problems() == []


def test_a_training_ends_as_it_should_although_the_host_of_a_worker_is_lost(lost_host):
    run, ending = lost_host
    seen = ending.result()
    assert len(seen.hits) == 1, "the training was over before"
    checks = Checks(run)
    assert checks.problems() == []
    assert "host_lost" in {event.get("cause") for event in checks.events()}
