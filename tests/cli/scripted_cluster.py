"""A cluster that a job can be submitted to, on ports of this machine: HDFS and a ResourceManager, both honest, and NodeManagers of the test's choice.

A master beside the client (`--am unmanaged`) needs no more. HDFS keeps names and lengths and no content.
"""

import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from harness import name_of, processes_that_mention
from hostile_servers import WRITE_ACCEPTED, Server, ack, located_block, packets_of, read_operation, rpc, server_defaults
from scripted_namenode import data, every, fields, number, read_varint, status, varint

USER = "ann"
CLUSTER_TIMESTAMP = 1_700_000_000_000
RUNNING = 5
NODE_RUNNING = 2
ANYWHERE = b"*"
RELEASED = (1 << 64) - 100  # -100, "released by the application"


def application(number_=1):
    return number(1, number_) + number(2, CLUSTER_TIMESTAMP)


def container(number_, application_=1):
    """A ContainerIdProto."""
    return data(2, data(1, application(application_)) + number(2, 1)) + number(3, number_)


def container_name(number_):
    return f"container_{CLUSTER_TIMESTAMP}_0001_01_{number_:06}"


def token(kind, identifier):
    return data(1, identifier) + data(2, "password") + data(3, kind) + data(4, "")


def resource(memory, cores):
    return number(1, memory) + number(2, cores)


class Hdfs:
    """Takes whatever is written. The program that a job uploads is already there, as after an earlier job."""

    def __init__(self, binary, server):
        self._program = binary.stat().st_size
        self._lengths = {}
        self._folders = {f"/user/{USER}"}
        self._data_port = server(self._store)
        methods = {name: getattr(self, f"_{name}") for name in ("getFileInfo", "mkdirs", "create", "complete", "rename2", "delete")}
        a_block = data(1, located_block(self._data_port, 0))
        fixed = {"getServerDefaults": server_defaults(), "addBlock": a_block, "updateBlockForPipeline": a_block, "getListing": b"",
                 **dict.fromkeys(("setPermission", "abandonBlock", "updatePipeline", "renewLease", "fsync"), b"")}  # fmt: skip
        self.port = server(rpc(fixed | methods))

    def _store(self, connection):
        with connection.makefile("rb") as stream:
            read_operation(stream)
            connection.sendall(WRITE_ACCEPTED)
            for seqno, _ in packets_of(stream):
                connection.sendall(ack(seqno, 0))

    def _getFileInfo(self, request):
        path = fields(request)[1].decode()
        if path in self._folders:
            return data(1, status("", directory=True))
        length = self._program if "/cache/" in path and path.endswith("/ydl") else self._lengths.get(path)
        return b"" if length is None else data(1, status("", length=length))

    def _mkdirs(self, request):
        self._folders.add(fields(request)[1].decode())
        return number(1, 1)

    def _create(self, request):
        self._lengths[fields(request)[1].decode()] = 0
        return data(1, status("", length=0))

    def _complete(self, request):
        asked = fields(request)
        self._lengths[asked[1].decode()] = fields(asked[3]).get(4, 0) if 3 in asked else 0
        return number(1, 1)

    def _rename2(self, request):
        asked = fields(request)
        self._lengths[asked[2].decode()] = self._lengths.pop(asked[1].decode(), 0)
        return b""

    def _delete(self, request):
        return number(1, self._lengths.pop(fields(request)[1].decode(), None) is not None)


@dataclass
class Node:
    """A NodeManager, and the containers that the ResourceManager granted there, by number."""

    host: str
    server: Server | None = None
    containers: list = field(default_factory=list)

    def id(self):
        return data(1, self.host) + number(2, self.server.port)


