"""Looking after many jobs: ls selects them, kill and rm take several."""

import contextlib
import json
import os
import re
import signal
import time

from harness import COMMAND_LIMIT, assert_nothing_left

DAY = 86_400
FOREVER = ["tail", "-f", "/dev/null"]


def ended(ydl, name, *command):
    """The job of a command that has ended."""
    before = {job.id for job in ydl.jobs()}
    ydl("run", "--name", name, "--", *command)
    (job,) = [job for job in ydl.jobs() if job.id not in before]
    return job


def left(ydl):
    """The IDs of the jobs that there are."""
    return {job.id for job in ydl.jobs()}


def make_old(job, days):
    """As if the job had ended `days` days ago."""
    then = time.time() - days * DAY
    with contextlib.suppress(ValueError):  # a broken file stays as it is
        state = job.state_file()
        state["finished"] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(then))
        (job.folder / "state.json").write_text(json.dumps(state))
    for path in [*job.folder.rglob("*"), job.folder]:
        os.utime(path, (then, then), follow_symlinks=False)


def ids(ydl, *options):
    return [line.split()[0] for line in ydl.ok("ls", *options).out.splitlines()[1:]]


# ---- ls --------------------------------------------------------------------------------------------------------


def test_ls_selects_by_state(ydl):
    good, bad = ended(ydl, "good", "true"), ended(ydl, "bad", "false")
    assert ids(ydl, "--state", "failed") == [bad.id]
    assert ids(ydl, "--state", "failed,succeeded") == [bad.id, good.id]
    done = ydl.ok("ls", "--state", "running")
    assert done.out == "no job fulfils these conditions\n"


def test_ls_selects_by_the_time_of_submission(ydl):
    job = ended(ydl, "job", "true")
    assert ids(ydl, "--since", "1h") == [job.id]
    assert ids(ydl, "--since", "2026-01-01") == [job.id]
    assert ydl.ok("ls", "--since", "2999-01-01", "--output", "json").out == ""


def test_ls_limits_what_was_selected(ydl):
    bad = ended(ydl, "bad", "false")
    ended(ydl, "good", "true")
    assert ids(ydl, "--state", "failed", "--limit", "1") == [bad.id]


# ---- kill ------------------------------------------------------------------------------------------------------


def test_kill_stops_several_jobs(ydl):
    jobs = [ydl.detach("--name", name, "--", *FOREVER).running() for name in ("one", "two", "three")]
    done = ydl.ok("kill", "--now", *(job.id for job in jobs))
    assert sorted(done.out.splitlines()) == sorted(f"{job.id} stopped" for job in jobs)
    assert [job.state_file()["state"] for job in jobs] == ["stopped"] * 3


def test_kill_of_one_job_named_twice_stops_it_once(ydl):
    job = ydl.detach("--name", "one", "--", *FOREVER).running()
    assert ydl.ok("kill", "--now", job.id, job.id).out == f"{job.id} stopped\n"


def test_an_unknown_id_keeps_all_jobs_running(ydl):
    job = ydl.detach("--name", "one", "--", *FOREVER).running()
    done = ydl("kill", "--now", job.id, "nosuch-0000", "neither-0000")
    assert done.code == 1 and done.out == ""
    assert "there is no job 'nosuch-0000'" in done.err and "there is no job 'neither-0000'" in done.err
    assert done.err.endswith("ydl: no job was stopped\n")
    assert ydl.listed()[job.id]["state"] == "running"
    job.kill("--now")


def test_a_job_that_has_ended_does_not_keep_the_others_running(ydl):
    over = ended(ydl, "over", "true")
    job = ydl.detach("--name", "one", "--", *FOREVER).running()
    done = ydl("kill", "--now", over.id, job.id)
    assert (done.code, done.out) == (1, f"{job.id} stopped\n")
    assert done.err == f"ydl: job {over.id} is not running: it succeeded\n"


