"""Users of a secure cluster that are also different users of this machine: ids without accounts, as `testing/cluster up --users` has them."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from cluster_lib import users
from yarn_shell import YDL, Jobs, let_users_in
from ydl_fs import log_in

PYTHON = "/usr/bin/python3"  # the one of the tests may be in a folder that others cannot enter
IDS = users.ids()


def _needs(what, words):
    """Skips where this machine does not allow what the words do in namespaces of their own; the reason is the machine's."""
    if os.geteuid() != 0:
        return pytest.mark.skipif(True, reason=f"only root can {what}")
    tried = subprocess.run(["unshare", "--mount", "--net", "sh", "-ec", words], capture_output=True, text=True, check=False)
    return pytest.mark.skipif(tried.returncode != 0, reason=f"root cannot {what} here: {tried.stderr.strip()}")


needs_root = _needs("run a container as another user", "mount --make-rprivate / && mount --bind /etc/passwd /etc/passwd")
needs_network = _needs("make a network of namespaces", "ip link add switch type bridge && ip link add one type veth peer name two")


class Person(Jobs):
    """A user's shell: whatever it starts runs as that user and can reach only what that user can."""

    def __init__(self, cluster, home, user):
        home.mkdir()
        super().__init__(cluster, home, user)
        self.uid = IDS[user]
        self.home = home
        self.binary = home.parent / "ydl"
        self.environment.update(log_in(cluster, home / "ticket-cache", user=user), HOME=str(home), USER=user)
        for path in (home, *home.iterdir()):
            os.chown(path, self.uid, self.uid)
        home.chmod(0o700)

    def start(self, *words, binary=None, folder=None):
        return self.start_program([binary or self.binary, *map(str, words)], cwd=folder or self.work)

    def start_program(self, words, **options):
        return subprocess.Popen(words, env=self.environment, user=self.uid, group=self.uid, extra_groups=[], text=True,
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.work, **options})  # fmt: skip

    def file(self, name, text):
        path = self.work / name
        path.write_text(text)
        os.chown(path, self.uid, self.uid)
        return path

    def fifo(self, name):
        path = self.home / name
        os.mkfifo(path, 0o600)
        os.chown(path, self.uid, self.uid)
        return path


@contextmanager
def people_on(cluster, *names):
    """Persons by name; the folder of their homes is like /home, which pytest's own are not: they let only their user in."""
    let_users_in(cluster)
    with tempfile.TemporaryDirectory(prefix="ydl-people-") as folder:
        os.chmod(folder, 0o755)
        shutil.copy(YDL, Path(folder, "ydl"))
        Path(folder, "ydl").chmod(0o755)
        yield {name: Person(cluster, Path(folder, name), name) for name in names}
