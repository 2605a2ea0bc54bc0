"""Keys of a job on YARN, and secrets of its user: what others can read in logs, on pages and in containers."""

import json
import stat
import urllib.request

import pytest
from cluster_lib import state, web
from hdfs_files import eventually
from shared import YARN
from yarn_shell import SMALL, Jobs, let_users_in, user_of_test

pytestmark = pytest.mark.on_cluster(*YARN)

VARIABLE = "correct-horse-battery-staple"
PASSWORD = "password-of-an-object-store"


@pytest.fixture
def yarn(clusters):
    return clusters(*YARN)


@pytest.fixture
def jobs(yarn, tmp_path, request):
    """A user whose Hadoop configuration has a password beside the keys that ydl reads."""
    let_users_in(yarn)
    jobs = Jobs(yarn.view({"fs.s3a.secret.key": PASSWORD}), tmp_path, user_of_test(request))
    jobs.environment["HF_TOKEN"] = VARIABLE
    return jobs


def container_logs(cluster, application):
    """Files of NodeManagers' log folders, as a reader of a node's disk or pages sees them."""
    return [path for path in cluster.folder.rglob(f"logs/{application}/container_*/*") if path.is_file()]


def page_of(port, application):
    """The job's page, through the ResourceManager's proxy."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/proxy/{application}/", timeout=30) as answer:
        page = answer.read().decode()
    assert "worker:0  running" in page, page
    return page


def keys_of(endpoint):
    """All but the fingerprint, which is a tag of the application and not a secret."""
    return [value for name, value in endpoint.items() if name != "fingerprint" and isinstance(value, str) and len(value) >= 16 and "/" not in value]


def test_steal_a_key_logs_and_pages_of_the_cluster(jobs, yarn):
    job = jobs.run("run", "--detach", *SMALL, "--env", "HF_TOKEN", "--", "sh", "-c", "echo running; exec tail -f /dev/null")[0].strip()
    jobs.wait_for(job, "job_running")
    application = json.loads(jobs.run("fs", "cat", f"{jobs.root}/{job}/yarn.json")[0])["application"]
    endpoint = jobs.run("fs", "cat", f"{jobs.root}/{job}/master.json")[0]
    words = [VARIABLE, PASSWORD, *keys_of(json.loads(endpoint))]
    assert len(words) > 2, endpoint
    port = state.load(yarn.folder).port("resourcemanager1.http")
    shown = [json.dumps(web.json_of("127.0.0.1", port, f"/ws/v1/cluster/apps/{application}{tail}")) for tail in ("", "/appattempts")]
    shown.append(page_of(port, application))
    logs = eventually(lambda: len(container_logs(yarn, application)) >= 4 and container_logs(yarn, application), "the logs of two containers")
    tasks = [path for path in logs if path.read_text() == "running\n"]
    assert [oct(stat.S_IMODE(path.stat().st_mode)) for path in tasks] == [oct(0o640)], "the NodeManager's group reads them"
    shown += [path.read_text(errors="replace") for path in logs]
    jobs.run("kill", job)
    shown += [jobs.run(*command, job)[0] for command in (("status",), ("events",), ("logs",))]
    for text in shown:
        for word in words:
            assert word not in text, text


def test_steal_a_password_from_hadoops_configuration(jobs):
    """What a container gets of the client's site files is what ydl reads of them."""
    out, err = jobs.run("run", *SMALL, "--", "sh", "-c", 'grep -rlF password-of-an- . "$YDL_LOG_DIR" 2>/dev/null; echo looked')
    assert "[worker:0] looked" in out and "] ./" not in out, out
    job = err.split(" is application_")[0].split()[-1]
    assert PASSWORD not in jobs.run("fs", "cat", f"{jobs.root}/{job}/yarn.json")[0]
