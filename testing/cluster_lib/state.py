"""The description of a cluster, and the file that keeps it for the next run of this program."""

import getpass
import json
import os
import shutil
import stat
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .errors import ClusterError
from .ports import LOWEST
from .processes import PidFile, start_time

KEPT_SECONDS = 24 * 3600  # the logs of a cluster that did not come up


@dataclass
class Options:
    """What `up` was asked for."""

    version: str = "3.4.1"
    nodes: int = 3
    ha: bool = False
    second_namenode: bool = False
    router: bool = False
    secure: bool = False
    protection: str = "authentication"
    data_protection: str = ""
    encrypt: str = ""
    yarn: bool = False
    acl: bool = False
    users: bool = False
    namespaces: str = ""  # the first three numbers of their addresses
    https_policy: str = "NONE"
    labels: dict = field(default_factory=dict)
    queues: dict = field(default_factory=dict)
    optimize: bool = False
    settings: dict = field(default_factory=dict)


class Cluster:
    """A folder, what was asked for, and the ports that were found for it.

    The daemons of the masters have the address 127.0.0.1; host N, with a DataNode, has 127.0.0.(N+1): a client, which connects from
    127.0.0.1, is on none of them. In namespaces (network.py) the client has an address of its own too.
    """

    def __init__(self, folder, options, ports=None, leash=None, port_holder=None):
        self.folder = folder
        self.options = options
        self.leash = leash
        self._ports = ports or {}
        self._port_holder = port_holder

    def address(self, host):
        """Of a host, and with 0 of the masters."""
        return f"{self.options.namespaces}.{host + 2}" if self.options.namespaces else f"127.0.0.{host + 1}"

    @property
    def masters(self):
        """The name that clients know the masters by."""
        return self.address(0) if self.options.namespaces else "localhost"

    @property
    def conf(self):
        """The configuration of clients."""
        return self.folder / "conf"

    def port(self, name, address=None):
        """The port of that name; a new cluster finds one, later runs know it."""
        if name not in self._ports:
            if self._port_holder is None:
                raise ClusterError(f"{self.folder}/cluster.json has no port '{name}': it was written by another version of testing/cluster.")
            # In a namespace all ports are free.
            self._ports[name] = LOWEST + len(self._ports) if self.options.namespaces else self._port_holder.choose(address or self.address(0))
        return self._ports[name]

    def jvm_options(self):
        """Names come from the cluster's own file alone, so that a slow or lying DNS does not matter."""
        options = [f"-Djdk.net.hosts.file={self.folder / 'hosts'}"]
        if self.options.secure:
            options.append(f"-Djava.security.krb5.conf={self.krb5_conf}")
        return options

    @property
    def krb5_conf(self):
        return self.folder / "kdc/krb5.conf"

    def keytab(self, name):
        """Of a user of the secure cluster, or of all its services."""
        return self.folder / "kdc" / f"{name}.keytab"

    def variables(self):
        """What a program needs in its environment to use the cluster."""
        variables = {"YDL_CLUSTER_DIR": self.folder, "HADOOP_CONF_DIR": self.conf}
        if self.options.secure:
            variables.update({"KRB5_CONFIG": self.krb5_conf, "KRB5CCNAME": self.folder / "kdc/ticket-cache",
                              "YDL_CLUSTER_KEYTAB": self.keytab(getpass.getuser())})
        return {name: str(value) for name, value in variables.items()}

    @property
    def passwd(self):
        """The accounts that containers see where they run as their users."""
        return self.folder / "passwd"

    def save(self):
        text = json.dumps({"options": asdict(self.options), "ports": self._ports, "leash": self.leash}, indent=2)
        (self.folder / "cluster.json").write_text(text + "\n")


def load(folder):
    try:
        saved = json.loads((folder / "cluster.json").read_text())
        return Cluster(folder, Options(**saved["options"]), saved["ports"], saved["leash"])
    except FileNotFoundError:
        raise ClusterError(f"there is no cluster in {folder}; `testing/cluster up` starts one.") from None
    except (ValueError, KeyError, TypeError) as error:
        raise ClusterError(f"{folder}/cluster.json cannot be read ({error}); remove the folder once its processes have ended.") from None


def default_parent():
    """Where clusters live that were given no folder. Not XDG_RUNTIME_DIR: that is memory, and blocks are large."""
    return _own_folder(f"ydl-clusters-{os.getuid()}", 0o700)


def _shared_parent():
    """The same for clusters whose containers run as their users, who must be able to reach their files."""
    return _own_folder(f"ydl-clusters-{os.getuid()}-users", 0o711)


def _own_folder(name, mode):
    parent = Path(tempfile.gettempdir()) / name
    parent.mkdir(mode=mode, exist_ok=True)
    owner = parent.stat()
    if owner.st_uid != os.getuid() or stat.S_IMODE(owner.st_mode) & 0o777 & ~mode:
        raise ClusterError(f"{parent} belongs to another user or is open to others; remove it, or name another folder with --dir.")
    return parent


def new_folder(options):
    _remove_orphans()
    return Path(tempfile.mkdtemp(dir=_shared_parent() if options.users else default_parent(), prefix="cluster-"))


def _known_files():
    return sorted(file for parent in (default_parent(), _shared_parent()) for file in parent.glob("cluster-*/cluster.json"))


def _remove_orphans():
    """Removes the files of clusters whose controlling process was killed (their daemons have ended by themselves) or that never started."""
    for file in _known_files():
        try:
            leash = json.loads(file.read_text())["leash"]
            is_old = time.time() - file.stat().st_mtime > KEPT_SECONDS
        except (OSError, ValueError, KeyError):
            continue
        if not _is_running(file.parent) and (is_old or leash and start_time(leash) is None):
            shutil.rmtree(file.parent, ignore_errors=True)


def _is_running(folder):
    return any(PidFile(file).pid() for file in folder.glob("*/pid"))


def find(folder):
    """The cluster of a command: the one named, or the only one there is."""
    if folder:
        return load(Path(folder).absolute())
    known = [file.parent for file in _known_files()]
    known = [path for path in known if _is_running(path)] or known
    if not known:
        raise ClusterError(f"no cluster is up in {default_parent()}; start one with `testing/cluster up`, or name its folder with --dir.")
    if len(known) > 1:
        raise ClusterError("there are several clusters; name one of them with --dir: " + ", ".join(str(path) for path in known) + ".")
    return load(known[0])
