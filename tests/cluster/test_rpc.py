"""The RPC client alone against a real NameNode: who may ask, and how the bytes are protected."""

import os
import subprocess

import pytest

from programs import built
from settings import SECURE
from shared import HDFS

pytestmark = pytest.mark.on_cluster("--nodes", "1", "--secure", "--protection", "privacy")



def ask(cluster, *words, **variables):
    """What the tool prints, line by line, and its exit code."""
    environment = {**os.environ, **cluster.variables, **variables}
    done = subprocess.run([built("rpc_call_tool"), *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.splitlines(), done.returncode


def error_of(cluster, *words, **variables):
    lines, code = ask(cluster, *words, **variables)
    assert code == 1 and len(lines) == 1, lines
    return lines[0]


every_protection = pytest.mark.parametrize("setting", SECURE, ids=lambda setting: setting.name)


@pytest.mark.on_cluster(*HDFS)
def test_without_security(clusters):
    plain = clusters(*HDFS)
    assert ask(plain, "/") == (["found"], 0)
    assert ask(plain, "/nothing") == (["not there"], 0)
    assert ask(plain, "--calls", "1000", "/") == (["found"] * 1000, 0)


@every_protection
def test_a_ticket_a_keytab_and_a_token_open_every_protection(guarded):
    assert ask(guarded, "--calls", "300", "/") == (["found"] * 300, 0)
    assert ask(guarded, "--keytab", guarded.folder / "kdc" / "alice.keytab", "--principal", "alice@YDL.TEST", "/") == (["found"], 0)
    assert ask(guarded, "--token", "--calls", "100", "/") == (["found"] * 100, 0)


@every_protection
def test_a_request_and_an_answer_longer_than_one_wrap(guarded):
    long_name = "/" + "/".join(["x" * 200] * 39)
    assert ask(guarded, long_name) == (["not there"], 0)


@pytest.fixture
def kerberos(clusters):
    return clusters("--nodes", "1", "--secure", "--protection", "privacy")


def test_no_ticket_names_the_cache(kerberos, tmp_path):
    cache = tmp_path / "none"
    assert f"no Kerberos ticket in FILE:{cache}" in error_of(kerberos, "/", KRB5CCNAME=f"FILE:{cache}")


def test_a_keytab_without_our_key_is_named(kerberos, tmp_path):
    keytab = kerberos.folder / "kdc" / "alice.keytab"
    assert f"the keytab {keytab} cannot be used for bob@YDL.TEST" in error_of(kerberos, "--keytab", keytab, "--principal", "bob@YDL.TEST", "/")
    assert "cannot be used for alice@YDL.TEST" in error_of(kerberos, "--keytab", tmp_path / "none", "--principal", "alice@YDL.TEST", "/")


def test_an_expired_ticket_says_since_when(kerberos, tmp_path):
    cache = f"FILE:{tmp_path / 'cache'}"
    keytab = kerberos.folder / "kdc" / "alice.keytab"
    environment = {**os.environ, **kerberos.variables, "KRB5CCNAME": cache}
    subprocess.run(["kinit", "-l", "1s", "-kt", keytab, "alice@YDL.TEST"], env=environment, check=True)
    message = error_of_expired(kerberos, cache)
    assert message.startswith(f"localhost:{port_of(kerberos)}: the Kerberos ticket of alice@YDL.TEST in {cache} expired at ")
    assert message.endswith("ago: run kinit")


def error_of_expired(cluster, cache):
    """The first error: until the second is over the ticket is good."""
    for _ in range(100):
        lines, code = ask(cluster, "/", KRB5CCNAME=cache)
        if code != 0:
            return lines[0]
    pytest.fail("the ticket does not expire")


def port_of(cluster):
    text = (cluster.conf / "core-site.xml").read_text()
    return text.partition("hdfs://localhost:")[2].partition("<")[0]


def with_setting(cluster, folder, old, new):
    """A copy of the cluster's configuration with something replaced."""
    folder.mkdir(exist_ok=True)
    for file in cluster.conf.glob("*.xml"):
        (folder / file.name).write_text(file.read_text().replace(old, new))
    return str(folder)


def test_protections_that_do_not_meet_name_the_key(kerberos, tmp_path):
    conf = with_setting(kerberos, tmp_path, "<name>hadoop.rpc.protection</name><value>privacy", "<name>hadoop.rpc.protection</name><value>authentication")
    assert "hadoop.rpc.protection" in error_of(kerberos, "/", HADOOP_CONF_DIR=conf)


def test_a_client_without_kerberos_is_told_what_the_server_accepts(kerberos, tmp_path):
    conf = with_setting(kerberos, tmp_path, "<value>kerberos</value>", "<value>simple</value>")
    assert "SIMPLE authentication is not enabled" in error_of(kerberos, "/", HADOOP_CONF_DIR=conf)


def test_an_unknown_server_principal_is_named(kerberos, tmp_path):
    pattern = "<property><name>dfs.namenode.kerberos.principal.pattern</name><value>nn/elsewhere@YDL.TEST</value></property></configuration>"
    conf = with_setting(kerberos, tmp_path, "</configuration>", pattern)
    assert "the server's principal is nn/localhost, but the configuration expects nn/elsewhere@YDL.TEST" in error_of(kerberos, "/", HADOOP_CONF_DIR=conf)


def test_a_wrong_or_missing_server_principal_is_refused(kerberos, tmp_path):
    right = "<value>nn/_HOST@YDL.TEST</value>"
    wrong = with_setting(kerberos, tmp_path / "wrong", right, "<value>dn/_HOST@YDL.TEST</value>")
    assert "the server's principal is nn/localhost, but the configuration expects dn/localhost@YDL.TEST" in error_of(kerberos, "/", HADOOP_CONF_DIR=wrong)
    missing = with_setting(kerberos, tmp_path / "missing", right, "<value></value>")
    assert "set dfs.namenode.kerberos.principal to the principal of the service" in error_of(kerberos, "/", HADOOP_CONF_DIR=missing)


def test_a_server_that_is_configured_by_its_address_is_known_by_its_name(kerberos, tmp_path):
    conf = with_setting(kerberos, tmp_path, f"localhost:{port_of(kerberos)}", f"127.0.0.1:{port_of(kerberos)}")
    assert ask(kerberos, "/", HADOOP_CONF_DIR=conf) == (["found"], 0)


def test_a_secure_client_refuses_a_server_without_security(kerberos, clusters, tmp_path):
    plain = clusters(*HDFS)
    conf = with_setting(kerberos, tmp_path, f"localhost:{port_of(kerberos)}", f"localhost:{port_of(plain)}")
    assert "ipc.client.fallback-to-simple-auth-allowed" in error_of(kerberos, "/", HADOOP_CONF_DIR=conf)


def test_a_web_port_is_recognised(kerberos, clusters, tmp_path):
    plain = clusters(*HDFS)
    text = (plain.conf / "hdfs-site.xml").read_text()
    web = text.partition("<name>dfs.namenode.http-address</name><value>")[2].partition("<")[0]
    rpc = (plain.conf / "core-site.xml").read_text().partition("hdfs://")[2].partition("<")[0]
    conf = with_setting(plain, tmp_path, f"hdfs://{rpc}", f"hdfs://{web}")
    assert "an HTTP server answered instead of Hadoop RPC" in error_of(plain, "/", HADOOP_CONF_DIR=conf)


@pytest.mark.on_cluster(*HDFS)
def test_a_name_node_that_has_stopped_times_out(clusters, tmp_path):
    plain = clusters(*HDFS)
    timeout = "<property><name>ipc.client.rpc-timeout.ms</name><value>500</value></property></configuration>"
    conf = with_setting(plain, tmp_path, "</configuration>", timeout)
    plain.run("pause", "namenode1")
    try:
        assert error_of(plain, "/", HADOOP_CONF_DIR=conf).endswith(": no answer to getFileInfo within 500 ms")
    finally:
        plain.run("resume", "namenode1")
    assert ask(plain, "/") == (["found"], 0)


@pytest.mark.on_cluster(*HDFS)
def test_a_name_node_that_starts_is_waited_for(clusters):
    plain = clusters(*HDFS)
    plain.run("kill", "namenode1")
    waiting = subprocess.Popen([built("rpc_call_tool"), "/"], env={**os.environ, **plain.variables}, stdout=subprocess.PIPE, text=True)
    plain.run("start", "namenode1")
    assert waiting.communicate(timeout=60)[0] == "found\n"


@pytest.mark.on_cluster("--nodes", "1", "--ha")
def test_the_active_of_two_name_nodes_is_found_after_a_failover(clusters):
    pair = clusters("--nodes", "1", "--ha")
    assert ask(pair, "--calls", "10", "/") == (["found"] * 10, 0)
    pair.run("failover")
    assert ask(pair, "--calls", "10", "/") == (["found"] * 10, 0)
