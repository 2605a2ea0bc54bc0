"""Alice's job on a cluster with Kerberos and ACLs: bob is on its lists and carol is not."""

import http.client
import json
from types import SimpleNamespace

import pytest
from shared import SECURE_YARN
from yarn_shell import SMALL, Jobs, let_users_in
from ydl_fs import log_in

pytestmark = pytest.mark.on_cluster(*SECURE_YARN)


@pytest.fixture
def people(clusters, tmp_path):
    """Shells of three users with tickets."""
    cluster = clusters(*SECURE_YARN)
    let_users_in(cluster)

    def shell(user):
        (tmp_path / user).mkdir()
        jobs = Jobs(cluster, tmp_path / user, user)
        jobs.environment.update(log_in(cluster, tmp_path / user / "ticket-cache", user=user))
        return jobs

    return SimpleNamespace(**{user: shell(user) for user in ("alice", "bob", "carol")})


def start(owner, *options):
    """A job that goes on: its id, its application, and where its master is."""
    job = owner.run("run", "--detach", *SMALL, *options, "--", "sh", "-c", "echo for viewers; exec tail -f /dev/null")[0].strip()
    owner.wait_for(job, "job_running")
    application = json.loads(owner.run("fs", "cat", f"{owner.root}/{job}/yarn.json")[0])["application"]
    return job, application, json.loads(owner.run("fs", "cat", f"{owner.root}/{job}/master.json")[0])


def page(master, user, source="127.0.0.1"):
    """The job's page as the ResourceManager's proxy asks for it; the proxy is on 127.0.0.1."""
    connection = http.client.HTTPConnection(master["address"], master["port"], timeout=30, source_address=(source, 0))
    connection.request("GET", "/", headers={"Cookie": f"proxy-user={user}"})
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), answer.getheader("Location")


def check_bob_sees_it(bob, job, application):
    out, _ = bob.run("status", application)
    assert f"{job}  running" in out and "worker:0  running" in out, out
    assert bob.run("logs", application, "worker:0")[0] == "for viewers\n"
    assert "[worker:0] for viewers" in bob.run("logs", application)[0]
    kinds = [json.loads(line)["kind"] for line in bob.run("events", "--output", "json", application)[0].splitlines()]
    assert "job_running" in kinds, kinds


def check_carol_does_not(carol, job, application):
    out, _ = carol.run("status", application)
    assert f"{job}  running  of alice" in out and "'view' of the job's ACL does not allow carol, which only alice can change" in out, out
    assert "worker:0" not in out
    for command in ("logs", "events"):
        assert "the ResourceManager gives carol no token for its master" in carol.run(command, application, code=1)[1]


def check_the_page(master, application):
    assert page(master, "bob")[0] == 200
    status, text, _ = page(master, "carol")
    assert status == 403 and "carol may not view this job; alice can permit it" in text
    status, text, location = page(master, "alice", source="127.0.0.9")
    assert status == 302 and location.endswith(f"/proxy/redirect/{application}/") and "worker" not in text


def test_who_may_view_sees_the_job_and_does_not_stop_it(people):
    job, application, master = start(people.alice, "--acl-view", "bob")
    check_bob_sees_it(people.bob, job, application)
    check_carol_does_not(people.carol, job, application)
    for user in (people.bob, people.carol):
        assert "only the owner of the application, users in its 'modify' ACL" in user.run("kill", application, code=1)[1]
    check_the_page(master, application)
    assert f"{job}  running" in people.bob.run("status", application)[0]
    assert f"{job} stopped" in people.alice.run("kill", job)[0]
    assert "the master refused 1 call: 1 from 127.0.0.1 (not permitted by the job's ACL)" in people.alice.run("events", job)[0]
    out, _ = people.bob.run("status", application)
    assert f"{job}  stopped  of alice" in out and "which only alice can read" in out, out
    assert "which only alice can read" in people.bob.run("logs", application, code=1)[1]


def test_who_may_modify_stops_the_job(people):
    job, application, _ = start(people.alice, "--acl-view", "bob", "--acl-modify", "bob")
    logs = people.bob.start_and_see("for viewers", "logs", "-f", application, "worker:0")
    events = people.bob.start_and_see("job_running", "events", "-f", "--output", "json", application)
    assert f"{job} stopped" in people.bob.run("kill", application)[0]
    for following in (logs, events):
        _, err = following.communicate(timeout=60)
        assert following.returncode == 0, err
    assert "stopping, as bob" in people.alice.run("events", job)[0]
