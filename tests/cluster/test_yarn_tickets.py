"""A client of a secure YARN cluster whose Kerberos ticket has ended, before it submits a job or while it follows one."""

import os
import signal
import subprocess

import pytest
from hdfs_files import eventually
from shared import SECURE_YARN
from yarn_shell import SMALL, jobs_on
from ydl_fs import log_in

from cluster_lib import processes

pytestmark = [pytest.mark.timeout(180), pytest.mark.on_cluster(*SECURE_YARN)]
LIMIT = 120  # of a client on a busy machine; one that hangs does so for ever


@pytest.fixture
def jobs(clusters, tmp_path):
    """A user with a ticket of their own, whose connections do not outlive it for long."""
    jobs = jobs_on(clusters(*SECURE_YARN), tmp_path)
    jobs.environment.update(jobs.cluster.view({"ipc.client.connection.maxidletime": 100}).variables)
    jobs.cache = tmp_path / "ticket-cache"
    jobs.environment.update(log_in(jobs.cluster, jobs.cache, user="root"))
    return jobs


def end_ticket(jobs):
    """The shortest ticket that there is takes the place of the user's, and its time passes."""
    log_in(jobs.cluster, jobs.cache, "-l", "1s", user="root")
    eventually(lambda: subprocess.run(["klist", "-s"], env={**os.environ, **jobs.environment, "PATH": os.environ["PATH"]}).returncode != 0, "the ticket ends")


def start_job(jobs, gate):
    """A job that runs until the gate is there, with its client in the foreground."""
    return jobs.start_and_see("it runs", "run", *SMALL, "--", "sh", "-c", f"echo it runs; until test -e {gate}; do sleep 0.1; done; echo it ends")


@pytest.mark.parametrize("words", [
    ("run", *SMALL, "--", "true"), ("fs", "ls", "/"), ("status", "application_1700000000000_0001"), ("kill", "application_1700000000000_0001"),
], ids=lambda words: words[0])  # fmt: skip
def test_a_ticket_that_has_ended_is_one_sentence_with_the_remedy(jobs, words):
    end_ticket(jobs)
    out, err = jobs.run(*words, code=1, timeout=LIMIT)
    last = err.splitlines()[-1]
    assert f"the Kerberos ticket of root@YDL.TEST in FILE:{jobs.cache} expired at " in last and "run kinit" in last, out + err
    assert "is application_" not in err


def test_a_client_whose_ticket_ends_reports_it_and_the_end_of_the_job(jobs, tmp_path):
    process = start_job(jobs, tmp_path / "gate")
    try:
        end_ticket(jobs)
        said = next(line for line in process.stdout if "expired at" in line)
        (tmp_path / "gate").touch()
        out, err = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert "run kinit" in said
    assert process.returncode == 0, out + err
    assert "succeeded" in out, out + err


def test_a_client_whose_ticket_ends_does_not_wait_for_a_master_that_is_gone(jobs, tmp_path):
    process = start_job(jobs, tmp_path / "gate")
    try:
        end_ticket(jobs)
        containers = jobs.cluster.folder / "nodemanager1/local"
        (master,) = [pid for pid in processes.containers_of(containers) if "\0__master\0" in processes.command_line(pid)]
        os.kill(master, signal.SIGKILL)
        out, err = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
        (tmp_path / "gate").touch()
    assert process.returncode == 1, out + err
    assert "cannot be followed any longer: " in err and "when you have logged in again (kinit)" in err, out + err
