"""DataNodes that lie about a block's bytes or about what they have stored, and a NameNode that gives them impossible blocks."""

import itertools
import struct

import pytest
from attacks import IMPATIENT, Attack, by_name
from hostile_servers import (
    CHUNK,
    MIB,
    Failure,
    ack,
    delimited,
    files_on,
    located_block,
    new_files_on,
    packet,
    read_accepted,
    read_operation,
    rpc,
    send_for_ever,
    sending,
    server_defaults,
    storing,
    wait_for_the_end,
)
from scripted_namenode import data, number, status

LENGTH = 100_000
BYTES = bytes(LENGTH)
ESCAPES = "\x1b]0;owned\x07\u009b31m\r\nowned"
SUCCESS, ERROR, ERROR_CHECKSUM, OOB_RESTART = 0, 1, 2, 8


def reading(datanode, *words, length=LENGTH, settings=None, **answers):
    """`ydl fs get` of a file whose block is on this DataNode."""

    def script(stage):
        node = stage.server(datanode)
        more = {method: answer(node) if callable(answer) else answer for method, answer in answers.items()}
        namenode = stage.server(rpc(files_on(node, length, **more)))
        stage.configure({"fs.defaultFS": f"hdfs://127.0.0.1:{namenode}"} | (settings or {}))
        return words or ("fs", "get", "/data/file", "copy")

    return script


def writing(datanode, settings=None, size=300_000, **answers):
    """`ydl fs put` of a file that goes to this DataNode."""

    def script(stage):
        stage.ydl.work.joinpath("file").write_bytes(bytes(size))
        node = stage.server(datanode)
        more = {method: answer(node) if callable(answer) else answer for method, answer in answers.items()}
        namenode = stage.server(rpc(new_files_on(node, **more)))
        stage.configure({"fs.defaultFS": f"hdfs://127.0.0.1:{namenode}"} | (settings or {}))
        return ("fs", "put", "file", "/data/new")

    return script


def close(connection):
    pass


def endless_packets(connection):
    for seqno in itertools.count():
        connection.sendall(packet(b"", seqno=seqno, offset=0, sums=b"", data_size=0, last=False))


def answer_byte_by_byte(connection):
    with connection.makefile("rb") as stream:
        read_operation(stream)
        send_for_ever(connection, b"\xff")


def blocks(length, *located):
    return data(1, number(1, length) + b"".join(data(2, one) for one in located) + number(3, 0) + number(5, 1))


NO_BLOCK = "reading /data/file: block 7 cannot be read from any DataNode"

