"""Python environments on YARN: what is uploaded, where hosts unpack it, and what they need for it."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from installed import python_of
from shared import YARN
from yarn_shell import SMALL, job_id, jobs_on

pytestmark = pytest.mark.on_cluster(*YARN)

SHOW = """\
import os, sys
import of_the_environment
print("executable", sys.executable)
print("module", os.path.realpath(of_the_environment.__file__))
print("library path", os.environ.get("LD_LIBRARY_PATH", "none"))
try:
    import added
    print("added", added.VALUE, os.path.realpath(added.__file__))
except ImportError:
    print("added nothing")
"""


@pytest.fixture
def jobs(clusters, kind, tmp_path):
    return jobs_on(clusters(*YARN, *kind), tmp_path)


@pytest.fixture
def environment(jobs, tmp_path):
    """The virtual environment that one submits from; uv is installed in it."""
    folder = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    next(folder.glob("lib/python*/site-packages")).joinpath("of_the_environment.py").write_text("")
    (folder / "bin/uv").symlink_to(python_of("uv").with_name("uv"))
    jobs.environment["VIRTUAL_ENV"] = str(folder)
    (jobs.work / "show.py").write_text(SHOW)
    return folder


def wheel(folder, name, version, value):
    """A package, as an index would have it."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", f"VALUE = {value!r}\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def unpacked(jobs):
    """The environments of this user on all hosts, without added packages."""
    return sorted(folder.parents[1] for folder in jobs.cluster.folder.glob(f"nodemanager*/local/usercache/{jobs.user}/ydl-environments/*/bin/python-itself"))


def shown(out, key):
    return re.findall(rf"\[worker:\d+\] {key} (.*)", out)


def layers(jobs, job):
    return {line["layer"]: line for line in map(json.loads, jobs.run("env", "why", job, "--output", "json")[0].splitlines())}


def submit(jobs, *lines, **options):
    (jobs.work / "job.yaml").write_text("\n".join(["version: 1", "command: show.py", "python_env: here", *lines, ""]))
    return jobs.run("submit", "--output", "plain", "job.yaml", **options)


ONE = "roles: {worker: {count: 1, resources: {memory: 256m}}}"


def test_the_environment_one_submits_from_is_unpacked_once_per_host(jobs, environment):
    out, err = jobs.run("run", "--n", 3, *SMALL, "--resource", "worker:placement=pack", "--output", "plain", "--python-env", "here", "--", "show.py")
    assert re.search(r"uploading the Python environment: base [\d.]+ MiB \([\d.]+ MiB in \d+ files\)", err), err
    assert all(path.endswith("/.ydl-python-env/bin/python") for path in shown(out, "executable")), out
    modules = set(shown(out, "module"))
    folders = {Path(module).parents[3] for module in modules}
    assert folders <= set(unpacked(jobs)) and len({folder.parents[4] for folder in folders}) == len(folders), "tasks of one host share it"
    assert set(shown(out, "library path")) == {"none"}, "programs that Python starts do not get its libraries"
    base = layers(jobs, job_id(err))["base"]
    assert base["found"] == "uploaded" and base["source"] == str(environment)
    assert base["bytes"] < base["unpacked"] / 2

    (jobs.work / "show.py").write_text(SHOW + "print('changed')\n")
    before = {folder: folder.stat().st_ino for folder in folders}
    out, err = jobs.run("run", *SMALL, "--output", "plain", "--python-env", "here", "--", "show.py")
    assert "[worker:0] changed" in out and "the Python environment" not in err
    (uploaded,) = re.findall(r"uploaded ([\d.]+) KiB", err)
    assert float(uploaded) < 100
    assert layers(jobs, job_id(err))["base"]["found"] == "in the cache"
    assert all(folder.stat().st_ino == inode for folder, inode in before.items())


