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
from window import Window

QUESTION = re.escape("Stop the job? [s]top   [l]eave it running   [c]ontinue watching   (Ctrl-C again: stop now)")
CTRL_C = "\x03"
# Says when it has set its trap, and needs a SIGKILL to end.
STUBBORN = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 600; done"]


@pytest.fixture
def on_terminal(ydl):
    """Starts ydl on a terminal of 24 rows and 100 columns, without colours unless the test asks for them."""
    with contextlib.ExitStack() as stack:

        def start(*arguments, env={"NO_COLOR": "1"}, dimensions=(24, 100)):
            terminal = pexpect.spawn(
                str(ydl.binary), [str(word) for word in arguments], cwd=ydl.work, env=ydl.env | env,
                dimensions=dimensions, timeout=EVENT_LIMIT, encoding="utf-8",
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


def test_a_job_of_one_task_shows_its_output_and_one_line_more(ydl, on_terminal):
    window = Window(on_terminal("run", "--", "sh", "-c", "echo hello; printf 'no newline'"))
    window.wait_for_end()
    assert window.without_times(ydl.the_job().id) == [
        "hello",
        "no newline",
        "✓ JOB succeeded in TIME    logs: ydl logs JOB",
    ]


def test_the_bytes_of_the_only_task_reach_the_terminal_unchanged(ydl, on_terminal):
    terminal = on_terminal("run", "--", "printf", r"\033[31mred\033[0m 10%%\r20%%\n::progress 0.5 half\nend\n")
    terminal.expect_exact("\x1b[31mred\x1b[0m 10%\r20%\r\nend\r\n")
    assert exit_code(terminal) == 0


def test_standard_error_of_the_only_task_goes_where_ours_leads(ydl, on_terminal):
    words = f"'{ydl.binary}' run -- sh -c 'echo to out; echo to err >&2' 2> '{ydl.scratch}/err'"
    terminal = pexpect.spawn("sh", ["-c", words], cwd=ydl.work, env=ydl.env, timeout=EVENT_LIMIT, encoding="utf-8")
    terminal.expect("to out")
    assert exit_code(terminal) == 0
    assert "to err" not in terminal.before
    assert (ydl.scratch / "err").read_text().splitlines()[-1] == "to err"


def test_results_are_named_at_the_end_where_there_are_any(ydl, on_terminal):
    window = Window(on_terminal("run", "--", "sh", "-c", "echo > $YDL_RESULTS_DIR/model"), columns=200)
    window.wait_for_end()
    assert window.rows()[-1] == f"results: {ydl.the_job().folder}/results"[:200]


def test_lines_of_the_first_worker_scroll_above_the_block_and_last_lines_stay(ydl, on_terminal):
    program = "echo step 1; echo step 2; echo accuracy=0.9$YDL_INDEX"
    window = Window(on_terminal("run", "--n", "2", "--", "sh", "-c", program))
    window.wait_for_end()
    job = ydl.the_job().id
    assert window.without_times(job) == [
        "JOB: 2 workers on this machine",
        "worker:0 │ step 1",
        "worker:0 │ step 2",
        "worker:0 │ accuracy=0.90",
        "✓ worker:0 TIME  accuracy=0.90",
        "✓ worker:1 TIME  accuracy=0.91",
        "✓ JOB succeeded in TIME    logs: ydl logs JOB",
    ]


@pytest.mark.parametrize(
    ("choice", "shown"), [("none", []), ("first", ["worker:0"]), ("all", ["worker:0", "worker:1", "ps:0"]), ("ps", ["ps:0"])]
)
def test_show_logs_chooses_whose_lines_are_shown(ydl, on_terminal, choice, shown):
    words = ["run", "--show-logs", choice, "--role", "worker=2", "--role", "ps=1", "--", "sh", "-c"]
    words += ["echo line of $YDL_ROLE:$YDL_INDEX; [ $YDL_ROLE = worker ] || exec sleep 600; sleep 0.5"]
    window = Window(on_terminal(*words))
    window.wait_for_end()
    assert sorted(row for row in window.rows() if "│" in row) == sorted(f"{task} │ line of {task}" for task in shown)
    done = ydl.ok(*words)
    assert sorted(line for line in done.out.splitlines() if "] " in line) == sorted(f"[{task}] line of {task}" for task in shown)


def test_lines_that_come_too_fast_are_counted(ydl, on_terminal):
    window = Window(on_terminal("run", "--n", "2", "--", "seq", "5000"))
    window.wait_for_end()
    job = ydl.the_job().id
    shown = [row for row in window.rows() if row.startswith("worker:0 │ ")]
    left_out = re.findall(rf"… ([\d,]+) lines? left out; ydl logs {job} worker:0 shows (?:them|it)", window.text())
    assert len(shown) + sum(int(count.replace(",", "")) for count in left_out) == 5000
    assert 100 <= len(shown) < 1000
    assert window.without_times(job)[-3:-1] == ["✓ worker:0 TIME  5000", "✓ worker:1 TIME  5000"]


def test_a_failure_of_the_only_task_stands_below_its_output(ydl, on_terminal):
    window = Window(on_terminal("run", "--", "sh", "-c", "echo the cause >&2; exit 6"))
    rows = window.wait_for_end()
    assert rows[0] == "the cause"
    assert re.fullmatch(rf"✗ {ydl.the_job().id} failed after .* code 6.* +logs: ydl logs .*", "".join(rows[1:])), rows
    assert exit_code(window.terminal) == 6


def test_a_failure_on_a_terminal_shows_the_last_lines(ydl, on_terminal):
    terminal = on_terminal("run", "--n", "2", "--show-logs", "none", "--", "sh", "-c", "echo the cause >&2; exit 6")
    terminal.expect(r"worker:\d failed first, with exit code 6")
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
    terminal = on_terminal("run", "--n", "2", "--show-logs", "none", "--", "sh", "-c", "printf '%0300d\\n' 7; exec sleep 600")
    terminal.logfile_read = io.StringIO()
    terminal.expect("0{20}")
    ydl.the_job().kill()
    assert exit_code(terminal) == 130
    rows = [row for row in re.split("[\r\n]+", plain(terminal.logfile_read.getvalue())) if "0" * 20 in row]
    assert rows
    assert max(map(len, rows)) <= 100


def test_a_dumb_terminal_gets_plain_lines(ydl, on_terminal):
    terminal = on_terminal("run", "--n", "2", "--", "echo", "hello", env={"TERM": "dumb"})
    terminal.expect(pexpect.EOF)
    assert "\x1b" not in terminal.before
    assert "all 2 tasks placed" in terminal.before
    assert "[worker:1] hello" in terminal.before


# ---- Ctrl-C ----------------------------------------------------------------------------------------------------


RUNNING = ["JOB  running  2 of 2 tasks TIME", "● worker:0  running  HOST TIME", "● worker:1  running  HOST TIME"]
TITLE = ["JOB: 2 workers on this machine"]
QUESTION_ROW = "Stop the job? [s]top   [l]eave it running   [c]ontinue watching   (Ctrl-C again: stop now)"
KEYS_ROW = "Press s, l or c: [s]top   [l]eave it running   [c]ontinue watching   (Ctrl-C again: stop now)"


@pytest.fixture
def asked(ydl, on_terminal):
    """A job of two silent tasks at the question: its window and itself."""
    os.mkfifo(ydl.scratch / "go_on")
    window = Window(on_terminal("run", "--n", "2", "--", "cat", ydl.scratch / "go_on"))
    window.wait_for("2 of 2 tasks")
    job = ydl.the_job().running()
    window.terminal.send(CTRL_C)
    window.wait_for(QUESTION)
    assert window.without_times(job.id) == [*TITLE, *RUNNING, QUESTION_ROW]
    return window, job


def test_the_block_goes_on_behind_the_question(asked):
    window, job = asked
    before = re.search(r"2 of 2 tasks  (\d+ s)", window.text())[1]
    window.wait_until_gone(rf"2 of 2 tasks  {before}")
    assert window.without_times(job.id) == [*TITLE, *RUNNING, QUESTION_ROW]
    window.terminal.send("s")
    window.wait_for_end()


def test_ctrl_c_asks_and_l_leaves_the_job_running(ydl, asked):
    window, job = asked
    window.terminal.send("l")
    window.wait_for_end()
    left = "left running: `ydl follow JOB` shows it again, `ydl kill JOB` stops it"
    assert window.without_times(job.id) == [*TITLE, left]
    assert exit_code(window.terminal) == 0
    assert is_alive(job.task_pid())
    assert ydl.listed()[job.id]["state"] == "running"
    assert job.kill().out == f"{job.id} stopped\n"


@pytest.mark.parametrize("key", ["s", CTRL_C])
def test_ctrl_c_asks_and_s_or_another_ctrl_c_stops_the_job(asked, key):
    window, job = asked
    window.terminal.send(key)
    window.wait_for_end()
    rows = window.without_times(job.id)
    assert rows[:1] == TITLE
    assert rows[1].startswith("CLOCK JOB: stopping")
    assert [row[:20] for row in rows[2:4]] == ["■ worker:0  stopped ", "■ worker:1  stopped "]
    assert rows[4].startswith("■ JOB stopped after TIME")
    assert not re.search(r"Ctrl-C|\^C|grace|running", window.text())
    assert exit_code(window.terminal) == 130
    assert job.processes() == {}
    assert job.state_file()["state"] == "stopped"


def test_ctrl_c_asks_and_c_goes_on(ydl, asked):
    window, job = asked
    window.terminal.send("c")
    window.wait_until_gone("Stop the job")
    assert window.without_times(job.id) == [*TITLE, *RUNNING]
    (ydl.scratch / "go_on").write_text("")
    window.wait_for_end()
    assert window.without_times(job.id) == [
        *TITLE,
        "✓ worker:0 TIME",
        "✓ worker:1 TIME",
        "✓ JOB succeeded in TIME    logs: ydl logs JOB",
    ]
    assert exit_code(window.terminal) == 0


@pytest.mark.parametrize("key", ["\x1b", "\r", "x", "\x1b[A"])
def test_a_key_that_is_not_an_answer_names_those_that_are(asked, key):
    window, job = asked
    window.terminal.send(key)
    window.wait_for("Press s, l or c")
    assert window.without_times(job.id) == [*TITLE, *RUNNING, KEYS_ROW]
    window.terminal.send("s")
    window.wait_for_end()
    assert exit_code(window.terminal) == 130


def test_the_question_leaves_no_trace_in_the_output_of_one_task(ydl, on_terminal):
    os.mkfifo(ydl.scratch / "go_on")
    program = f"echo begin; cat {ydl.scratch}/go_on; echo end"
    window = Window(on_terminal("run", "--", "sh", "-c", program))
    window.wait_for("begin")
    job = ydl.the_job()
    window.terminal.send(CTRL_C)
    window.wait_for(QUESTION)
    assert window.rows() == ["begin", QUESTION_ROW]
    window.terminal.send("c")
    window.wait_until_gone("Stop")
    (ydl.scratch / "go_on").write_text("")
    window.wait_for_end()
    assert window.without_times(job.id) == ["begin", "end", "✓ JOB succeeded in TIME    logs: ydl logs JOB"]


def test_that_ctrl_c_ends_the_grace_stays_visible_while_the_job_stops(ydl, on_terminal):
    window = Window(on_terminal("run", "--n", "2", "--stop-grace", "10m", "--", *STUBBORN))
    window.wait_for("worker:1 .*ready")
    job = ydl.the_job().running()
    job.wait_for_line("ready")
    window.terminal.send(CTRL_C)
    window.wait_for(QUESTION)
    window.terminal.send("s")
    window.wait_for("JOB|stopping  0 of 2 tasks done")
    assert window.rows()[-1] == "stopping; Ctrl-C again stops without grace"
    window.terminal.send(CTRL_C)
    window.wait_for_end()
    assert "Ctrl-C" not in window.text() and "^C" not in window.text()
    assert exit_code(window.terminal) == 130


@pytest.mark.parametrize(("columns", "question"), [(20, "stop? s, l or c"), (40, "Stop? [s]top [l]eave [c]ontinue")])
def test_the_question_fits_small_terminals(ydl, on_terminal, columns, question):
    terminal = on_terminal("run", "--n", "8", "--", "sleep", "600", dimensions=(6, columns))
    window = Window(terminal, columns, 6)
    window.wait_for("running")
    job = ydl.the_job().running()
    terminal.send(CTRL_C)
    rows = window.wait_for(re.escape(question))
    assert rows[-1] == question
    terminal.send("c")
    rows = window.wait_until_gone(re.escape(question))
    assert len([row for row in rows if row.startswith(job.id[:8] + "  ")]) <= 1
    job.kill()
    window.wait_for_end()


def test_ctrl_c_while_stopping_stops_at_once(ydl, on_terminal):
    terminal = on_terminal("run", "--stop-grace", "10m", "--", *STUBBORN)
    job = ydl.the_job().running()
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
