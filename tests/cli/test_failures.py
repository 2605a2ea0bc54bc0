"""What a failing job shows, retries, time limits, and roles that do not decide."""

import re
import time

import pytest

from harness import finish


def job_file(ydl, text):
    return ydl.write("job.yaml", f"version: 1\nname: filed\nauto_files: false\n{text}")


# ---- what is printed -------------------------------------------------------------------------------------------


def test_a_failure_shows_the_task_its_last_lines_its_log_and_the_command_for_more(ydl):
    program = "for i in $(seq 1 30); do echo line $i >&2; done; echo not this; exit 3"
    done = ydl("run", "--name", "broken", "--", "sh", "-c", program)
    job = ydl.the_job()
    lines = done.out.splitlines()
    begin = lines.index("worker:0 failed first, with exit code 3")
    assert lines[begin + 1 : begin + 21] == [f"    line {i}" for i in range(11, 31)]
    assert lines[begin + 21 : begin + 23] == [f"log: {job.folder}/logs/worker-0/1/stderr", f"more: ydl logs {job.id} worker:0"]
    assert re.fullmatch(rf"\S+ {job.id} failed after .*: worker:0 failed with exit code 3", lines[begin + 23])


def test_the_command_for_more_shows_the_whole_log(ydl):
    done = ydl("run", "--", "sh", "-c", "seq 1 100 >&2; exit 1")
    command = re.search(r"^more: ydl (.*)$", done.out, re.MULTILINE)[1]
    assert ydl.ok(*command.split()).err.splitlines() == [str(i) for i in range(1, 101)]


def test_the_first_failure_is_shown_and_not_the_tasks_stopped_because_of_it(ydl):
    program = ydl.program(
        "import os, signal, sys, time\n"
        "if os.environ['YDL_INDEX'] == '1':\n"
        "    sys.exit('the real cause')\n"
        "def stop(*_):\n"
        "    print('only a victim', file=sys.stderr)\n"
        "    os._exit(9)\n"
        "signal.signal(signal.SIGTERM, stop)\n"
        "signal.pause()\n"
    )
    done = ydl("run", "--n", "3", "--", *program)
    assert done.code == 1
    assert done.out.count("failed first") == 1
    failure = done.out[done.out.index("failed first") :]
    assert "    the real cause" in failure
    assert "only a victim" not in failure


def test_a_failure_without_stderr_shows_the_end_of_stdout(ydl):
    done = ydl("run", "--", "sh", "-c", "echo said on stdout; exit 2")
    assert "    said on stdout\nlog: " in done.out
    assert re.search(r"^log: .*/worker-0/1/stdout$", done.out, re.MULTILINE)


def test_a_failed_job_can_be_read_after_the_fact(ydl):
    ydl("run", "--n", "2", "--", "sh", "-c", "exit $((YDL_INDEX * 6))")
    job = ydl.the_job()
    text = ydl.ok("status", job.id).out
    assert text.splitlines()[0].startswith(f"{job.id}  failed")
    assert "worker:1 failed with exit code 6" in text
    assert job.state_file()["cause"] == "worker:1"


# ---- retries ---------------------------------------------------------------------------------------------------


def test_a_failed_task_is_started_again_while_its_role_has_retries(ydl):
    done = ydl("run", "--n", "2", "--retries", "2", "--", "sh", "-c", "[ $YDL_ATTEMPT = 3 ] || [ $YDL_INDEX = 0 ] || exit 5; echo made it")
    assert done.code == 0, done.everything()
    job = ydl.the_job()
    assert [event["attempt"] for event in job.events() if event["kind"] == "task_failed"] == [1, 2]
    assert re.search(r"worker:1 restarting in (\d+ ms|1(\.\d)? s) \(retry 1 of 2 for role worker\)", done.out), done.out
    assert (job.folder / "logs/worker-1/3/stdout").read_text() == "made it\n"


def test_the_logs_of_an_earlier_attempt_are_kept(ydl):
    ydl.ok("run", "--retries", "1", "--", "sh", "-c", "echo attempt $YDL_ATTEMPT; exit $((2 - YDL_ATTEMPT))")
    job = ydl.the_job()
    assert ydl.ok("logs", "--attempt", "1", job.id, "worker:0").out == "attempt 1\n"
    assert ydl.ok("logs", "--attempt", "2", job.id, "worker:0").out == "attempt 2\n"


def test_a_job_whose_retries_are_used_up_fails_with_the_last_code(ydl):
    done = ydl("run", "--retries", "1", "--", "sh", "-c", "exit $((10 + YDL_ATTEMPT))")
    assert done.code == 12
    assert "no retries are left" in done.out
    assert "worker:0 (attempt 2) failed first, with exit code 12" in done.out


def test_the_whole_job_is_started_again_with_job_retries(ydl):
    done = ydl("run", "--n", "2", "--job-retries", "1", "--stop-grace", "5s", "--",
               "sh", "-c", "[ $YDL_ATTEMPT = 2 ] && exit 0; [ $YDL_INDEX = 1 ] && exit 7; exec sleep 600")  # fmt: skip
    assert done.code == 0, done.everything()
    job = ydl.the_job()
    assert [event["kind"] for event in job.events()].count("job_restarting") == 1
    assert {event["attempt"] for event in job.events() if event["kind"] == "task_succeeded"} == {2}


