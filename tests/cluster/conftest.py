"""Fixtures of the tests that use a real Hadoop cluster. See docs/test-cluster.md.

Daemons take seconds to start: clusters are started when a test first asks for them and kept for those that follow, a few at a time.
"""

import pytest
from hdfs_files import LocalFile, start_client
from programs import REPOSITORY  # noqa: F401 (test files import it from here)
from settings import SETTINGS

from cluster_lib.running import RunningCluster

KEPT = 2  # a cluster of three hosts has about 800 MB


class Clusters:
    """Clusters by their options, the longest unused one ended when there are too many."""

    def __init__(self):
        self._running = {}

    def __call__(self, *options):
        cluster = self._running.pop(options, None)
        if cluster is None:
            if len(self._running) >= KEPT:
                self._running.pop(next(iter(self._running))).stop()
            cluster = RunningCluster(*options)
        self._running[options] = cluster
        return cluster

    def stop(self):
        for cluster in self._running.values():
            cluster.stop()


def pytest_collection_modifyitems(items):
    """Tests of one setting follow each other, whichever file they are in: each cluster is then started once."""
    items.sort(key=lambda item: SETTINGS.index(item.callspec.params["setting"]) if "setting" in getattr(item, "fixturenames", ()) else -1)


def pytest_addoption(parser):
    parser.addoption("--kind", default="", help="the cluster of the examples, as options of `testing/cluster up`: --kind='--version 3.3.6 --secure'")


@pytest.fixture(scope="session")
def kind(request):
    """The kind of cluster that was asked for. Without: Hadoop 3.4.1, no Kerberos."""
    return tuple(request.config.getoption("--kind", default="").split())


@pytest.fixture(scope="session")
def clusters():
    """A cluster with options of `testing/cluster up`: clusters("--nodes", "3", "--secure"). Tests share it and leave it whole."""
    kept = Clusters()
    yield kept
    kept.stop()


@pytest.fixture
def cluster(clusters):
    """The plain cluster that most tests share: Hadoop 3.4.1, three hosts."""
    return clusters("--nodes", "3")


@pytest.fixture
def guarded(clusters, setting):
    """The cluster of a setting, as a client that has what it needs for it sees it."""
    return clusters(*setting.options).view(setting.client)


@pytest.fixture
def folder(request):
    """A folder of a test's own in HDFS."""
    return "/" + request.node.name.translate(str.maketrans("[]/ ", "____"))


@pytest.fixture
def local(tmp_path):
    return LocalFile(tmp_path)


@pytest.fixture
def ours(cluster):
    """Our client of the plain cluster."""
    client = start_client(cluster)
    yield client
    client.stop()
