"""A NodeManager that lies to a job's master: the job ends with a sentence, or goes on with another host."""

import random
import re
import struct
import threading
from dataclasses import dataclass

import pytest
from attacks import COMMAND_LIMIT, IMPATIENT, Attack, by_name, has_control_characters
from harness import eventually
from hostile_servers import (
    MIB,
    OOPS,
    Bytes,
    Failure,
    calls_of_anybody,
    rpc,
    sasl,
    send_for_ever,
    shaking_hands,
    wait_for_the_end,
)
from scripted_cluster import ScriptedCluster, asked_containers, container, container_name
from scripted_namenode import data, framed, number, success

ESCAPES = "\x1b]0;owned\x07\u009b31m\r\nowned"
NOISE = random.Random(7).randbytes(MIB)
LONGEST_LINE = 6000  # characters: three containers that failed, each with its reason
MOST_CONNECTIONS = 60

# Retries of a NodeManager are quick and few as well.
QUICK = {"yarn.client.nodemanager-connect.max-wait-ms": 30, "yarn.client.nodemanager-connect.retry-interval-ms": 10}


@dataclass
class JobAttack(Attack):
    """`says` is what the user is told of the job's end; `never` is what the user must not be told."""

    never: str = "(?!)"

    def judge(self, outcome, memory):
        seen = outcome.everything()
        assert not outcome.hung, f"it did not end within {COMMAND_LIMIT} s\n{seen}"
        assert outcome.code == self.code, seen
        records = [path.read_bytes() for path in outcome.stage.ydl.state.rglob("*") if path.is_file()]
        for text in (outcome.out, outcome.err, *records):
            assert not has_control_characters(text), seen
        told = outcome.out.decode()
        assert max(map(len, told.splitlines())) <= LONGEST_LINE, seen
        assert re.search(self.says, told), seen
        assert not re.search(self.never, told), seen
        assert outcome.memory <= memory, seen
        cluster = outcome.stage.cluster
        assert sum(node.server.connections for node in cluster.nodes) <= MOST_CONNECTIONS, seen
        master = cluster.resource_manager
        assert master.memory, f"the master has not taken leave of the ResourceManager\n{seen}"
        assert master.memory <= memory, f"the master had {master.memory / MIB:.0f} MiB\n{seen}"
        assert not has_control_characters(master.final), seen


def against(*node_managers, settings=None, words=(), meanwhile=None):
    """A job whose containers are granted by these NodeManagers, functions of the cluster, each on a host of its own."""

    def script(stage):
        hosts = {f"127.0.0.{i}": make for i, make in enumerate(node_managers, 1)}
        stage.stand_up(ScriptedCluster(stage.ydl.binary, stage.ydl.scratch, hosts))
        stage.configure(stage.cluster.settings() | QUICK | (settings or {}))
        stage.ydl.env["XDG_CACHE_HOME"] = str(stage.shared.cache)
        if meanwhile is not None:
            threading.Thread(target=meanwhile, args=(stage,), daemon=True).start()
        return ("run", "--cluster", "yarn", "--am", "unmanaged", *words, "--", "/bin/true")

    return script


def serving(serve):
    return lambda cluster: serve


def answering(start, stop=b""):
    """`start` and `stop` are answers as in rpc()."""
    return serving(rpc({"startContainers": start, "stopContainers": stop}))


def raw(*pieces, then=wait_for_the_end):
    def serve(connection):
        for piece in pieces:
            connection.sendall(piece)
        then(connection)

    return serving(serve)


def after_the_call(behave):
    """The handshake is over and startContainers is asked: `behave(connection, call)`."""

    def serve(connection):
        with connection.makefile("rb") as stream:
            call, _, _ = next(calls_of_anybody(connection, stream))
            behave(connection, call)

    return serving(serve)


def started(*ids):
    return b"".join(data(2, one) for one in ids)


def failed(id_, text="no", java_class=OOPS, more=b""):
    return data(3, data(1, id_) + data(2, data(1, text) + data(3, java_class) + more))


