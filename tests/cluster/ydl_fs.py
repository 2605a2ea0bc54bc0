"""`ydl fs` as a person runs it."""

import os
import signal
import subprocess

from programs import built

USER = "alice"


def log_in(cluster, cache, *options, user=USER):
    """A ticket of a user of a secure cluster in a cache of its own; the variables with which programs use it."""
    variables = {"KRB5CCNAME": f"FILE:{cache}"}
    keytab = cluster.folder / "kdc" / f"{user}.keytab"
    subprocess.run(["kinit", *options, "-k", "-t", keytab, user], env={**os.environ, **cluster.variables, **variables}, check=True)
    return variables


class Fs:
    """As an ordinary user, alice, in a working directory."""

    def __init__(self, cluster, cwd, **variables):
        if not variables:
            variables = log_in(cluster, cwd / "ticket-cache") if cluster.options.secure else {"HADOOP_USER_NAME": USER}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("HADOOP")}
        self.environment = {**inherited, **cluster.variables, **variables}
        self.program = built("ydl")
        self._cwd = cwd

    def start(self, *words, **options):
        """As from a terminal: Ctrl-C means something, also where the tests themselves run in the background."""
        hear = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
        return subprocess.Popen([self.program, "fs", *words], env=self.environment, cwd=self._cwd, preexec_fn=hear, **options)

    def run(self, *words, stdin=b""):
        return subprocess.run([self.program, "fs", *words], env=self.environment, cwd=self._cwd, input=stdin, capture_output=True, timeout=120)

    def __call__(self, *words, stdin=b""):
        done = self.run(*words, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, b""), done
        return done.stdout

    def error(self, *words, code=1, stdin=b""):
        done = self.run(*words, stdin=stdin)
        assert done.returncode == code, done
        return done.stderr.decode()


def folder_of_its_own(cluster, folder):
    """A folder of the ordinary user's, and a home directory."""
    for path in (folder, f"/user/{USER}"):
        cluster.client.mkdirs(remote=path)
        cluster.client.chown(remote=path, owner=USER)


def names(listing):
    return [line.split()[-1] for line in listing.decode().splitlines()]
