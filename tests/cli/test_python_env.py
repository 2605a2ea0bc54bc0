"""--python-env on this machine: a folder, a packed environment, a requirements.txt."""

import subprocess
import sys
import tarfile
import textwrap

import pytest

# Stands in for uv, which would need the network: notes how it was called and makes what uv would make.
FAKE_UV = """\
#!{python}
import os, pathlib, shutil, subprocess, sys
words = [word for word in sys.argv[1:] if word != "--quiet"]
with open("{calls}", "a") as calls:
    calls.write(" ".join(words[:2]) + "\\n")
if os.path.exists("{broken}") and words[:2] == ["pip", "sync"]:
    sys.exit("no such package")
if words[:2] == ["python", "find"]:
    print("{python}")
elif words[:2] == ["pip", "compile"]:
    shutil.copy(words[-1], words[words.index("--output-file") + 1])
elif words[0] == "venv":
    subprocess.run(["{python}", "-m", "venv", "--without-pip", words[-1]], check=True)
elif words[:2] == ["pip", "sync"]:
    prefix = pathlib.Path(words[words.index("--python") + 1]).parents[1]
    site = next(prefix.glob("lib/python*/site-packages"))
    (site / "installed.py").write_text("lock = " + repr(open(words[-1]).read()))
else:
    sys.exit(f"unexpected: {{words}}")
"""


@pytest.fixture
def environment(ydl):
    """A virtual environment with a module of its own, and a job that shows whose interpreter it got."""
    ydl.env["XDG_CACHE_HOME"] = str(ydl.scratch / "cache")
    folder = ydl.scratch / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "installed.py").write_text("lock = 'by hand'")
    (ydl.work / "train.py").write_text("import sys, installed\nprint('prefix', sys.prefix, installed.lock)\n")
    return folder


@pytest.fixture
def uv(ydl, environment):
    folder = ydl.scratch / "bin"
    folder.mkdir()
    calls = ydl.scratch / "calls"
    calls.touch()
    program = folder / "uv"
    program.write_text(textwrap.dedent(FAKE_UV).format(python=sys.executable, calls=calls, broken=ydl.scratch / "broken"))
    program.chmod(0o755)
    ydl.env["PATH"] = f"{folder}:{ydl.env['PATH']}"
    return calls


def prefix_of(done):
    (line,) = [line for line in done.out.splitlines() if "prefix " in line]
    return line.split("prefix ", 1)[1]


def test_a_folder_is_used_where_it_lies(ydl, environment):
    assert prefix_of(ydl.ok("run", "--output", "plain", "--python-env", environment, "--", "train.py")) == f"{environment} by hand"


def test_its_programs_come_first_on_the_path(ydl, environment):
    command = ("--output", "plain", "--python-env", environment, "--", "sh", "-c", "echo python is $(command -v python)")
    assert f"python is {environment}/bin/python" in ydl.ok("run", *command).out
    assert f"python is {environment}" not in ydl.ok("run", "--env", f"PATH={ydl.env['PATH']}", *command).out


def test_a_packed_environment_is_unpacked_once(ydl, environment):
    archive = ydl.scratch / "env.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(environment, arcname=".")
    first = prefix_of(ydl.ok("run", "--output", "plain", "--python-env", archive, "--", "train.py"))
    assert first.startswith(f"{ydl.scratch}/cache/ydl/unpacked/") and first.endswith(" by hand")
    assert prefix_of(ydl.ok("run", "--output", "plain", "--python-env", archive, "--", "train.py")) == first
    assert len(list((ydl.scratch / "cache/ydl/unpacked").iterdir())) == 1


def test_requirements_are_built_once_for_the_same_lock(ydl, uv):
    requirements = ydl.work / "requirements.txt"
    requirements.write_text("numpy\n")
    first = ydl.ok("run", "--output", "plain", "--python-env", "requirements.txt", "--", "train.py")
    assert prefix_of(first).endswith(" numpy")
    assert "building the Python environment of" in first.err
    assert uv.read_text().splitlines() == ["python find", "pip compile", "venv --relocatable", "pip sync"]
    second = ydl.ok("run", "--output", "plain", "--python-env", "requirements.txt", "--", "train.py")
    assert prefix_of(second) == prefix_of(first)
    assert uv.read_text().splitlines()[4:] == ["python find"]
    requirements.write_text("# only a comment more\nnumpy\n")
    third = ydl.ok("run", "--output", "plain", "--python-env", "requirements.txt", "--", "train.py")
    assert prefix_of(third) == prefix_of(first)
    assert uv.read_text().splitlines()[5:] == ["python find", "pip compile"]


def test_a_build_that_fails_says_why_and_leaves_nothing(ydl, uv):
    (ydl.work / "requirements.txt").write_text("nonsense\n")
    (ydl.scratch / "broken").touch()
    done = ydl("run", "--python-env", "requirements.txt", "--", "train.py")
    assert done.code == 1
    assert "uv cannot install the packages of" in done.err and "no such package" in done.err and "uv.log" in done.err
    assert list((ydl.scratch / "cache/ydl/envs").iterdir()) == []


def test_without_uv_it_says_how_to_get_it(ydl, environment):
    (ydl.work / "requirements.txt").write_text("numpy\n")
    done = ydl("run", "--python-env", "requirements.txt", "--", "train.py", env={"PATH": "/nowhere"})
    assert done.code == 1
    assert "there is no uv on PATH" in done.err and "pip install uv" in done.err


def test_a_folder_that_is_not_an_environment_is_refused(ydl, environment):
    (ydl.scratch / "folder").mkdir()
    done = ydl("run", "--python-env", ydl.scratch / "folder", "--", "train.py")
    assert (done.code, "there is no bin/python in it" in done.err) == (2, True), done.everything()
    done = ydl("run", "--python-env", "missing", "--", "train.py")
    assert (done.code, "missing does not exist" in done.err) == (2, True), done.everything()


def test_a_dry_run_builds_nothing(ydl, environment):
    (ydl.work / "requirements.txt").write_text("numpy\n")
    done = ydl.ok("run", "--dry-run", "--python-env", "requirements.txt", "--", "train.py", env={"PATH": "/nowhere"})
    assert "python environment: requirements.txt" in done.out
    assert "interpreter: the Python of requirements.txt, the job's environment" in done.out
    assert not (ydl.scratch / "cache").exists()


def test_inputs_need_a_cluster(ydl):
    done = ydl("run", "--input", "hdfs:///data/train", "--", "true")
    assert done.code == 2
    assert "--input only makes sense on a cluster" in done.err


def test_the_cache_needs_a_cluster(ydl):
    done = ydl("env", "ls")
    assert done.code == 2
    assert "there is no cluster with a cache" in done.err
