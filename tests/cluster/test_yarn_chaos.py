"""Five schedules of `make chaos` that are carried out each time. tests/chaos has what they are made of, and draws many more."""

import sys

import pytest
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


SCHEDULES = {
    "the master is killed": Schedule(1, "mxnet-sync", (fault("kill", "master", 4),)),
    "the ResourceManager and the master are killed": Schedule(2, "pytorch", (fault("kill", "resourcemanager", 4, 5), fault("kill", "master", 5))),
    "the host of a worker is lost": Schedule(3, "mxnet-async", (fault("kill", "host", 5, 30, WORKER),)),
    "a task is killed while the NameNode is away": Schedule(4, "mxnet-sync", (fault("kill", "namenode", 3, 15), fault("kill", "task", 6))),
    "nobody hears a host for a while": Schedule(5, "tensorflow-mirrored", (fault("cut", "host", 5, 15, WORKER, "out"),)),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_training_comes_to_its_end_although(clusters, tmp_path, name):
    cluster = clusters(*CHAOS_YARN)
    run = Run(SCHEDULES[name], cluster, tmp_path)
    try:
        seen = run.play()
    finally:
        heal(cluster)
    assert len(seen.hits) == len(SCHEDULES[name].faults), "the training was over before"
    assert Checks(run).problems() == []
