"""A NameNode or a ResourceManager that breaks the protocol: every command ends with a sentence."""

import os
import struct

import pytest
from attacks import IMPATIENT, Attack, by_name
from hostile_servers import (
    MIB,
    OOPS,
    SASL_CALL,
    Bytes,
    Failure,
    after_the_first_call,
    rpc,
    sasl,
    send_for_ever,
    shaking_hands,
    wait_for_the_end,
)
from scripted_namenode import data, framed, number, success

ESCAPES = "\x1b]0;owned\x07\x9b31m\r\nowned"
APPLICATION = "application_1700000000000_0001"


def against_namenode(serve, settings, words=("fs", "ls", "/data")):
    def script(stage):
        stage.configure({"fs.defaultFS": f"hdfs://127.0.0.1:{stage.server(serve)}"} | settings)
        return words

    return script


def against_resource_manager(serve, settings, words=("status", APPLICATION)):
    def script(stage):
        address = f"127.0.0.1:{stage.server(serve)}"
        stage.configure({"fs.defaultFS": "hdfs://127.0.0.1:1", "yarn.resourcemanager.address": address} | settings)
        return words

    return script


def raw(*pieces, then=wait_for_the_end):
    def serve(connection):
        for piece in pieces:
            connection.sendall(piece)
        then(connection)

    return serve


def answered(make):
    return rpc({"*": make})


def failure_in_handshake(java_class):
    return Failure(java_class, "no", fatal=True)(SASL_CALL)


STRANGE = "does not speak Hadoop RPC"
TOO_LARGE = "announced an answer of|does not speak Hadoop RPC"
UNREADABLE = "cannot be decoded"

# name, server, settings, complaint
PROTOCOL = [
    ("closes each connection at once", lambda connection: None, {}, "the server closed the connection"),
    ("never answers", wait_for_the_end, IMPATIENT, "no answer to \\w+ within 1 s"),
    ("sends random bytes", raw(b"\xff\xfe" + os.urandom(MIB)), {}, STRANGE),
    ("sends one byte and stops", raw(b"\0"), IMPATIENT, "no answer to \\w+ within 1 s"),
    ("announces a frame of 2 GiB", raw(struct.pack(">I", (1 << 31) - 1)), {}, TOO_LARGE),
    ("announces a frame of nothing", raw(struct.pack(">I", 0)), {}, TOO_LARGE),
    ("announces a frame below nothing", raw(struct.pack(">i", -2)), {}, TOO_LARGE),
    ("announces 120 MiB and sends one", raw(struct.pack(">I", 120 * MIB), b"\0" * MIB), IMPATIENT, "no answer to \\w+ within 1 s"),
    ("answers as a web server", raw(b"HTTP/1.1 200 OK\r\n\r\n"), {}, "an HTTP server answered instead of Hadoop RPC"),
    ("answers another call", answered(Bytes(lambda call: success(call + 9, b""))), IMPATIENT, "no answer to \\w+ within 1 s"),
    ("answers calls that were not made, for ever",
     after_the_first_call(lambda connection, call: send_for_ever(connection, success(call + 9, b"x" * 1000) * 64)), IMPATIENT,
     "no answer to \\w+ within 1 s"),
    ("answers below zero", answered(Bytes(lambda call: success(0xFFFFFFFF - 7, b""))), {}, "an answer without a call"),
    ("answers without a status", answered(Bytes(lambda call: framed(number(1, call), b""))), {}, "the header of the server's answer cannot be decoded"),
    ("answers with an unknown status", answered(Bytes(lambda call: framed(number(1, call) + number(2, 77), b""))), {}, "the header of the server's answer cannot be decoded"),
    ("answers with a header that claims 2 GiB", answered(Bytes(struct.pack(">I", 6) + b"\xff\xff\xff\xff\x07\0")), {}, "the header of the server's answer cannot be decoded"),
    ("answers with a message that claims 4 GiB",
     answered(Bytes(lambda call: struct.pack(">I", 10) + b"\x04" + number(1, call) + number(2, 0) + b"\xff\xff\xff\xff\x0f")), {}, "the length of the server's answer is wrong"),
    ("answers with a field that claims 2 GiB", answered(b"\x0a\xff\xff\xff\xff\x07"), {}, UNREADABLE),
    ("answers with groups in groups, 100,000 deep", answered(b"\x0b" * 100_000), {}, UNREADABLE),
    ("answers with 2 million empty fields", answered(data(1, data(1, b"") * 2_000_000)), {}, "more elements than ydl accepts"),
    ("answers with random fields", answered(b"\x0a\x40" + bytes(range(64))), {}, UNREADABLE),
    ("fails with 10 MB of text", answered(Failure(OOPS, "lies " * 2_000_000)), {}, "IOException: lies lies"),
    ("fails with escapes and lines", answered(Failure(OOPS, ESCAPES)), {}, "IOException: .*owned"),
    ("fails with a class of 1 MB with escapes", answered(Failure("a." + ESCAPES + "A" * MIB)), {}, "owned"),
    ("fails with a class that is not UTF-8", answered(Bytes(lambda call: framed(number(1, call) + number(2, 1) + data(4, b"\xff\xfe")))), {}, ""),
    ("fails and ends the connection", answered(Failure(OOPS, "go away", fatal=True)), {}, "go away"),
    ("asks to retry for ever", answered(Failure("org.apache.hadoop.ipc.RetriableException", "again")), {}, "again \\(after \\d attempts"),
    ("is in standby for ever", answered(Failure("org.apache.hadoop.ipc.StandbyException", "not me")), {}, "not me"),
]  # fmt: skip

