"""ydl logs: on a terminal and in a pipe, parts of logs, times and order, and copies of the log files."""

import contextlib
import datetime
import os
import re
import signal

import pexpect
import pytest

from harness import COMMAND_LIMIT, EVENT_LIMIT, finish, read_line


@pytest.fixture
def on_terminal(ydl):
    """The lines that a command leaves on a terminal of 100 columns, and its exit code."""
    with contextlib.ExitStack() as stack:

        def run(*arguments, env=None):
            terminal = pexpect.spawn(
                str(ydl.binary), [str(word) for word in arguments], cwd=ydl.work, env=ydl.env | (env or {}),
                dimensions=(24, 100), timeout=EVENT_LIMIT, encoding="utf-8",
            )  # fmt: skip
            stack.callback(terminal.close, force=True)
            terminal.expect(pexpect.EOF)
            terminal.close()
            return terminal.before.replace("\r\n", "\n").splitlines(), terminal.exitstatus

        yield run


def log_file(job, task, stream="stdout", attempt=1):
    return job.folder / "logs" / task / str(attempt) / stream


def utc(text):
    return datetime.datetime.fromisoformat(text)


def write_index(log, *entries):
    """The index of a log, as if its agent had seen it grow to these sizes at these seconds."""
    log.with_name(log.name + ".times").write_text("".join(f"{size} {second}000\n" for size, second in entries))


@pytest.fixture
def two_tasks(ydl):
    """A job that has ended; its two tasks wrote three lines each, in turns."""
    ydl.ok("run", "--n", "2", "--", "sh", "-c", "echo first $YDL_INDEX; echo second $YDL_INDEX; echo error $YDL_INDEX >&2")
    job = ydl.the_job()
    for index in range(2):
        write_index(log_file(job, f"worker-{index}"), (8, 1000 + index), (17, 1010 - index))
        write_index(log_file(job, f"worker-{index}", "stderr"), (8, 1005))
    return job


# ---- on a terminal ---------------------------------------------------------------------------------------------


def test_a_terminal_tells_standard_error_from_standard_output(ydl, on_terminal):
    ydl.ok("run", "--n", "2", "--", "sh", "-c", "echo out; echo err >&2")
    lines, code = on_terminal("logs", ydl.the_job().id, env={"NO_COLOR": "1"})
    assert code == 0
    assert sorted(lines) == ["worker:0 ! err", "worker:0 │ out", "worker:1 ! err", "worker:1 │ out"]
    lines, _ = on_terminal("logs", ydl.the_job().id, "worker:1", env={"NO_COLOR": "1"})
    assert sorted(lines) == ["! err", "out"]


def test_each_task_has_its_colour_on_a_terminal(ydl, on_terminal):
    ydl.ok("run", "--n", "2", "--", "echo", "hello")
    lines, _ = on_terminal("logs", ydl.the_job().id)
    colours = [re.match(r"\x1b\[(\d+)mworker:\d\x1b\[0m │ hello$", line).group(1) for line in lines]
    assert len(set(colours)) == 2
    plain, _ = on_terminal("logs", ydl.the_job().id, env={"NO_COLOR": "1"})
    assert sorted(plain) == ["worker:0 │ hello", "worker:1 │ hello"]


def test_a_terminal_gets_no_escapes_and_the_last_state_of_a_progress_bar(ydl, on_terminal):
    ydl.ok("run", "--n", "2", "--", "printf", "\\033]0;owned\\007 10%%\\r 99%%\\r\\033[31m100%%\\033[0m \\233\\n")
    for task in [], ["worker:0"]:
        lines, _ = on_terminal("logs", ydl.the_job().id, *task, env={"NO_COLOR": "1"})
        assert all(line.endswith("100% \ufffd") and "owned" not in line and "99%" not in line for line in lines), lines
        assert not re.search("[\x00-\x1f\x7f-\x9f]", "".join(lines))


# ---- in a pipe -------------------------------------------------------------------------------------------------


def test_one_stream_of_one_task_comes_byte_for_byte(ydl):
    text = b"begin\r 10%\r 99%\n\x00\x1b[31m\xff\n\n" + b"x" * 200_000 + b"\n" + b"\xe2\x94\nlast"
    (ydl.work / "text").write_bytes(text)
    ydl.ok("run", "--", "cat", ydl.work / "text")
    process = ydl.start("logs", ydl.the_job().id, "worker:0")
    out, err = process.communicate(timeout=COMMAND_LIMIT)
    assert out == text and err == b""


