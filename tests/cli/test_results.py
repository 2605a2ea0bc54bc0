"""What the tasks of a job left: `ydl results` and `ydl fs get`, as far as no cluster is needed."""

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
    assert "here/worker-0/model exists on this machine: -f replaces it" in refused.err
    assert (folder / "model").read_text() == "old\n"
    ydl.ok("results", "get", job.id, "--to", "here", "--force")
    assert (folder / "model").read_text() == "new\n"
