"""Tickets and tokens that are there, that are not, and that are no longer good."""

import contextlib
import os
import socket
import subprocess

import pytest
from hdfs_files import eventually, start_client
from programs import built
from settings import RELEASES, secure
from shared import HDFS
from ydl_fs import Fs, folder_of_its_own, log_in

from cluster_lib import processes
from cluster_lib.running import ClientError

pytestmark = pytest.mark.on_cluster(*secure(RELEASES[0]))

NO_CACHE = {"KRB5CCNAME": "FILE:/nonexistent/ticket-cache"}


@pytest.fixture
def cluster(clusters):
    return clusters(*secure(RELEASES[0]))


@pytest.fixture
def fs(cluster, folder, tmp_path):
    folder_of_its_own(cluster, folder)
    return Fs(cluster, tmp_path)


def error_of(cluster, tmp_path, **variables):
    """What `ydl fs ls /` says."""
    return Fs(cluster, tmp_path, **variables).error("ls", "/")


def kdc_tools(cluster, profile):
    return {**os.environ, **cluster.variables, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "KRB5_KDC_PROFILE": str(profile)}


def kadmin(cluster, *commands):
    done = subprocess.run(["kadmin.local", "-r", "YDL.TEST"], input="\n".join(commands), env=kdc_tools(cluster, cluster.folder / "kdc/kdc.conf"),
                          capture_output=True, text=True, check=True)
    assert " while " not in done.stderr, done.stderr


def with_kdc_at(cluster, tmp_path, address):
    """A krb5.conf with another KDC."""
    text = (cluster.folder / "kdc/krb5.conf").read_text()
    (tmp_path / "krb5.conf").write_text(text.replace(address_of_kdc(cluster), address))
    return str(tmp_path / "krb5.conf")


def address_of_kdc(cluster):
    return (cluster.folder / "kdc/krb5.conf").read_text().partition(" kdc = ")[2].split()[0]


