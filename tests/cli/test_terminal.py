"""ydl run on a terminal: the live block, and what Ctrl-C, a hang-up and a lost terminal do."""

import contextlib
import io
import os
import pty
import re
import signal
import termios

import pexpect
import pytest

from harness import EVENT_LIMIT, assert_nothing_left, finish, is_alive

QUESTION = re.escape("Ctrl-C: [l]eave running, [s]top, [c]ontinue? ")
CTRL_C = "\x03"
# Says when it has set its trap, and needs a SIGKILL to end.
STUBBORN = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 600; done"]


@pytest.fixture
def on_terminal(ydl):
    """Starts ydl on a terminal of 24 rows and 100 columns, without colours unless the test wants them."""
    with contextlib.ExitStack() as stack:

        def start(*arguments, env={"NO_COLOR": "1"}):
            terminal = pexpect.spawn(
                str(ydl.binary), [str(word) for word in arguments], cwd=ydl.work, env=ydl.env | env,
                dimensions=(24, 100), timeout=EVENT_LIMIT, encoding="utf-8",
            )  # fmt: skip
            stack.callback(terminal.close, force=True)
            return terminal

        yield start


def exit_code(terminal):
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.signalstatus is None, f"ended by signal {terminal.signalstatus}"
    return terminal.exitstatus


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def started(terminal, ydl):
    """The job, once its live block shows it running."""
    terminal.expect(r"worker:0\S*\s+\S*running")
    return ydl.the_job().running()


# ---- the live block --------------------------------------------------------------------------------------------


def test_a_terminal_shows_one_line_per_task_with_its_last_log_line(ydl, on_terminal):
    terminal = on_terminal("run", "--n", "2", "--", "sh", "-c", "echo step of $YDL_INDEX; exec sleep 600")
    job = started(terminal, ydl)
    terminal.expect(r"● worker:0 +running +\S+ +\d+ s +step of 0")
    terminal.expect(r"● worker:1 +running +\S+ +\d+ s +step of 1")
    job.kill()
    assert exit_code(terminal) == 130


def test_a_terminal_shows_a_bar_for_a_task_that_reports_progress(ydl, on_terminal):
    terminal = on_terminal("run", "--", "sh", "-c", "echo ::progress 0.5 epoch 2 of 4; exec sleep 600")
    terminal.expect("█████░░░░░ 50% epoch 2 of 4")
    ydl.the_job().kill()
    assert exit_code(terminal) == 130


def test_the_end_of_the_job_stays_on_the_screen(ydl, on_terminal):
    terminal = on_terminal("run", "--", "true")
    terminal.expect(r"succeeded in [\d.]+ m?s")
    terminal.expect(re.escape(f"logs: {ydl.the_job().folder}/logs"))
    assert exit_code(terminal) == 0


def test_a_failure_on_a_terminal_shows_the_last_lines(ydl, on_terminal):
    terminal = on_terminal("run", "--", "sh", "-c", "echo the cause >&2; exit 6")
    terminal.expect("worker:0 on this machine failed first, with exit code 6")
    terminal.expect(" {4}the cause")
    assert exit_code(terminal) == 6


def test_no_color_leaves_colours_out(ydl, on_terminal):
    terminal = on_terminal("run", "--", "true")
    terminal.expect(pexpect.EOF)
    assert not re.search(r"\x1b\[[0-9;]*m", terminal.before)
    coloured = on_terminal("run", "--", "true", env={})
    coloured.expect(pexpect.EOF)
    assert re.search(r"\x1b\[[0-9;]+m", coloured.before)


def test_no_row_is_wider_than_the_window(ydl, on_terminal):
    terminal = on_terminal("run", "--", "sh", "-c", "printf '%0300d\\n' 7; exec sleep 600")
    terminal.logfile_read = io.StringIO()
    terminal.expect("0{20}")
    ydl.the_job().kill()
    assert exit_code(terminal) == 130
    rows = [row for row in re.split("[\r\n]+", plain(terminal.logfile_read.getvalue())) if "0" * 20 in row]
    assert rows
    assert max(map(len, rows)) <= 100


def test_a_dumb_terminal_gets_plain_lines(ydl, on_terminal):
    terminal = on_terminal("run", "--", "true", env={"TERM": "dumb"})
    terminal.expect(pexpect.EOF)
    assert "\x1b" not in terminal.before
    assert "worker:0 succeeded" in terminal.before


# ---- Ctrl-C ----------------------------------------------------------------------------------------------------


def test_ctrl_c_asks_and_l_leaves_the_job_running(ydl, on_terminal):
    terminal = on_terminal("run", "--", "sleep", "600")
    job = started(terminal, ydl)
    terminal.send(CTRL_C)
    terminal.expect(QUESTION)
    terminal.send("l")
    terminal.expect(f"left running: `ydl logs -f {job.id}` follows it, `ydl kill {job.id}` stops it")
    assert exit_code(terminal) == 0
    assert is_alive(job.task_pid())
    assert ydl.listed()[job.id]["state"] == "running"
    assert job.kill().out == f"{job.id} stopped\n"


