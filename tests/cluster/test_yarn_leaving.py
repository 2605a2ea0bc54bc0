"""The client of a job on a YARN cluster goes: by Ctrl-C, with its terminal, with the master that runs beside it."""

import os
import pty
import re
import signal

import pexpect
import pytest
from hdfs_files import eventually
from yarn_shell import SMALL, YDL, jobs_on

LIMIT = 60


@pytest.fixture
def jobs(clusters, tmp_path):
    return jobs_on(clusters("--nodes", "3", "--yarn"), tmp_path)


@pytest.fixture
def terminal(jobs):
    """A job that runs on a terminal until it is stopped."""
    started = []

    def start(*options):
        words = ["run", *map(str, SMALL), *options, "--", "sleep", "600"]
        child = pexpect.spawn(str(YDL), words, cwd=jobs.work, env={**jobs.environment, "NO_COLOR": "1"}, dimensions=(24, 100), timeout=LIMIT, encoding="utf-8")
        started.append(child)
        child.expect(r"(\S+) is application_")
        child.job = child.match.group(1)
        child.expect(r"worker:0\S*\s+\S*running")
        return child

    yield start
    for child in started:
        child.close(force=True)


def exit_code(child):
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def state_of(jobs, job):
    return jobs.run("status", job)[0].split()[1]


def test_ctrl_c_leaves_the_job_running_when_that_is_the_answer(jobs, terminal):
    child = terminal()
    child.sendintr()
    child.expect(re.escape("Ctrl-C: [l]eave running, [s]top, [c]ontinue? "))
    child.send("l")
    assert exit_code(child) == 0
    assert state_of(jobs, child.job) == "running"
    jobs.run("kill", child.job)
    assert state_of(jobs, child.job) == "stopped"


def test_a_lost_terminal_leaves_the_job_running(jobs):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(jobs.work)
        os.execve(YDL, ["ydl", "run", *map(str, SMALL), "--", "sleep", "600"], jobs.environment)
    seen = b""
    while b"all 1 task started" not in seen and not re.search(rb"worker:0\S*\s+\S*running", seen):
        seen += os.read(terminal, 4096)
    job = re.search(rb"(\S+) is application_", seen).group(1).decode()
    os.close(terminal)  # the kernel sends SIGHUP
    os.waitpid(pid, 0)
    assert state_of(jobs, job) == "running"
    jobs.run("kill", job)


def test_with_a_master_beside_it_leaving_is_stopping_and_ctrl_c_says_so(jobs, terminal):
    child = terminal("--am", "unmanaged")
    child.sendintr()
    child.expect(re.escape("Ctrl-C: the job runs with this command; [s]top, [c]ontinue? "))
    child.send("ls")  # the one is no answer, the other is
    assert exit_code(child) == 130
    assert state_of(jobs, child.job) == "stopped"


def test_with_a_master_beside_it_a_lost_terminal_stops_the_job(jobs, terminal):
    child = terminal("--am", "unmanaged")
    child.kill(signal.SIGHUP)
    assert exit_code(child) == 130
    eventually(lambda: state_of(jobs, child.job) == "stopped", "the job is stopped")
