"""ydl follow: what it shows of a job that runs without it, and that leaving it leaves the job alone."""

import json
import os
import re
import signal

import pytest
from harness import finish, is_alive, read_line
from test_terminal import CTRL_C, on_terminal  # noqa: F401: a fixture
from window import Window


def test_a_job_is_followed_until_it_ends_with_its_exit_code(ydl):
    path = ydl.scratch / "gate"
    os.mkfifo(path)
    job = ydl.detach("--", "sh", "-c", f"echo at the gate; cat {path}; echo through; exit 7").running()
    follower = ydl.start("follow", job.id)
    assert f"{job.id}: 1 worker on this machine" in read_line(follower, job.id)
    read_line(follower, "[worker:0] at the gate")
    path.write_text("")
    done = finish(follower)
    assert done.code == 7, done.everything()
    assert "[worker:0] through" in done.out
    assert f"{job.id} failed after" in done.out


def test_without_an_id_the_newest_running_job_is_followed(ydl):
    job = ydl.detach("--name", "runs", "--", "sleep", "600").running()
    ydl.ok("run", "--name", "newer", "--", "true")
    follower = ydl.start("follow")
    assert job.id in read_line(follower, "runs-")
    job.kill()
    assert finish(follower).code == 130
    done = ydl("follow")
    assert (done.code, done.err) == (1, "ydl: no job is running: name one that has ended, or see `ydl ls`\n")


@pytest.mark.parametrize("mode", ["plain", "json", "quiet", "tty"])
def test_a_job_that_has_ended_shows_its_end_at_once(ydl, mode):
    ydl("run", "--name", "ended", "--", "sh", "-c", "echo last words; exit 3")
    job = ydl.the_job()
    done = ydl("follow", "--output", mode, job.id)
    assert done.code == 3, done.everything()
    if mode == "json":
        lines = done.lines()
        assert lines[-1]["type"] == "result"
        assert lines[-1]["exit_code"] == 3
        assert "log" in [line["type"] for line in lines]
    else:
        told = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", done.err if mode == "quiet" else done.out)
        assert f"{job.id} failed after" in told
    if mode == "plain":
        told = [line.partition(" ")[2] for line in done.out.splitlines()]
        assert told[0] == f"{job.id}: 1 worker on this machine"
        assert re.fullmatch(r"worker:0 placed on \S+ after [\d.]+ m?s, started after [\d.]+ m?s", told[2]), done.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_leaving_leaves_the_job_alone(ydl, number):
    job = ydl.detach("--", "sleep", "600").running()
    follower = ydl.start("follow", job.id)
    read_line(follower, "started after")
    follower.send_signal(number)
    done = finish(follower)
    assert done.code == 130
    assert done.err == f"{job.id} goes on: `ydl follow {job.id}` shows it again, `ydl kill {job.id}` stops it\n"
    assert is_alive(job.task_pid())
    assert ydl.listed()[job.id]["state"] == "running"
    job.kill()


def test_a_program_that_stops_following_is_told_so(ydl):
    job = ydl.detach("--", "sleep", "600").running()
    follower = ydl.start("follow", "--output", "json", job.id)
    read_line(follower, "job_running")
    follower.send_signal(signal.SIGTERM)
    done = finish(follower)
    last = json.loads(done.out.splitlines()[-1])
    assert (last["type"], last["state"], last["exit_code"]) == ("result", "running", None)
    job.kill()


def test_ctrl_c_on_a_terminal_leaves_without_a_question(ydl, on_terminal):  # noqa: F811
    job = ydl.detach("--n", "2", "--", "sleep", "600").running()
    window = Window(on_terminal("follow", job.id))
    window.wait_for("2 of 2 tasks")
    window.terminal.send(CTRL_C)
    window.wait_for_end()
    assert window.without_times(job.id) == [
        "JOB: 2 workers on this machine",
        "JOB goes on: `ydl follow JOB` shows it again, `ydl kill JOB` stops it",
    ]
    window.terminal.close()
    assert window.terminal.exitstatus == 130
    assert is_alive(job.task_pid())
    job.kill()


def test_a_terminal_that_goes_away_leaves_the_job_alone(ydl, on_terminal):  # noqa: F811
    job = ydl.detach("--", "sleep", "600").running()
    terminal = on_terminal("follow", job.id)
    terminal.expect("running")
    terminal.close(force=True)
    assert is_alive(job.task_pid())
    assert ydl.listed()[job.id]["state"] == "running"
    job.kill()


def test_a_follower_ends_when_the_job_is_killed_and_shows_who_did_it(ydl, on_terminal):  # noqa: F811
    job = ydl.detach("--n", "2", "--", "sleep", "600").running()
    window = Window(on_terminal("follow", job.id))
    window.wait_for("2 of 2 tasks")
    job.kill()
    window.wait_for_end()
    assert f"■ {job.id} stopped after" in window.text()
    window.terminal.close()
    assert window.terminal.exitstatus == 130


def test_a_later_terminal_shows_the_last_lines_of_the_only_task(ydl, on_terminal):  # noqa: F811
    job = ydl.detach("--", "sh", "-c", "seq 1000; exec sleep 600").running()
    job.wait_for_line("1000")
    window = Window(on_terminal("follow", job.id))
    rows = window.wait_for("1000")
    assert re.fullmatch(rf"\d\d:\d\d:\d\d 3\.7 KiB of earlier output left out; `ydl logs {job.id}` shows it", rows[0])
    assert rows[1:] == [str(number) for number in range(981, 1001)]
    job.kill()
    window.wait_for_end()


def test_a_job_that_is_not_there_is_an_error(ydl):
    done = ydl("follow", "nothing-1234")
    assert done.code == 1
    assert "nothing-1234" in done.err