READS = [
    Attack("datanode closes at once", reading(close), NO_BLOCK),
    Attack("datanode never answers", reading(wait_for_the_end, settings=IMPATIENT), f"{NO_BLOCK}.*no answer in time"),
    Attack("datanode answers with a length that never ends", reading(answer_byte_by_byte), f"{NO_BLOCK}.*announced"),
    Attack("datanode refuses with escapes", reading(sending(delimited(number(1, ERROR) + data(5, ESCAPES)))), f"{NO_BLOCK}.*owned"),
    Attack("datanode refuses with 5 MB of text", reading(sending(delimited(number(1, ERROR) + data(5, "lies " * MIB)))), NO_BLOCK),
    Attack("datanode says for ever that the token is wrong", reading(sending(delimited(number(1, 5) + data(5, "no")))), NO_BLOCK),
    Attack("datanode sends no checksums", reading(sending(delimited(number(1, SUCCESS)))), f"{NO_BLOCK}.*checksums"),
    Attack("datanode sums every 0 bytes", reading(sending(read_accepted(chunk=0))), "one checksum per 0 bytes"),
    Attack("datanode sums every 4 GiB", reading(sending(read_accepted(chunk=(1 << 32) - 1))), "one checksum per 4294967295 bytes"),
    Attack("datanode begins elsewhere", reading(sending(read_accepted(offset=CHUNK))), f"{NO_BLOCK}.*starts at byte {CHUNK}"),
    Attack("datanode sends wrong checksums", reading(sending(read_accepted(), packet(BYTES, sums=bytes(4 * 196)))), f"{NO_BLOCK}.*checksum"),
    Attack("datanode announces a packet of 2 GiB", reading(sending(read_accepted(), struct.pack(">IH", (1 << 31) - 1, 25))), f"{NO_BLOCK}.*announced"),
    Attack("datanode announces a packet of 4 GiB", reading(sending(read_accepted(), struct.pack(">IH", (1 << 32) - 1, 65535))), f"{NO_BLOCK}.*announced"),
    Attack("datanode announces a packet of nothing", reading(sending(read_accepted(), struct.pack(">IH", 0, 25))), f"{NO_BLOCK}.*announced"),
    Attack("datanode sends a packet whose data is below nothing",
           reading(sending(read_accepted(), packet(b"", sums=b"", data_size=(1 << 32) - 1))), f"{NO_BLOCK}.*announces"),
    Attack("datanode sends less than the file has", reading(sending(read_accepted(), packet(BYTES[:CHUNK]), packet(b"", CHUNK, 1, last=True))), NO_BLOCK),
    Attack("datanode sends packets out of order", reading(sending(read_accepted(), packet(BYTES[:CHUNK], CHUNK, 1))), f"{NO_BLOCK}.*arrived instead of"),
    Attack("datanode sends empty packets for ever", reading(sending(read_accepted(), then=endless_packets)), NO_BLOCK),
    Attack("datanode sends random bytes", reading(sending(read_accepted(), bytes(range(256)) * 4000)), NO_BLOCK),
    Attack("datanode closes in the middle", reading(sending(read_accepted(), packet(BYTES[: 4 * CHUNK]), then=close)), NO_BLOCK),
    Attack("datanode stops in the middle", reading(sending(read_accepted(), packet(BYTES[: 4 * CHUNK])), settings=IMPATIENT), NO_BLOCK),
    Attack("namenode gives a file without blocks", reading(close, getBlockLocations=blocks(LENGTH)), "no block for byte 0"),
    Attack("namenode gives a block of nothing", reading(close, getBlockLocations=lambda node: blocks(LENGTH, located_block(node, 0))), "no block for byte 0"),
    Attack("namenode gives a block without end",
           reading(sending(read_accepted(), packet(BYTES)), length=(1 << 63) - 1, settings=IMPATIENT), NO_BLOCK),
    Attack("namenode gives a block that ends before it begins",
           reading(close, getBlockLocations=lambda node: blocks(LENGTH, located_block(node, (1 << 64) - 1, offset=10))), "no block for byte 0"),
    Attack("namenode gives a block without a datanode", reading(close, getBlockLocations=lambda node: blocks(LENGTH, located_block(node, LENGTH, nodes=0))),
           f"{NO_BLOCK}.*has no location for it"),
    Attack("namenode gives a block on 10,000 datanodes that are one", reading(close, getBlockLocations=lambda node: blocks(
        LENGTH, located_block(node, LENGTH, nodes=10_000))), NO_BLOCK),
    Attack("namenode gives a block on port 0", reading(close, getBlockLocations=blocks(LENGTH, located_block(0, LENGTH))), NO_BLOCK),
    Attack("namenode shows times at the end of the world",
           reading(close, "fs", "ls", "/data/file", getFileInfo=data(1, status("", time=(1 << 63) - 1))), "^$", code=0, prints="2\\d\\d\\d-"),
    Attack("namenode names a checksum for every 0 bytes", reading(close, getServerDefaults=server_defaults(chunk=0)), "one checksum per 0 bytes"),
    Attack("namenode asks for encryption and gives no key", reading(wait_for_the_end, getServerDefaults=data(
        1, number(1, MIB) + number(2, CHUNK) + number(3, 65536) + number(4, 1) + number(5, 1) + number(6, 1)), getDataEncryptionKey=b""), "did not return a key"),
    Attack("datanode sends more than the file has",
           reading(sending(read_accepted(), packet(BYTES + bytes(MIB)), packet(b"", LENGTH + MIB, 1, last=True))), "^$", code=0, leaves=("work/copy",)),
]  # fmt: skip


def never(connection, packets):
    for _ in packets:
        pass


def heartbeats_for_ever(connection, packets):
    send_slowly(connection, ack(-1, SUCCESS))