def test_kill_in_json_is_one_object_for_each_job(ydl):
    jobs = [ydl.detach("--name", name, "--", *FOREVER).running() for name in ("one", "two")]
    lines = ydl.ok("kill", "--now", "--output", "json", *(job.id for job in jobs)).lines()
    assert sorted(line["job"] for line in lines) == sorted(job.id for job in jobs)
    assert [(line["v"], line["type"], line["state"]) for line in lines] == [(1, "stopped", "stopped")] * 2


# ---- rm --------------------------------------------------------------------------------------------------------

MAKE_A_MODEL = ["sh", "-c", "head -c 2048 /dev/zero > $YDL_RESULTS_DIR/model"]


def in_terminal(ydl, typed, *arguments):
    """The command with a terminal as its input and its errors, where `typed` is answered: (code, out, screen)."""
    ours, theirs = os.openpty()
    process = ydl.start(*arguments, stdin=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, typed.encode())
    out = process.communicate(timeout=COMMAND_LIMIT)[0].decode()
    screen = b""
    with contextlib.suppress(OSError):  # EIO: the other side is closed and all is read
        while piece := os.read(ours, 4096):
            screen += piece
    os.close(ours)
    return process.returncode, out, screen.decode()


def nothing_hidden(ydl):
    return not [path for path in ydl.jobs_folder().iterdir() if path.name.startswith(".")]


def test_rm_deletes_a_job_with_its_results(ydl):
    job, other = ended(ydl, "model", *MAKE_A_MODEL), ended(ydl, "other", "true")
    done = ydl.ok("rm", "--yes", job.id)
    assert re.fullmatch(rf"{job.id} deleted: \d+ files, [\d.]+ KiB, results included\n", done.out) and done.err == ""
    assert left(ydl) == {other.id} and nothing_hidden(ydl)
    assert f"there is no job '{job.id}'" in ydl("status", job.id).err


def test_rm_asks_on_a_terminal_and_takes_only_yes_for_consent(ydl):
    job = ended(ydl, "model", *MAKE_A_MODEL)
    for answer in ("n\n", "\n", "\x04"):
        code, out, screen = in_terminal(ydl, answer, "rm", job.id)
        assert (code, out) == (1, "") and "no job was deleted" in screen
    code, out, screen = in_terminal(ydl, "y\n", "rm", job.id)
    assert (code, out.split(":")[0]) == (0, f"{job.id} deleted")
    assert re.search(rf"{job.id}: \d+ files, [\d.]+ KiB, results included\r\nDelete this job\? \[y/N\] ", screen)
    assert left(ydl) == set()


def test_rm_looks_again_after_its_question(ydl):
    job = ended(ydl, "model", *MAKE_A_MODEL)
    ours, theirs = os.openpty()
    process = ydl.start("rm", job.id, stdin=theirs, stderr=theirs)
    os.close(theirs)
    screen = b""
    while b"[y/N]" not in screen:
        screen += os.read(ours, 4096)
    other = ydl.detach("--name", "next", "--restore-from", job.id, "--", *FOREVER).running()
    os.write(ours, b"y\n")
    assert process.wait(timeout=COMMAND_LIMIT) == 1
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 4096):
            screen += piece
    os.close(ours)
    assert f"job {job.id} is in use: {other.id}, which is running, continues from its checkpoints" in screen.decode()
    assert "no job was deleted" in screen.decode() and job.id in left(ydl)
    other.kill()


def test_rm_of_several_jobs_asks_once(ydl):
    jobs = [ended(ydl, name, "true") for name in ("one", "two")]
    code, out, screen = in_terminal(ydl, "y\n", "rm", *(job.id for job in jobs))
    assert code == 0 and len(out.splitlines()) == 2 and "no results" in out
    assert "Delete these jobs (2 jobs, " in screen and left(ydl) == set()


def test_rm_without_a_terminal_needs_yes(ydl):
    job = ended(ydl, "job", "true")
    done = ydl("rm", job.id)
    assert done.code == 2 and "add --yes" in done.err
    assert left(ydl) == {job.id}