def test_added_packages_are_uploaded_without_the_environment(jobs, environment):
    submit(jobs, ONE)
    wheel(jobs.work, "added", "1.0", "one")
    out, err = submit(jobs, ONE, "pip_packages: [./added-1.0-py3-none-any.whl]")
    ((value, path),) = [line.split() for line in shown(out, "added")]
    assert value == "one" and "/ydl-environments/" in path
    assert shown(out, "module")[0].split("/ydl-environments/")[1].split("/")[0] != path.split("/ydl-environments/")[1].split("/")[0]
    found = layers(jobs, job_id(err))
    assert (found["base"]["found"], found["packages"]["found"]) == ("in the cache", "uploaded")
    assert found["packages"]["bytes"] < 10_000


def test_what_a_killed_agent_has_half_unpacked_is_unpacked_again(jobs, environment):
    submit(jobs, ONE)
    for folder in unpacked(jobs):
        lock = folder.with_name(folder.name + ".lock")
        lock.write_text("")  # as it is while a container unpacks
        shutil.rmtree(next(folder.glob("lib/python*/encodings")))
        (folder.parent / f".{folder.name}.12345678").mkdir()
    out, _ = submit(jobs, ONE)
    assert shown(out, "module")
    (used,) = {Path(module).parents[3] for module in shown(out, "module")}
    assert not list(used.parent.glob(f".{used.name}.*"))


def test_a_host_that_cannot_keep_it_unpacks_into_the_container(jobs, environment):
    users = [caches / jobs.user for caches in jobs.cluster.folder.glob("nodemanager*/local/usercache")]
    for user in users:
        user.mkdir(mode=0o750, exist_ok=True)
        shutil.rmtree(user / "ydl-environments", ignore_errors=True)
        (user / "ydl-environments").write_text("")
    try:
        out, _ = submit(jobs, ONE)
        assert "/container_" in shown(out, "module")[0]
    finally:
        for user in users:
            (user / "ydl-environments").unlink(missing_ok=True)


GLIBC = ("ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libresolv.so.2", "libnss_files.so.2")


@pytest.mark.skipif(os.geteuid() != 0, reason="chroot takes root")
def test_it_runs_where_there_is_nothing_but_glibc_and_a_shell(jobs, environment, tmp_path):
    submit(jobs, ONE)
    folder = unpacked(jobs)[0]
    root = tmp_path / "root"
    for name in ("lib/x86_64-linux-gnu", "lib64", "bin", "tmp"):
        (root / name).mkdir(parents=True)
    for name in GLIBC:
        for source in (Path("/lib/x86_64-linux-gnu") / name, Path("/lib64") / name):
            if source.exists():
                shutil.copy(source, root / "lib/x86_64-linux-gnu" / name)
                shutil.copy(source, root / "lib64" / name)
    shutil.copy("/bin/dash", root / "bin/sh")
    shutil.copytree(folder, root / "env", symlinks=True)
    modules = [name for name in ("ssl", "sqlite3", "ctypes", "lzma", "bz2", "uuid", "readline", "zlib", "hashlib", "xml.parsers.expat") if importable(name)]
    text = f"import sys, {', '.join(modules)}; import subprocess; print(sys.executable, flush=True); " \
           "subprocess.run([sys.executable, '-c', 'import ssl; print(1 + 1)'], check=True)"
    done = subprocess.run([shutil.which("chroot"), root, "/env/bin/python", "-c", text], capture_output=True, text=True, env={}, timeout=60)
    assert done.returncode == 0 and done.stdout == "/env/bin/python\n2\n", done.stdout + done.stderr


def importable(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True).returncode == 0


def test_a_quota_that_is_too_small_is_named_and_nothing_is_left(jobs, environment):
    jobs.run("run", *SMALL, "--python", "/usr/bin/python3", "--", "true")
    jobs.cluster.client.quota(remote=f"/user/{jobs.user}", space=1000)
    next(environment.glob("lib/python*/site-packages")).joinpath("more.py").write_text("")
    try:
        _, err = submit(jobs, ONE, code=1)
    finally:
        jobs.cluster.client.quota(remote=f"/user/{jobs.user}", space=-1)
    assert "quota" in err and "delete files in the directory" in err and "is application_" not in err
    assert "unfinished" not in jobs.run("env", "ls")[0]
