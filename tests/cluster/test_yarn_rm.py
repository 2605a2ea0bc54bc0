"""`ydl ls`, `kill` and `rm` for jobs on a real YARN cluster, and --output json against real services."""

import json
import sys
from pathlib import Path

import pytest
from hdfs_files import eventually
from shared import YARN
from yarn_shell import SMALL, Jobs, job_id, let_users_in, user_of_test

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from output_schema import check_lines  # noqa: E402

pytestmark = pytest.mark.on_cluster(*YARN)

FOREVER = ["tail", "-f", "/dev/null"]
MAKE_A_MODEL = ["sh", "-c", "head -c 2048 /dev/zero > $YDL_RESULTS_DIR/model"]


@pytest.fixture
def jobs(clusters, tmp_path, request):
    cluster = clusters(*YARN)
    let_users_in(cluster)
    return Jobs(cluster, tmp_path, user_of_test(request))


def elsewhere(jobs, tmp_path_factory, user=None):
    return Jobs(jobs.cluster, tmp_path_factory.mktemp("elsewhere"), user or jobs.user)


def on_hdfs(jobs):
    """The names of all folders of jobs there."""
    return {line.rpartition("/")[2] for line in jobs.run("fs", "ls", jobs.root)[0].splitlines()}


def local_records(jobs):
    return {path.name for path in (Path(jobs.environment["XDG_STATE_HOME"]) / "ydl/jobs").iterdir()}


def test_rm_deletes_a_job_on_hdfs_and_on_this_machine(jobs, tmp_path_factory):
    job, other = (job_id(jobs.run("run", *SMALL, "--", *MAKE_A_MODEL)[1]) for _ in range(2))
    second = elsewhere(jobs, tmp_path_factory)
    (shown,) = check_lines(second.run("rm", "--dry-run", "--output", "json", job)[0])
    assert (shown["type"], shown["cluster"], shown["kept_results"]) == ("disposable_job", "yarn", None) and shown["bytes"] > 2048
    out, _ = jobs.run("rm", "--yes", job)
    assert out.startswith(f"{job} deleted: ") and out.endswith("results included\n")
    assert on_hdfs(jobs) == {other} and local_records(jobs) == {other}
    listed = [line.split()[:3] for line in jobs.run("ls")[0].splitlines()[1:]]
    assert listed == [[other, "succeeded", "yarn"]], "the ResourceManager still reports the other one"


def test_a_job_of_another_machine_is_deleted_by_its_id_or_its_application(jobs, tmp_path_factory):
    first, second = (job_id(jobs.run("run", *SMALL, "--", "true")[1]) for _ in range(2))
    application = json.loads(jobs.run("fs", "cat", f"{jobs.root}/{second}/yarn.json")[0])["application"]
    there = elsewhere(jobs, tmp_path_factory)
    there.run("rm", "--yes", first, application)
    assert on_hdfs(jobs) == set() and local_records(there) == set()


def test_rm_refuses_jobs_that_run_that_are_used_or_that_belong_to_others(jobs, tmp_path_factory):
    used = job_id(jobs.run("run", *SMALL, "--", *MAKE_A_MODEL)[1])
    running = jobs.run("run", "--detach", *SMALL, "--restore-from", used, "--", *FOREVER)[0].strip()
    jobs.wait_for(running, "job_running")
    there = elsewhere(jobs, tmp_path_factory)
    for shell in (jobs, there):
        _, err = shell.run("rm", "--yes", running, used, code=1)
        assert f"job {running} is running: stop it with `ydl kill {running}`" in err
        assert f"job {used} is in use: {running}, which is running, continues from its checkpoints" in err
    application = json.loads(jobs.run("fs", "cat", f"{jobs.root}/{running}/yarn.json")[0])["application"]
    _, err = elsewhere(jobs, tmp_path_factory, "mallory").run("rm", "--yes", application, code=1)
    assert f"job {running} belongs to {jobs.user}: only its owner can delete it" in err
    assert on_hdfs(jobs) == {used, running}
    jobs.run("kill", running)
    jobs.run("rm", "--yes", running, used)
    assert on_hdfs(jobs) == set()


def test_results_elsewhere_on_hdfs_are_kept(jobs):
    job = job_id(jobs.run("run", *SMALL, "--results", f"/user/{jobs.user}/out", "--", *MAKE_A_MODEL)[1])
    out, _ = jobs.run("rm", "--yes", job)
    assert "without the results in" in out and f"/user/{jobs.user}/out" in out
    assert on_hdfs(jobs) == set()
    assert "model" in jobs.run("fs", "ls", "-R", f"/user/{jobs.user}/out")[0]


def test_kill_stops_several_jobs_at_once(jobs):
    running = [jobs.run("run", "--detach", *SMALL, "--", *FOREVER)[0].strip() for _ in range(2)]
    for job in running:
        jobs.wait_for(job, "job_running")
    lines = check_lines(jobs.run("kill", "--output", "json", *running)[0])
    assert sorted(line["job"] for line in lines) == sorted(running)
    eventually(lambda: "running" not in jobs.run("ls")[0], "the end of both jobs")


def test_every_line_of_json_fits_the_schema(jobs):
    (jobs.work / "data").write_text("data")
    jobs.run("fs", "mkdir", "-p", f"/user/{jobs.user}")
    jobs.run("fs", "put", "data", "there")
    out, _ = jobs.run("run", "--output", "json", *SMALL, "--file", "data", "--", *MAKE_A_MODEL)
    job = next(line["job"] for line in check_lines(out))
    expected = {
        ("ls",): "summary", ("status", job): "job", ("logs", job): None, ("events", job): "event", ("events", "--timeline", job): "attempt",
        ("results", "ls", job): "file", ("results", "get", job, "--to", "here"): "copied", ("env", "ls"): "cached",
        ("env", "gc", "--older-than", "0", "--keep-jobs", "0", "--dry-run"): "disposable_job", ("doctor",): "check",
        ("fs", "ls"): "path", ("fs", "stat", "there"): "path", ("fs", "du"): "usage", ("run", "--dry-run", *SMALL, "--", "true"): "plan",
    }  # fmt: skip
    for words, wanted in expected.items():
        at = words.index("--") if "--" in words else len(words)
        out, err = jobs.run(*words[:at], "--output", "json", *words[at:])
        types = {line["type"] for line in check_lines(out)}
        assert wanted is None or wanted in types, f"{words}: {out}{err}"
    (error,) = check_lines(jobs.run("fs", "stat", "--output", "json", "nothing", code=1)[0])
    assert error["type"] == "error" and "nothing" in error["text"]
