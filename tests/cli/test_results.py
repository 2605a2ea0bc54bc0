"""What the tasks of a job left: `ydl results` and `ydl fs get`, as far as no cluster is needed."""

import base64
import os
import socket

from harness import moved_to_cluster


def remote_job(ydl, port):
    """The folder of a job that was submitted to a cluster whose NameNode is at a port of this machine."""
    job = ydl.detach("--name", "far", "--", "true")
    job.wait_for("job_succeeded")
    folder = f"/user/ann/.ydl/jobs/{job.id}"
    return moved_to_cluster(job, f"hdfs://127.0.0.1:{port}", folder, f"{folder}/results")


def test_results_are_asked_of_the_cluster_that_the_job_ran_on(ydl):
    for words in (["ls"], ["get", "--to", "here"]):
        with socket.create_server(("127.0.0.1", 0)) as name_node:
            job = remote_job(ydl, name_node.getsockname()[1])
            process = ydl.start("results", words[0], job.id, *words[1:])
            name_node.settimeout(30)
            connection, _ = name_node.accept()
            with connection:
                assert connection.recv(4) == b"hrpc"
            process.kill()
            process.communicate()


def test_results_of_this_machine_are_not_copied_over_files_that_are_there(ydl):
    job = ydl.detach("--", "sh", "-c", "echo new > $YDL_RESULTS_DIR/model")
    job.wait_for("job_succeeded")
    folder = ydl.work / "here/worker-0"
    folder.mkdir(parents=True)
    (folder / "model").write_text("old\n")
    refused = ydl("results", "get", job.id, "--to", "here")
    assert refused.code == 1
    assert refused.err.endswith("here/worker-0/model already exists on this machine; replace it with -f\n")
    assert (folder / "model").read_text() == "old\n"
    ydl.ok("results", "get", job.id, "--to", "here", "--force")
    assert (folder / "model").read_text() == "new\n"


def test_files_and_folders_of_results_are_copied_by_the_names_that_ls_prints(ydl):
    job = ydl.detach("--", "sh", "-c", "cd $YDL_RESULTS_DIR; mkdir run; echo a > model; echo b > run/log; echo c > run/curve; echo d > 'odd [*] name'")
    job.wait_for("job_succeeded")
    ydl.ok("results", "get", job.id, "worker-0/model", "worker-0/odd [*] name", "--to", "here")
    assert {path.name: path.read_text() for path in (ydl.work / "here/worker-0").iterdir()} == {"model": "a\n", "odd [*] name": "d\n"}
    ydl.ok("results", "get", job.id, "worker-0/run/", "--to", "there")
    assert {str(path.relative_to(ydl.work / "there")) for path in (ydl.work / "there").rglob("*") if path.is_file()} == {
        "worker-0/run/log", "worker-0/run/curve"}


def test_names_that_results_do_not_have_are_refused_and_nothing_is_copied(ydl):
    job = ydl.detach("--", "sh", "-c", "echo a > $YDL_RESULTS_DIR/model; ln -s / $YDL_RESULTS_DIR/root")
    job.wait_for("job_succeeded")
    for name in ("worker-0/mode", "model", "../results", "worker-0/root/etc/passwd", "/etc/passwd", "."):
        refused = ydl("results", "get", job.id, "worker-0/model", name, "--to", "here")
        assert refused.code == 1, name
        assert f"the results of {job.id} have no file '{name}' (`ydl results ls {job.id}` shows all)" in refused.err
        assert not (ydl.work / "here").exists(), name
    for words in (["ls", job.id, "worker-0/model"], ["get", job.id, "model", "--task", "worker:0"]):
        assert ydl("results", *words).code == 2


def test_results_are_copied_without_following_links_or_opening_pipes(ydl):
    outside = ydl.work / "outside"
    outside.mkdir()
    (outside / "secret").write_text("s")
    make = f'cd $YDL_RESULTS_DIR; mkdir a b; ln -s ../b a/tob; ln -s ../a b/toa; ln -s {outside} a/data; mkfifo a/pipe; echo m > b/model'
    job = ydl.detach("--", "sh", "-c", make)
    job.wait_for("job_succeeded")
    done = ydl("results", "get", job.id, "--to", "here")
    assert done.code == 1 and done.err.count("\n") == 2, done.everything()
    assert "a/pipe is a pipe, a socket or a device and was not copied" in done.err
    assert "4 files, 2 B copied to here" in done.err
    here = ydl.work / "here/worker-0"
    assert {str(path.relative_to(here)) for path in here.rglob("*")} == {"a", "b", "a/tob", "b/toa", "a/data", "b/model"}
    assert os.readlink(here / "a/data") == str(outside)


def test_a_job_without_results_leaves_no_empty_folder(ydl):
    job = ydl.detach("--", "true")
    job.wait_for("job_succeeded")
    done = ydl.ok("results", "get", job.id, "--to", "here")
    assert "nothing was copied" in done.err and not (ydl.work / "here").exists()
    for words in (["ls"], ["get", "--to", "here"]):
        refused = ydl("results", words[0], job.id, *words[1:], "--task", "worker:9")
        assert refused.code == 1 and f"job {job.id} has no task worker:9; it has worker:0" in refused.err
    assert not (ydl.work / "here").exists()


def test_json_names_files_whatever_their_bytes_are(ydl):
    job = ydl.detach("--", "python3", "-c", "import os; [open(os.environb[b'YDL_RESULTS_DIR'] + name, 'w') for name in (b'/a\\nb\\x1b', b'/c\\xff')]")
    job.wait_for("job_succeeded")
    control, invalid = ydl.ok("results", "ls", job.id, "--output", "json").lines()
    assert control["job"] == job.id and control["path"].endswith("/worker-0/a\nb\x1b") and control["path_base64"] is None
    assert os.path.exists(control["path"])
    assert invalid["path"].endswith("/c\ufffd") and os.path.exists(base64.b64decode(invalid["path_base64"]))
