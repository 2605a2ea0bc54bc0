"""ResourceManager and NameNode, which are often on one machine, are away for three minutes."""

import pytest
from checks import Checks
from cluster_lib.running import RunningCluster
from faults import heal
from hosts import options
from run import Run
from schedule import Fault, Schedule

AWAY = 180  # seconds: as long as a machine needs to start again


@pytest.fixture
def cluster():
    running = RunningCluster(*options())
    yield running
    running.stop()


@pytest.mark.timeout(0)
def test_masters_that_are_away_for_three_minutes_restart_no_task(cluster, tmp_path):
    away = Fault("kill", "masters", "running", after=10, seconds=AWAY, pick=0)
    run = Run(Schedule(0, "patient", (away,)), cluster, tmp_path, timeouts={})
    seen = run.play()
    heal(cluster)
    checks = Checks(run)
    assert checks.problems() == []
    assert [hit.what for hit in seen.hits] == ["the host of ResourceManager and NameNode"]
    events = checks.events()
    assert {event["attempt"] for event in events if event["kind"] == "task_running"} == {1}, events
    assert not [event for event in events if event["kind"] in ("task_lost", "task_failed", "job_restarting")], events
    for task in ("worker:0", "worker:1"):
        lines = run.jobs.run("logs", run.id, task)[0].splitlines()
        assert lines == [f"line {number + 1}" for number in range(len(lines))] and len(lines) > AWAY, "what was written meanwhile is on HDFS too"