def send_slowly(connection, piece):
    while True:
        connection.sendall(piece)
        connection.settimeout(0.1)
        try:
            if not connection.recv(1 << 20):
                return
        except TimeoutError:
            pass


def answering(*acks):
    """Answers the packets with these, the last for ever."""

    def acknowledge(connection, packets):
        for (seqno, _), make in zip(packets, itertools.chain(acks, itertools.repeat(acks[-1])), strict=False):
            connection.sendall(make(seqno))

    return acknowledge


WRITE_FAILED = "writing /data/\\S*new"

WRITES = [
    Attack("datanode closes before a write", writing(close), f"{WRITE_FAILED}\\S*: no pipeline of DataNodes can be set up .after 2 attempts"),
    Attack("datanode never answers a write", writing(wait_for_the_end, settings=IMPATIENT), WRITE_FAILED),
    Attack("datanode refuses a write with escapes", writing(sending(delimited(number(1, ERROR) + data(2, ESCAPES) + data(5, ESCAPES)))), WRITE_FAILED),
    Attack("datanode never acknowledges a packet", writing(storing(never), settings=IMPATIENT), WRITE_FAILED),
    Attack("datanode acknowledges heartbeats for ever and no packet", writing(storing(heartbeats_for_ever), settings=IMPATIENT), WRITE_FAILED),
    Attack("datanode acknowledges packets that were not sent", writing(storing(answering(lambda seqno: ack(seqno + 50, SUCCESS)))), WRITE_FAILED),
    Attack("datanode acknowledges one packet twice", writing(storing(answering(lambda seqno: ack(0, SUCCESS)))), WRITE_FAILED),
    Attack("datanode acknowledges for no datanode", writing(storing(answering(lambda seqno: ack(seqno)))), WRITE_FAILED),
    Attack("datanode acknowledges for 1,000 datanodes", writing(storing(answering(lambda seqno: ack(seqno, *[SUCCESS] * 1000)))), WRITE_FAILED),
    Attack("datanode fails for ever", writing(storing(answering(lambda seqno: ack(seqno, ERROR)))), WRITE_FAILED),
    Attack("datanode finds wrong checksums for ever", writing(storing(answering(lambda seqno: ack(seqno, ERROR_CHECKSUM)))), WRITE_FAILED),
    Attack("datanode sends random bytes as acknowledgements", writing(storing(answering(lambda seqno: b"\x05hello\xff\xff\xff\xff\xff"))), WRITE_FAILED),
    Attack("datanode closes in the middle of a write", writing(storing(lambda connection, packets: next(packets))), WRITE_FAILED),
    Attack("namenode gives a block without a datanode to write to", writing(close, addBlock=lambda node: data(1, located_block(node, 0, nodes=0))),
           "a block without a DataNode"),
    Attack("namenode gives blocks of no size for ever",
           writing(storing(answering(lambda seqno: ack(seqno, SUCCESS))), create=data(1, status("", block=0)), settings={}), "the NameNode reports a block size of 0 bytes"),
    Attack("namenode asks for packets of 4 GiB",
           writing(storing(answering(lambda seqno: ack(seqno, SUCCESS))), getServerDefaults=server_defaults(packet=(1 << 32) - 1)), "^$", code=0),
    Attack("namenode never closes the file",
           writing(storing(answering(lambda seqno: ack(seqno, SUCCESS))), complete=number(1, 0),
                   settings={"dfs.client.block.write.locateFollowingBlock.initial.delay.ms": 10}), "too few replicas"),
    Attack("namenode asks to wait for a block for ever",
           writing(close, addBlock=Failure("org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException", "wait"),
                   settings={"dfs.client.block.write.locateFollowingBlock.initial.delay.ms": 10}), WRITE_FAILED),
    Attack("namenode gives another file than asked for", writing(storing(answering(lambda seqno: ack(seqno, SUCCESS))), create=b""), "a block size of 0 bytes"),
]  # fmt: skip


@pytest.mark.parametrize("attack", **by_name([*READS, *WRITES]))
def test_blocks_that_are_not_what_they_should_be(attacks, attack):
    attacks.check(attack)
