"""Two users of one machine, as operating-system users without an account: only numbers. Only root can act as another user."""

import contextlib
import os
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from harness import Ydl, name_of

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a program as another user")

ALICE = 61_001
MALLORY = 61_002


class User(Ydl):
    """The command as another user runs it."""

    def __init__(self, binary, scratch, uid):
        super().__init__(binary, scratch)
        self.uid = uid
        self.env |= {"HOME": str(scratch), "USER": f"u{uid}"}

    def start(self, *arguments, **options):
        return super().start(*arguments, user=self.uid, group=self.uid, extra_groups=[], **options)


@pytest.fixture
def shared_folder():
    """A folder like /tmp, which pytest's own are not: they let only their user in."""
    with tempfile.TemporaryDirectory(prefix="ydl-users-") as folder:
        os.chmod(folder, 0o1777)
        yield Path(folder)


@pytest.fixture
def alice(binary, shared_folder):
    home = shared_folder / "alice"
    home.mkdir()
    user = User(binary, home, ALICE)
    for folder in (home, user.work):
        os.chown(folder, ALICE, ALICE)
    return user


def squat(folder, owner, mode=0o777):
    folder.mkdir(parents=True)
    for path in (folder, *folder.parents[:1]):
        os.chown(path, owner, owner)
    folder.chmod(mode)


def test_an_own_folder_that_lets_others_in_is_closed(alice):
    squat(alice.state / "ydl", ALICE)
    alice.ok("run", "--", "true")
    assert stat.S_IMODE((alice.state / "ydl").stat().st_mode) == 0o700
    assert stat.S_IMODE((alice.state / "ydl/jobs").stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["ydl", "ydl/jobs"])
def test_run_code_as_alice_squatted_state_folder(alice, name):
    """Mallory makes the folder in which alice's jobs would keep their plans and keys."""
    squat(alice.state / name, MALLORY)
    os.chown(alice.state, ALICE, ALICE)
    done = alice("run", "--", "true")
    assert done.code == 1
    assert f"{alice.state / 'ydl'}" in done.err and f"belongs to user {MALLORY} and not to you (user {ALICE})" in done.err
    assert list((alice.state / name).iterdir()) == []
    assert "belongs to user" in alice("doctor").out


# ---- GPUs ------------------------------------------------------------------------------------------------------

HOLDER = """
import socket, sys
name = socket.socket(socket.AF_UNIX)
name.bind("\\0ydl-gpu-" + sys.argv[1])
if sys.argv[2] == "listens": name.listen()
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def gpu(alice):
    """The UUID of this machine's only GPU, which no other machine has."""
    uuid = f"GPU-{os.urandom(8).hex()}"
    program = alice.scratch / "nvidia-smi"
    program.write_text(f"#!/bin/sh\necho '0, {uuid}, H200, 1000'\n")
    program.chmod(0o755)
    alice.env["YDL_NVIDIA_SMI"] = str(program)
    return uuid


@contextlib.contextmanager
def held(uuid, how):
    holder = subprocess.Popen(["/usr/bin/python3", "-c", HOLDER, uuid, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, user=MALLORY, group=MALLORY,
                              extra_groups=[])
    with holder:
        assert holder.stdout.readline() == b"ready\n"
        yield holder


USES_GPU = ("run", "--resource", "worker:gpus=1", "--", "sh", "-c", 'echo "[$CUDA_VISIBLE_DEVICES]"')


def test_a_held_gpu_names_its_holder_and_is_free_when_the_holder_is_gone(alice, gpu):
    with held(gpu, "listens") as holder:
        done = alice(*USES_GPU)
        assert done.code == 1
        assert f"(GPU 0: process {holder.pid} of user {MALLORY})" in done.everything()
    assert f"[{gpu}]" in alice.ok(*USES_GPU).out


def test_hold_a_gpu_without_a_name(alice, gpu):
    """A name that a process took without being an agent does not keep alice from her GPU."""
    with held(gpu, "is silent"):
        assert f"[{gpu}]" in alice.ok(*USES_GPU).out


def test_reach_alices_files_link_planted_among_gpu_locks(alice, gpu):
    """Locks were once files in this folder, which a link could make elsewhere."""
    locks, victim = Path("/tmp/ydl-gpus"), alice.scratch / "victim"
    was_there = locks.exists()
    locks.mkdir(exist_ok=True)
    (locks / gpu).symlink_to(victim)
    try:
        alice.ok(*USES_GPU)
        assert not victim.exists()
    finally:
        (locks / gpu).unlink()
        if not was_there:
            locks.rmdir()


# ---- memory ----------------------------------------------------------------------------------------------------


def test_steal_a_key_proc_of_the_same_user(alice):
    """A program of alice that is not ydl, such as another task, cannot look into the processes that hold her keys."""
    job = alice.detach("--env", "HF_TOKEN", "--", "sh", "-c", "echo ready; exec sleep 600", env={"HF_TOKEN": "correct-horse"}).running()
    job.wait_for_line("ready")
    pids = {name_of(pid): pid for pid in job.processes() if name_of(pid).startswith("ydl")}
    assert {"ydl-master", "ydl-agent"} <= set(pids)
    for pid in pids.values():
        for file in ("environ", "mem", "maps"):
            read = subprocess.run(["head", "-c", "1", f"/proc/{pid}/{file}"], user=ALICE, group=ALICE, extra_groups=[], capture_output=True, text=True)
            assert read.returncode != 0 and "denied" in read.stderr, (file, read)
    job.kill()
