"""ydl status of a running job and of one that has ended, and what it shows: progress, usage, silence."""

import re

import pytest

from harness import eventually

# Prints a bar as tqdm does when its output is not a terminal: each state begins with a carriage return.
BAR = r"""
import sys, time
for i in range(3):
    sys.stderr.write(f"\r {50 * i:2d}%|#####     | {i}/2 [00:0{i}<00:0{2 - i},  1.00it/s]")
    sys.stderr.flush()
sys.stderr.write("\n")
time.sleep(600)
"""


def shown(job):
    (line,) = job.ydl.ok("status", "--output", "json", job.id).lines()
    return line


def task_when(job, is_so, what):
    def found():
        task = shown(job)["tasks"][0]
        return task if is_so(task) else None

    return eventually(found, what)


@pytest.mark.parametrize(("words", "percent"), [("3/8 epoch 3", 37), ("42% epoch 3", 42), ("0.25 epoch 3", 25)])
def test_each_form_of_progress_is_shown(ydl, words, percent):
    job = ydl.detach("--", "sh", "-c", f"echo ::progress {words}; exec sleep 600")
    task = task_when(job, lambda task: task["percent"], "progress")
    assert (task["percent"], task["progress_text"]) == (percent, "epoch 3")
    assert shown(job)["percent"] == percent
    assert f" {percent}% epoch 3" in ydl.ok("status", job.id).out
    job.kill()


def test_a_bar_that_a_program_prints_is_its_progress(ydl):
    job = ydl.detach("--", *ydl.program(BAR))
    task = task_when(job, lambda task: task["percent"] == 100, "the last state of the bar")
    assert task["progress_text"] == "2/2"
    job.kill()


def test_progress_that_is_not_understood_is_told_once(ydl):
    done = ydl("run", "--output", "plain", "--", "sh", "-c", "echo ::progress abc; echo ::progress 12 of 30")
    (told,) = [line for line in done.out.splitlines() if "not understood" in line]
    assert told.endswith("worker:0: it wrote `::progress abc`, which is not understood: write ::progress 3/8 text")
    assert "::progress 12 of 30" in done.out


def test_status_shows_what_runs_where_and_how_far_it_is(ydl):
    job = ydl.detach("--name", "train", "--n", "2", "--", "sh", "-c", "echo ::progress 2/5 epoch 2; echo loading; exec sleep 600")
    task_when(job, lambda task: task["percent"] and task["last_line"] == "loading", "progress")
    lines = ydl.ok("status", job.id).out.splitlines()
    assert re.fullmatch(rf"{job.id}  running .*, 40%  on this machine", lines[0])
    assert lines[1] == "sh -c 'echo ::progress 2/5 epoch 2; echo loading; exec sleep 600'"
    assert re.match(r"TASK +STATE +HOST +RAN +PROGRESS ", lines[3])
    assert re.match(r"worker:0  running  \S+ +.*s  ████░░░░░░ 40% epoch 2 ", lines[4])
    assert lines[4].endswith("  loading")
    commands = shown(job)["commands"]
    assert commands[0]["words"][:2] == ["sh", "-c"]
    job.kill()
    ended = ydl.ok("status", job.id).out.splitlines()
    assert re.fullmatch(rf"{job.id}  stopped after .*  on this machine", ended[0])
    assert not re.search("PROGRESS|CPU|MEMORY", ydl.ok("status", job.id).out)


def test_status_shows_what_the_processes_of_a_task_use(ydl):
    program = ydl.program("import os, subprocess, sys\n"
                          "held = bytearray(100 << 20)\n"
                          "child = subprocess.Popen([sys.executable, '-c', 'held = bytearray(100 << 20)\\nwhile True: pass'])\n"
                          "child.wait()\n")
    job = ydl.detach("--", *program)
    task = task_when(job, lambda task: (task["memory_bytes"] or 0) > 200 << 20 and task["cpu_percent"], "the use of memory and CPU")
    assert task["memory_bytes"] < 1 << 30
    assert task["memory_limit_bytes"] is None
    assert re.search(r"CPU +MEMORY", ydl.ok("status", job.id).out)
    assert re.search(r" \d+% +\d+ MiB", ydl.ok("status", job.id).out)
    job.kill()
    assert shown(job)["tasks"][0]["memory_bytes"] is None


def test_status_shows_for_how_long_a_task_is_quiet(ydl):
    job = ydl.detach("--", "sh", "-c", "echo begin; exec sleep 600")
    task = task_when(job, lambda task: (task["quiet_ms"] or 0) > 1000, "a quiet task")
    assert task["last_line"] == "begin"
    job.kill()

