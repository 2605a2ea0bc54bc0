"""The ResourceManager's proxy demands HTTPS of masters (yarn.resourcemanager.application-https.policy): which callers see a job's page, and which processes have its keys.

`make test-kinds` asks for LENIENT, where the proxy would also show a page without TLS.
"""

import json
import re
import socket
import ssl
import subprocess
import urllib.request

import pytest
from yarn_shell import SMALL, Jobs, let_users_in, user_of_test

from cluster_lib import state

HTTPS_YARN = ("--nodes", "1", "--yarn", "--https-policy")
pytestmark = pytest.mark.on_cluster(*HTTPS_YARN)

# All that a task finds without help: its variables, its tokens, and the files of other containers of this host that have the master's keys.
SEARCH = """
env | grep -E 'KEYSTORE|TRUSTSTORE|yarn.application.am'
cat "$HADOOP_TOKEN_FILE_LOCATION" | tr -c '[:print:]' '\\n' | grep yarn.application.am
for folder in ../../container_*; do
  ls $folder | sed 's/^/found /'
  tr -c '[:print:]' '\\n' < $folder/container_tokens | grep -E 'yarn.application.am|ydl.master'
done
echo searched
exec tail -f /dev/null
"""


@pytest.fixture
def policy(kind):
    return kind[-1] if "--https-policy" in kind else "STRICT"


@pytest.fixture
def cluster(clusters, policy):
    cluster = clusters(*HTTPS_YARN, policy)
    let_users_in(cluster)
    return cluster


@pytest.fixture
def jobs(cluster, tmp_path, request):
    return Jobs(cluster, tmp_path, user_of_test(request))


@pytest.fixture
def self_made(tmp_path):
    """A self-signed certificate."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-subj", "/OU=YARN", "-days", "1"],
                   check=True, capture_output=True)
    return certificate, key


def through_the_proxy(cluster, application):
    port = state.load(cluster.folder).port("resourcemanager1.http")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/proxy/{application}/", timeout=60) as answer:
        return answer.read().decode()


def registered_url(cluster, application):
    """What the master registered, which the proxy writes to the ResourceManager's log when it asks for it."""
    logs = "".join(path.read_text(errors="replace") for path in cluster.folder.glob("resourcemanager1/log*") if path.is_file())
    return re.search(rf"accessing unchecked (\S+) which is the app master GUI of {application}", logs).group(1)


def ask(url, certificate=None):
    """Whether anything was answered; the reason where the other side ended the handshake."""
    address, port = re.fullmatch(r"https://([\d.]+):(\d+)/", url).groups()
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if certificate:
        context.load_cert_chain(*certificate)
    try:
        with socket.create_connection((address, int(port)), timeout=60) as connection, context.wrap_socket(connection) as stream:
            stream.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nCookie: proxy-user=root\r\n\r\n")
            return stream.recv(4096) or "closed"
    except (ssl.SSLError, ConnectionError) as error:
        return str(error)


def test_the_page_is_shown_to_the_proxy_alone_and_tasks_do_not_find_its_keys(jobs, cluster, self_made):
    job = jobs.run("run", "--detach", *SMALL, "--", "sh", "-c", SEARCH)[0].strip()
    jobs.wait_for(job, "job_running")
    application = json.loads(jobs.run("fs", "cat", f"{jobs.root}/{job}/yarn.json")[0])["application"]
    page = through_the_proxy(cluster, application)
    assert f"{job}  running" in page and "worker:0  running" in page, page
    url = registered_url(cluster, application)
    for certificate in (None, self_made):
        assert isinstance(ask(url, certificate), str)
    assert "worker:0  running" in through_the_proxy(cluster, application)
    jobs.start_and_see("searched", "logs", "-f", job, "worker:0").kill()
    found = jobs.run("logs", job, "worker:0")[0]
    assert "found container_tokens" in found, found
    assert not re.search("(?i)keystore|truststore|yarn.application.am|ydl.master", found), found
    assert f"{job} stopped" in jobs.run("kill", job)[0]
    events = jobs.run("events", job)[0]
    assert "(without the certificate of the ResourceManager's proxy)" in events and "cannot show a page" not in events, events


def test_a_master_without_the_secrets_has_no_page_and_reports_it(jobs, policy):
    out, err = jobs.run("run", "--am", "unmanaged", *SMALL, "--", "true")
    assert f"application-https.policy is {policy}, but the ResourceManager gave this master no key for HTTPS" in out + err, out + err
