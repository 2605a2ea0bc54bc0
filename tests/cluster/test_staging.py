"""A job's files on their way to the containers: uploaded once, found by content, localized and unpacked by real NodeManagers."""

import io
import json
import os
import subprocess
import tarfile
import threading

import pytest

from cluster_lib.running import ClientError
from shared import YARN_WITH_LABEL
from staging_shell import PATIENCE, TOOL, Submitter, field, files

pytestmark = pytest.mark.on_cluster(*YARN_WITH_LABEL)

LARGE = 4 << 20


@pytest.fixture
def yarn(clusters):
    return clusters(*YARN_WITH_LABEL)


@pytest.fixture
def submitter(yarn, tmp_path, request):
    return Submitter(yarn, tmp_path, "u" + str(abs(hash(request.node.name)) % 10**9))


@pytest.fixture
def job(tmp_path):
    """A directory of submission with all that is odd about directories."""
    root = tmp_path / "job"
    (root / "pkg" / "deep").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "train.py").write_text("print('hi')\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "with space é€🐘.txt").write_text("odd\n")
    (root / "it's $HOME `x`.txt").write_text("odder\n")
    (root / ("n" * 220)).write_text("long\n")
    (root / "pkg" / "deep" / ("d" * 200)).write_text("long and deep\n")
    (root / "pkg" / "__pycache__").mkdir()
    (root / "pkg" / "__pycache__" / "x.pyc").write_text("x")
    (root / "latest").symlink_to("pkg/deep")
    outside = tmp_path / "outside.txt"
    outside.write_text("from outside\n")
    (root / "outside").symlink_to(outside)
    return root


def test_an_archive_is_what_tar_and_python_understand(submitter, job, tmp_path):
    path = files(submitter.stage("stage", job))["code"][0]
    submitter.cluster.client.get(remote=path, local=str(tmp_path / "code.tar"))
    with tarfile.open(tmp_path / "code.tar") as archive:
        members = {member.name: member for member in archive.getmembers()}
        assert archive.extractfile("with space é€🐘.txt").read() == b"odd\n"
        assert archive.extractfile("outside").read() == b"from outside\n"
    expected = {str(path.relative_to(job)) for path in job.rglob("*") if "__pycache__" not in path.parts}
    assert set(members) == expected
    assert members["run.sh"].mode == 0o755 and members["train.py"].mode == 0o644
    assert members["latest"].issym() and members["latest"].linkname == "pkg/deep"
    assert members["empty"].isdir()
    assert {member.uid for member in members.values()} == {0}
    listed = subprocess.run(["tar", "-tf", tmp_path / "code.tar", "--quoting-style=literal"], capture_output=True, text=True, check=True)
    assert listed.stderr == ""
    assert {line.rstrip("/") for line in listed.stdout.splitlines()} == expected
    assert list(members) == sorted(members, key=lambda name: name.encode())


def test_a_second_submission_uploads_nothing(submitter, job):
    (job / "weights.bin").write_bytes(os.urandom(LARGE))
    first = submitter.stage("stage", job)
    total = sum(size for _, _, size in files(first).values())
    assert field(first, "uploaded") == [f"{total} reused 0"]
    assert field(first, "link") == ["part-1 weights.bin"]
    second = submitter.stage("stage", job)
    assert field(second, "uploaded") == [f"0 reused {total}"]
    assert files(second) == files(first)
    (job / "train.py").write_text("print('edited')\n")
    third = submitter.stage("stage", job)
    assert field(third, "uploaded") == [f"{files(third)['code'][2]} reused {total - files(first)['code'][2]}"]


def test_two_submitters_at_once_end_with_one_file(submitter, job):
    (job / "weights.bin").write_bytes(os.urandom(8 * LARGE))
    processes = [submitter.start("stage", job) for _ in range(3)]
    results = [process.communicate(timeout=PATIENCE)[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], results
    assert files(results[0]) == files(results[1]) == files(results[2])
    for path, _, size in files(results[0]).values():
        (entry,) = submitter.cluster.client.ls(remote=path.rsplit("/", 1)[0])
        assert entry["length"] == size


def test_a_damaged_file_of_the_cache_is_replaced(submitter, job, tmp_path):
    path, _, size = files(submitter.stage("stage", job))["code"]
    (tmp_path / "short").write_bytes(b"short")
    submitter.cluster.client.delete(remote=path)
    submitter.cluster.client.put(local=str(tmp_path / "short"), remote=path)
    assert field(submitter.stage("stage", job), "uploaded")[0].startswith(f"{size} reused ")
    assert submitter.cluster.client.stat(remote=path)["length"] == size


def test_a_node_manager_localizes_and_unpacks_everything(submitter, job, tmp_path):
    (job / "weights.bin").write_bytes(os.urandom(LARGE))
    (job / "data" / "deep").mkdir(parents=True)
    (job / "data" / "deep" / "train.rec").write_bytes(os.urandom(LARGE))
    (job / "data" / "run.sh").write_text("#!/bin/sh\n")
    (job / "data" / "run.sh").chmod(0o755)
    (tmp_path / "conf.json").write_text("{}")
    with tarfile.open(tmp_path / "set.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("inside.txt")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"abc"))
    listing = tmp_path / "listing"
    script = f'find -L . -printf "%y %m %s %p\\0" > {listing}; cat code/latest/d* part-1/inside.txt code/outside > {tmp_path}/contents; exit 3'
    lines = submitter.stage("--file", f"{tmp_path}/conf.json=conf/c.json", "--archive", f"{tmp_path}/set.tar.gz#set", "run", job, "/bin/sh", "-c", script)
    assert "exitCode: 3" in lines[-1], lines
    assert field(lines, "link") == ["files/0/c.json conf/c.json", "part-1 set", "part-2 data", "part-3 weights.bin"]
    found = {}
    for entry in filter(None, listing.read_text().split("\0")):
        kind, mode, size, name = entry.split(" ", 3)
        found[name[2:]] = (kind, int(mode, 8), int(size))
    assert (tmp_path / "contents").read_text() == "long and deep\nabcfrom outside\n"
    assert found["ydl"][1] & 0o500 == 0o500
    assert found["code/run.sh"][1] & 0o500 == 0o500 and found["part-2/run.sh"][1] & 0o500 == 0o500
    assert found["code/empty"][0] == "d"
    assert found["code/" + "n" * 220][0] == "f"
    assert {"code/with space é€🐘.txt", "code/it's $HOME `x`.txt", "files/0/c.json"} <= set(found)
    assert found["part-2/deep/train.rec"][2] == found["part-3"][2] == LARGE


def test_more_nodes_mean_more_replicas_as_far_as_the_cluster_allows(submitter, job):
    path = files(submitter.stage("--nodes", "4", "stage", job))["code"][0]
    assert submitter.cluster.client.stat(remote=path)["replication"] >= 2


def test_a_replication_that_the_namenode_refuses_is_not_insisted_on(strict, job, tmp_path):
    submitter = Submitter(strict, tmp_path, "modest")
    path = files(submitter.stage("--nodes", "100", "stage", job))["code"][0]
    assert strict.client.stat(remote=path)["replication"] <= 2


def test_a_file_that_grows_while_it_is_uploaded_is_named(submitter, job):
    (job / "log.txt").write_bytes(b"x" * (2 * LARGE))
    stop = threading.Event()

    def grow():
        with open(job / "log.txt", "ab", buffering=0) as log:
            while not stop.is_set():
                log.write(b"y")

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        lines, code = submitter.ask("stage", job)
    finally:
        stop.set()
        writer.join()
    assert code == 1
    assert lines[-1].startswith(f"error: {job}/log.txt changed while it was being uploaded"), lines
    assert unfinished(submitter) == []


def unfinished(submitter):
    """Uploads that were begun and not ended."""
    cache = f"{submitter.home}/.ydl/cache/sha256"
    try:
        folders = [f"{cache}/{entry['name']}" for entry in submitter.cluster.client.ls(remote=cache)]
    except ClientError:  # nothing was begun
        return []
    return [entry["name"] for folder in folders for entry in submitter.cluster.client.ls(remote=folder) if entry["name"].startswith(".")]


def test_the_list_of_what_a_job_uses_is_in_its_folder(submitter, job, tmp_path):
    folder = f"{submitter.home}/.ydl/jobs/job-1"
    lines = submitter.stage("--job-folder", folder, "stage", job)
    submitter.cluster.client.get(remote=f"{folder}/staged.json", local=str(tmp_path / "staged.json"))
    listed = json.loads((tmp_path / "staged.json").read_text())
    assert sorted(listed["hashes"]) == sorted(path.split("/")[-2] for path, _, _ in files(lines).values())


def test_a_user_without_a_home_directory_is_told_what_to_ask_for(submitter, job):
    stranger = {**submitter.environment, "HADOOP_USER_NAME": "nobodys"}
    done = subprocess.run([TOOL, "--executable", submitter.program, "stage", job], env=stranger, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE)
    assert done.returncode == 1
    assert "nobodys has no home directory in HDFS" in done.stdout and "hdfs dfs -mkdir /user/nobodys" in done.stdout


def test_a_folder_of_ours_that_others_can_enter_is_closed(submitter, job):
    root = f"{submitter.home}/.ydl"
    submitter.stage("stage", job)
    submitter.cluster.client.chmod(remote=root, mode="777")
    submitter.stage("stage", job)
    assert submitter.cluster.client.stat(remote=root)["permission"] == "rwx------"


def test_run_code_as_alice_squatted_ydl_folder(submitter, job):
    """Mallory makes the folder in which alice's jobs would keep their programs and keys."""
    root = f"{submitter.home}/.ydl"
    submitter.cluster.client.mkdirs(remote=root)
    submitter.cluster.client.chown(remote=root, owner="mallory")
    submitter.cluster.client.chmod(remote=root, mode="777")
    lines, code = submitter.ask("stage", job)
    assert code == 1
    assert f"{root} on HDFS belongs to mallory and not to {submitter.home.split('/')[-1]}" in lines[-1], lines
    assert submitter.cluster.client.ls(remote=root) == []
