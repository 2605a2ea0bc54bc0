"""A ResourceManager that speaks the protocol and lies in what it answers."""

import itertools

import pytest
from attacks import Attack, by_name
from hostile_servers import MIB, Failure, rpc
from scripted_namenode import data, number, varint

APPLICATION = "application_1700000000000_0001"
ESCAPES = "\x1b]0;owned\x07\u009b31m\r\nowned"
RUNNING, FINISHED, FAILED, KILLED = 5, 6, 7, 8
NOT_FOUND = "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException"
TOKEN = data(1, b"id") + data(2, b"password") + data(3, "YARN_CLIENT_TOKEN") + data(4, "")
FINGERPRINT = "ydl:sha256:" + "0" * 64


def application(number_=1):
    return number(1, number_) + number(2, 1_700_000_000_000)


def report(user="bob", tags=("ydl", "far-1a2b"), state=RUNNING, more=b""):
    return data(1, application()) + data(2, user) + data(4, "far") + number(8, state) + b"".join(data(20, tag) for tag in tags) + more


def reports(*args, **fields):
    return {"getApplicationReport": data(1, report(*args, **fields))}


def deep_queues(levels=20_000):
    queue = data(1, "leaf")
    for _ in range(levels):
        queue = data(6, queue)
    return queue


def changing(*answers):
    """One answer after the other, the last for ever."""
    turn = itertools.chain(answers, itertools.repeat(answers[-1]))
    return lambda request: next(turn)


def against(answers, *words):
    def script(stage):
        address = f"127.0.0.1:{stage.server(rpc(answers))}"
        stage.configure({"fs.defaultFS": "hdfs://127.0.0.1:1", "yarn.resourcemanager.address": address})
        return words

    return script


def asked_of(answers, *words):
    return against(answers, *(words or ("status", APPLICATION)))


METRICS = data(1, number(1, 3) + number(2, 0) + number(3, 3))
NO_JOB = "there is no job 'application_1700000000000_0001'"
SEEN = "far-1a2b .* of .* on YARN"

