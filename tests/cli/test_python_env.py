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
elif words[:2] == ["pip", "freeze"]:
    print("installed-already==1.0")
elif words[:2] == ["pip", "compile"]:
    wanted = open(words[-1]).read()
    if "nowheel" in wanted:
        sys.exit("  x No solution found when resolving dependencies:\\n    Because nowheel has no wheels with a matching Python version tag")
    if "conflict" in wanted and "--constraint" in words:
        sys.exit("  x No solution found when resolving dependencies:\\n    Because you require conflict")
    shutil.copy(words[-1], words[words.index("--output-file") + 1])
elif words[:2] == ["pip", "install"]:
    target = pathlib.Path(words[words.index("--target") + 1])
    (target / "installed.py").write_text("lock = " + repr("layer: " + open(words[-1]).read().strip()))
elif words[0] == "venv":
    subprocess.run(["{python}", "-m", "venv", "--without-pip", words[-1]], check=True)
elif words[:2] == ["pip", "sync"]:
    prefix = pathlib.Path(words[words.index("--python") + 1]).parents[1]
    site = next(prefix.glob("lib/python*/site-packages"))
    (site / "installed.py").write_text("lock = " + repr(open(words[-1]).read().strip().replace("\\n", " ")))
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


def submit(ydl, text, **env):
    (ydl.work / "job.yaml").write_text("version: 1\ncommand: train.py\nroles: {worker: {}}\n" + text)
    return ydl("submit", "--output", "plain", "job.yaml", env=env)


def test_here_is_the_environment_of_the_shell(ydl, environment):
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        done = ydl.ok("run", "--output", "plain", "--python-env", "here", "--", "train.py", env={name: str(environment)})
        assert prefix_of(done) == f"{environment} by hand"
    on_path = {"PATH": f"{environment}/bin:{ydl.env['PATH']}"}
    assert prefix_of(ydl.ok("run", "--output", "plain", "--python-env", "here", "--", "train.py", env=on_path)) == f"{environment} by hand"
    named = ("--python", f"{environment}/bin/python", "--python-env", "here")
    assert prefix_of(ydl.ok("run", "--output", "plain", *named, "--", "train.py")) == f"{environment} by hand"


def test_an_environment_that_cannot_be_uploaded_is_named(ydl, environment):
    (environment / "pyvenv.cfg").write_text("include-system-site-packages = true\n")
    done = ydl("run", "--python-env", "here", "--", "train.py", env={"VIRTUAL_ENV": str(environment)})
    assert done.code == 2 and "uses packages of the system" in done.err and "--python" in done.err, done.everything()
    done = ydl("run", "--python-env", "here", "--", "train.py", env={"VIRTUAL_ENV": str(ydl.scratch / "gone")})
    assert done.code == 2 and "VIRTUAL_ENV is" in done.err and "activate the environment again" in done.err


def test_packages_are_added_in_a_layer_of_their_own(ydl, uv, environment):
    text = f"python_env: {environment}\npip_packages: [added]\n"
    first = submit(ydl, text)
    assert first.code == 0 and prefix_of(first).endswith(" layer: added"), first.everything()
    assert uv.read_text().splitlines() == ["pip freeze", "pip compile", "pip install"]
    assert prefix_of(submit(ydl, text.replace("[added]", "[installed-already]"))) == f"{environment} by hand", "nothing to add"


def test_an_environment_is_built_when_there_is_none_to_take(ydl, uv):
    done = submit(ydl, 'python_version: "3.11"\nrequirements: more.txt\n')
    assert done.code != 0 and "more.txt" in done.err, done.everything()
    (ydl.work / "more.txt").write_text("added\n")
    done = submit(ydl, 'python_version: "3.11"\nrequirements: more.txt\n')
    assert done.code == 0 and prefix_of(done).endswith(" layer: added"), done.everything()
    assert uv.read_text().splitlines()[:3] == ["python find", "venv --relocatable", "pip sync"]


def test_packages_that_do_not_fit_make_one_new_environment(ydl, uv, environment):
    done = submit(ydl, f"python_env: {environment}\npip_packages: [conflict]\n")
    assert done.code == 0 and "one new environment is built: uv cannot resolve" in done.err, done.everything()
    assert "Because you require" in done.err
    assert "conflict" in prefix_of(done)


def test_no_wheel_is_reported_in_uvs_words(ydl, uv, environment):
    done = submit(ydl, f"python_env: {environment}\npip_packages: [nowheel]\n")
    assert done.code == 1 and "no wheels with a matching Python version tag" in done.err, done.everything()


def test_packages_cannot_be_added_to_an_archive(ydl, uv, environment):
    archive = ydl.scratch / "env.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(environment, arcname=".")
    done = submit(ydl, f"python_env: {archive}\npip_packages: [added]\n")
    assert done.code == 2 and "name the folder of the environment" in done.err, done.everything()


def test_uv_is_found_beside_the_python_one_submits_with(ydl, uv, environment):
    program = ydl.scratch / "bin/uv"
    program.rename(environment / "bin/uv")
    (ydl.work / "requirements.txt").write_text("numpy\n")
    done = ydl.ok("run", "--output", "plain", "--python-env", "requirements.txt", "--", "train.py", env={"VIRTUAL_ENV": str(environment)})
    assert prefix_of(done).endswith(" numpy")
    assert f"{environment}/bin/uv, which is installed for" in ydl("doctor", env={"VIRTUAL_ENV": str(environment)}).out


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
