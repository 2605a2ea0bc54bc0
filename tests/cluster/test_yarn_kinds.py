"""The same jobs on every kind of cluster that is supported: releases of Hadoop, with Kerberos and without."""

import pytest

from hdfs_files import eventually
from installed import EXAMPLES, accuracy, mnist, python_of
from shared import YARN
from yarn_shell import SMALL, job_id, jobs_on

# A first run may install MXNet.
pytestmark = [pytest.mark.timeout(900), pytest.mark.on_cluster(*YARN, "of another kind")]


@pytest.fixture
def kind(kind):
    """The one that differs most from what the other tests run on, unless another was asked for: `make test-kinds` asks for each."""
    return kind or ("--version", "3.3.6", "--secure")


@pytest.fixture
def jobs(clusters, kind, tmp_path):
    jobs = jobs_on(clusters(*YARN, *kind), tmp_path)
    eventually(lambda: "3 of 3 nodes run" in jobs.start("doctor").communicate()[0], "three nodes", 120)  # a node is known before it is well
    return jobs


def test_jobs_run_and_leave_their_results(jobs):
    out, err = jobs.run("run", "--n", "2", *SMALL, "--", "sh", "-c", 'test -s "$HADOOP_TOKEN_FILE_LOCATION"; echo $? > model; echo from $YDL_INDEX')
    assert "[worker:0] from 0" in out and "[worker:1] from 1" in out
    assert jobs.run("results", "get", job_id(err), "--to", "here")[0] == ""
    assert (jobs.work / "here/worker-1/model").read_text() == "0\n"
    assert jobs.run("doctor")[0].count("broken") == 0


def test_mxnet_trains(jobs):
    out, _ = jobs.mx("--n", 2, "--python", python_of("mxnet"), "--file", f"{mnist()}=data", "train_mnist.py", "--kv-store", "dist_sync",
                     "--data-dir", "data", "--samples", 20_000, "--num-epochs", 2, folder=EXAMPLES / "mxnet", timeout=400)  # fmt: skip
    assert accuracy(out) > 0.9, out