def test_a_closed_pipe_ends_the_command(ydl):
    (ydl.work / "text").write_bytes(b"line\n" * 1_000_000)
    ydl.ok("run", "--output", "quiet", "--", "cat", ydl.work / "text")
    process = ydl.start("logs", ydl.the_job().id, "worker:0")
    assert process.stdout.readline() == b"line\n"
    process.stdout.close()
    assert process.wait(COMMAND_LIMIT) == 0
    process.stderr.close()


def test_a_closed_pipe_ends_following_without_an_end_of_the_job(ydl):
    job = ydl.detach("--", "sh", "-c", "while :; do echo line; sleep 0.1; done").running()
    following = ydl.start("logs", "-f", job.id, "worker:0")
    assert following.stdout.readline() == b"line\n"
    following.stdout.close()
    assert b"lost" not in following.stderr.read()
    following.wait(COMMAND_LIMIT)
    job.kill()


def test_a_role_means_all_of_its_tasks(ydl):
    ydl.ok("run", "--role", "worker=2", "--role", "helper=1", "--", "sh", "-c", "echo I am $YDL_ROLE $YDL_INDEX")
    job = ydl.the_job()
    assert sorted(ydl.ok("logs", job.id, "worker").out.splitlines()) == ["[worker:0] I am worker 0", "[worker:1] I am worker 1"]
    assert ydl.ok("logs", job.id, "helper").out.splitlines() == ["[helper:0] I am helper 0"]
    refused = ydl("logs", job.id, "server")
    assert refused.code != 0 and "server" in refused.err


# ---- parts of logs ---------------------------------------------------------------------------------------------


def test_tail_and_grep_show_a_part_of_each_log(ydl, two_tasks):
    assert ydl.ok("logs", "--tail", "1", "--stream", "stdout").out.splitlines() == ["[worker:1] second 1", "[worker:0] second 0"]
    assert ydl.ok("logs", "--grep", "first", two_tasks.id).out.splitlines() == ["[worker:0] first 0", "[worker:1] first 1"]
    assert ydl.ok("logs", "--grep", "fir.t").out == ""


def test_since_begins_at_a_time(ydl, two_tasks):
    shown = ydl.ok("logs", "--since", "1970-01-01T00:16:46Z", two_tasks.id)
    assert (shown.out.splitlines(), shown.err) == (["[worker:1] second 1", "[worker:0] second 0"], "")
    assert ydl.ok("logs", "--since", "1h").out == ""
    refused = ydl("logs", "--since", "noon")
    assert refused.code == 2 and "--since noon: write how long ago" in refused.err


def test_since_shows_and_names_logs_without_times(ydl, two_tasks):
    log_file(two_tasks, "worker-0").with_name("stdout.times").unlink()
    shown = ydl.ok("logs", "--since", "1h", two_tasks.id)
    assert shown.out.splitlines() == ["[worker:0] first 0", "[worker:0] second 0"]
    assert shown.err == "ydl: 1 log has no times, so --since shows all of its lines\n"


# ---- times -----------------------------------------------------------------------------------------------------


def test_lines_of_a_job_that_has_ended_come_in_the_order_of_their_times(ydl, two_tasks):
    assert ydl.ok("logs", "--timestamps", two_tasks.id).out.splitlines() == [
        "1970-01-01T00:16:40.000Z [worker:0] first 0",
        "1970-01-01T00:16:41.000Z [worker:1] first 1",
        "1970-01-01T00:16:45.000Z [worker:0] error 0",
        "1970-01-01T00:16:45.000Z [worker:1] error 1",
        "1970-01-01T00:16:49.000Z [worker:1] second 1",
        "1970-01-01T00:16:50.000Z [worker:0] second 0",
    ]


def test_times_are_those_at_which_the_tasks_wrote(ydl):
    begun = datetime.datetime.now(datetime.timezone.utc)
    ydl.ok("run", "--n", "2", "--", "sh", "-c", "echo out; echo err >&2")
    ended = datetime.datetime.now(datetime.timezone.utc)
    lines = ydl.ok("logs", "--output", "json").lines()
    assert len(lines) == 4
    slack = datetime.timedelta(milliseconds=1)  # times are cut to milliseconds
    assert all(begun - slack <= utc(line["time"]) <= ended for line in lines), lines
    for line in ydl.ok("logs", "--timestamps", ydl.the_job().id, "worker:0", "--stream", "stdout").out.splitlines():
        time, text = line.split(" ")
        assert begun - slack <= utc(time) <= ended and text == "out"


