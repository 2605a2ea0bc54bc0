"""What one run of `make chaos` does to a cluster: drawn from a seed, and from nothing else.

The same seed always gives the same schedule. The moments at which processes really stop differ a little from run to run.
"""

import random
from dataclasses import dataclass

PROCESSES = ("task", "reaper", "agent", "master")
DAEMONS = ("nodemanager", "resourcemanager", "namenode", "datanode")
TRAININGS = ("mxnet-sync", "mxnet-sync", "mxnet-async", "pytorch", "pytorch", "tensorflow-ps", "tensorflow-mirrored", "mistake")

# {(action, target): how often it is drawn}. What happens to a host happens to all of its processes.
WEIGHTS = {
    ("kill", "task"): 3, ("kill", "reaper"): 2, ("kill", "agent"): 3, ("kill", "master"): 4,
    ("kill", "nodemanager"): 2, ("kill", "resourcemanager"): 2, ("kill", "namenode"): 2, ("kill", "datanode"): 2,
    ("kill", "host"): 3, ("kill", "masters"): 1,
    ("stop", "task"): 1, ("stop", "reaper"): 1, ("stop", "agent"): 2, ("stop", "master"): 2,
    ("stop", "nodemanager"): 1, ("stop", "resourcemanager"): 1, ("stop", "namenode"): 2, ("stop", "datanode"): 1, ("stop", "host"): 2,
    ("cut", "hosts"): 3, ("cut", "masters"): 3, ("cut", "host"): 2,
    ("fill", "hdfs"): 2, ("fill", "disk"): 1, ("preempt", "queue"): 2,
}  # fmt: skip

WORKER = "worker"  # on a host without the job's master, if there is one
LATEST = 18  # seconds after the start of the training at which a fault may begin
SHORT = (3, 25)  # seconds that a fault lasts, as a rule
LONG = (65, 90)  # longer than an agent may be silent
# A host that is cut off is replaced after two minutes, and its tasks must have ended before. One that is stopped cannot end them.
LONG_CUT = (130, 150)
SHARE_OF_LONG = 0.15


@dataclass(frozen=True)
class Fault:
    action: str
    target: str
    since: str  # what `after` counts from: "running", when all tasks have started, or "submitted"
    after: float
    seconds: float  # how long it lasts; 0 where nothing is mended, as of a process that was killed
    pick: int | str  # which of those that could be hit, or the host of a WORKER
    way: str = ""  # of a cut: "both", "out" or "in", as seen from the host that is hit
    silent: bool = True  # of a cut: packets disappear; otherwise the sender gets an error too

    @property
    def kind(self):
        return f"{self.action} {self.target}"

    def __str__(self):
        how = f", {self.way}{'' if self.silent else ', with errors'}" if self.action == "cut" else ""
        lasts = f" for {self.seconds:.0f} s" if self.seconds else ""
        return f"{self.kind}{how}{lasts}, {self.after:.0f} s after it is {self.since} (pick {self.pick})"


@dataclass(frozen=True)
class Schedule:
    seed: int
    training: str
    faults: tuple
    node_recovery: bool = False  # whether NodeManagers keep their containers when they start again

    def has(self, action):
        return any(fault.action == action for fault in self.faults)

    def __str__(self):
        recovery = ", NodeManagers with recovery" if self.node_recovery else ""
        return f"seed {self.seed}: {self.training}{recovery}" + "".join(f"\n  {fault}" for fault in self.faults)


def draw(seed):
    chance = random.Random(seed)
    faults = sorted((_fault(chance) for _ in range(chance.choice((1, 1, 2, 2, 3)))), key=lambda fault: (fault.since == "running", fault.after))
    # Ten seeds in a row share a cluster.
    return Schedule(seed, chance.choice(TRAININGS), tuple(faults), node_recovery=seed // 10 % 3 == 2)


def _fault(chance):
    action, target = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    # A master whose files YARN cannot copy is given up by YARN within a second, as often as it may start again.
    is_early = chance.random() < 0.15 and target not in ("namenode", "masters")
    since = "submitted" if is_early else "running"
    after = chance.uniform(0, 8 if since == "submitted" else LATEST)
    ends_by_itself = action == "preempt" or (action == "kill" and target in PROCESSES)
    long = LONG_CUT if action == "cut" else LONG
    drawn = chance.uniform(*(long if chance.random() < SHARE_OF_LONG else SHORT))
    seconds = 0 if ends_by_itself else drawn
    pick = chance.randrange(12)
    way, silent = chance.choice(("both", "both", "out", "in")), chance.random() < 0.7
    return Fault(action, target, since, round(after, 1), round(seconds, 1), pick, way if action == "cut" else "", silent)
