"""Writes down what passes over the bridge of a cluster in namespaces: python3 capture.py FILE, in the bridge's own namespace.

It prints a line when it listens. When its standard input closes it writes the streams, one after the other, and prints the number of frames and
how many the kernel has dropped. No frame is examined before that: the listener must keep up.
"""

import json
import select
import socket
import struct
import sys

ETH_P_ALL, SO_RCVBUFFORCE, SOL_PACKET, PACKET_STATISTICS, PACKET_IGNORE_OUTGOING = 3, 33, 263, 6, 23
IPV4, TCP, UDP = 0x0800, 6, 17


def listen():
    """All ports of the bridge; each frame once, where it comes in."""
    listener = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    listener.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 512 << 20)
    listener.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    return listener


def frames_until_stdin_closes(listener):
    frames = []
    print("listening", flush=True)
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if listener in ready:
            frames.append(listener.recv(1 << 17))
        elif sys.stdin in ready:
            return frames


def payload(frame):
    """Its stream and what it carries, or None."""
    if len(frame) < 34 or struct.unpack_from(">H", frame, 12)[0] != IPV4:
        return None
    size, total, protocol = (frame[14] & 15) * 4, struct.unpack_from(">H", frame, 16)[0], frame[23]
    end = 14 + total if total else len(frame)
    at = 14 + size
    if protocol == TCP:
        return (frame[26:34], frame[at:at + 4]), frame[at + (frame[at + 12] >> 4) * 4:end]
    if protocol == UDP:
        return (frame[26:34], frame[at:at + 4]), frame[at + 8:end]
    return None


def main(path):
    listener = listen()
    frames = frames_until_stdin_closes(listener)
    _, dropped = struct.unpack("II", listener.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    streams = {}
    for stream, data in filter(None, map(payload, frames)):
        streams.setdefault(stream, []).append(data)
    with open(path, "wb") as file:
        for pieces in streams.values():
            file.writelines([*pieces, b"\n"])
    print(json.dumps({"frames": len(frames), "streams": len(streams), "dropped": dropped}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
