"""The Python of the tasks: which keys of the job file `submit` writes, and jobs that run with them."""

import json
import sys

import pytest
from projects import output_of

from ydl import _submit


@pytest.fixture
def job_file(monkeypatch, tmp_path):
    """The job file that `submit` writes for these keywords."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_submit, "own_files", dict)
    monkeypatch.setattr(_submit, "pickle_call", lambda *call: b"")
    monkeypatch.setattr(_submit, "_submitted", lambda path, cluster: json.loads(path.read_text()))
    return lambda **keywords: _submit.submit("json:dumps", **keywords)


def environment_of(job):
    return {key: job[key] for key in ("python", "python_env", "python_version", "pip_packages", "requirements", "image") if key in job}


@pytest.mark.parametrize("keywords, keys", [
    ({}, {"python_env": "here", "python": sys.executable}),
    ({"python": "/opt/python"}, {"python": "/opt/python"}),
    ({"python_env": "here"}, {"python_env": "here", "python": sys.executable}),
    ({"python_env": "here", "python": "/opt/python"}, {"python_env": "here", "python": "/opt/python"}),
    ({"python_env": "/opt/env", "python": "/opt/python"}, {"python_env": "/opt/env", "python": "/opt/python"}),
    ({"python_env": "hdfs://nn/env.tar.zst"}, {"python_env": "hdfs://nn/env.tar.zst"}),
    ({"pip_packages": ["lightgbm"]}, {"pip_packages": ["lightgbm"]}),
    ({"pip_packages": []}, {"python_env": "here", "python": sys.executable}),
    ({"requirements": "/opt/more.txt"}, {"requirements": "/opt/more.txt"}),
    ({"python_version": "3.11"}, {"python_version": "3.11"}),
    ({"image": "python:3.11"}, {"image": "python:3.11"}),
])
def test_keywords_become_keys_that_the_job_file_may_have_together(job_file, keywords, keys):
    found = environment_of(job_file(**keywords))
    assert {key: value for key, value in found.items() if value} == keys


def test_outside_of_an_environment_the_tasks_use_the_same_interpreter(job_file, monkeypatch):
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert environment_of(job_file()) == {"python": sys.executable}


def test_relative_paths_refer_to_the_current_directory(job_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert job_file(python_env="env")["python_env"] == str(tmp_path / "env")
    assert job_file(requirements="more.txt")["requirements"] == str(tmp_path / "more.txt")


def test_the_environment_that_one_submits_from_runs_the_tasks(project):
    venv = project.scratch / "venv"
    output_of(sys.executable, "-m", "venv", "--without-pip", venv)
    out = project.ok("""
        import sys, ydl
        print(ydl.run(lambda: sys.version_info[:2], python_env="here").results["worker:0"] == sys.version_info[:2])
    """, python=venv / "bin/python")
    assert out.splitlines()[-1] == "True"


def test_two_pythons_are_refused_before_there_is_a_job(project):
    words = "python_env: the job has 'python' already; remove one of the two"
    assert words in project.refused("""
        import ydl
        ydl.run(print, python="/usr/bin/python3", python_env="/usr")
    """)
