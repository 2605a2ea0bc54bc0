"""The job's folder: who may read it, and what happens when what is in it is damaged."""

import json
import os
import stat

import pytest

from harness import finish


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def two_jobs(ydl):
    """A job to damage and one that must not be hurt by it."""
    ydl.ok("run", "--name", "victim", "--", "echo", "from victim")
    ydl.ok("run", "--name", "healthy", "--", "echo", "from healthy")
    jobs = {job.id.split("-")[0]: job for job in ydl.jobs()}
    return jobs["victim"], jobs["healthy"]


DAMAGED = {
    "empty": b"",
    "half written": b'{"version":1,"state":"runn',
    "random bytes": bytes(range(256)) * 4,
    "another kind of JSON": b"[1, 2]",
    "JSON without the fields": b'{"version":1}',
    "a version in words": b'{"version":"one"}',
    "nested too deep": b"[" * 100_000,
}
every_damage = pytest.mark.parametrize("content", [pytest.param(content, id=name) for name, content in DAMAGED.items()])


# ---- who may read it -------------------------------------------------------------------------------------------


def test_only_the_user_may_look_into_the_folders_of_jobs(ydl):
    old = os.umask(0)
    try:
        job = ydl.detach("--", "sleep", "600").running()
    finally:
        os.umask(old)
    for folder in (ydl.state / "ydl", ydl.jobs_folder(), job.folder):
        assert oct(mode(folder)) == oct(0o700), folder
    job.kill()


def test_only_the_user_may_read_the_secret_and_the_records(ydl):
    old = os.umask(0)
    try:
        job = ydl.detach("--", "sleep", "600").running()
    finally:
        os.umask(old)
    for name in ("master.json", "job.json", "state.json", "events.jsonl", "master.lock"):
        assert oct(mode(job.folder / name)) == oct(0o600), name
    job.kill()


def test_the_secret_is_in_no_environment_command_line_or_log(ydl):
    job = ydl.detach("--n", "2", "--", "sh", "-c", "env; exec sleep 600").running()
    secret = job.endpoint()["secret"].encode()
    assert len(secret) >= 32
    processes = job.processes()
    assert len(processes) >= 6  # master, agent, and two tasks with their reapers
    for pid in processes:
        for file in ("environ", "cmdline"):
            with open(f"/proc/{pid}/{file}", "rb") as content:
                assert secret not in content.read(), f"/proc/{pid}/{file}"
    job.kill()
    holders = [path for path in job.folder.rglob("*") if path.is_file() and not path.is_symlink() and secret in path.read_bytes()]
    assert [path.name for path in holders] in ([], ["master.json"])


def test_two_jobs_have_different_secrets(ydl):
    first, second = (ydl.detach("--", "sleep", "600").running() for _ in range(2))
    assert first.endpoint()["secret"] != second.endpoint()["secret"]
    status, _ = first.call("GET", "/v1/job", secret=second.endpoint()["secret"])
    assert status == 401
    first.kill()
    second.kill()


def test_a_job_is_readable_with_the_naked_eye(ydl):
    ydl.ok("run", "--name", "plain", "--n", "2", "--", "echo", "hello")
    job = ydl.the_job()
    asked = json.loads((job.folder / "job.json").read_text())
    assert (asked["version"], asked["id"], asked["spec"]["command"]) == (1, job.id, ["echo", "hello"])
    state = job.state_file()
    assert (state["version"], state["state"], state["tasks"], state["exit_code"]) == (1, "succeeded", 2, 0)
    assert job.events()[0]["kind"] == "job_placing"
    assert job.events()[-1]["kind"] == "job_succeeded"
    assert (job.folder / "logs/worker-1/1/stdout").read_text() == "hello\n"


def test_a_job_has_one_master(ydl):
    job = ydl.detach("--", "sleep", "600").running()
    second = ydl("__master", "--folder", job.folder)
    assert second.code == 1
    assert f"job {job.id} already has a master" in second.out
    assert ydl.listed()[job.id]["state"] == "running"
    job.kill()


# ---- damage ----------------------------------------------------------------------------------------------------


