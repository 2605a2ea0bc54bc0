"""A NameNode that answers whatever a test tells it to: the RPC protocol without SASL, on a port of this machine."""

import socket
import struct
import threading
from contextlib import contextmanager


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def pairs(message):
    """(number, value) of each field of a message without groups; fixed numbers are bytes."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        size = {1: 8, 5: 4}.get(key & 7)
        if size is None:
            value, at = read_varint(message, at)
            size = value if key & 7 == 2 else None
        if size is not None:
            value, at = message[at : at + size], at + size
        yield key >> 3, value


def fields(message):
    """The fields of a message, the last of each."""
    return dict(pairs(message))


def every(message, field):
    """The values of a field that may be there several times."""
    return [value for number_, value in pairs(message) if number_ == field]


def status(name, *, directory=False, owner="ann", group="users", length=0, block=1 << 20, time=0):
    """An HdfsFileStatusProto."""
    return (
        number(1, 1 if directory else 2) + data(2, name) + number(3, length) + data(4, number(1, 0o755 if directory else 0o644))
        + data(5, owner) + data(6, group) + number(7, time) + number(8, time) + number(10, 1) + number(11, block)
    )


def listing(entries, remaining=0):
    """The answer of getListing."""
    return data(1, b"".join(data(1, entry) for entry in entries) + number(2, remaining))


EMPTY_FILE = data(1, number(1, 0) + number(3, 0) + number(5, 1))  # the answer of getBlockLocations


def calls(stream):
    """(call id, method, request) of each call on a connection, until it is closed."""
    stream.read(7)  # "hrpc", version, service class, no SASL
    yield from calls_after_preamble(stream)


def calls_after_preamble(stream):
    while len(head := stream.read(4)) == 4:
        frame = stream.read(struct.unpack(">I", head)[0])
        parts, at = [], 0
        while at < len(frame):
            size, at = read_varint(frame, at)
            parts.append(frame[at : at + size])
            at += size
        call = fields(parts[0])[3]
        if call & 1:
            continue  # below 0 in zigzag: the connection's context, or a ping
        yield call >> 1, fields(parts[1])[1].decode(), parts[2]


def framed(header, body=None):
    """An answer: its header and, where the call succeeded, its message."""
    payload = varint(len(header)) + header + (b"" if body is None else varint(len(body)) + body)
    return struct.pack(">I", len(payload)) + payload


def success(call, body):
    return framed(number(1, call) + number(2, 0), body)


class ScriptedNameNode:
    """`answer(method, path, start_after)` gives the bytes of an answer."""

    def __init__(self, answer):
        self.answer = answer
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"hdfs://127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, connection.makefile("rb") as stream:
            for call, method, message in calls(stream):
                request = fields(message)
                body = self.answer(method, request.get(1, b"").decode(), request.get(2, b""))
                try:
                    connection.sendall(success(call, body))
                except OSError:
                    return


@contextmanager
def scripted_namenode(answer):
    node = ScriptedNameNode(answer)
    try:
        yield node
    finally:
        node.server.close()
