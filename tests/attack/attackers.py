"""Clients without a key that connect to a job's master: python3 attackers.py KIND ADDRESS PORT CONNECTIONS SECONDS.

Each of the connections is made again as soon as the master has closed it. At the end one JSON object says what became of them.
"""

import asyncio
import contextlib
import json
import os
import ssl
import sys
import time

MIB = 1 << 20
PAUSE = 0.02  # s, before a connection is made again


def trusting():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class Stranger:
    """One connection after the other, until the time is over."""

    tls = True

    def __init__(self, address, port, seconds):
        self._address, self._port = address, port
        self._until = time.monotonic() + seconds
        self._context = trusting() if self.tls else None
        self.counts = {"connections": 0, "refused": 0, "closed": 0, "other answers": 0, "bytes": 0}

    async def __call__(self):
        while (left := self._until - time.monotonic()) > 0:
            with contextlib.suppress(TimeoutError, OSError, ssl.SSLError, asyncio.IncompleteReadError):
                await asyncio.wait_for(self._connection(), left)
            await asyncio.sleep(PAUSE)

    async def _connection(self):
        reader, writer = await asyncio.open_connection(self._address, self._port, ssl=self._context)
        self.counts["connections"] += 1
        try:
            await self.act(reader, writer)
        finally:
            self.counts["closed"] += 1
            writer.transport.abort()

    async def send(self, writer, data):
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(0)  # drain() waits for nothing where there is room, and then the end is never seen
        self.counts["bytes"] += len(data)

    async def hear(self, reader):
        """The answer, and then the end."""
        line = await reader.readline()
        if line:
            self.counts["refused" if b" 401 " in line or b" 400 " in line or b" 302 " in line else "other answers"] += 1
        while await reader.read(65536):
            pass

    async def act(self, reader, writer):
        raise NotImplementedError


class Idle(Stranger):
    """Connects, and nothing more."""

    tls = False

    async def act(self, reader, writer):
        await self.hear(reader)


class IdleWithTls(Idle):
    tls = True


class SlowHeaders(Stranger):
    async def act(self, reader, writer):
        await self.send(writer, b"GET /v1/job HTTP/1.1\r\n")
        while not reader.at_eof():
            await self.send(writer, b"X: y\r\n")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(reader.read(65536), 0.5)


class LongHeaders(Stranger):
    tls = False

    async def act(self, reader, writer):
        while not reader.at_eof():
            await self.send(writer, b"GET / HTTP/1.1\r\nX: " + b"y" * 60_000)


class HalfBodies(Stranger):
    async def act(self, reader, writer):
        await self.send(writer, b"POST /v1/agents/container_1/exchange HTTP/1.1\r\nHost: m\r\nContent-Length: %d\r\n\r\n" % (16 * MIB))
        await self.send(writer, b"x" * 8 * MIB)
        await self.hear(reader)


class EndlessChunks(Stranger):
    async def act(self, reader, writer):
        await self.send(writer, b"POST /v1/job/stop HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer 0\r\nTransfer-Encoding: chunked\r\n\r\n")
        while not reader.at_eof():
            await self.send(writer, b"10000\r\n" + b"x" * 65536 + b"\r\n")


class WrongKeys(Stranger):
    async def act(self, reader, writer):
        await self.send(writer, b"GET /v1/job HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer %s\r\n\r\n" % os.urandom(32).hex().encode())
        await self.hear(reader)


class Garbage(Stranger):
    """Bytes that begin like TLS and are not."""

    tls = False

    async def act(self, reader, writer):
        await self.send(writer, b"\x16\x03\x01\x40\x00\x01" + os.urandom(16_000))
        await self.hear(reader)


class Handshakes(Stranger):
    async def act(self, reader, writer):
        pass


KINDS = {kind.__name__: kind for kind in (Idle, IdleWithTls, SlowHeaders, LongHeaders, HalfBodies, EndlessChunks, WrongKeys, Garbage, Handshakes)}


async def attack(kind, address, port, connections, seconds):
    strangers = [KINDS[kind](address, port, seconds) for _ in range(connections)]
    await asyncio.gather(*(stranger() for stranger in strangers))
    return {name: sum(stranger.counts[name] for stranger in strangers) for name in strangers[0].counts}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(attack(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))))