class ResourceManager:
    """Grants containers as soon as they are asked for, in turn on all nodes, and looks at the master when it takes leave."""

    def __init__(self, nodes, scratch, server):
        self._nodes = nodes
        self._scratch = scratch
        self._lock = threading.Lock()
        self._wanted = {}  # (count, priority, size) by allocation id
        self._completed = []
        self._avoided = set()
        self._granted = 1
        self.heartbeats = 0
        self.memory = None  # the most that the master had, in bytes
        self.final = None  # its last words, as bytes
        names = ("allocate", "finishApplicationMaster")
        self.port = server(rpc(self._fixed_answers() | {name: getattr(self, f"_{name}") for name in names}))

    def _fixed_answers(self):
        most = data(2, resource(1 << 20, 1024))
        queue = data(1, "root") + number(5, 2) + data(6, data(1, "default") + number(5, 2) + data(15, "root.default")) + data(15, "root")
        nodes = b"".join(
            data(1, data(1, node.id()) + data(3, "/r") + data(5, resource(1 << 20, 1024)) + number(7, NODE_RUNNING)) for node in self._nodes
        )
        report = data(1, application()) + data(2, USER) + number(8, RUNNING) + data(19, token("YARN_AM_RM_TOKEN", "am")) + number(22, 1)
        return {
            "getNewApplication": data(1, application()) + most,
            "getQueueInfo": data(1, queue),
            "getClusterNodes": nodes,
            "getClusterNodeLabels": b"",
            "getResourceTypeInfo": b"",
            "submitApplication": b"",
            "getApplicationReport": data(1, report),
            "forceKillApplication": number(1, 1),
            "registerApplicationMaster": data(5, "default"),
        }

    def _allocate(self, request):
        with self._lock:
            for ask in map(fields, every(request, 1)):
                if ask[2] == ANYWHERE:
                    self._wanted[ask[8]] = (ask.get(4, 0), ask[1], ask[3])
            self._completed += every(request, 2)
            for change in every(request, 3):
                self._avoided = self._avoided.union(every(change, 1)).difference(every(change, 2))
            granted = b"".join(self._grant(*one) for one in self._taken())
            tokens = b"".join(data(9, data(1, node.id()) + data(2, token("NMToken", node.host))) for node in self._nodes) if granted else b""
            ended = b"".join(data(4, data(1, one) + number(2, 3) + number(4, RELEASED)) for one in self._completed)
            self._completed = []
            self.heartbeats += 1
            return number(2, self.heartbeats) + granted + ended + tokens

    def _taken(self):
        if not self._usable():
            return []
        taken = [(key, priority, size) for key, (count, priority, size) in self._wanted.items() for _ in range(count)]
        self._wanted = {}
        return taken

    def _usable(self):
        return [node for node in self._nodes if node.host.encode() not in self._avoided]

    def _grant(self, key, priority, size):
        nodes = self._usable()
        node = nodes[self._granted % len(nodes)]
        self._granted += 1
        node.containers.append(self._granted)
        its_token = token("ContainerToken", varint(self._granted))
        return data(3, data(1, container(self._granted)) + data(2, node.id()) + data(3, "127.0.0.1:9") + data(4, size) + data(5, priority)
                    + data(6, its_token) + number(8, key))  # fmt: skip

    def _finishApplicationMaster(self, request):
        masters = [pid for pid in processes_that_mention(self._scratch) if name_of(pid) == "ydl-master"]
        self.memory = max((peak_memory(pid) for pid in masters), default=None)
        self.final = fields(request).get(1, b"")
        return number(1, 1)


def peak_memory(pid):
    """The most memory that a process has had, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def asked_containers(request):
    """The numbers of the containers that a startContainers asks for."""
    return [read_varint(fields(fields(one)[2])[1], 0)[0] for one in every(request, 1)]


class ScriptedCluster:
    """`node_managers` are functions that get the cluster and return what serves a connection, by host."""

    def __init__(self, binary, scratch, node_managers):
        self._servers = ExitStack()
        self.nodes = [Node(host) for host in node_managers]
        for node, make in zip(self.nodes, node_managers.values(), strict=True):
            node.server = self._servers.enter_context(Server(make(self), node.host))
        self.hdfs = Hdfs(binary, self._server)
        self.resource_manager = ResourceManager(self.nodes, scratch, self._server)

    def _server(self, serve):
        return self._servers.enter_context(Server(serve)).port

    def settings(self):
        address = f"127.0.0.1:{self.resource_manager.port}"
        keys = ("yarn.resourcemanager.address", "yarn.resourcemanager.scheduler.address")
        return {"fs.defaultFS": f"hdfs://127.0.0.1:{self.hdfs.port}", **dict.fromkeys(keys, address)}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._servers.close()
