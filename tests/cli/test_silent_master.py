"""A job's master that does not answer is waited for: only its end is the end of following."""

import os
import signal

from harness import assert_nothing_left, finish, read_line


def start_job(ydl):
    """A client that follows a job whose task ends when a file appears."""
    go = ydl.work / "go"
    os.mkfifo(go)
    process = ydl.start("run", "--", "sh", "-c", f"read line < {go}; echo went on")
    job = ydl.the_job().running()
    return process, job, go


def test_a_master_that_is_stopped_for_a_while_keeps_its_job_and_its_client(ydl):
    process, job, go = start_job(ydl)
    os.kill(job.master_pid(), signal.SIGSTOP)
    line = read_line(process, "has not answered for 15 s", seconds=60)
    assert "its process still runs, so ydl keeps trying" in line
    os.kill(job.master_pid(), signal.SIGCONT)
    read_line(process, "the job's master answers again")
    with open(go, "w") as pipe:
        pipe.write("\n")
    done = finish(process)
    assert done.code == 0, done.everything()
    assert "went on" in done.out and "succeeded" in done.out
    assert job.state_file()["state"] == "succeeded"


def test_a_master_that_is_killed_while_it_is_silent_ends_following(ydl):
    process, job, _ = start_job(ydl)
    master = job.master_pid()
    os.kill(master, signal.SIGSTOP)
    os.kill(master, signal.SIGKILL)
    done = finish(process)
    assert done.code == 1
    assert "its master ended before the job did" in done.out, done.everything()
    assert_nothing_left(job.folder)


def test_a_stop_that_a_silent_master_cannot_hear_says_when_the_job_ends(ydl):
    process, job, _ = start_job(ydl)
    master = job.master_pid()
    os.kill(master, signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert done.code == 1
    assert f"{job.id} stops as soon as its process runs again" in done.out, done.everything()
    os.kill(master, signal.SIGCONT)
    assert job.wait_for("job_stopped")
    assert_nothing_left(job.folder)