def test_ctrl_c_asks_and_s_stops_the_job(ydl, on_terminal):
    terminal = on_terminal("run", "--n", "2", "--", "sleep", "600")
    job = started(terminal, ydl)
    terminal.send(CTRL_C)
    terminal.expect(QUESTION)
    terminal.send("s")
    terminal.expect("stopping; Ctrl-C again stops without grace")
    terminal.expect("stopped after")
    assert exit_code(terminal) == 130
    assert job.processes() == {}


def test_ctrl_c_asks_and_c_goes_on(ydl, on_terminal):
    os.mkfifo(ydl.scratch / "go_on")
    terminal = on_terminal("run", "--", "cat", ydl.scratch / "go_on")
    job = started(terminal, ydl)
    terminal.send(CTRL_C)
    terminal.expect(QUESTION)
    terminal.send("c")
    terminal.expect(r"worker:0\S*\s+\S*running")
    assert is_alive(job.task_pid())
    (ydl.scratch / "go_on").write_text("")
    terminal.expect("succeeded in")
    assert exit_code(terminal) == 0


def test_a_key_that_is_no_answer_is_ignored(ydl, on_terminal):
    terminal = on_terminal("run", "--", "sleep", "600")
    started(terminal, ydl)
    terminal.send(CTRL_C)
    terminal.expect(QUESTION)
    terminal.send("x?\x1b[A\rs")
    assert exit_code(terminal) == 130


def test_a_second_ctrl_c_at_the_question_stops(ydl, on_terminal):
    terminal = on_terminal("run", "--", "sleep", "600")
    job = started(terminal, ydl)
    terminal.send(CTRL_C)
    terminal.expect(QUESTION)
    terminal.send(CTRL_C)
    assert exit_code(terminal) == 130
    assert job.state_file()["state"] == "stopped"


def test_ctrl_c_while_stopping_stops_at_once(ydl, on_terminal):
    terminal = on_terminal("run", "--stop-grace", "10m", "--", *STUBBORN)
    job = started(terminal, ydl)
    job.wait_for_line("ready")
    terminal.send(CTRL_C)
    terminal.expect(QUESTION)
    terminal.send("s")
    terminal.expect("stopping; Ctrl-C again stops without grace")
    job.wait_for("job_stopping")
    terminal.send(CTRL_C)
    assert exit_code(terminal) == 130  # in seconds; the grace is ten minutes
    assert_nothing_left(job.folder)


def test_a_job_that_ends_while_the_question_stands_shows_its_end(ydl, on_terminal):
    os.mkfifo(ydl.scratch / "go_on")
    terminal = on_terminal("run", "--", "sh", "-c", f"cat {ydl.scratch}/go_on; exit 5")
    started(terminal, ydl)
    terminal.send(CTRL_C)
    terminal.expect(QUESTION)
    (ydl.scratch / "go_on").write_text("")
    terminal.expect("failed after")
    assert exit_code(terminal) == 5


def test_the_terminal_is_as_before_after_the_question(ydl, on_terminal):
    terminal = on_terminal("run", "--", "sleep", "600")
    started(terminal, ydl)
    before = termios.tcgetattr(terminal.child_fd)
    terminal.send(CTRL_C)
    terminal.expect(QUESTION)
    assert termios.tcgetattr(terminal.child_fd) != before  # single keys, no echo
    terminal.send("c")
    terminal.expect(r"worker:0\S*\s+\S*running")
    assert termios.tcgetattr(terminal.child_fd) == before
    ydl.the_job().kill()
    assert exit_code(terminal) == 130


# ---- other signals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_without_a_terminal_a_signal_stops_the_job(ydl, number):
    process = ydl.start("run", "--n", "2", "--", "sleep", "600")
    job = ydl.the_job().running()
    process.send_signal(number)
    done = finish(process)
    assert done.code == 130, done.everything()
    assert job.state_file()["state"] == "stopped"
    assert job.processes() == {}


def test_without_a_terminal_a_second_signal_stops_at_once(ydl):
    process = ydl.start("run", "--stop-grace", "10m", "--", *STUBBORN)
    job = ydl.the_job()
    job.wait_for_line("ready")
    process.send_signal(signal.SIGINT)
    job.wait_for("job_stopping")
    process.send_signal(signal.SIGINT)
    assert finish(process).code == 130


def test_a_signal_as_soon_as_there_is_a_job_stops_it(ydl):
    process = ydl.start("run", "--n", "64", "--", "sleep", "600")
    ydl.the_job()
    process.send_signal(signal.SIGINT)
    assert finish(process).code == 130


def test_a_terminal_that_goes_away_stops_the_job(ydl):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(ydl.binary, ["ydl", "run", "--", "sleep", "600"], ydl.env)
    job = ydl.the_job().running()
    os.close(terminal)  # the kernel sends SIGHUP
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    assert job.state_file()["state"] == "stopped"
    assert_nothing_left(job.folder)


def test_logs_on_a_terminal_have_no_control_characters(ydl, on_terminal):
    ydl.ok("run", "--", "printf", r"a\033[31mred\007\n")
    for words in ([], ["worker:0"]):
        terminal = on_terminal("logs", ydl.the_job().id, *words)
        terminal.expect(pexpect.EOF)
        assert "ared\r\n" in terminal.before and "\x1b" not in terminal.before and "\x07" not in terminal.before
    assert "a\x1b[31mred\x07\n" in ydl.ok("logs", ydl.the_job().id, "worker:0").out
