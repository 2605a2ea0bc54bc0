"""tools/setup: what is missing is installed in one go, what is there is left alone, and failures come with the command to run."""

import os
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "tools/setup"


@pytest.fixture
def machine(tmp_path):
    """A machine whose dpkg-query, apt-get and sudo are the test's: knows the installed packages, records the calls."""
    return Machine(tmp_path)


class Machine:
    def __init__(self, folder):
        self._bin = folder / "bin"
        self._bin.mkdir()
        self._log = folder / "apt.log"
        self._log.touch()
        self.command("apt-get", f'echo "$DEBIAN_FRONTEND $*" >> {self._log}')
        # Called as `sudo -n true` (may I?) and `sudo COMMAND…`.
        self.command("sudo", '[ "$1" = -n ] && exit 0; exec "$@"')

    def command(self, name, script):
        path = self._bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def installed(self, *packages):
        lines = "; ".join(f"printf 'installed\\t{package}\\n'" for package in packages)
        self.command("dpkg-query", f"{lines or ':'}; exit 1")

    def apt(self, *groups):
        environment = {**os.environ, "PATH": f"{self._bin}:/usr/bin:/bin"}
        return subprocess.run([SETUP / "apt.sh", *groups], env=environment, capture_output=True, text=True, check=False)

    def apt_calls(self):
        return self._log.read_text().splitlines()


def packages_of(group):
    lines = (SETUP / "apt" / f"{group}.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def test_missing_packages_come_with_one_update_and_one_install(machine):
    machine.installed(*packages_of("test"))
    done = machine.apt("test", "python", "ssh")
    assert done.returncode == 0, done.stderr
    update, install = machine.apt_calls()
    assert update.startswith("noninteractive ") and update.endswith(" update")
    assert install.startswith("noninteractive ") and install.endswith("install -y --no-install-recommends openssh-client openssh-server")
    assert done.stdout == ""


def test_nothing_is_done_when_nothing_is_missing(machine):
    machine.installed(*packages_of("build"), *packages_of("test"))
    done = machine.apt("build", "test")
    assert (done.returncode, done.stderr, machine.apt_calls()) == (0, "", [])


def test_a_command_from_elsewhere_replaces_its_package(machine):
    machine.installed("python3")
    machine.command("npm", "exit 0")
    assert machine.apt("data").returncode == 0
    assert machine.apt_calls() == []


def test_a_failed_update_does_not_stop_the_install(machine):
    machine.installed()
    machine.command("apt-get", 'case "$*" in *update) exit 100;; esac')
    assert machine.apt("python").returncode == 0


def test_a_failed_install_names_the_command(machine):
    machine.installed()
    machine.command("apt-get", 'case "$*" in *install*) exit 100;; esac')
    done = machine.apt("python")
    assert done.returncode == 1
    assert "apt-get install -y --no-install-recommends python3 python3-venv" in done.stderr


def test_an_unknown_group_is_an_error_that_lists_the_groups(machine):
    done = machine.apt("tests")
    assert done.returncode == 1
    assert "there is no package group 'tests'; the groups are: bench build data hadoop kdc krb5 podman python ssh test torch." in done.stderr


def test_an_unknown_environment_is_an_error_that_lists_them():
    done = subprocess.run([SETUP / "python_env.sh", "caffe"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "there is no environment 'caffe'; the environments are: hdfs-native jax mxnet notebook skein tensorflow-io tensorflow test torch uv wheel." in done.stderr


def test_a_ready_environment_is_only_named(python_of):
    ready = python_of("test").parents[1]
    # No network, no package manager: nothing but the look at the marker may happen.
    done = subprocess.run([SETUP / "python_env.sh", "test"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, str(ready), "")


def test_an_interrupted_build_is_started_anew(tmp_path):
    """What an interrupted run left (no .complete) is thrown away; the lock file may stay."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}

    def build():
        return subprocess.run([SETUP / "python_env.sh", "test"], env=environment, capture_output=True, text=True, check=False)

    first = build()
    assert first.returncode == 0, first.stderr
    folder = Path(first.stdout.strip())
    (folder / ".complete").unlink()
    (folder / "half-made").touch()
    assert build().stdout == first.stdout
    assert (folder / ".complete").exists() and not (folder / "half-made").exists()
