"""Memory, cores and GPUs: what a task asks for is what it gets, and no more."""

import json
import resource
import signal
from pathlib import Path

import pytest

from harness import finish


@pytest.fixture
def limits(ydl):
    """Skips, with doctor's reason, where this machine cannot limit tasks."""
    (check,) = [line for line in ydl("doctor", "--output", "json").lines() if line["subject"] == "limits"]
    if check["verdict"] != "ok":
        pytest.skip(check["text"])


@pytest.fixture
def gpus(ydl):
    """A machine with as many GPUs as one says."""

    def have(count, code=0):
        program = ydl.write("nvidia-smi", "#!/bin/sh\n" + "".join(f"echo '{i}, GPU-{i}{i}{i}, Fake GPU, 16384'\n" for i in range(count)) + f"exit {code}\n")
        program.chmod(0o755)
        ydl.env["YDL_NVIDIA_SMI"] = str(program)

    return have


def cgroups_of(job):
    return [path for path in Path("/sys/fs/cgroup").glob(f"**/*{job.id}*") if path.is_dir()]


# ---- memory and cores ------------------------------------------------------------------------------------------


def test_a_task_that_needs_more_memory_than_it_asked_for_is_told_so(ydl, limits):
    program = ydl.program("print('asks for more', flush=True); data = b'x' * (256 << 20); print('got it')")
    done = ydl("run", "--worker-memory", "64m", "--", *program)
    assert done.code == 128 + signal.SIGKILL, done.everything()
    assert "worker:0 ran out of memory: it reached its limit of 64 MiB; raise the limit with --resource ROLE:memory=SIZE" in done.out
    assert "got it" not in done.out
    assert cgroups_of(ydl.the_job()) == []


def test_the_memory_limit_covers_what_a_task_starts(ydl, limits):
    program = ydl.program("import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', 'x = b\"x\" * (256 << 20)']) and 3)")
    done = ydl("run", "--worker-memory", "64m", "--", *program)
    assert done.code == 3
    assert "ran out of memory: it reached its limit of 64 MiB" in done.out


def test_a_task_within_its_limit_runs_and_the_other_is_not_charged_for_it(ydl, limits):
    program = ydl.program("data = b'x' * (40 << 20); print('fine')")
    done = ydl("run", "--n", "2", "--worker-memory", "80m", "--", *program)
    assert done.code == 0, done.everything()
    assert done.out.count("] fine") == 2


def test_without_a_limit_asked_for_there_is_none(ydl):
    done = ydl("run", "--", *ydl.program("data = b'x' * (64 << 20); print('fine')"))
    assert done.code == 0, done.everything()
    assert cgroups_of(ydl.the_job()) == []


def test_cgroups_are_gone_after_the_job(ydl, limits):
    job = ydl.detach("--n", "2", "--resource", "worker:memory=64m,vcores=1", "--", "sleep", "600").running()
    assert len({path.name for path in cgroups_of(job)}) == 2
    job.kill()
    assert cgroups_of(job) == []


# ---- GPUs ------------------------------------------------------------------------------------------------------


def visible(job, count):
    return [job.log(f"worker:{i}").strip() for i in range(count)]


SHOW = ["sh", "-c", 'echo "[${CUDA_VISIBLE_DEVICES-unset}]"']


def test_tasks_get_gpus_of_their_own(ydl, gpus):
    gpus(2)
    ydl.ok("run", "--n", "2", "--resource", "worker:gpus=1", "--", *SHOW)
    assert sorted(visible(ydl.the_job(), 2)) == ["[GPU-000]", "[GPU-111]"]


def test_a_task_gets_as_many_gpus_as_it_asked_for(ydl, gpus):
    gpus(2)
    ydl.ok("run", "--resource", "worker:gpus=2", "--", *SHOW)
    assert visible(ydl.the_job(), 1) == ["[GPU-000,GPU-111]"]


