"""Every way in which a cluster may protect what is said to it, on each release of Hadoop that is supported.

The daemons of one secure cluster offer all protections at once and clients ask for one of them: three levels cost one cluster.
"""

from dataclasses import dataclass, field

RELEASES = ("3.4.1", "3.3.6")
LEVELS = ("authentication", "integrity", "privacy")
SUITES = "dfs.encrypt.data.transfer.cipher.suites"
AES = "AES/CTR/NoPadding"

CLIENT = {
    # Three hosts and files of two replicas: a DataNode that is lost in the middle of a write can be replaced.
    "dfs.replication": 2,
    "dfs.client.block.write.replace-datanode-on-failure.policy": "ALWAYS",
    "dfs.client.socket-timeout": 8000,
    # A NameNode that is started again on a busy machine takes its time.
    "ipc.client.connect.max.retries": 60,
    # Hadoop's client sleeps for 400 ms where the NameNode has not heard of a block yet, which is at the end of almost every file.
    "dfs.client.block.write.locateFollowingBlock.initial.delay.ms": 5,
    "dfs.client.block.write.locateFollowingBlock.retries": 12,
}


@dataclass(frozen=True)
class Setting:
    """`options` are those of `testing/cluster up`, `client` what its clients have set."""

    name: str
    options: tuple
    client: dict = field(default_factory=dict, hash=False)
    secure: bool = False


def plain(release):
    return ("--nodes", "3") if release == RELEASES[0] else ("--nodes", "3", "--version", release)


def secure(release):
    return (*plain(release), "--secure", "--protection", ",".join(LEVELS), "--set", f"{SUITES}={AES}")


def encrypted(release, algorithm):
    return (*plain(release), "--encrypt", algorithm)


def _settings(release):
    yield Setting("plain", plain(release))
    for level in LEVELS:
        yield Setting(level, secure(release), {"hadoop.rpc.protection": level, "dfs.data.transfer.protection": level, SUITES: ""}, secure=True)
    yield Setting("privacy-aes", secure(release), {"hadoop.rpc.protection": "privacy", "dfs.data.transfer.protection": "privacy"}, secure=True)
    yield Setting("aes", encrypted(release, "aes"))
    yield Setting("3des", encrypted(release, "aes"), {SUITES: ""})
    yield Setting("rc4", encrypted(release, "rc4"))


SETTINGS = [Setting(f"{each.name}-{release}", each.options, {**CLIENT, **each.client}, each.secure) for release in RELEASES for each in _settings(release)]
SECURE = [setting for setting in SETTINGS if setting.secure and setting.client.get(SUITES) == ""]
# What is encrypted differs from the release above only in the daemons: `make test-kinds` looks at it.
RARE = [setting for setting in SETTINGS if setting.name in ("aes-3.3.6", "3des-3.3.6", "rc4-3.3.6")]
PLAIN = [setting for setting in SETTINGS if setting.name.startswith("plain-")]