# ---- time ------------------------------------------------------------------------------------------------------


def test_a_job_that_runs_too_long_ends_with_124(ydl):
    done = ydl("run", "--n", "2", "--timeout", "300ms", "--", "sleep", "600")
    assert done.code == 124
    assert "the job ran longer than its limit of 300 ms" in done.out


def test_a_task_that_ignores_sigterm_is_killed_after_the_grace(ydl):
    process = ydl.start("run", "--stop-grace", "200ms", "--", "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 600; done")
    job = ydl.the_job()
    job.wait_for_line("ready")
    begin = time.monotonic()
    job.kill()
    assert time.monotonic() - begin < 8
    assert finish(process).code == 130
    assert "was killed by signal 9 (SIGKILL)" in job.wait_for("task_stopped")["text"]


def test_a_task_may_use_its_grace_to_succeed(ydl):
    process = ydl.start("run", "--", "sh", "-c", "trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.05; done")
    job = ydl.the_job()
    job.wait_for_line("ready")
    job.kill()
    finish(process)
    assert job.log().splitlines()[-1] == "saved"
    assert job.wait_for("task_stopped")["text"] == "stopped"


def test_kill_now_does_not_wait_for_the_grace(ydl):
    job = ydl.detach("--", "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 600; done")
    job.wait_for_line("ready")
    begin = time.monotonic()
    job.kill("--now")
    assert time.monotonic() - begin < 8  # the grace is ten seconds


# ---- roles that do not decide ----------------------------------------------------------------------------------


def test_a_service_is_stopped_when_the_deciders_are_done(ydl):
    path = job_file(ydl, "roles:\n  worker: {count: 2, command: 'true'}\n  ps: {command: sleep 600}\n")
    done = ydl("submit", path)
    assert done.code == 0, done.everything()
    assert ydl.the_job().wait_for("task_stopped")["task"] == "ps:0"


def test_a_service_that_fails_fails_the_job(ydl):
    path = job_file(ydl, "roles:\n  worker: {command: sleep 600}\n  ps: {command: sh -c 'exit 8'}\n")
    done = ydl("submit", path)
    assert done.code == 8
    assert "ps:0 failed first" in done.out


def test_an_evaluator_may_finish_after_the_deciders(ydl):
    marker = ydl.scratch / "trained"
    evaluate = f"while [ ! -e {marker} ]; do sleep 0.02; done; sleep 0.2; echo score 0.97"
    path = job_file(ydl, f"roles:\n  worker: {{command: touch {marker}}}\n  evaluator: {{command: [sh, -c, '{evaluate}']}}\n")
    done = ydl("submit", path)
    assert done.code == 0, done.everything()
    assert "[evaluator:0] score 0.97" in done.out
    assert ydl.the_job().wait_for("task_succeeded", "evaluator:0")


def test_an_evaluator_that_takes_too_long_is_stopped_and_the_job_succeeds(ydl):
    path = job_file(ydl, "timeouts: {evaluator: 200ms}\nroles:\n  worker: {command: 'true'}\n  evaluator: {command: sleep 600}\n")
    done = ydl("submit", path)
    assert done.code == 0, done.everything()
    assert "evaluator:0 did not finish within 200 ms after the worker succeeded (timeouts.evaluator)" in done.out


def test_an_evaluator_that_fails_is_reported_and_decides_nothing(ydl):
    path = job_file(ydl, "roles:\n  worker: {command: sleep 0.5}\n  evaluator: {command: sh -c 'exit 3'}\n")
    done = ydl("submit", path)
    assert done.code == 0, done.everything()
    assert "evaluator:0 failed with exit code 3" in done.out
    assert "evaluator:0: the job continues without it: tasks of role evaluator may fail" in done.out


def test_an_evaluator_that_the_job_file_makes_a_decider_decides(ydl):
    path = job_file(ydl, "roles:\n  worker: {command: sleep 600}\n  evaluator: {command: sh -c 'exit 3', kind: decider}\n")
    assert ydl("submit", path).code == 3


@pytest.mark.parametrize("name", ["job.yaml", "job.json"])
def test_paths_in_a_job_file_are_relative_to_it(ydl, name):
    folder = ydl.work / "there"
    folder.mkdir()
    (folder / "hello.sh").write_text("echo hello")
    (folder / name).write_text('{"version": 1, "command": "sh hello.sh", "roles": {"worker": {}}}')
    done = ydl("submit", f"there/{name}")
    assert "[worker:0] hello" in done.out, done.everything()


def test_a_file_name_that_is_not_utf8_does_not_stop_the_reports(ydl):
    """The name is in the sentence that says why the file could not be kept."""
    script = 'rmdir "$YDL_RESULTS_DIR" && : > "$YDL_RESULTS_DIR"; : > "$(printf "caf\\351")"'
    done = ydl("run", "--", "sh", "-c", script)
    assert "cannot keep " in done.everything() and "caf\ufffd" in done.everything(), done.everything()
