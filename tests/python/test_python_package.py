"""The wheels: what is in them, and that they install and start anywhere."""

import http.server
import json
import os
import shutil
import subprocess
import threading
import zipfile
from pathlib import Path

import pytest

from projects import REPOSITORY, environment, output_of


def test_the_wheel_has_the_binary_and_names_its_platform(wheels):
    (wheel,) = wheels.glob("ydl_jobs-*.whl")
    assert wheel.name.endswith("-py3-none-manylinux_2_5_x86_64.manylinux1_x86_64.musllinux_1_1_x86_64.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (binary,) = [info for info in archive.infolist() if info.filename.endswith(".data/scripts/ydl")]
        assert archive.read(binary)[:4] == b"\x7fELF"
        assert binary.external_attr >> 16 & 0o111, "it is not executable"
    assert "ydl/py.typed" in names and "ydl/tf_yarn/__init__.py" in names
    assert not [name for name in names if name.startswith("tf_yarn/")], "a real tf-yarn would be overwritten"


def test_the_second_wheel_has_only_the_other_name(wheels):
    (wheel,) = wheels.glob("ydl_tf_yarn-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        assert all(name.startswith("tf_yarn/") for name in names), names


def test_package_and_binary_have_one_version(project):
    assert project.ok("import ydl\nprint(ydl.__version__)\n").strip() == json.loads(project.ydl("version"))["version"]


def test_importing_it_imports_nothing_else(project):
    heavy = {"cloudpickle", "numpy", "tensorflow", "torch", "asyncio", "subprocess", "IPython"}
    out = project.ok("import sys, ydl\nprint(*sys.modules)\n")
    assert not heavy & set(out.split())


def test_all_public_names_exist(project):
    project.ok("import ydl, ydl.tf_yarn, tf_yarn, tf_yarn.tensorflow, tf_yarn.pytorch, tf_yarn.topologies\n"
               "[getattr(ydl, name) for name in ydl.__all__]\n"
               "assert tf_yarn.run_on_yarn is ydl.tf_yarn.run_on_yarn\n")


def test_another_program_of_that_name_is_never_called(project):
    other = project.scratch / "bin"
    other.mkdir()
    (other / "ydl").write_text("#!/bin/sh\necho called > $0.called\n")
    (other / "ydl").chmod(0o755)
    project.env["PATH"] = f"{other}:{project.env['PATH']}"
    project.ok("import ydl\nassert ydl.run(len, ('abc',)).results['worker:0'] == 3\n")
    assert not (other / "ydl.called").exists()


class Index(http.server.SimpleHTTPRequestHandler):
    """A package index with the wheels of a folder. Notes which projects it is asked for."""

    asked = set()
    folder = None

    def do_GET(self):
        parts = self.path.strip("/").split("/")
        if parts[0] == "files":
            data = (self.folder / parts[1]).read_bytes()
            return self.answer(200, data, "application/octet-stream")
        project = parts[1]
        self.asked.add(project)
        links = [path.name for path in self.folder.glob("*.whl") if path.name.split("-")[0].replace("_", "-").lower() == project]
        page = "".join(f'<a href="/files/{name}">{name}</a>\n' for name in links)
        self.answer(200 if links else 404, page.encode(), "text/html")

    def answer(self, code, body, kind):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def cloudpickle_wheel(folder):
    """A wheel of the cloudpickle that is installed for the tests."""
    (site,) = environment("notebook").glob("lib/python*/site-packages")
    (info,) = site.glob("cloudpickle-*.dist-info")
    wheel = folder / f"{info.stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in [*site.glob("cloudpickle/*.py"), *info.iterdir()]:
            if path.is_file() and path.name not in ("INSTALLER", "REQUESTED"):
                archive.write(path, path.relative_to(site))


@pytest.fixture
def index(wheels, tmp_path):
    folder = tmp_path / "index"
    folder.mkdir()
    for wheel in wheels.glob("*.whl"):
        (folder / wheel.name).symlink_to(wheel)
    cloudpickle_wheel(folder)
    handler = type("OwnIndex", (Index,), {"folder": folder, "asked": set()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    handler.url = f"http://127.0.0.1:{server.server_port}/simple"
    yield handler
    server.shutdown()


def pythons():
    """One interpreter of each version that the package supports and this machine has, on PATH or of pyenv."""
    found = {(3, 11): "/usr/bin/python3.11"}
    for minor in range(9, 14):
        installed = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"))
        path = str(installed[-1]) if installed else shutil.which(f"python3.{minor}")
        if path and (3, minor) not in found:
            found[3, minor] = path
    return found


@pytest.mark.timeout(600)
def test_it_installs_into_an_empty_environment_of_every_python_and_never_asks_for_the_project_ydl(index, project):
    uv = environment("uv") / "bin/uv"
    env = {**os.environ, "UV_CACHE_DIR": str(project.scratch / "uv-cache"), "UV_NO_CONFIG": "1"}
    del project.env["PYTHONPATH"]
    for version, python in pythons().items():
        venv = project.scratch / "venv{}.{}".format(*version)
        subprocess.run([uv, "venv", "--quiet", "--python", python, venv], check=True, env=env)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", venv / "bin/python", "--index-url", index.url, "ydl_tf_yarn"],
                       check=True, env=env)  # fmt: skip
        assert index.asked == {"ydl-tf-yarn", "ydl-jobs", "cloudpickle"}  # `ydl` on PyPI is another project
        assert output_of(venv / "bin/ydl", "version") == output_of(venv / "bin/python", "-m", "ydl", "version")
        assert "ydl-mx" in output_of(venv / "bin/ydl-mx", "--help")
        output_of(venv / "bin/python", "-c", "import tf_yarn.tensorflow, tf_yarn.pytorch")
        script = (REPOSITORY / "examples/python/train.py").read_text()
        assert "{'worker:0': 0.97, 'worker:1': 0.97}" in project.ok(script, python=venv / "bin/python"), version


def test_a_task_with_another_python_reports_it(project):
    other = [path for version, path in pythons().items() if version > (3, 11)]
    if not other:
        pytest.skip("this machine has only the Python of the tests")
    out = project.ok(f"""
        import ydl

        def train():
            return 1

        try:
            ydl.run(train, python={other[0]!r})
        except ydl.JobFailed as error:
            print(error)
    """)
    assert "failed first: the function was pickled by CPython 3.11, and this is CPython 3.1" in out
