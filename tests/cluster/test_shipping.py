"""What is uploaded with a job on YARN: a Python environment; and what stays in the cache afterwards."""

import json
import subprocess
import sys

import pytest

from shared import YARN
from yarn_shell import SMALL, Jobs, job_id, let_users_in

pytestmark = pytest.mark.on_cluster(*YARN)

SHOW_PYTHON = """\
import os, sys
import of_the_environment
print("prefix", sys.prefix)
print("library", os.path.dirname(os.__file__))
print("packages", of_the_environment.__file__)
import ctypes, json, ssl, subprocess
print("child", subprocess.run([sys.executable, "-c", "import of_the_environment; print('imports it too')"], capture_output=True, text=True).stdout)
"""


@pytest.fixture
def jobs(clusters, tmp_path):
    cluster = clusters(*YARN)
    let_users_in(cluster)
    return Jobs(cluster, tmp_path, "ann")


def virtual_environment(folder):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    next(folder.glob("lib/python*/site-packages")).joinpath("of_the_environment.py").write_text("")
    return folder


def test_a_virtual_environment_is_uploaded_with_the_interpreter_it_is_based_on(jobs, tmp_path):
    environment = virtual_environment(tmp_path / "venv")
    (jobs.work / "show.py").write_text(SHOW_PYTHON)
    out, err = jobs.run("run", *SMALL, "--output", "plain", "--python-env", environment, "--", "show.py")
    shown = dict(line.split("] ", 1)[1].split(" ", 1) for line in out.splitlines() if line.startswith("[") and "] " in line and " " in line.split("] ", 1)[1])
    assert ".ydl-python-env" in shown["prefix"] or "/filecache/" in shown["prefix"], out
    for key in ("library", "packages"):
        assert shown[key].startswith(shown["prefix"]), out
        assert str(environment) not in shown[key] and sys.base_prefix not in shown[key]
    assert shown["child"] == "imports it too"
    assert "uploaded" in err
    assert "uploaded" not in jobs.run("run", *SMALL, "--output", "plain", "--python-env", environment, "--", "show.py")[1]


SHOW_PLACE = """\
#!/usr/bin/env python
import os, pathlib, shutil
(pathlib.Path.home() / ".cache").write_text("")
print("path", shutil.which("show_place") == os.path.join(os.getcwd(), ".ydl-python-env/bin/show_place"))
print("home", os.path.samefile(pathlib.Path.home(), ".."))
"""


def test_programs_of_an_environment_are_found_and_have_a_home(jobs, tmp_path):
    """The NodeManager's HOME is /home/, as usual: a cache that is kept there would be shared by all users."""
    programs = tmp_path / "env/bin"
    programs.mkdir(parents=True)
    for name, text in (("python", '#!/bin/sh\nexec /usr/bin/python3 "$@"\n'), ("show_place", SHOW_PLACE)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    out, err = jobs.run("run", *SMALL, "--python-env", programs.parent, "--", "show_place")
    assert "[worker:0] path True" in out and "[worker:0] home True" in out, out
    assert "left no files in" in jobs.run("results", "ls", job_id(err))[0], "a home is not a result"


def names(jobs, *words):
    return sorted(json.loads(line)["name"] for line in jobs.run("env", *words, "--output", "json")[0].splitlines())


def test_what_a_job_used_is_shown_and_deleted_but_not_under_a_running_job(jobs):
    jobs.run("env", "gc", "--older-than", "0")
    (jobs.work / "a.sh").write_text("exit 0\n")
    jobs.run("run", *SMALL, "--output", "quiet", "--", "sh", "a.sh")
    assert names(jobs, "ls") == ["code.tar", "ydl"]
    (jobs.work / "a.sh").write_text("exec tail -f /dev/null\n")
    running = jobs.run("run", "--detach", *SMALL, "--", "sh", "a.sh")[0].strip()
    assert names(jobs, "ls") == ["code.tar", "code.tar", "ydl"]
    assert names(jobs, "gc") == []
    assert names(jobs, "gc", "--older-than", "0", "--dry-run") == ["code.tar"]
    assert names(jobs, "gc", "--older-than", "0") == ["code.tar"]
    assert names(jobs, "ls") == ["code.tar", "ydl"]
    jobs.run("kill", running)
    assert "2 files" in jobs.run("env", "gc", "--older-than", "0")[0]
    assert "there are no files in /user/ann/.ydl/cache/sha256" in jobs.run("env", "ls")[0]
