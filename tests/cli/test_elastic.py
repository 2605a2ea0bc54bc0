"""Roles whose number of tasks may change, as a user sees them on one machine."""

import json

import pytest

MORE = "is not a range of tasks; write LEAST:MOST, for example 2:8"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--role", "worker=8:2"], "--role: role 'worker': '8:2': the first number is larger than the second; write 2:8"),
        (["--role", "worker=0:4"], "--role: role 'worker': '0:4': a role needs at least one task; write 1:4"),
        (["--role", "worker=2:"], MORE),
        (["--role", "worker=2:8:9"], MORE),
        (["--n", "8:2"], "--n: '8:2': the first number is larger than the second; write 2:8"),
        (["--n", "0:0"], "--n: '0:0': a role needs at least one task; write 1"),
        (["--n", "x:y"], MORE),
        (["--role", "worker=2", "--role", "ps=1:2"], "ps=1:2: the number of tasks of role ps cannot change while the job runs; write ps=2"),
        (["--role", "worker=2", "--role", "evaluator=1:2"], "evaluator=1:2: the number of tasks"),
        (["--framework", "pytorch", "--role", "master=1:2"], "at most one master"),
        (["--framework", "tensorflow", "--role", "chief=1", "--role", "worker=1:2", "--role", "ps=1"], "worker=1:2: the number of tasks"),
        (["--framework", "mxnet", "--role", "worker=1", "--role", "server=1:2"], "server=1:2: the number of tasks"),
        (["--framework", "mxnet", "--n", "1:2", "--s", "1:2"], "--s"),
    ],
)  # fmt: skip
def test_what_cannot_be_elastic_is_refused_with_a_sentence(ydl, words, sentence):
    done = ydl("run", *words, "--", "true")
    assert done.code == 2, done.everything()
    (line,) = done.err.splitlines()
    assert sentence in line


@pytest.mark.parametrize("count", ["8:2", "'0:4'", "2:x"])
def test_a_job_file_with_an_impossible_count_is_refused_with_its_line(ydl, count):
    (ydl.work / "job.yaml").write_text(f"version: 1\ncommand: ./train\nroles: {{worker: {{count: {count}}}}}\n")
    done = ydl("submit", "job.yaml")
    assert done.code == 2, done.everything()
    assert "job.yaml:3: count in role 'worker': " in done.err


def test_a_dry_run_shows_the_least_and_the_most(ydl):
    ydl.write("train", "#!/bin/sh\n").chmod(0o755)
    text = ydl.ok("run", "--framework", "pytorch", "--role", "worker=2:8", "--dry-run", "--", "./train").out
    assert "2 to 8" in text
    assert "YDL_TASK=worker:1" in text
    assert "WORLD_SIZE=8" in text
    (plan,) = ydl.ok("run", "--n", "2:8", "--output", "json", "--dry-run", "--", "./train").lines()
    assert (plan["roles"][0]["least"], plan["roles"][0]["count"]) == (2, 8)


def test_on_one_machine_the_job_has_the_most_at_once(ydl):
    script = "echo $YDL_TASK $RANK of $WORLD_SIZE; [ $RANK != 1 ] || echo \"$YDL_TASKS_JSON\" > $YDL_RESULTS_DIR/tasks"
    done = ydl.ok("run", "--results", "out", "--framework", "pytorch", "--n", "1:3", "--", "sh", "-c", script)
    for rank in range(3):
        assert f"worker:{rank} {rank} of 3" in done.out
    assert "absent" not in done.out
    workers = json.loads((ydl.work / "out/worker-1/tasks").read_text())["worker"]
    assert [worker["index"] for worker in workers] == [0, 1, 2]
    assert all(len(worker["ports"]) == 1 for worker in workers), "each of them may have rank 0 one day"


def test_status_shows_how_many_tasks_an_elastic_role_has(ydl):
    job = ydl.detach("--n", "1:3", "--", "sh", "-c", "sleep 300")
    job.wait_for("job_running")
    assert "3 of 1 to 3 workers" in ydl.ok("status", job.id).out
    (shown,) = ydl.ok("status", "--output", "json", job.id).lines()
    assert shown["elastic"] == [{"role": "worker", "least": 1, "most": 3, "tasks": 3}]
    job.kill()
    assert "1 to 3" not in ydl.ok("status", job.id).out
