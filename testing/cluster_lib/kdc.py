"""A KDC of the cluster's own: its realm, its principals, their keytabs, and a ticket for the user who runs the tests."""

import getpass
import os
import shutil
import subprocess
from dataclasses import dataclass

from . import processes
from .daemon import Daemon
from .errors import ClusterError

REALM = "YDL.TEST"
SERVICES = ("nn", "dn", "rm", "nm", "HTTP")
USERS = ("alice", "bob", "carol")  # ordinary users; the user who runs the daemons is HDFS's superuser
SBIN = "/usr/sbin:/sbin"  # not on an ordinary user's PATH, and that is where Debian has the KDC

KRB5_CONF = """\
[libdefaults]
    default_realm = {realm}
    dns_lookup_kdc = false
    dns_lookup_realm = false
    dns_canonicalize_hostname = false
    rdns = false
    forwardable = true
[realms]
    {realm} = {{
        kdc = {address}:{port}
    }}
[domain_realm]
    localhost = {realm}
"""

KDC_CONF = """\
[kdcdefaults]
    kdc_listen = {address}:{port}
    kdc_tcp_listen = {address}:{port}
[realms]
    {realm} = {{
        database_name = {folder}/principal
        key_stash_file = {folder}/stash
        acl_file = {folder}/acl
        max_life = 1d
        max_renewable_life = 7d
        supported_enctypes = aes256-cts-hmac-sha1-96:normal aes128-cts-hmac-sha1-96:normal
    }}
"""


@dataclass
class Kdc(Daemon):
    def configure(self, _common):
        self.folder.mkdir()
        port = self.cluster.port("kdc")
        self.cluster.krb5_conf.write_text(KRB5_CONF.format(realm=REALM, address=self.cluster.address(0), port=port))
        (self.folder / "kdc.conf").write_text(KDC_CONF.format(realm=REALM, address=self.cluster.address(0), port=port, folder=self.folder))
        self._tool(["kdb5_util", "-r", REALM, "create", "-s", "-P", "not-a-secret"])
        self._add_principals()

    def start(self):
        dies_with_parent = self.cluster.leash is not None
        self.spawn(["krb5kdc", "-n"], self.environment(), dies_with_parent)

    def environment(self):
        return {**os.environ, "PATH": f"{os.environ['PATH']}:{SBIN}", "KRB5_CONFIG": str(self.cluster.krb5_conf),
                "KRB5_KDC_PROFILE": str(self.folder / "kdc.conf"), "KRB5_TRACE": ""}

    def log_in(self):
        """A ticket for the user who runs this, as kinit would leave it."""
        user = getpass.getuser()
        self._tool(["kinit", "-c", self.cluster.variables()["KRB5CCNAME"], "-k", "-t", self.cluster.keytab(user), user])

    def _add_principals(self):
        lines = []
        # DataNodes connect from the addresses of their hosts, all others from localhost.
        hosts = {"dn": [self.cluster.address(host) for host in range(1, self.cluster.options.nodes + 1)]}
        for principal in (f"{service}/{host}" for service in SERVICES for host in hosts.get(service, ["localhost"])):
            lines += [f"addprinc -randkey {principal}", f"ktadd -k {self.cluster.keytab('services')} {principal}"]
        for user in {getpass.getuser(), *USERS}:
            lines += [f"addprinc -randkey {user}", f"ktadd -k {self.cluster.keytab(user)} {user}"]
        self._tool(["kadmin.local", "-r", REALM], "\n".join(lines) + "\n")

    def _tool(self, command, text=""):
        if shutil.which(command[0], path=self.environment()["PATH"]) is None:
            raise ClusterError(f"the program {command[0]} is missing; `tools/setup/apt.sh kdc` installs it.")
        done = subprocess.run([str(word) for word in command], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.environment())
        # kadmin.local exits with 0 whatever happens to the commands it reads.
        if done.returncode != 0 or (command[0] == "kadmin.local" and " while " in done.stdout):
            raise ClusterError(f"{command[0]} failed:\n{done.stdout}")


def is_listening(cluster):
    return processes.accepts_connections(cluster.address(0), cluster.port("kdc"))
