"""The Python package on a real YARN cluster: functions, their values, metrics and exceptions, from HDFS."""

import sys

import pytest

from programs import REPOSITORY
from shared import YARN
from yarn_shell import jobs_on

sys.path.append(str(REPOSITORY / "tests/python"))

from projects import Project, build_wheels, environment, install  # noqa: E402

pytestmark = [pytest.mark.timeout(300), pytest.mark.on_cluster(*YARN)]


@pytest.fixture
def project(clusters, kind, tmp_path, tmp_path_factory):
    installed = install(build_wheels(tmp_path_factory.mktemp("dist")), tmp_path_factory.mktemp("installed"))
    project = Project(tmp_path, installed, environment("notebook") / "bin/python")
    project.env |= jobs_on(clusters(*YARN, *kind), tmp_path).environment
    return project


def test_functions_run_in_containers_and_their_values_come_back(project):
    project.write("wine.py", "RED = 5\n")
    project.write("data.csv", "alcohol\n9.4\n")
    out = project.ok("""
        import os, ydl, wine

        def train(scale):
            index = int(os.environ["YDL_INDEX"])
            ydl.report(step=1, steps=2, loss=0.5)
            if scale == 0 and index == 1:
                return {"alcohol": 1}["alcohool"]
            return index, wine.RED * scale, open("input/data.csv").read().split()

        options = {"roles": {"worker": ydl.Role(2, memory="256m")}, "files": {"input/data.csv": "data.csv"}, "cluster": "yarn", "retries": 0}
        job = ydl.run(train, (2,), **options)
        print("RESULTS", dict(job.results))
        print("METRICS", job.metrics)
        print("STATUS", job.status.cluster, job.status)
        try:
            ydl.run(train, (0,), **options)
        except ydl.JobFailed as error:
            print("FAILED", error)
            print("CAUSE", repr(error.__cause__))
    """)  # fmt: skip
    assert "RESULTS {'worker:0': (0, 10, ['alcohol', '9.4']), 'worker:1': (1, 10, ['alcohol', '9.4'])}" in out
    assert "METRICS {'worker:0': [{'step': 1, 'loss': 0.5}], 'worker:1': [{'step': 1, 'loss': 0.5}]}" in out
    assert "STATUS yarn succeeded" in out
    failure = out.split("FAILED ")[1]
    assert "worker:1 on " in failure and "failed first: KeyError: 'alcohool'" in failure
    assert 'File "script.py", line' in failure and "log: hdfs://" in failure and "CAUSE KeyError('alcohool')" in failure
