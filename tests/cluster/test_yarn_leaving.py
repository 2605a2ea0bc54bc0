"""The client of a job on a YARN cluster goes: by Ctrl-C, with its terminal, with the master that runs beside it."""

import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pexpect
import pytest
from hdfs_files import eventually
from shared import YARN
from yarn_shell import SMALL, YDL, Jobs, jobs_on

from cluster_lib import processes, state, web

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
    child.expect(re.escape("Stop the job? [s]top   [l]eave it running   [c]ontinue watching"))
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
    while b"started after" not in seen and not re.search(rb"worker:0\S*\s+\S*running", seen):
        seen += os.read(terminal, 4096)
    job = re.search(rb"(\S+) is application_", seen).group(1).decode()
    os.close(terminal)  # the kernel sends SIGHUP
    os.waitpid(pid, 0)
    assert state_of(jobs, job) == "running"
    jobs.run("kill", job)


def test_a_job_that_was_left_is_followed_from_another_machine_until_it_ends(jobs):
    words = ["--n", 2, *SMALL, "--", "sleep", "600"]
    job = jobs.run("run", "--detach", *words)[0].strip()
    elsewhere = dict(jobs.environment, XDG_STATE_HOME=str(jobs.work / "other-state"))
    follower = subprocess.Popen([YDL, "follow", job], cwd=jobs.work, env=elsewhere, stdout=subprocess.PIPE, text=True)
    seen = ""
    while "started after" not in seen:
        line = follower.stdout.readline()
        assert line, seen
        seen += line
    assert f"{job}: 2 workers on YARN, queue default" in seen
    jobs.run("kill", job)
    rest = follower.communicate(timeout=LIMIT)[0]
    assert f"{job} stopped after" in rest
    assert follower.returncode == 130


def test_with_a_master_beside_it_leaving_is_stopping_and_ctrl_c_offers_no_other(jobs, terminal):
    child = terminal("--am", "unmanaged")
    child.sendintr()
    child.expect(re.escape("Stop the job? [s]top   [c]ontinue watching   (it ends with this command"))
    child.send("ls")  # the first is not an answer, the second is
    assert exit_code(child) == 130
    assert state_of(jobs, child.job) == "stopped"


def test_with_a_master_beside_it_a_lost_terminal_stops_the_job(jobs, terminal):
    child = terminal("--am", "unmanaged")
    child.kill(signal.SIGHUP)
    assert exit_code(child) == 130
    eventually(lambda: state_of(jobs, child.job) == "stopped", "the job is stopped")


@pytest.fixture
def run_beside(jobs):
    """Clients whose masters run beside them, once their tasks run."""
    started = []

    def run():
        started.append(jobs.start_and_see("at work", "run", "--am", "unmanaged", "--retries", 0, *SMALL, "--", "sh", "-c", "echo at work; exec sleep 600"))
        return started[-1]

    yield run
    for client in started:
        client.kill()
        client.communicate()


def masters_beside(jobs):
    """{job: pid} of the masters that run beside clients of this shell."""
    root = f"{jobs.environment['XDG_STATE_HOME']}/ydl/jobs/"
    words = {int(pid): processes.command_line(int(pid)) for pid in filter(str.isdigit, os.listdir("/proc"))}
    return {line.rpartition(root)[2].split("\0")[0]: pid for pid, line in words.items() if "\0__master\0" in line and root in line}


def application_of(jobs, job):
    text = (Path(jobs.environment["XDG_STATE_HOME"]) / "ydl/jobs" / job / "yarn.json").read_text()
    return re.search(r"application_\d+_\d+", text)[0]


def resource_manager(cluster, path):
    return web.json_of("127.0.0.1", state.load(cluster.folder).port("resourcemanager1.http"), f"/ws/v1/cluster/{path}")


def listed(jobs):
    out, err = jobs.run("ls", "--output", "json")
    return {line["job"]: line for line in map(json.loads, out.splitlines())}, err


def nothing_runs_on(cluster):
    return not any(processes.containers_of(cluster.folder / f"nodemanager{host}/local") for host in (1, 2, 3))


def is_killed(jobs, application):
    """Of one whose master is its client's, the ResourceManager says that it is killed as soon as it has the order."""
    return resource_manager(jobs.cluster, f"apps/{application}")["app"]["state"] == "KILLED"


def test_when_the_master_beside_it_is_killed_the_client_kills_the_application(jobs, run_beside):
    running = run_beside()
    ((job, master),) = masters_beside(jobs).items()
    application = application_of(jobs, job)
    os.kill(master, signal.SIGKILL)
    out, err = running.communicate(timeout=LIMIT)
    assert running.returncode == 1, out + err
    (end,) = [line for line in out.splitlines() if f"{job} failed after" in line]
    assert end.endswith(f"its master, which ran on the client's host, ended before the job did; its application {application} was killed"), out
    eventually(lambda: is_killed(jobs, application), "the application is killed")
    jobs_seen, said = listed(jobs)
    assert (jobs_seen[job]["state"], said) == ("failed", "")
    assert "its master, which ran on the client's host, ended before the job did" in jobs_seen[job]["reason"]
    status, _ = jobs.run("status", job)
    assert status.split()[1] == "failed" and application in status, status
    assert re.search(r"^worker:0 +lost ", status, re.M), status
    eventually(lambda: nothing_runs_on(jobs.cluster), "nothing is left on the nodes")


def test_when_the_client_is_killed_with_its_master_the_next_command_kills_the_application(jobs, run_beside):
    other = run_beside()
    ((living, _),) = masters_beside(jobs).items()
    client = run_beside()
    ((job, master),) = [entry for entry in masters_beside(jobs).items() if entry[0] != living]
    os.kill(master, signal.SIGSTOP)  # so that it does not see the end of its client
    for pid in (client.pid, master):
        os.kill(pid, signal.SIGKILL)
    client.wait()
    application = application_of(jobs, job)
    seen_by = jobs.environment
    for elsewhere in ({**seen_by, "HADOOP_USER_NAME": "bob"}, {key: value for key, value in seen_by.items() if key != "HADOOP_CONF_DIR"}):
        jobs.environment = elsewhere
        assert "killed its application" not in jobs.run("ls")[1]
    jobs.environment = seen_by
    assert resource_manager(jobs.cluster, f"apps/{application}")["app"]["state"] == "RUNNING"
    jobs_seen, said = listed(jobs)
    assert said == f"{job}: its master on this machine has ended; killed its application {application}\n"
    assert jobs_seen[job]["state"] == "failed", jobs_seen
    eventually(lambda: is_killed(jobs, application), "the application is killed")
    jobs_seen, said = listed(jobs)
    assert (jobs_seen[job]["state"], jobs_seen[living]["state"], said) == ("failed", "running", "")
    other.send_signal(signal.SIGTERM)
    assert other.wait(timeout=LIMIT) == 130
    eventually(lambda: nothing_runs_on(jobs.cluster), "nothing is left on the nodes")


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
    assert re.search(r"^worker:0 +running ", out, re.M), out
    eventually(lambda: elsewhere.run("logs", job)[0] == "[worker:0] at work\n", "the log is on HDFS")
    following = elsewhere.start("logs", "-f", job)
    assert following.stdout.readline() == "[worker:0] at work\n"
    out, err = elsewhere.run("kill", job)
    assert following.wait(timeout=LIMIT) is not None
    following.communicate()
    assert "stopped" in out, out + err
    assert state_of(elsewhere, job) == "stopped"
