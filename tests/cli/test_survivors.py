"""Nothing of a job outlives it, whichever process is killed and whatever its tasks did to get away."""

import os
import re
import signal
import time

import pytest

from harness import CLEAN_UP_LIMIT, assert_gone, assert_nothing_left, eventually, finish, is_alive

# Each starts processes that try to get away, tells their pids and waits for ever.
CHILDREN = {
    "a child": """
        tell(spawn())
    """,
    "a child in a session of its own": """
        tell(spawn(start_new_session=True))
    """,
    "an orphan that double-forked": """
        read, write = os.pipe()
        if os.fork() == 0:
            if os.fork() == 0:
                os.write(write, str(os.getpid()).encode())
                signal.pause()
            os._exit(0)
        os.wait()
        tell(os.read(read, 32).decode())
    """,
    "a daemon without a trace of the job": """
        read, write = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.chdir('/')
                os.dup2(write, 1)
                os.closerange(3, 1000)
                os.execve('/bin/sh', ['sh', '-c', 'echo $$; exec sleep 600'], {})
            os._exit(0)
        os.wait()
        tell(os.read(read, 32).decode())
    """,
    "a child that ignores SIGTERM and SIGHUP": """
        tell(spawn(preexec_fn=lambda: [signal.signal(s, signal.SIG_IGN) for s in (signal.SIGTERM, signal.SIGHUP)]))
    """,
    "a stopped child": """
        child = spawn()
        os.kill(child, signal.SIGSTOP)
        tell(child)
    """,
}

PROGRAM = """
import os, signal, subprocess

def spawn(**options):
    return subprocess.Popen(['sleep', '600'], **options).pid

def tell(pid):
    print(f'child {pid}', flush=True)

if True:
    BODY
"""


def program_with(ydl, children, then):
    return ydl.program(PROGRAM.replace("    BODY", CHILDREN[children].rstrip()) + f"\n{then}\n")


def child_of(job):
    """The pid of the process that tries to get away, which runs."""
    pid = int(re.search(r"child (\d+)", job.wait_for_line("child "))[1])
    assert is_alive(pid)
    return pid


every_way_out = pytest.mark.parametrize("children", CHILDREN)


# ---- what tasks leave ------------------------------------------------------------------------------------------


@every_way_out
def test_nothing_survives_the_end_of_its_task(ydl, children):
    done = ydl("run", "--", *program_with(ydl, children, "os._exit(0)"))
    assert done.code == 0, done.everything()
    (pid,) = map(int, re.findall(r"\[worker:0\] child (\d+)", done.out))
    assert not is_alive(pid)
    assert "worker:0 left a process running; killed" in done.out


def test_a_child_that_ends_after_its_task_was_stopped_was_not_left_behind(ydl):
    job = ydl.detach("--", "sh", "-c", "echo ready; sleep 600; true").running()
    job.wait_for_line("ready")
    job.kill()
    assert "left a process behind" not in ydl.ok("events", job.id).out


@every_way_out
def test_nothing_survives_a_stop(ydl, children):
    job = ydl.detach("--stop-grace", "300ms", "--", *program_with(ydl, children, "signal.pause()"))
    pid = child_of(job)
    job.kill()
    assert not is_alive(pid)
    assert job.processes() == {}


@every_way_out
def test_nothing_survives_a_killed_master(ydl, children):
    job = ydl.detach("--", *program_with(ydl, children, "signal.pause()"))
    pids = [child_of(job), job.task_pid(), job.reaper_pid(), job.agent_pid()]
    os.kill(job.master_pid(), signal.SIGKILL)
    assert_gone(pids)
    assert_nothing_left(job.folder)


@every_way_out
def test_nothing_survives_a_killed_agent(ydl, children):
    job = ydl.detach("--", *program_with(ydl, children, "signal.pause()"))
    pids = [child_of(job), job.task_pid(), job.reaper_pid(), job.master_pid()]
    os.kill(job.agent_pid(), signal.SIGKILL)
    assert_gone(pids)
    assert "was lost: the agent on" in job.wait_for("job_failed")["text"]


@every_way_out
def test_nothing_survives_a_killed_reaper(ydl, children):
    job = ydl.detach("--", *program_with(ydl, children, "signal.pause()"))
    pids = [child_of(job), job.task_pid(), job.master_pid(), job.agent_pid()]
    os.kill(job.reaper_pid(), signal.SIGKILL)
    assert_gone(pids)
    job.wait_for("job_failed")


# ---- which process is killed -----------------------------------------------------------------------------------


def test_a_killed_client_stops_its_job(ydl):
    process = ydl.start("run", "--n", "2", "--", "sleep", "600")
    job = ydl.the_job().running()
    process.kill()
    process.communicate()
    assert job.wait_for("job_stopped")["text"] == "stopped because the ydl client that started it exited"
    assert_nothing_left(job.folder)


def test_a_killed_client_does_not_stop_a_job_it_left(ydl):
    job = ydl.detach("--", "sleep", "600").running()
    follower = ydl.start("logs", "-f", job.id)
    eventually(lambda: is_alive(follower.pid), "the follower")
    follower.kill()
    follower.communicate()
    assert ydl.listed()[job.id]["state"] == "running"
    job.kill()