def test_rm_only_shows_in_a_dry_run(ydl):
    job = ended(ydl, "job", "true")
    assert ydl.ok("rm", "--dry-run", job.id).out.startswith(f"{job.id} would be deleted: ")
    (line,) = ydl.ok("rm", "--dry-run", "--output", "json", job.id).lines()
    assert (line["type"], line["job"], line["cluster"], line["kept_results"]) == ("disposable_job", job.id, "local", None)
    assert left(ydl) == {job.id}
    (deleted,) = ydl.ok("rm", "--yes", "--output", "json", job.id).lines()
    assert deleted == line | {"type": "deleted_job"}


def test_rm_refuses_a_running_job_and_deletes_none_of_the_others(ydl):
    over = ended(ydl, "over", "true")
    job = ydl.detach("--name", "running", "--", *FOREVER).running()
    done = ydl("rm", "--yes", over.id, job.id)
    assert done.code == 1 and f"job {job.id} is running: stop it with `ydl kill {job.id}` before you delete it" in done.err
    assert done.err.endswith("ydl: no job was deleted\n") and over.id in left(ydl)
    job.kill("--now")
    ydl.ok("rm", "--yes", over.id, job.id)
    assert left(ydl) == set()


def test_rm_deletes_a_lost_job(ydl):
    job = ydl.detach("--name", "lost", "--", *FOREVER).running()
    os.kill(job.master_pid(), signal.SIGKILL)
    assert_nothing_left(job.folder)
    ydl.ok("rm", "--yes", job.id)
    assert left(ydl) == set()


def test_rm_deletes_a_job_that_cannot_be_read_once_it_has_not_changed_for_a_day(ydl):
    job = ended(ydl, "broken", "true")
    (job.folder / "job.json").write_text("broken")
    (job.folder / "state.json").write_text("broken")
    (job.folder / "master.lock").unlink()
    refused = ydl("rm", "--yes", job.id)
    assert refused.code == 1 and "one day after its last change" in refused.err
    make_old(job, 2)
    assert ids(ydl, "--state", "unreadable") == [job.id]
    ydl.ok("rm", "--yes", "--state", "unreadable")
    assert left(ydl) == set()


def test_rm_follows_no_link_out_of_the_folder(ydl):
    outside = ydl.work / "outside"
    outside.mkdir()
    (outside / "precious").write_text("p" * 100_000)
    job = ended(ydl, "links", "sh", "-c", f"ln -s {outside} $YDL_RESULTS_DIR/data; ln -s {outside}/precious $YDL_RESULTS_DIR/one")
    done = ydl.ok("rm", "--yes", job.id)
    assert "results included" in done.out and "KiB" in done.out
    assert (outside / "precious").read_text() == "p" * 100_000


def test_rm_leaves_results_that_lie_elsewhere(ydl):
    ydl.ok("run", "--name", "elsewhere", "--results", "out", "--", *MAKE_A_MODEL)
    job = ydl.the_job()
    done = ydl.ok("rm", "--yes", job.id)
    assert done.out.endswith(f", without the results in {ydl.work / 'out'}\n")
    assert (ydl.work / "out/worker-0/model").stat().st_size == 2048 and left(ydl) == set()


def test_rm_knows_the_results_and_their_users_by_any_name_of_the_folder(ydl):
    """The home of many users is a symbolic link."""
    job = ended(ydl, "source", "sh", "-c", "echo weights > model")
    link = ydl.scratch / "linked-state"
    link.symlink_to(ydl.state)
    by_link = {"XDG_STATE_HOME": str(link)}
    user = ydl.detach("--restore-from", job.id, "--", *FOREVER, env=by_link).running()
    refused = ydl("rm", "--yes", job.id)
    assert refused.code == 1 and "is in use" in refused.err, refused.everything()
    user.kill()
    told = ydl.ok("rm", "--yes", job.id, env=by_link).out
    assert "results included" in told and job.id not in left(ydl), told


def test_rm_refuses_a_job_whose_checkpoints_another_one_uses(ydl):
    first = ended(ydl, "first", *MAKE_A_MODEL)
    second = ydl.detach("--name", "second", "--restore-from", first.id, "--", *FOREVER).running()
    refused = ydl("rm", "--yes", first.id)
    assert refused.code == 1 and f"job {first.id} is in use: {second.id}, which is running, continues from its checkpoints" in refused.err
    second.kill("--now")
    ydl.ok("rm", "--yes", first.id)
    assert left(ydl) == {second.id}