def test_lines_of_a_running_job_have_times_while_they_are_followed(ydl):
    os.mkfifo(ydl.scratch / "go_on")
    job = ydl.detach("--", "sh", "-c", f"echo first; cat {ydl.scratch}/go_on; echo last").running()
    begun = datetime.datetime.now(datetime.timezone.utc)
    follower = ydl.start("logs", "-f", "--output", "json", job.id)
    read_line(follower, "first")
    (ydl.scratch / "go_on").write_text("")
    done = finish(follower)
    (last,) = [line for line in done.lines() if line["text"] == "last"]
    assert begun <= utc(last["time"]) + datetime.timedelta(milliseconds=1)


def test_a_log_without_an_index_has_no_times_and_keeps_its_lines(ydl, two_tasks):
    for index in two_tasks.folder.glob("logs/*/*/*.times"):
        index.write_bytes(b"\xff\x00 not an index\n12")
    lines = ydl.ok("logs", "--output", "json").lines()
    assert [(line["task"], line["text"], line["time"]) for line in lines] == [
        (f"worker:{index}", f"{word} {index}", None) for index in range(2) for word in ("first", "second", "error")
    ]
    assert ydl.ok("logs", "--timestamps").out.splitlines()[0] == "-" + " " * 24 + "[worker:0] first 0"


def test_a_task_may_cut_its_log(ydl):
    ydl.ok("run", "--", "sh", "-c", "echo this line is cut away; : > /proc/self/fd/1; echo kept")
    assert ydl.ok("logs", ydl.the_job().id, "worker:0").out == "kept\n"


def test_the_lines_of_a_killed_agent_are_shown(ydl):
    job = ydl.detach("--", "sh", "-c", "echo before; exec sleep 600").running()
    job.wait_for_line("before")
    os.kill(job.agent_pid(), signal.SIGKILL)
    job.wait_for("job_failed")
    assert "[worker:0] before" in ydl.ok("logs", job.id).out.splitlines()


# ---- to the end ------------------------------------------------------------------------------------------------


def test_following_ends_with_how_the_job_ended(ydl, on_terminal):
    ydl("run", "--", "sh", "-c", "echo hello; exit 3")
    job = ydl.the_job()
    followed = ydl("logs", "-f", job.id)
    assert (followed.code, followed.out) == (0, "[worker:0] hello\n"), "the exit code tells of the logs, not of the job"
    (line,) = followed.err.splitlines()
    assert re.match(rf"{job.id} failed after [\d.]+ m?s: worker:0 ", line)
    lines, code = on_terminal("logs", "-f", job.id, env={"NO_COLOR": "1"})
    assert (lines, code) == (["worker:0 │ hello", line], 0)


# ---- copies ----------------------------------------------------------------------------------------------------


def files_below(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_to_copies_the_log_files_as_they_are(ydl, two_tasks):
    done = ydl.ok("logs", "--to", "kept", two_tasks.id)
    assert done.out == "" and re.match(r"4 logs, .* copied to kept\n$", done.err)
    assert files_below(ydl.work / "kept") == {
        f"worker-{index}/1/{stream}": text
        for index in range(2)
        for stream, text in (("stdout", b"first %d\nsecond %d\n" % (index, index)), ("stderr", b"error %d\n" % index))
    }
    ydl.ok("logs", "--to", "one", "--stream", "stdout", two_tasks.id, "worker:1")
    assert list(files_below(ydl.work / "one")) == ["worker-1/1/stdout"]


def test_to_replaces_files_only_with_force(ydl, two_tasks):
    mine = ydl.work / "kept/worker-1/1/stdout"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    refused = ydl("logs", "--to", "kept", two_tasks.id)
    assert refused.code == 1 and "kept/worker-1/1/stdout is there already: add --force to replace it" in refused.err
    assert files_below(ydl.work / "kept") == {"worker-1/1/stdout": b"mine"}, "nothing is copied in part"
    ydl.ok("logs", "--to", "kept", "--force", two_tasks.id)
    assert mine.read_text() == "first 1\nsecond 1\n"
    assert len(files_below(ydl.work / "kept")) == 4