def test_a_killed_master_ends_the_client_with_1_and_a_reason(ydl):
    process = ydl.start("run", "--n", "2", "--", "sleep", "600")
    job = ydl.the_job().running()
    os.kill(job.master_pid(), signal.SIGKILL)
    done = finish(process)
    assert done.code == 1
    ends = [line for line in done.out.splitlines() if f"{job.id} was lost" in line]
    assert len(ends) == 1 and "its master ended before the job did" in ends[0], done.everything()
    assert_nothing_left(job.folder)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_master_stops_its_job(ydl, number):
    job = ydl.detach("--", "sleep", "600").running()
    os.kill(job.master_pid(), number)
    assert job.wait_for("job_stopped")["text"] == f"stopped because its master received signal {number}"
    assert_nothing_left(job.folder)
    assert ydl.listed()[job.id]["state"] == "stopped"


@pytest.mark.parametrize("command", ["ls", "status", "kill"])
def test_what_a_killed_master_was_writing_is_removed_by_the_next_command(ydl, command):
    job = ydl.detach("--", "sleep", "600").running()
    unfinished = job.folder / "view.json.03fa91c2.tmp"
    unfinished.write_text("{ half")
    ydl.ok("ls")
    assert unfinished.exists(), "its master lives and may be about to rename it"
    os.kill(job.master_pid(), signal.SIGKILL)
    assert_nothing_left(job.folder)
    ydl(command, *([] if command == "ls" else [job.id]))
    assert not unfinished.exists()


def test_a_killed_master_is_told_in_json(ydl):
    process = ydl.start("run", "--output", "json", "--", "sleep", "600")
    job = ydl.the_job().running()
    os.kill(job.master_pid(), signal.SIGKILL)
    result = finish(process).lines()[-1]
    assert (result["type"], result["state"], result["exit_code"]) == ("result", "lost", 1)


def test_quiet_reports_a_killed_master(ydl):
    process = ydl.start("run", "--output", "quiet", "--", "sleep", "600")
    job = ydl.the_job().running()
    os.kill(job.master_pid(), signal.SIGKILL)
    done = finish(process)
    assert (done.code, done.out) == (1, "")
    assert f"{job.id} was lost" in done.err


def test_a_job_whose_master_was_killed_is_listed_as_lost_and_others_go_on(ydl):
    other = ydl.detach("--name", "other", "--", "sleep", "600").running()
    job = ydl.detach("--name", "victim", "--", "sleep", "600").running()
    os.kill(job.master_pid(), signal.SIGKILL)
    assert_nothing_left(job.folder)
    listed = ydl.listed()
    assert (listed[job.id]["state"], listed[other.id]["state"]) == ("lost", "running")
    assert listed[job.id]["reason"] == "its master ended before the job did"
    assert is_alive(other.task_pid())
    done = ydl("kill", job.id)
    assert (done.code, done.err) == (1, f"ydl: job {job.id} is not running: it was lost\n")
    other.kill()


def test_the_events_of_a_lost_job_can_still_be_read(ydl):
    job = ydl.detach("--", "sleep", "600").running()
    os.kill(job.master_pid(), signal.SIGKILL)
    assert_nothing_left(job.folder)
    assert "the task started" in ydl.ok("events", job.id).out
    assert ydl.ok("status", job.id).out.splitlines()[0].startswith(f"{job.id}  lost")


def test_followers_of_a_killed_master_end(ydl):
    job = ydl.detach("--", "sleep", "600").running()
    followers = [ydl.start("logs", "-f", job.id), ydl.start("events", "-f", job.id)]
    os.kill(job.master_pid(), signal.SIGKILL)
    assert [finish(follower, CLEAN_UP_LIMIT).code for follower in followers] == [0, 0]


def test_a_killed_reaper_is_told_as_the_end_of_its_task(ydl):
    process = ydl.start("run", "--", "sleep", "600")
    job = ydl.the_job().running()
    os.kill(job.reaper_pid(), signal.SIGKILL)
    done = finish(process)
    assert done.code == 128 + signal.SIGKILL
    assert "worker:0 was killed by signal 9 (SIGKILL)" in done.out


def test_a_killed_reaper_leaves_the_other_tasks_alone(ydl):
    # Roles that do not decide, so that the job goes on without the one.
    path = ydl.write("job.yaml", "version: 1\nauto_files: false\nroles:\n  worker: {command: sleep 600}\n  monitor: {command: sleep 600}\n")
    process = ydl.start("submit", path)
    job = ydl.the_job().running()
    os.kill(job.reaper_pid("monitor:0"), signal.SIGKILL)
    job.wait_for("task_failed", "monitor:0")
    assert is_alive(job.task_pid("worker:0"))
    process.send_signal(signal.SIGINT)
    assert finish(process).code == 130


def test_a_stopped_agent_is_killed_with_its_tasks(ydl):
    # SIGSTOP: a process that neither answers nor ends. The kill of the job must get past it.
    job = ydl.detach("--stop-grace", "200ms", "--", "sleep", "600").running()
    agent = job.agent_pid()
    os.kill(agent, signal.SIGSTOP)
    begin = time.monotonic()
    ydl("kill", "--now", job.id, timeout=60)
    assert time.monotonic() - begin < 10, "a person waits for this"
    assert_gone([agent, job.task_pid()])


def test_a_fork_bomb_of_moderate_size_is_ended(ydl):
    program = ydl.program(
        "import os, signal\n"
        "for _ in range(6):\n"
        "    os.fork()\n"
        "if os.getpid() % 2: os.setsid() if os.getpgid(0) != os.getpid() else None\n"
        "print('up', flush=True)\n"
        "signal.pause()\n"
    )
    job = ydl.detach("--", *program)
    log = job.folder / "logs/worker-0/1/stdout"
    eventually(lambda: log.exists() and log.read_text().count("up") == 64, "64 processes")
    assert len(job.processes()) >= 64
    job.kill("--now")
    assert job.processes() == {}
