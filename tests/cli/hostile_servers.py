"""Servers of a cluster that answer whatever a test tells them to: RPC, block transfers and HTTPS, on ports of this machine."""

import contextlib
import hashlib
import socket
import ssl
import struct
import subprocess
import threading
import zlib
from pathlib import Path

from scripted_namenode import calls, calls_after_preamble, data, fields, framed, number, read_varint, status, success, varint

MIB = 1 << 20
OOPS = "java.io.IOException"
NO_METHOD = "org.apache.hadoop.ipc.RpcNoSuchMethodException"


class Server:
    """Accepts on a free port; `serve(connection)` has each connection in a thread of its own, and may fail with it."""

    def __init__(self, serve, host="127.0.0.1"):
        self._serve = serve
        self._open = []
        self._socket = socket.create_server((host, 0))
        self.port = self._socket.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._run, args=(connection,), daemon=True).start()

    def _run(self, connection):
        with contextlib.suppress(OSError, ValueError), connection:
            self._serve(connection)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Ends what still sends or waits, too."""
        for one in (self._socket, *self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def wait_for_the_end(connection):
    """Reads, and answers nothing, until the other side goes."""
    while connection.recv(1 << 16):
        pass


def send_for_ever(connection, piece):
    while True:
        connection.sendall(piece)


# ---- RPC


class Failure:
    """An exception as an answer."""

    def __init__(self, java_class, message="", fatal=False):
        self.java_class, self.message, self.fatal = java_class, message, fatal

    def __call__(self, call):
        return framed(number(1, call) + number(2, 2 if self.fatal else 1) + data(4, self.java_class) + data(5, self.message))


class Bytes:
    """Any bytes as an answer; a function gets the call's id."""

    def __init__(self, make):
        self.make = make

    def __call__(self, call):
        return self.make(call) if callable(self.make) else self.make


def rpc(answers):
    """A server whose answers are bytes, a Failure, Bytes, or a function of the request, by method; '*' is for all others."""

    def serve(connection):
        with connection.makefile("rb") as stream:
            for call, method, request in calls_of_anybody(connection, stream):
                answer = answers.get(method, answers.get("*", Failure(NO_METHOD, method)))
                while callable(answer) and not isinstance(answer, (Failure, Bytes)):
                    answer = answer(request)
                connection.sendall(success(call, answer) if isinstance(answer, bytes) else answer(call))

    return serve


def after_the_first_call(behave):
    """A server that takes the first call and then does as it likes: `behave(connection, call)`."""

    def serve(connection):
        with connection.makefile("rb") as stream:
            call, _, _ = next(calls(stream))
            behave(connection, call)

    return serve


SASL_CALL = 0xFFFFFFFF - 32  # -33


def sasl(state, *rest):
    """A message of the handshake."""
    return framed(number(1, SASL_CALL) + number(2, 0), number(2, state) + b"".join(rest))


SASL = 0xDF


def read_frame(stream):
    """Without its length; empty at the end."""
    head = stream.read(4)
    return stream.read(struct.unpack(">I", head)[0]) if len(head) == 4 else b""


def calls_of_anybody(connection, stream):
    """The calls of a client; one that has a token is told that no token is accepted."""
    if stream.read(7)[-1:] == bytes([SASL]):
        read_frame(stream)
        connection.sendall(sasl(0))
    yield from calls_after_preamble(stream)


def shaking_hands(*messages, for_ever=False):
    """A server that answers the client's handshake messages with these, one each."""

    def serve(connection):
        with connection.makefile("rb") as stream:
            stream.read(7)
            turn = 0
            while len(head := stream.read(4)) == 4:
                stream.read(struct.unpack(">I", head)[0])
                if turn < len(messages) or for_ever:
                    connection.sendall(messages[turn % len(messages)])
                turn += 1

    return serve


# ---- HDFS

CHUNK = 512
BLOCK = data(1, "BP-1") + number(2, 7) + number(3, 1)  # pool, block, generation


def datanode_info(port):
    return data(1, data(1, "127.0.0.1") + data(2, "localhost") + data(3, "dn-1") + number(4, port) + number(5, 1) + number(6, 1))


def located_block(port, length, offset=0, nodes=1):
    empty_token = data(1, b"") + data(2, b"") + data(3, "") + data(4, "")
    locations = b"".join(data(3, datanode_info(port)) for _ in range(nodes))
    storages = b"".join(number(7, 1) + data(8, f"DS-{i}") for i in range(nodes))
    return data(1, BLOCK + number(4, length)) + number(2, offset) + locations + number(4, 0) + data(5, empty_token) + storages