def test_a_gpu_is_free_again_for_the_next_attempt(ydl, gpus):
    gpus(1)
    ydl.ok("run", "--retries", "1", "--resource", "worker:gpus=1", "--", "sh", "-c", 'echo "[$CUDA_VISIBLE_DEVICES]"; [ $YDL_ATTEMPT = 2 ]')
    job = ydl.the_job()
    assert ydl.ok("logs", "--attempt", "2", job.id, "worker:0").out == "[GPU-000]\n"


def test_jobs_side_by_side_have_gpus_of_their_own(ydl, gpus):
    gpus(2)
    first = ydl.start("run", "--resource", "worker:gpus=1", "--", "sleep", "600")
    holder = ydl.the_job().running()
    second = ydl("run", "--resource", "worker:gpus=1", "--", *SHOW)
    assert "[GPU-111]" in second.out, second.everything()
    third = ydl("run", "--resource", "worker:gpus=2", "--", "true")
    assert third.code == 1
    assert "it requests 2 GPUs, but of the 2 of this machine only 1 are free: other tasks or jobs of ydl use the rest" in third.everything()
    holder.kill()
    finish(first)
    assert ydl.ok("run", "--resource", "worker:gpus=2", "--", "true")


@pytest.mark.parametrize(("workers", "each"), [(3, 1), (1, 3), (2, 2)])
def test_more_gpus_than_there_are_are_refused_by_name(ydl, gpus, workers, each):
    gpus(2)
    done = ydl("run", "--n", workers, "--resource", f"worker:gpus={each}", "--", "true")
    assert (done.code, done.out) == (1, "")
    assert f"the job needs {workers * each} GPUs ({each} for each of {workers} worker" in done.err
    assert "this machine has 2: request fewer with --resource ROLE:gpus=N, or use a cluster" in done.err
    assert ydl.jobs() == []


def test_a_gpu_on_a_machine_without_one_is_refused(ydl, gpus):
    gpus(0)
    done = ydl("run", "--resource", "worker:gpus=1", "--", "true")
    assert done.code == 1
    assert "this machine has none" in done.err


def test_a_driver_that_does_not_work_is_reported(ydl, gpus):
    gpus(0, code=9)
    done = ydl("run", "--resource", "worker:gpus=1", "--", "true")
    assert done.code == 1
    assert "nvidia-smi failed with exit code 9, so this machine's GPUs cannot be used" in done.err


def test_a_job_that_asks_for_no_gpu_sees_them_as_its_shell_does(ydl, gpus):
    gpus(2)
    ydl.ok("run", "--", *SHOW)
    assert visible(ydl.the_job(), 1) == ["[unset]"]


def test_a_task_sees_no_gpu_where_only_another_role_asks_for_one(ydl, gpus):
    gpus(2)
    ydl.ok("run", "--role", "worker=1", "--role", "side=1", "--resource", "side:gpus=1", "--", *SHOW)
    assert visible(ydl.the_job(), 1) == ["[]"]


def test_doctor_names_the_gpus(ydl, gpus):
    gpus(2)
    (check,) = [json.loads(line) for line in ydl("doctor", "--output", "json").out.splitlines() if "GPUs" in line]
    assert check["text"] == "2: Fake GPU (16 GiB), Fake GPU (16 GiB)"


# ---- open files ------------------------------------------------------------------------------------------------


def allowed(soft, hard=None):
    """For a process that may have so many open files."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard or resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def test_tasks_have_the_limit_of_open_files_of_the_shell_and_ydl_has_the_hard_one(ydl):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    ydl.ok("run", "--", "sh", "-c", "ulimit -Sn; ulimit -Hn; grep 'open files' /proc/$PPID/limits", preexec_fn=allowed(100))
    soft_of_task, hard_of_task, reaper = ydl.the_job().log("worker:0").splitlines()
    assert (soft_of_task, hard_of_task) == ("100", str(hard))
    assert reaper.split()[3:5] == [str(hard), str(hard)]


def test_a_job_that_would_run_out_of_open_files_is_refused_when_it_starts(ydl):
    done = ydl("run", "--n", "64", "--", "true", preexec_fn=allowed(400, 400))
    assert done.code == 1, done.everything()
    assert "a job of 64 tasks needs about 448 open files and connections in one process, but the limit is 400" in done.err
    assert "ulimit -Hn 448" in done.err