@contextlib.contextmanager
def kdc_with_another_clock(cluster, tmp_path, difference):
    """A second KDC with the same principals; the krb5.conf that names it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    (tmp_path / "kdc.conf").write_text((cluster.folder / "kdc/kdc.conf").read_text().replace(address_of_kdc(cluster), address))
    kdc = subprocess.Popen(["faketime", "-f", difference, "krb5kdc", "-n"], env=kdc_tools(cluster, tmp_path / "kdc.conf"), stderr=subprocess.DEVNULL)
    try:
        host, port = address.split(":")
        eventually(lambda: processes.accepts_connections(host, int(port)), "the other KDC listens")
        yield with_kdc_at(cluster, tmp_path, address)
    finally:
        kdc.terminate()
        kdc.wait()


def test_a_clock_that_is_behind_is_told_by_how_much(cluster, tmp_path):
    variables = log_in(cluster, tmp_path / "cache")
    with kdc_with_another_clock(cluster, tmp_path, "+20m") as krb5_conf:
        error = error_of(cluster, tmp_path, **variables, KRB5_CONFIG=krb5_conf)
    assert "this machine's clock is 20 min behind the KDC's, but Kerberos allows only five minutes: correct it" in error


def test_a_clock_that_is_ahead_is_told_by_how_much(cluster, tmp_path):
    variables = {"KRB5CCNAME": f"FILE:{tmp_path}/cache"}
    with kdc_with_another_clock(cluster, tmp_path, "-20m") as krb5_conf:
        # As if this machine's clock had been right when the ticket came: kinit would remember the difference otherwise.
        subprocess.run(["faketime", "-f", "-20m", "kinit", "-k", "-t", cluster.folder / "kdc/alice.keytab", "alice"], check=True,
                       env={**os.environ, **variables, "KRB5_CONFIG": krb5_conf})
        error = error_of(cluster, tmp_path, **variables, KRB5_CONFIG=krb5_conf)
    assert "this machine's clock is 20 min ahead of the KDC's, but Kerberos allows only five minutes: correct it" in error


def test_no_ticket_names_the_cache(cluster, tmp_path):
    error = error_of(cluster, tmp_path, **NO_CACHE)
    assert "no Kerberos ticket in FILE:/nonexistent/ticket-cache (" in error and error.endswith("): run kinit\n")


def test_a_user_whom_the_kdc_does_not_know_is_named_by_the_keytab(cluster):
    keytab = cluster.folder / "kdc/alice.keytab"
    kadmin(cluster, "renprinc -force alice away")
    try:
        done = subprocess.run([built("rpc_call_tool"), "--keytab", keytab, "--principal", "alice@YDL.TEST", "/"], env={**os.environ, **cluster.variables},
                              capture_output=True, text=True, timeout=60)
    finally:
        kadmin(cluster, "renprinc -force away alice")
    assert f"the KDC does not know the principal in the keytab {keytab}" in done.stdout


def test_a_server_that_the_kdc_does_not_know_is_named(cluster, tmp_path):
    variables = log_in(cluster, tmp_path / "cache")
    kadmin(cluster, "renprinc -force nn/localhost nn/away")
    try:
        assert "the KDC does not know the server's principal nn/localhost@YDL.TEST: check the host name" in error_of(cluster, tmp_path, **variables)
    finally:
        kadmin(cluster, "renprinc -force nn/away nn/localhost")


def test_a_kdc_that_does_not_answer_is_told(cluster, tmp_path):
    variables = log_in(cluster, tmp_path / "cache")
    error = error_of(cluster, tmp_path, **variables, KRB5_CONFIG=with_kdc_at(cluster, tmp_path, "127.0.0.1:1"))
    assert "no KDC of the realm of nn/localhost@YDL.TEST answers" in error


def test_tokens_are_got_renewed_and_cancelled(cluster):
    client = start_client(cluster)
    try:
        token = client("get-token", renewer=os.environ.get("USER", "root"))
        assert client("renew-token", token=token) > 0
        client("cancel-token", token=token)
        with pytest.raises(ClientError, match="renewing a token: .*unknown token.*; the token has expired or was cancelled"):
            client("renew-token", token=token)
        with pytest.raises(ClientError, match="renewing a token: .*non-matching renewer"):
            client("renew-token", token=client("get-token", renewer="other-user"))
    finally:
        client.stop()


@pytest.mark.on_cluster(*HDFS)
def test_a_cluster_without_security_gives_no_tokens(clusters):
    client = start_client(clusters(*HDFS))
    try:
        with pytest.raises(ClientError, match="the NameNode issues no tokens because the cluster runs without security"):
            client("get-token", renewer="x")
    finally:
        client.stop()


@pytest.mark.parametrize("written", ["WRITABLE", "PROTOBUF"])
def test_a_file_of_tokens_stands_for_a_ticket(cluster, fs, folder, tmp_path, written):
    fs("put", "-", f"{folder}/file", stdin=b"read with a token")
    tokens = tmp_path / "tokens"
    cluster.client("fetch-tokens", local=tokens, renewer="root", format=written)
    with_tokens = Fs(cluster, tmp_path, **NO_CACHE, HADOOP_TOKEN_FILE_LOCATION=str(tokens))
    assert with_tokens("cat", f"{folder}/file") == b"read with a token"
    with_tokens("put", "-", f"{folder}/other", stdin=b"written with a token")
    assert fs("cat", f"{folder}/other") == b"written with a token"
    cluster.client("cancel-tokens", local=tokens)
    assert "the token has expired or was cancelled: get a new one" in with_tokens.error("cat", f"{folder}/file")


def test_an_invalid_file_of_tokens_is_named(cluster, tmp_path):
    (tmp_path / "tokens").write_bytes(b"not tokens")
    error = error_of(cluster, tmp_path, **NO_CACHE, HADOOP_TOKEN_FILE_LOCATION=str(tmp_path / "tokens"))
    assert f"HADOOP_TOKEN_FILE_LOCATION={tmp_path}/tokens: this is not a valid file of Hadoop credentials" in error
