"""Many schedules, one after the other. `make chaos SCHEDULES=1 SEED=17` repeats one."""

import shutil
from contextlib import suppress

import pytest
from checks import Checks
from cluster_lib.running import RunningCluster
from faults import heal, small_disks
from hosts import options
from report import Report, describe
from run import Run
from schedule import draw
from trainings import TRAININGS

DISK = 700  # MiB of a NodeManager: ydl, and what trainings write


class Clusters:
    """One at a time; a new one for other options, and after a schedule that failed."""

    def __init__(self):
        self._running = self._recovery = None

    def __call__(self, node_recovery):
        if self._running is None or self._recovery != node_recovery:
            self.stop()
            self._running, self._recovery = RunningCluster(*options(node_recovery)), node_recovery
            small_disks(self._running, DISK)
        return self._running

    def stop(self):
        if self._running:
            self._running.stop()
        self._running = None


@pytest.fixture
def clusters():
    made = Clusters()
    yield made
    made.stop()


def keep(run, folder):
    """Everything that explains a failure."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(run.folder, folder, ignore=shutil.ignore_patterns("cache"))
    with suppress(OSError, AssertionError):
        run.jobs.run("fs", "get", run.remote, folder / "hdfs")
    for log in run.cluster.folder.glob("*/log"):
        shutil.copy(log, folder / f"{log.parent.name}.log")
    for logs in run.cluster.folder.glob(f"nodemanager*/logs/{run.application or 'none'}"):
        shutil.copytree(logs, folder / "containers" / logs.parents[1].name)
    return folder


def play(schedule, cluster, folder, kept, longer):
    run = Run(schedule, cluster, folder, times=longer)
    seen = run.play()
    heal(cluster)
    checks = Checks(run)
    problems = checks.problems()
    events = checks.events() if run.application else []
    where = keep(run, kept / f"seed-{schedule.seed}") if problems else None
    return seen, events, problems, describe(schedule, seen, events, problems, where)


@pytest.mark.timeout(0)
def test_every_training_ends_as_it_should_whatever_happens_around_it(own_mounts, clusters, kept, tmp_path, request):
    first, count = request.config.getoption("--seed"), request.config.getoption("--schedules")
    for training in TRAININGS.values():
        training.command(tmp_path)  # what has to be installed or fetched is there before anything is measured
    report = Report()
    for seed in range(first, first + count):
        schedule = draw(seed)
        folder = tmp_path / f"seed-{seed}"
        folder.mkdir()
        seen, events, problems, told = play(schedule, clusters(schedule.node_recovery), folder, kept, request.config.getoption("--longer"))
        report.schedules += 1
        report.add(seen, events)
        print(told, flush=True)
        if problems:
            report.failed.append(seed)
            clusters.stop()
    print("\n".join(report.lines()), flush=True)
    assert not report.failed, f"make chaos SCHEDULES=1 SEED=N repeats one of the seeds {report.failed}; what they left is in {kept}"