def test_rm_selects_ended_jobs_by_state_and_age(ydl):
    bad, old, good = ended(ydl, "bad", "false"), ended(ydl, "old", "false"), ended(ydl, "good", "true")
    running = ydl.detach("--name", "running", "--", *FOREVER).running()
    make_old(old, 40)
    assert ydl.ok("rm", "--yes", "--state", "failed", "--older-than", "30d").out.startswith(f"{old.id} deleted")
    assert ydl.ok("rm", "--yes", "--since", "1h", "--state", "failed,running").out.startswith(f"{bad.id} deleted")
    done = ydl.ok("rm", "--yes", "--state", "failed")
    assert (done.out, done.err) == ("", "ydl: no ended job fulfils these conditions\n")
    assert left(ydl) == {good.id, running.id}
    running.kill("--now")


def test_a_job_that_was_deleted_in_part_is_not_shown_and_no_other_job_is_hurt(ydl):
    """As if `ydl rm` had been killed after its first step."""
    job, other = ended(ydl, "half", "true"), ended(ydl, "other", "true")
    hidden = ydl.jobs_folder() / f".deleted-{job.id}-0011aabb"
    job.folder.rename(hidden)
    assert ids(ydl) == [other.id]
    ydl.ok("run", "--", "true")
    assert not hidden.exists(), "the next launch deletes the rest"


# ---- keep_jobs -------------------------------------------------------------------------------------------------


def keep(ydl, text):
    """The environment of a user with these settings."""
    folder = ydl.scratch / "config/ydl"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(text)
    return {"XDG_CONFIG_HOME": str(ydl.scratch / "config")}


def test_without_a_setting_nothing_is_deleted_and_ls_says_how_to(ydl):
    old, new = ended(ydl, "old", "true"), ended(ydl, "new", "true")
    make_old(old, 31)
    ydl.ok("run", "--name", "third", "--", "true")
    done = ydl.ok("ls")
    assert len(done.out.splitlines()) == 4
    assert done.err == "ydl: 1 job ended more than 30 days ago: `ydl rm --older-than 30d` deletes it\n"
    assert "ended more than" not in ydl.ok("ls", "--output", "json").everything()
    ydl.ok("rm", "--yes", "--older-than", "30d")
    assert old.id not in left(ydl) and new.id in left(ydl) and ydl.ok("ls").err == ""


def test_a_launch_deletes_jobs_that_ended_longer_ago_than_keep_jobs(ydl):
    env = keep(ydl, "keep_jobs: 7d\n")
    old, new, used = (ended(ydl, name, *MAKE_A_MODEL) for name in ("old", "new", "used"))
    user = ydl.detach("--name", "user", "--restore-from", used.id, "--", *FOREVER).running()
    for job, days in ((old, 8), (new, 6), (used, 8), (user, 8)):
        make_old(job, days) if job != user else os.utime(job.folder / "state.json", (time.time() - 8 * DAY,) * 2)
    done = ydl.ok("run", "--name", "next", "--", "true", env=env)
    assert "deleted 1 job of this machine that ended 7 d ago or earlier (keep_jobs)" in done.err
    assert old.id not in left(ydl) and {new.id, used.id, user.id} <= left(ydl) and nothing_hidden(ydl)
    user.kill("--now")


def test_a_detached_launch_deletes_old_jobs_too(ydl):
    old = ended(ydl, "old", "true")
    make_old(old, 8)
    job = ydl.detach("--name", "next", "--", "true", env=keep(ydl, "keep_jobs: 7d\n"))
    assert left(ydl) == {job.id}
    job.wait_for("job_succeeded")


def test_a_mistake_in_the_settings_is_told_before_a_job_exists(ydl):
    done = ydl("run", "--", "true", env=keep(ydl, "keep_job: 7d\n"))
    assert done.code == 2 and "config.yaml:1: unknown key 'keep_job'; did you mean 'keep_jobs'?" in done.err
    assert left(ydl) == set()
