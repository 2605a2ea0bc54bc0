"""Fixtures of the tests that use a real Hadoop cluster. See docs/test-cluster.md.

Daemons take seconds to start: clusters are started when a test first asks for them and kept for those that follow, a few at a time.
"""

import os
import subprocess
import time

import pytest
from hdfs_files import LocalFile, start_client
from programs import REPOSITORY  # noqa: F401 (test files import it from here)
from settings import RARE, RELEASES, SETTINGS
from shared import HDFS, strict_hdfs

from cluster_lib import jvm
from cluster_lib.running import RunningCluster

KEPT = 2  # a cluster of three hosts has about 800 MB


STARTED = pytest.StashKey()


class Clusters:
    """Clusters by their options, the longest unused one ended when there are too many."""

    def __init__(self, started):
        self._running = {}
        self._started = started

    def __call__(self, *options):
        cluster = self._running.pop(options, None)
        if cluster is None:
            if len(self._running) >= KEPT:
                self._running.pop(next(iter(self._running))).stop()
            began = time.monotonic()
            cluster = RunningCluster(*options)
            self._started.append((time.monotonic() - began, options))
        self._running[options] = cluster
        return cluster

    def stop(self):
        for cluster in self._running.values():
            cluster.stop()


def setting_of(item):
    return item.callspec.params["setting"] if "setting" in getattr(item, "fixturenames", ()) else None


def cluster_of(item):
    """The options of the cluster that a test uses, as far as that can be seen before it runs."""
    if setting := setting_of(item):
        return setting.options
    fixtures = getattr(item, "fixturenames", ())
    if "strict" in fixtures:
        return ("strict",)
    if marker := item.get_closest_marker("on_cluster"):
        return marker.args
    return HDFS if "cluster" in fixtures else ()


def pytest_collection_modifyitems(config, items):
    """Tests of one cluster follow each other, whichever file they are in: each is then started once."""
    if not config.getoption("--rare", default=False):
        rare = [item for item in items if setting_of(item) in RARE or item.get_closest_marker("rare")]
        items[:] = [item for item in items if item not in rare]
        config.hook.pytest_deselected(items=rare)
    order = list(dict.fromkeys(map(cluster_of, items)))
    items.sort(key=lambda item: (order.index(cluster_of(item)), SETTINGS.index(setting_of(item)) if setting_of(item) else -1))


def pytest_configure(config):
    config.addinivalue_line("markers", "on_cluster(*options): which cluster the test uses, so that those that use the same one follow each other")
    config.addinivalue_line("markers", "rare: what `make test` leaves to `make test-kinds` (--rare)")
    config.stash[STARTED] = []


def pytest_terminal_summary(terminalreporter, config):
    """Which clusters the tests started, in their order: one that stands here twice was ended too early."""
    started = config.stash[STARTED]
    if started:
        terminalreporter.write_sep("=", f"{len(started)} clusters started in {sum(seconds for seconds, _ in started):.0f} s")
        for seconds, options in started:
            terminalreporter.write_line(f"{seconds:6.1f} s  {' '.join(options)}")


def pytest_addoption(parser):
    parser.addoption("--kind", default="", help="the cluster of the examples, as options of `testing/cluster up`: --kind='--version 3.3.6 --secure'")
    parser.addoption("--rare", action="store_true", help="also what `make test` leaves to `make test-kinds`")


@pytest.fixture(scope="session")
def kind(request):
    """The kind of cluster that was asked for. Without: Hadoop 3.4.1, no Kerberos."""
    return tuple(request.config.getoption("--kind", default="").split())


@pytest.fixture(scope="session")
def clusters(pytestconfig):
    """A cluster with options of `testing/cluster up`: clusters("--nodes", "3", "--secure"). Tests share it and leave it whole."""
    kept = Clusters(pytestconfig.stash[STARTED])
    yield kept
    kept.stop()


@pytest.fixture
def cluster(clusters):
    """The plain cluster that most tests share: Hadoop 3.4.1, three hosts."""
    return clusters(*HDFS)


@pytest.fixture
def strict(clusters, tmp_path_factory):
    """A cluster of one host with limits and extras."""
    store = tmp_path_factory.getbasetemp() / "keys.jceks"
    provider = f"jceks://file@{store}"
    if not store.exists():
        subprocess.run(jvm.command(jvm.CLIENT, "org.apache.hadoop.crypto.key.KeyShell", ["create", "zone", "-provider", provider]), check=True,
                       env={**os.environ, **jvm.environment(RELEASES[0], [])}, capture_output=True)
    return clusters(*strict_hdfs(provider))


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
