"""Each of the checks after a schedule finds what it is there for."""

import json
from types import SimpleNamespace

import pytest
from checks import Checks
from run import Seen
from trainings import TRAININGS

LOG = "/jobs/j/logs/worker-0/1/stdout"


class Hadoop:
    """What commands of ydl answer."""

    def __init__(self):
        self.events = [{"seq": 1, "kind": "job_created"}, {"seq": 2, "kind": "job_succeeded"}]
        self.status = "j succeeded after 30 s"
        self.log = b"line 1\nline 2\n"
        self.folder = ["events.jsonl", "logs/worker-0/1/stdout", "results/worker-0/model"]

    def __call__(self, *words):
        if words[0] == "events":
            return (0, "".join(json.dumps(event) + "\n" for event in self.events).encode(), "") if self.events is not None else (1, b"", "no answer")
        if words[0] == "status":
            return 0, self.status.encode(), ""
        if words[:2] == ("fs", "cat"):
            return (0, self.log, "") if words[2] == LOG else (1, b"", "no such file")
        return 0, "".join(f"-rw------- 2 ann /jobs/j/{name}\n" for name in self.folder).encode(), ""


@pytest.fixture
def job(tmp_path):
    """A job that ended as it should, in pieces that a test can change."""
    seen = Seen(code=0, out="[worker:0] accuracy: 0.9612\nj succeeded in 30 s\n", logs={("worker:0", 1): b"line 1\n"})
    run = SimpleNamespace(seen=seen, training=TRAININGS["pytorch"], notes=tmp_path, remote="/jobs/j", id="j")
    for task in ("worker-0", "worker-1"):
        (tmp_path / task).write_text("start 1 10.0 1\nend 1 20.0 143\nstart 2 21.0 2\nend 2 40.0 0\n")
    checks = Checks(run)
    checks._ydl = Hadoop()
    return SimpleNamespace(run=run, seen=seen, hadoop=checks._ydl, notes=tmp_path,
                           problems=lambda: checks._end() + checks._overlaps() + checks._logs() + checks._answers() + checks._staged())  # fmt: skip


def test_a_job_that_ended_as_it_should_has_no_problem(job):
    assert job.problems() == []


@pytest.mark.parametrize(("out", "code", "words"), [
    ("[worker:0] accuracy: 0.4000\n", 0, "the accuracy is 0.4"),
    ("succeeded\n", 0, "no accuracy"),
    ("j failed after 3 s: worker:0 failed with exit code 1\n", 1, "ended with 1"),
    ("", None, "did not end"),
])  # fmt: skip
def test_another_outcome_is_seen(job, out, code, words):
    job.seen.out, job.seen.code = out, code
    (problem,) = job.problems()
    assert words in problem


@pytest.mark.parametrize(("out", "code", "count"), [("worker:0 failed with exit code 3\n", 3, 0), ("worker:0 was lost\n", 1, 1), ("accuracy: 1.0\n", 0, 1)])
def test_a_training_that_is_to_fail_has_to_fail_with_its_own_error(job, out, code, count):
    job.run.training = TRAININGS["mistake"]
    checks = Checks(job.run)
    job.seen.out, job.seen.code = out, code
    assert len(checks._end()) == count


@pytest.mark.parametrize("notes", ["start 1 1.0 1\noverlap 2 2.0\nend 1 3.0 0\nstart 2 3.0 2\nend 2 4.0 0\n", "start 2 1.0 1\nstart 1 2.0 2\n", "start 1 1.0 1\nstart 1 2.0 1\n"])
def test_attempts_that_overlap_or_are_out_of_order_are_seen(job, notes):
    (job.notes / "worker-1").write_text(notes)
    (problem,) = job.problems()
    assert "worker:1" in problem


def test_lines_that_are_missing_on_hdfs_are_seen(job):
    job.hadoop.log = b"line"
    (problem,) = job.problems()
    assert LOG in problem and "lacks" in problem


@pytest.mark.parametrize("events", [
    None,
    [{"seq": 1, "kind": "job_created"}, {"seq": 3, "kind": "job_succeeded"}],
    [{"seq": 1, "kind": "job_created"}, {"seq": 1, "kind": "job_created"}, {"seq": 2, "kind": "job_succeeded"}],
    [{"seq": 1, "kind": "job_created"}],
])  # fmt: skip
def test_events_with_a_gap_or_without_an_end_are_seen(job, events):
    job.hadoop.events = events
    assert len(job.problems()) == 1


def test_a_status_without_an_outcome_is_seen(job):
    job.hadoop.status = "j running"
    assert len(job.problems()) == 1


@pytest.mark.parametrize("name", ["master.json", "state.json.tmp", "saves/worker-0/manifest.json", "results/.worker-0.new-2/model"])
def test_files_that_were_to_be_gone_are_seen(job, name):
    job.hadoop.folder.append(name)
    assert job.problems() == [f"{name} is left over in the job's folder"]
