"""Images for podman, made of this machine's own programs: nothing is fetched from anywhere."""

import os
import shutil
import subprocess
from pathlib import Path

LIMIT = 120
IMAGE = "localhost/ydl-test:1"
ENTERED = "localhost/ydl-entered:1"  # with an entry point
PROGRAMS = ["sh", "sleep", "cat", "touch"]
OF_LAUNCH_SCRIPTS = ["bash", "ln", "mkdir", "chmod", "cp", "ls", "find"]  # what NodeManagers run in an image
CONTAINER_EXECUTOR = Path(__file__).resolve().parents[2] / "testing/container_executor"
# Limits that a test machine's own may be below of.
ULIMITS = ["nofile=1024:1024", "nproc=1000:1000"]


def libraries_of(files):
    """What the dynamic linker would load for them, links as they are named."""
    listed = subprocess.run(["ldd", *files], capture_output=True, text=True).stdout.split()
    return {word for word in listed if word.startswith("/") and not word.endswith(":")}


def copy_into(root, *sources):
    for source in map(str, sources):
        target = root / source.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy(source, target)


def make_root(root, programs=PROGRAMS):
    """The smallest system with a shell: programs of this one with the libraries they name."""
    (root / "bin").mkdir(parents=True)
    for name in programs:
        program = Path(shutil.which(name)).resolve()
        copy_into(root, program, *libraries_of([program]))
        if not (root / "bin" / name).exists():
            (root / "bin" / name).symlink_to(program)
    (root / "etc").mkdir(exist_ok=True)
    (root / "etc/which-system").write_text("the image\n")
    (root / "tmp").mkdir()


def add_python(root, environment):
    """This machine's interpreter as the image's own python3, with the libraries of an environment that is mounted later."""
    interpreter = (environment / "bin/python").resolve()
    library = Path("/usr/lib") / interpreter.name
    unneeded = shutil.ignore_patterns("__pycache__", "test", "idlelib", "tkinter", "config-*", "dist-packages")
    shutil.copytree(library, root / str(library).lstrip("/"), ignore=unneeded, symlinks=True)
    extensions = [path for folder in (library / "lib-dynload", environment) for path in folder.rglob("*.so*") if path.is_file()]
    copy_into(root, interpreter, *(path for path in libraries_of([interpreter, *extensions]) if not path.startswith(str(environment))))
    (root / "usr/bin/python3").symlink_to(interpreter.name)
    own = root / "usr/local/bin/python3"
    own.parent.mkdir(parents=True)
    own.write_text(f'#!/bin/sh\necho "the Python of the image" >&2\nexec {environment}/bin/python "$@"\n')
    own.chmod(0o755)


def add_entry_point(root):
    """One that runs its arguments, as entry points of frameworks' images do."""
    path = root / "enter"
    path.write_text('#!/bin/sh\nexport ENTERED_BY="the entry point"\nexec "$@"\n')
    path.chmod(0o755)
    (root / "elsewhere").mkdir()
    return ['ENTRYPOINT ["/enter"]', "WORKDIR /elsewhere"]


class Podman:
    """podman with images of its own and nothing else."""

    def __init__(self, folder):
        assert shutil.which("podman"), "podman is not installed: tools/setup/apt.sh podman"
        folder.mkdir(parents=True, exist_ok=True)
        ulimits = ", ".join(f'"{limit}"' for limit in ULIMITS)
        (folder / "containers.conf").write_text(
            f'[containers]\ndefault_ulimits = [{ulimits}]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n')
        (folder / "storage.conf").write_text(f'[storage]\ndriver = "vfs"\ngraphroot = "{folder}/graph"\nrunroot = "{folder}/run"\n')
        self.variables = {"CONTAINERS_CONF": str(folder / "containers.conf"), "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf")}

    def run(self, *words, **options):
        return subprocess.run(["podman", *words], env={**os.environ, **self.variables}, capture_output=True, check=True, timeout=LIMIT, **options).stdout

    def make_image(self, name, root, changes=()):
        packed = subprocess.run(["tar", "-C", root, "-c", "."], capture_output=True, check=True).stdout
        self.run("import", *(f"--change={change}" for change in changes), "-", name, input=packed)

    def of_node_managers(self, folder):
        """Options of `testing/cluster up` by which NodeManagers run images with this podman."""
        program = folder / "container-executor"
        variables = " ".join(f"{name}='{value}'" for name, value in self.variables.items())
        program.write_text(f"#!/bin/sh\n{variables} exec {CONTAINER_EXECUTOR} \"$@\"\n")
        program.chmod(0o755)
        settings = {
            "container-executor.class": "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor",
            "linux-container-executor.path": program,
            "linux-container-executor.group": "root",
            "runtime.linux.allowed-runtimes": "default,docker",
            "runtime.linux.docker.allowed-container-networks": "host,bridge",
            # With Kerberos containers are their user's, who may be root here.
            "runtime.linux.docker.userremapping-uid-threshold": 0,
            "runtime.linux.docker.userremapping-gid-threshold": 0,
        }
        return [word for key, value in settings.items() for word in ("--set", f"yarn.nodemanager.{key}={value}")]

    def close(self):
        self.run("rm", "-fa")  # with what it mounted