# ---- the handshake, with a client that has a token and a configuration that asks for Kerberos

KERBEROS = {
    "hadoop.security.authentication": "kerberos",
    "dfs.namenode.kerberos.principal": "nn/127.0.0.1@EXAMPLE.ORG",
    "yarn.resourcemanager.principal": "rm/127.0.0.1@EXAMPLE.ORG",
}


def offer(method, mechanism, protocol="", server="default", challenge=None):
    rest = b"" if challenge is None else data(5, challenge)
    return data(4, data(1, method) + data(2, mechanism) + data(3, protocol) + data(4, server) + rest)


CHALLENGE = b'realm="default",nonce="abc",qop="auth",charset=utf-8,algorithm=md5-sess'
DIGEST = sasl(1, offer("TOKEN", "DIGEST-MD5", challenge=CHALLENGE))
NO_SECURITY = "the server runs without security"

HANDSHAKE = [
    ("offers nothing in the handshake", shaking_hands(sasl(1)), {}, "the server accepts nothing"),
    ("offers an unknown mechanism", shaking_hands(sasl(1, offer(ESCAPES, "X"))), {}, "the server accepts .*owned"),
    ("offers 10,000 mechanisms", shaking_hands(sasl(1, offer("M" * 80, "X") * 10_000)), {}, "the server accepts MMM"),
    ("repeats its offer for ever", shaking_hands(DIGEST, for_ever=True), {}, "neither a challenge nor success"),
    ("challenges for ever", shaking_hands(DIGEST, *[sasl(3, data(3, CHALLENGE))] * 40), {}, "\\w"),
    ("ends the handshake without a challenge", shaking_hands(sasl(0)), {}, NO_SECURITY),
    ("offers no security", shaking_hands(sasl(1, offer("SIMPLE", ""))), {}, NO_SECURITY),
    ("does not prove that it has the key", shaking_hands(DIGEST, sasl(0)), {}, "before it proved its identity"),
    ("proves that it has another key", shaking_hands(DIGEST, sasl(0, data(3, b"rspauth=" + b"0" * 32))), {}, "\\w"),
    ("sends a challenge of random bytes", shaking_hands(sasl(1, offer("TOKEN", "DIGEST-MD5", challenge=os.urandom(500)))), {}, "\\w"),
    ("offers less protection than configured", shaking_hands(DIGEST), {"hadoop.rpc.protection": "privacy"}, "hadoop.rpc.protection"),
    ("begins with a challenge", shaking_hands(sasl(3, data(3, b"x"))), {}, "did not start the handshake with its list"),
    ("has the principal of another service", shaking_hands(sasl(1, offer("KERBEROS", "GSSAPI", "evil", "127.0.0.1"))), {}, "evil/127.0.0.1"),
    ("has a principal with escapes", shaking_hands(sasl(1, offer("KERBEROS", "GSSAPI", ESCAPES, "h"))), {}, "owned"),
    ("has a principal of 500 KB", shaking_hands(sasl(1, offer("KERBEROS", "GSSAPI", "e" * 500_000, "h"))), {}, "eeee"),
    ("sends a handshake message of 2 MiB", shaking_hands(sasl(1, offer("M" * 2 * MIB, "X"))), {}, TOO_LARGE),
    ("never ends the handshake", wait_for_the_end, IMPATIENT, "did not finish the handshake within 1 s"),
    ("answers a call before the handshake", shaking_hands(success(0, b"")), {}, "before the handshake"),
    ("says that the token is not valid", shaking_hands(failure_in_handshake("org.apache.hadoop.security.token.SecretManager$InvalidToken")), {}, "InvalidToken"),
    ("says that it is in standby in the handshake", shaking_hands(failure_in_handshake("org.apache.hadoop.ipc.StandbyException")), {}, "Standby"),
]  # fmt: skip


def with_token(script, kind):
    """The same for a client with a delegation token."""

    def with_file(stage):
        words = script(stage)
        texts = [b"", b"identifier", b"password", kind, b""]
        tokens = stage.ydl.scratch / "tokens"
        tokens.write_bytes(b"HDTS\0\1" + b"".join(bytes([len(text)]) + text for text in texts) + b"\0")
        stage.ydl.env |= {"HADOOP_TOKEN_FILE_LOCATION": str(tokens), "KRB5CCNAME": f"FILE:{tokens}-none"}
        return words

    return with_file


ATTACKS = [
    *(Attack(f"namenode {name}", against_namenode(serve, settings), says) for name, serve, settings, says in PROTOCOL),
    *(Attack(f"resource manager {name}", against_resource_manager(serve, settings), says) for name, serve, settings, says in PROTOCOL),
    *(Attack(f"namenode {name}", with_token(against_namenode(serve, KERBEROS | settings), b"HDFS_DELEGATION_TOKEN"), says)
      for name, serve, settings, says in HANDSHAKE),
]  # fmt: skip


@pytest.mark.parametrize("attack", **by_name(ATTACKS))
def test_a_server_that_breaks_the_protocol_is_an_error(attacks, attack):
    attacks.check(attack)