ATTACKS = [
    Attack("reports an application without a field", asked_of({"getApplicationReport": data(1, b"")}), NO_JOB),
    Attack("reports nothing", asked_of({"getApplicationReport": b""}), NO_JOB),
    Attack("reports a user with escapes", asked_of(reports(user=ESCAPES)), "^$", code=0, prints=SEEN),
    Attack("reports a user with escapes after the end", asked_of(reports(user=ESCAPES, state=FINISHED)), "^$", code=0, prints=SEEN),
    Attack("reports a user with escapes to a log reader", asked_of(reports(user=ESCAPES), "logs", APPLICATION), "owned"),
    Attack("reports a user with escapes to an event reader", asked_of(reports(user=ESCAPES, state=KILLED), "events", APPLICATION), "owned"),
    Attack("reports a user with escapes to a user who stops a job", asked_of(reports(user=ESCAPES, state=KILLED), "kill", APPLICATION), "owned"),
    Attack("reports a user with a name of 20 MB", asked_of(reports(user="u" * 20 * MIB)), "^$", code=0, prints=SEEN),
    Attack("reports an unknown state", asked_of(reports(state=99)), "^$", code=0, prints="far-1a2b"),
    Attack("reports a job id that leads elsewhere", asked_of(reports(user="ann", tags=("ydl", "../../evil-1a2b"))), NO_JOB),
    Attack("reports a job id with escapes", asked_of(reports(user="ann", tags=("ydl", "\x1b[31m-1a2b"))), NO_JOB),
    Attack("reports 100,000 job ids", asked_of(reports(tags=("ydl", *(f"far-{i:04x}" for i in range(100_000))))), "^$", code=0, prints="far-0000"),
    Attack("reports an own job that HDFS does not have", asked_of(reports(user="ann")), "127.0.0.1:1: .*[Cc]onnection refused"),
    Attack("reports a tracking page with escapes", asked_of(reports(more=data(9, ESCAPES) + data(15, ESCAPES))), "^$", code=0, prints=SEEN),
    Attack("reports a master at an address with escapes",
           asked_of(reports(tags=("ydl", "far-1a2b", FINGERPRINT), more=data(5, ESCAPES) + number(6, 80) + data(7, TOKEN))), "^$", code=0, prints="owned"),
    Attack("reports a master at a port that does not exist",
           asked_of(reports(tags=("ydl", "far-1a2b", FINGERPRINT), more=data(5, "127.0.0.1") + number(6, 70_000) + data(7, TOKEN))), "^$", code=0, prints=SEEN),
    Attack("reports times at the end of the world",
           asked_of(reports(state=FAILED, more=number(11, (1 << 63) - 1) + number(12, 1 << 63))), "^$", code=0, prints=SEEN),
    Attack("reports diagnostics of 50 MB", asked_of(reports(state=FAILED, more=data(10, "lies " * 10 * MIB))), "^$", code=0, prints="lies"),
    Attack("reports diagnostics of 12 million lines", asked_of(reports(state=FAILED, more=data(10, "x\n" * 12 * MIB))), "^$", code=0, prints="x"),
    Attack("reports diagnostics with escapes", asked_of(reports(state=FAILED, more=data(10, ESCAPES))), "^$", code=0, prints="owned"),
    Attack("forgets the application after its report",
           asked_of({"getApplicationReport": changing(data(1, report(user="ann")), Failure(NOT_FOUND, "gone"))}), "gone|no job"),
    Attack("confirms a kill and reports that the job runs for ever",
           asked_of(reports() | {"forceKillApplication": number(1, 1)}, "kill", APPLICATION), "has confirmed that application_1700000000000_0001 is killed, and still reports it as running"),
    Attack("confirms a kill and forgets the job",
           asked_of({"getApplicationReport": changing(data(1, report()), Failure(NOT_FOUND, "gone")), "forceKillApplication": number(1, 1)},
                    "kill", APPLICATION), "gone"),
    Attack("lists applications with escapes",
           asked_of({"getApplications": data(1, report(user="ann", tags=("ydl", "far-1a2b"), state=FAILED, more=data(10, ESCAPES) + data(4, ESCAPES)))}, "ls"),
           "^$", code=0, prints="owned"),
    Attack("lists applications whose ids lead elsewhere",
           asked_of({"getApplications": data(1, report(user="ann", tags=("ydl", "../x-1a2b"))) * 3}, "ls"), "^$", code=0, prints="no jobs"),
    Attack("lists 100,000 applications", asked_of({"getApplications": data(1, report(user="ann")) * 100_000}, "ls"), "^$", code=0, prints="far-1a2b"),
    Attack("lists 2 million applications of nothing", asked_of({"getApplications": data(1, b"") * 2_000_000}, "ls"), "more elements than ydl accepts",
           prints="no jobs"),
    Attack("lists queues in queues, 20,000 deep", asked_of({"getNewApplication": data(1, application()), "getQueueInfo": data(1, deep_queues())},
                                                           "run", "--", "true"), "getQueueInfo cannot be decoded"),
    Attack("gives an application without an id", asked_of({"getNewApplication": b""}, "run", "--", "true"),
           "not the id of a new application"),
    Attack("gives an application that is not a number",
           asked_of({"getNewApplication": data(1, data(1, "../x") + data(2, ESCAPES))}, "run", "--", "true"), "not the id of a new application"),
    Attack("refuses a submission with 10 MB of text", asked_of({"getNewApplication": Failure("java.io.IOException", "lies " * 2_000_000)}, "run", "--", "true"),
           "requesting an application id from the ResourceManager: IOException: lies"),
    Attack("has queues, labels and nodes with escapes",
           asked_of({"getClusterMetrics": METRICS, "getNewApplication": data(1, application()) + data(2, number(1, 1) + number(2, 1)),
                     "getQueueInfo": data(1, data(1, ESCAPES)), "getClusterNodeLabels": data(2, data(1, ESCAPES))}, "doctor"), "^$", prints="owned"),
    Attack("answers each question with 60 MB", asked_of({"*": b"\xfa\x07" + varint(60 * MIB) + b"x" * 60 * MIB}), NO_JOB),
]  # fmt: skip


@pytest.mark.parametrize("attack", **by_name(ATTACKS))
def test_a_resource_manager_that_lies_is_not_trusted(attacks, attack):
    attacks.check(attack)