@every_damage
@pytest.mark.parametrize("name", ["job.json", "state.json"])
def test_a_damaged_file_is_reported_and_other_jobs_are_listed(ydl, two_jobs, name, content):
    victim, healthy = two_jobs
    (victim.folder / name).write_bytes(content)
    listed = ydl.listed()
    assert listed[healthy.id]["state"] == "succeeded"
    assert listed[victim.id]["state"] == "unreadable"
    assert str(victim.folder / name) in listed[victim.id]["reason"]
    assert ydl.ok("logs", healthy.id).out == "[worker:0] from healthy\n"


@every_damage
def test_a_damaged_state_is_reported_by_status(ydl, two_jobs, content):
    victim, healthy = two_jobs
    (victim.folder / "state.json").write_bytes(content)
    (victim.folder / "view.json").unlink()
    done = ydl("status", victim.id)
    assert done.code == 1, done.everything()
    assert str(victim.folder / "state.json") in done.err
    assert ydl.ok("status", healthy.id).out.startswith(f"{healthy.id}  succeeded")


@every_damage
def test_a_damaged_view_is_made_up_for_by_the_state(ydl, two_jobs, content):
    victim, _ = two_jobs
    (victim.folder / "view.json").write_bytes(content)
    assert ydl.ok("status", victim.id).out.startswith(f"{victim.id}  succeeded")


@every_damage
def test_logs_can_be_read_whatever_happened_to_the_state(ydl, two_jobs, content):
    victim, _ = two_jobs
    (victim.folder / "state.json").write_bytes(content)
    (victim.folder / "job.json").write_bytes(content)
    assert ydl.ok("logs", victim.id).out == "[worker:0] from victim\n"


def test_a_half_written_event_is_left_out_and_counted(ydl, two_jobs):
    victim, _ = two_jobs
    file = victim.folder / "events.jsonl"
    whole = len(victim.events())
    file.write_bytes(file.read_bytes() + b'{"seq":99,"time":"2026-')
    done = ydl("events", "--output", "json", victim.id)
    assert done.code == 1
    *events, error = done.lines()
    assert len(events) == whole and error["type"] == "error"
    assert done.err == f"ydl: {error['text']}\n" == f"ydl: 1 line of {file} is broken and was left out\n"


def test_events_that_are_gone_are_reported(ydl, two_jobs):
    victim, healthy = two_jobs
    (victim.folder / "events.jsonl").unlink()
    done = ydl("events", victim.id)
    assert (done.code, done.out) == (1, "")
    assert str(victim.folder / "events.jsonl") in done.err
    ydl.ok("events", healthy.id)


def test_the_state_of_a_newer_version_is_named_as_such(ydl, two_jobs):
    victim, healthy = two_jobs
    state = victim.state_file()
    (victim.folder / "state.json").write_text(json.dumps(state | {"version": 2}))
    listed = ydl.listed()
    assert listed[victim.id]["state"] == "unreadable"
    assert "has version 2 and was written by a newer version of ydl; this ydl reads version 1" in listed[victim.id]["reason"]
    assert listed[healthy.id]["state"] == "succeeded"


def test_other_files_in_the_jobs_folder_do_not_hurt_a_job(ydl, two_jobs):
    _, healthy = two_jobs
    (ydl.jobs_folder() / "other-file").write_text("hello")
    (ydl.jobs_folder() / "empty-folder").mkdir()
    (ydl.jobs_folder() / "loop").symlink_to("loop")
    listed = ydl.listed()
    assert listed[healthy.id]["state"] == "succeeded"
    assert "other-file" not in listed


def test_a_running_job_is_not_hurt_by_a_damaged_state_file(ydl):
    os.mkfifo(ydl.scratch / "go_on")
    process = ydl.start("run", "--", "cat", ydl.scratch / "go_on")
    job = ydl.the_job().running()
    (job.folder / "state.json").write_bytes(b"\0broken")
    (ydl.scratch / "go_on").write_text("")
    assert finish(process).code == 0
    assert job.state_file()["state"] == "succeeded"


def test_a_job_whose_folder_is_removed_while_it_runs_still_ends(ydl):
    os.mkfifo(ydl.scratch / "go_on")
    process = ydl.start("run", "--", "cat", ydl.scratch / "go_on")
    job = ydl.the_job().running()
    job.folder.rename(ydl.scratch / "moved_away")
    (ydl.scratch / "go_on").write_text("")
    finish(process)  # in time; the fixture sees to it that nothing is left
