"""What a cluster is configured with beyond the ordinary when it is secure or encrypts its blocks."""

import getpass

from .kdc import REALM, SERVICES

# Names that Hadoop gives the ciphers of `--encrypt`.
ALGORITHMS = {"3des": "3des", "rc4": "rc4", "aes": "3des"}  # AES is negotiated on top of one of the others


def client_sites(cluster):
    options = cluster.options
    sites = {"core": {}, "hdfs": {}, "yarn": {}}
    if options.secure:
        sites["core"].update(_core(options))
        sites["hdfs"].update(_hdfs(options))
        sites["yarn"].update({f"yarn.{daemon}.principal": principal for daemon, principal in
                              (("resourcemanager", f"rm/{_host(options)}@{REALM}"), ("nodemanager", f"nm/localhost@{REALM}"))})
    if options.encrypt:
        sites["hdfs"].update(_encryption(options))
    return sites


def daemon_sites(cluster):
    """What only daemons may read."""
    if not cluster.options.secure:
        return {}
    keytab = cluster.keytab("services")
    return {
        "hdfs": {
            "dfs.namenode.keytab.file": keytab,
            "dfs.datanode.keytab.file": keytab,
            "dfs.web.authentication.kerberos.keytab": keytab,
            # DataNodes without privileged ports and without HTTPS.
            "ignore.secure.ports.for.testing": "true",
        },
        "yarn": {"yarn.resourcemanager.keytab": keytab, "yarn.nodemanager.keytab": keytab},
    }


def _core(options):
    # Hadoop's own syntax of rules: no parenthesis within the pair.
    services = "|".join(f"{service}@{REALM}" for service in SERVICES)
    return {
        "hadoop.security.authentication": "kerberos",
        "hadoop.security.authorization": "true",
        "hadoop.rpc.protection": options.protection,
        "hadoop.security.auth_to_local": f"RULE:[2:$1@$0]({services})s/.*/{getpass.getuser()}/ DEFAULT",
    }


def _host(options):
    """The masters' in their principals: an address that exists only in namespaces has no name."""
    return "localhost" if options.namespaces else "_HOST"


def _hdfs(options):
    return {
        "dfs.namenode.kerberos.principal": f"nn/{_host(options)}@{REALM}",
        "dfs.datanode.kerberos.principal": f"dn/_HOST@{REALM}",
        "dfs.web.authentication.kerberos.principal": f"HTTP/localhost@{REALM}",
        "dfs.block.access.token.enable": "true",
        "dfs.data.transfer.protection": options.data_protection or options.protection,
    }


def _encryption(options):
    settings = {
        "dfs.block.access.token.enable": "true",
        "dfs.encrypt.data.transfer": "true",
        "dfs.encrypt.data.transfer.algorithm": ALGORITHMS[options.encrypt],
    }
    if options.encrypt == "aes":
        settings["dfs.encrypt.data.transfer.cipher.suites"] = "AES/CTR/NoPadding"
    return settings
