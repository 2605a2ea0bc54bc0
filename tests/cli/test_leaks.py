"""What others can learn of a job's keys and of its users' secrets: nothing, from whatever ydl writes or shows."""

import os
import resource
import stat
from pathlib import Path

import pytest

from harness import name_of

SECRET = "correct-horse-battery-staple"


def of_ydl(job):
    """The job's own processes: master, agent, reapers."""
    return [pid for pid in job.processes() if name_of(pid).startswith("ydl")]


def keys_of(job):
    """Every long word of master.json: whatever opens the job's API is among them."""
    found = []

    def collect(value):
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            collect(inner)
        if isinstance(value, str) and len(value) >= 16 and "/" not in value:
            found.append(value)

    collect(job.endpoint())
    return found


def limits(pid, name):
    line = next(line for line in Path(f"/proc/{pid}/limits").read_text().splitlines() if line.startswith(name))
    return line[len(name):].split()[0]


# ---- --env and dry runs ----------------------------------------------------------------------------------------


def test_a_variable_that_is_only_named_has_its_value_from_here(ydl):
    done = ydl.ok("run", "--env", "HF_TOKEN", "--", "sh", "-c", '[ "$HF_TOKEN" = correct-horse-battery-staple ] && echo same', env={"HF_TOKEN": SECRET})
    assert "same" in done.out


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("words", [("--env", f"HF_TOKEN={SECRET}"), ("--env", "HF_TOKEN"), ("--env", f"DATABASE_URL=postgres://ann:{SECRET}@db/x")])
def test_steal_a_key_dry_run(ydl, form, words):
    done = ydl.ok("run", "--dry-run", "--env", "EPOCHS=12", *words, *(("--output", "json") if form == "json" else ()), "--", "true", env={"HF_TOKEN": SECRET})
    assert SECRET not in done.everything()
    assert words[1].split("=")[0] in done.out and "12" in done.out and "…" in done.out


def test_steal_a_key_dry_run_of_a_job_file(ydl):
    job = ydl.write("job.yaml", f"version: 1\nname: x\ncommand: [\"true\"]\nenv: {{API_KEY: {SECRET}}}\nroles: {{worker: {{count: 1, env: {{DB_PASSWORD: {SECRET}}}}}}}\n")
    done = ydl.ok("submit", "--dry-run", job)
    assert SECRET not in done.everything() and "DB_PASSWORD" in done.out


# ---- a job that runs -------------------------------------------------------------------------------------------


@pytest.fixture
def job(ydl):
    job = ydl.detach("--env", "HF_TOKEN", "--", "sh", "-c", "echo ready; exec sleep 600", env={"HF_TOKEN": SECRET}).running()
    job.wait_for_line("ready")
    yield job
    job.kill()


def test_steal_a_key_command_lines_and_environments(job):
    keys = keys_of(job)
    assert keys
    pids = of_ydl(job)
    assert len(pids) >= 3, "a master, an agent and a reaper"
    for pid in [*pids, job.task_pid()]:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
        variables = Path(f"/proc/{pid}/environ").read_bytes().decode()
        for key in keys:
            assert key not in words and key not in variables, name_of(pid)
        assert SECRET not in words, name_of(pid)


def test_steal_a_key_views_events_and_logs(ydl, job):
    shown = [ydl.ok(*words, job.id).everything() for words in (("status",), ("status", "--output", "json"), ("events",), ("events", "--output", "json"))]
    shown.append(ydl.ok("ls", "--output", "json").everything())
    shown += [path.read_text() for path in (job.folder / "logs").glob("*.log")]
    shown += [(job.folder / name).read_text() for name in ("events.jsonl", "state.json")]
    for text in shown:
        for word in (SECRET, *keys_of(job)):
            assert word not in text


def test_steal_a_key_cores(ydl):
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    sanitizer = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":disable_coredump=0"}  # which sets the limit to 0 otherwise
    try:
        job = ydl.detach("--", "sh", "-c", "echo cores $(ulimit -c); exec sleep 600", env=sanitizer).running()
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    wanted = "unlimited" if hard == resource.RLIM_INFINITY else str(hard // 512)
    assert job.wait_for_line("cores") == f"cores {wanted}", "a task has the limit of its user"
    for pid in of_ydl(job):
        assert limits(pid, "Max core file size") == "0", name_of(pid)
    job.kill()


def test_files_of_ydl_are_the_users_alone_and_tasks_have_the_users_umask(ydl):
    before = os.umask(0o002)
    try:
        job = ydl.detach("--", "sh", "-c", "umask; echo x > made; exec sleep 600").running()
    finally:
        os.umask(before)
    assert job.wait_for_line("00") == "0002"
    for path in [job.folder, *job.folder.glob("*.json*"), *(job.folder / "logs").glob("*.log")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    made = job.folder / "tasks/worker-0/made"
    assert stat.S_IMODE(made.stat().st_mode) == 0o664
    job.kill()


def test_results_have_the_modes_of_the_user(ydl):
    before = os.umask(0o022)
    try:
        ydl.ok("run", "--results", ydl.scratch / "out", "--", "sh", "-c", "echo x > model")
    finally:
        os.umask(before)
    for path, mode in ((ydl.scratch / "out", 0o755), (ydl.scratch / "out/worker-0", 0o755), (ydl.scratch / "out/worker-0/model", 0o644)):
        assert oct(stat.S_IMODE(path.stat().st_mode)) == oct(mode), path
