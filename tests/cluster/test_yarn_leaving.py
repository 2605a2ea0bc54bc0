"""The client of a job on a YARN cluster goes: by Ctrl-C, with its terminal, with the master that runs beside it."""

import json
import os
import pty
import re
import signal

import pexpect
import pytest
from hdfs_files import eventually
from shared import YARN
from yarn_shell import SMALL, YDL, Jobs, jobs_on

pytestmark = pytest.mark.on_cluster(*YARN)

LIMIT = 60


@pytest.fixture
def jobs(clusters, tmp_path):
    return jobs_on(clusters(*YARN), tmp_path)


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
    while b"the task started" not in seen and not re.search(rb"worker:0\S*\s+\S*running", seen):
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


@pytest.fixture
def unreachable(jobs, tmp_path, tmp_path_factory):
    """A job that runs, seen from a machine that cannot reach its master's port."""
    out, _ = jobs.run("run", "--detach", *SMALL, "--", "sh", "-c", "echo at work; exec sleep 600")
    job = out.strip()
    jobs.wait_for(job, "job_running")
    remote = f"{jobs.root}/{job}/master.json"
    eventually(lambda: "port" in jobs.run("fs", "cat", remote)[0], "the master has said where it is")
    endpoint = json.loads(jobs.run("fs", "cat", remote)[0])
    (tmp_path / "master.json").write_text(json.dumps({**endpoint, "port": 1}))
    jobs.run("fs", "rm", remote)
    jobs.run("fs", "put", tmp_path / "master.json", remote)
    elsewhere = Jobs(jobs.cluster, tmp_path_factory.mktemp("elsewhere"), jobs.user)
    yield elsewhere, job
    jobs.start("kill", job).communicate(timeout=60)


def test_a_master_that_cannot_be_reached_is_known_from_hdfs_and_the_resource_manager(unreachable):
    elsewhere, job = unreachable
    eventually(lambda: state_of(elsewhere, job) == "running", "the master has written how it stands")
    out, _ = elsewhere.run("status", job)
    assert "its master cannot be reached from here: this is what it last wrote to HDFS" in out, out
    assert out.splitlines()[-1].split()[:2] == ["worker:0", "running"], out
    eventually(lambda: elsewhere.run("logs", job)[0] == "[worker:0] at work\n", "the log is on HDFS")
    following = elsewhere.start("logs", "-f", job)
    assert following.stdout.readline() == "[worker:0] at work\n"
    out, err = elsewhere.run("kill", job)
    assert following.wait(timeout=LIMIT) is not None
    following.communicate()
    assert "stopped" in out, out + err
    assert state_of(elsewhere, job) == "stopped"
