"""Two users of one machine, as operating-system users without an account: only numbers. Only root can be somebody else."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from harness import Ydl

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
