"""A user's shell on a machine that reaches a YARN cluster and has no Java."""

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# The binary that is uploaded: static, as users have it.
YDL = Path(os.environ.get("YDL", REPOSITORY / "build/bin/ydl")).absolute()
SMALL = ("--resource", "worker:memory=256m")


class Jobs:
    def __init__(self, cluster, home, user):
        self.cluster = cluster
        self.user = user
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("JAVA", "HADOOP"))},
            **cluster.variables,
            "PATH": "/nowhere",
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CACHE_HOME": str(home / "cache"),
        }
        if "KRB5CCNAME" not in cluster.variables:
            self.environment["HADOOP_USER_NAME"] = user
        self.root = f"/user/{user}/.ydl/jobs"
        self.work = home / "work"
        self.work.mkdir()

    def start(self, *words, binary=YDL, folder=None):
        return subprocess.Popen([binary, *map(str, words)], env=self.environment, cwd=folder or self.work, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip

    def start_and_see(self, text, *words):
        """A job that has printed this."""
        process = self.start(*words)
        seen = ""
        for line in process.stdout:
            seen += line
            if text in line:
                return process
        raise AssertionError(seen + process.communicate()[1])

    def run(self, *words, code=0, timeout=170, **options):
        process = self.start(*words, **options)
        out, err = process.communicate(timeout=timeout)
        assert process.returncode == code, out + err
        return out, err

    def mx(self, *words, **options):
        return self.run(*words, binary=YDL.with_name("ydl-mx"), **options)

    def wait_for(self, job, kind):
        """Follows the job's events until one of this kind."""
        process = self.start("events", "-f", "--output", "json", job)
        try:
            for line in process.stdout:
                event = json.loads(line)
                if event.get("kind") == kind:  # other lines are errors
                    return event
        finally:
            process.kill()
            process.communicate()
        raise AssertionError(f"the job ended without {kind}")


def jobs_on(cluster, home):
    """The shell of a user of the cluster: with Kerberos there is one, with a ticket."""
    if cluster.options.secure:
        return Jobs(cluster, home, "root")
    let_users_in(cluster)
    return Jobs(cluster, home, "ann")


def let_users_in(cluster, folder="/user"):
    """As the superuser of HDFS: any user may have an own folder there."""
    for words in (("mkdir", "-p", folder), ("chmod", "1777", folder)):
        subprocess.run([YDL, "fs", *words], env={**os.environ, **cluster.variables}, check=True, timeout=60)


def user_of_test(request):
    """A user of each test's own: what `ydl ls` shows is theirs."""
    return "u" + hashlib.sha1(request.node.name.encode()).hexdigest()[:8]


def job_id(text):
    return re.search(r"^(\S+) is application_\d+_\d+ in queue", text, re.M).group(1)