def all_asked(answer):
    """An answer to startContainers: `answer(id)` for each container that it asks for."""
    return lambda request: b"".join(answer(container(one)) for one in asked_containers(request))


def deep_cause(levels=2_000):
    cause = data(1, "leaf")
    for _ in range(levels):
        cause = data(4, cause)
    return cause


def cut_in_the_middle(connection, call):
    answer = success(call, started(container(2)))
    connection.sendall(answer[: len(answer) // 2])


def blames_others(cluster):
    """It starts its own container, and says that those of the other host have failed."""

    def start(request):
        theirs = eventually(lambda: cluster.nodes[1].containers, "a container on the other host")
        return all_asked(started)(request) + b"".join(failed(container(one), "blamed") for one in theirs)

    return rpc({"startContainers": start, "stopContainers": b""})


def stop_when_told(text):
    """The user stops the job as soon as it shows this."""

    def wait_and_kill(stage):
        job = stage.ydl.the_job()
        eventually(lambda: any(text in str(event) for event in job.events()), f"'{text}' among the events")
        job.kill()

    return wait_and_kill


def stop_after_heartbeats(stage):
    """Once a NodeManager has been asked, and its answer has had the time to be heard."""
    job, cluster = stage.ydl.the_job(), stage.cluster
    eventually(lambda: cluster.nodes[0].server.connections, "a call to a NodeManager")
    enough = cluster.resource_manager.heartbeats + 4
    eventually(lambda: cluster.resource_manager.heartbeats >= enough, "heartbeats of the master")
    job.kill()


DIGEST = sasl(1, data(4, data(1, "TOKEN") + data(2, "DIGEST-MD5") + data(3, "") + data(4, "default")
                      + data(5, b'realm="default",nonce="abc",qop="auth",charset=utf-8,algorithm=md5-sess')))  # fmt: skip
NOT_STARTED = r"worker:0 cannot be placed: the NodeManager on 127.0.0.1 did not start its container: "
TOO_LARGE = NOT_STARTED + ".*(announced an answer of|does not speak Hadoop RPC)"
SILENT = NOT_STARTED + ".*no answer to startContainers within 1 s"
UNREADABLE = NOT_STARTED + ".*cannot be decoded"
NOT_NAMED = NOT_STARTED + ".*the NodeManager's answer does not contain container_"
WAITS = "has been starting for 15 s"

ATTACKS = [
    # ---- its deeds; the first one takes 15 s
    JobAttack("node manager has started the container and runs nothing",
              against(answering(all_asked(started), stop=Failure(OOPS, ESCAPES)), meanwhile=stop_when_told(WAITS)),
              rf"its container on 127.0.0.1 \({container_name(2)}\) {WAITS}: its files are still being downloaded, or it cannot reach this master at", code=130),
    JobAttack("node manager says that the container runs already and runs nothing",
              against(answering(all_asked(lambda id_: failed(id_, "Container X already is running on this node!!"))), meanwhile=stop_after_heartbeats), "stopped",
              code=130, never="did not start"),
    # ---- the protocol
    JobAttack("node manager announces a frame of 2 GiB before the handshake", against(raw(struct.pack(">I", (1 << 31) - 1))), TOO_LARGE),
    JobAttack("node manager announces a frame of 2 GiB after the handshake",
              against(after_the_call(lambda connection, call: (connection.sendall(struct.pack(">I", (1 << 31) - 1)), wait_for_the_end(connection)))), TOO_LARGE),
    JobAttack("node manager sends frames without end before the handshake",
              against(raw(then=lambda connection: send_for_ever(connection, sasl(3, data(3, b"x" * 1000)) * 64))), NOT_STARTED),
    JobAttack("node manager sends frames without end after the handshake",
              against(after_the_call(lambda connection, call: send_for_ever(connection, success(call + 9, b"x" * 1000) * 64)), settings=IMPATIENT), SILENT),
    JobAttack("node manager sends random bytes", against(raw(b"\xff\xfe" + NOISE)), NOT_STARTED + ".*does not speak Hadoop RPC"),
    JobAttack("node manager answers with random bytes", against(answering(b"\xff" + NOISE[:1000])), UNREADABLE),
    JobAttack("node manager closes each connection at once", against(serving(lambda connection: None)), NOT_STARTED + ".*closed the connection"),
    JobAttack("node manager closes in the middle of a frame", against(after_the_call(cut_in_the_middle)), NOT_STARTED + ".*closed the connection"),
    JobAttack("node manager holds the connection and never begins", against(serving(wait_for_the_end), settings=IMPATIENT),
              NOT_STARTED + ".*did not finish the handshake within 1 s"),
    JobAttack("node manager holds the connection and never answers",
              against(after_the_call(lambda connection, call: wait_for_the_end(connection)), settings=IMPATIENT), SILENT),
    JobAttack("node manager asks to retry for ever", against(answering(Failure("org.apache.hadoop.ipc.RetriableException", "again"))),
              NOT_STARTED + ".*again"),
    JobAttack("node manager does not prove that it has the key", against(serving(shaking_hands(DIGEST, sasl(0)))), NOT_STARTED + ".*before it proved its identity"),
    JobAttack("node manager accepts no token", against(serving(shaking_hands(sasl(1)))), NOT_STARTED + ".*the server accepts nothing"),
    # ---- what it says of containers
    JobAttack("node manager leaves out the container", against(answering(b"")), NOT_NAMED),
    JobAttack("node manager has started unknown containers", against(answering(started(container(99), container(2, application_=77), b""))), NOT_NAMED),
    JobAttack("node manager has failed to start unknown containers",
              against(answering(failed(container(99)) + failed(container(2, application_=77)) + failed(b""))), NOT_NAMED),
    JobAttack("node manager says both started and failed", against(answering(all_asked(lambda id_: started(id_) + failed(id_, "both")))), NOT_STARTED + ".*both"),
    JobAttack("node manager says a thousand times failed", against(answering(all_asked(lambda id_: failed(id_, "often") * 1000))), NOT_STARTED + ".*often"),
    JobAttack("node manager says a million times failed", against(answering(all_asked(lambda id_: failed(id_) * MIB))), "more elements than ydl accepts"),
    JobAttack("node manager blames another host", against(blames_others, answering(all_asked(started)), words=("-n", "2"), meanwhile=stop_after_heartbeats), "stopped",
              code=130, never="blamed|did not start|avoided"),
    # ---- its words
    JobAttack("node manager fails with escapes and lines", against(answering(all_asked(lambda id_: failed(id_, ESCAPES, "a." + ESCAPES)))), "owned"),
    JobAttack("node manager fails with 10 MB of text",
              against(answering(all_asked(lambda id_: failed(id_, "x" + "é" * 5 * MIB, "a.B" + "é" * MIB)))), NOT_STARTED + ".*éééé"),
    JobAttack("node manager fails with a text that is not UTF-8", against(answering(all_asked(lambda id_: failed(id_, b"\xff\xfe\x1b" * 9000)))), NOT_STARTED),
    JobAttack("node manager fails with causes in causes, 2,000 deep", against(answering(all_asked(lambda id_: failed(id_, more=deep_cause())))), UNREADABLE),
    JobAttack("node manager refuses all calls with 10 MB and escapes", against(answering(Failure(OOPS, ESCAPES + "lies " * 2 * MIB))), NOT_STARTED + ".*owned"),
    JobAttack("node manager answers without a status", against(answering(Bytes(lambda call: framed(number(1, call), b"")))), "the header of the server's answer cannot be decoded"),
]  # fmt: skip


@pytest.mark.parametrize("attack", **by_name(ATTACKS))
def test_a_node_manager_that_lies_is_not_trusted(attacks, attack):
    attacks.check(attack)