def server_defaults(block=128 * MIB, chunk=CHUNK, packet=65536):
    return data(1, number(1, block) + number(2, chunk) + number(3, packet) + number(4, 1) + number(5, 4096) + number(8, 2))


def files_on(port, length, **more):
    """The answers of a NameNode for which every path is a file of this length, in one block on a DataNode at this port."""
    return {
        "getFileInfo": data(1, status("", length=length)),
        "getServerDefaults": server_defaults(),
        "getBlockLocations": data(1, number(1, length) + data(2, located_block(port, length)) + number(3, 0) + number(5, 1)),
        "reportBadBlocks": b"",
        **more,
    }


def new_files_on(port, **more):
    """The answers of a NameNode that lets files be written, to a DataNode at this port."""
    a_block = data(1, located_block(port, 0))
    created = status("", length=0)
    return {
        "getFileInfo": lambda request: b"" if b"new" in fields(request)[1] else data(1, status("", directory=True)),
        "getServerDefaults": server_defaults(),
        "create": data(1, created),
        "addBlock": a_block,
        "abandonBlock": b"",
        "updateBlockForPipeline": a_block,
        "updatePipeline": b"",
        "complete": number(1, 1),
        "rename2": b"",
        "renewLease": b"",
        "mkdirs": number(1, 1),
        "delete": number(1, 1),
        **more,
    }


def delimited(message):
    return varint(len(message)) + message


def read_operation(stream):
    """(code, message) of what a client asks a DataNode."""
    _, code = struct.unpack(">HB", stream.read(3))
    return code, read_delimited(stream)


def read_delimited(stream):
    head = b""
    while not head or head[-1] & 0x80:
        byte = stream.read(1)
        if not byte:
            raise ConnectionError
        head += byte
    return stream.read(read_varint(head, 0)[0])


CRC32 = 1


def read_accepted(chunk=CHUNK, offset=0, kind=CRC32):
    """A DataNode's answer that it sends the block's bytes, with checksums."""
    return delimited(number(1, 0) + data(4, data(1, number(1, kind) + number(2, chunk)) + number(2, offset)))


def packet(payload, offset=0, seqno=0, last=False, sums=None, data_size=None, size=None):
    """A packet with the right checksums and lengths, or with others."""
    if sums is None:
        sums = b"".join(struct.pack(">I", zlib.crc32(payload[i : i + CHUNK])) for i in range(0, len(payload), CHUNK))
    header = struct.pack("<BqBqBBBI", 0x09, offset, 0x11, seqno, 0x18, last, 0x25, len(payload) if data_size is None else data_size)
    return struct.pack(">IH", 4 + len(sums) + len(payload) if size is None else size, len(header)) + header + sums + payload


def sending(*pieces, then=wait_for_the_end):
    """A DataNode that answers a read with these bytes."""

    def serve(connection):
        with connection.makefile("rb") as stream:
            read_operation(stream)
            for piece in pieces:
                connection.sendall(piece)
            then(connection)

    return serve


WRITE_ACCEPTED = delimited(number(1, 0))


def ack(seqno, *replies):
    zigzag = seqno << 1 if seqno >= 0 else (-seqno << 1) - 1
    return delimited(number(1, zigzag) + b"".join(number(2, reply) for reply in replies))


def storing(acknowledge):
    """A DataNode that takes a block; `acknowledge(connection, packets)` answers the packets, given as (seqno, last)."""

    def serve(connection):
        with connection.makefile("rb") as stream:
            read_operation(stream)
            connection.sendall(WRITE_ACCEPTED)
            acknowledge(connection, packets_of(stream))

    return serve


def packets_of(stream):
    while len(head := stream.read(6)) == 6:
        size, header_size = struct.unpack(">IH", head)
        header = stream.read(header_size)
        stream.read(size - 4)
        yield struct.unpack("<q", header[10:18])[0], bool(header[19])


# ---- HTTPS


class Identity:
    """A certificate that only its own key has signed, as a master has it."""

    def __init__(self, folder):
        key, certificate = Path(folder) / "key.pem", Path(folder) / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=a test",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True)  # fmt: skip
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_3
        self.context.load_cert_chain(certificate, key)
        self.fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate.read_text())).hexdigest()


def https(identity, answer):
    """A master that reads requests and gives `answer(connection, target)` the floor for each."""

    def serve(plain):
        with identity.context.wrap_socket(plain, server_side=True) as connection, connection.makefile("rb") as stream:
            while request := stream.readline():
                size = 0
                while (line := stream.readline().strip()) != b"":
                    name, _, value = line.partition(b":")
                    size = int(value) if name.lower() == b"content-length" else size
                stream.read(size)
                answer(connection, request.split()[1].decode())

    return serve


def response(body, code=200, headers=()):
    body = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {code} Any", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body
