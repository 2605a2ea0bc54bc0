"""The command line."""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

from . import hdfs, jvm, lifecycle, network, state, users, yarn
from .errors import ClusterError
from .ports import PortHolder

DESCRIPTION = "A real Hadoop cluster of several hosts on this machine, for tests and benchmarks."
EPILOG = """\
Start one, use it, end it:
  testing/cluster up --nodes 3
  eval "$(testing/cluster env)"
  testing/cluster java org.apache.hadoop.fs.FsShell -ls /
  testing/cluster down
Each command takes --dir FOLDER, the cluster's; default: YDL_CLUSTER_DIR, or the only cluster there is."""
PROTECTIONS = ("authentication", "integrity", "privacy")
HTTPS_POLICIES = ("NONE", "LENIENT", "STRICT")


def main():
    arguments = _parser().parse_args()
    try:
        return arguments.run(arguments) or 0
    except ClusterError as error:
        print(f"testing/cluster: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def up(arguments):
    started = time.monotonic()
    options = _options(arguments)
    ports = PortHolder()
    cluster = state.Cluster(_folder_for(arguments.dir, options), options, leash=os.getpid() if arguments.foreground else None, port_holder=ports)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        lifecycle.prepare(cluster)
        lifecycle.start(cluster)
    except BaseException:
        lifecycle.end(cluster)  # the logs stay: the error names one
        raise
    ports.release()
    print(f"Ready after {time.monotonic() - started:.1f} s: Hadoop {options.version}, {options.nodes} hosts, {cluster.folder}", flush=True)
    if arguments.foreground:
        try:
            sys.stdin.read()
        finally:
            lifecycle.remove(cluster)


def _options(arguments):
    if not 1 <= arguments.nodes <= 50:
        raise ClusterError(f"--nodes {arguments.nodes}: a cluster has 1 to 50 hosts.")
    if (arguments.protection or arguments.data_protection) and not arguments.secure:
        raise ClusterError("--protection and --data-protection are about Kerberos and need --secure (--encrypt does not).")
    if arguments.router and arguments.ha:
        raise ClusterError("--router knows one NameNode; leave out --ha.")
    if arguments.router and arguments.version.startswith("3.3."):
        raise ClusterError("--router needs Hadoop 3.4.")
    if arguments.label and not arguments.yarn:
        raise ClusterError("--label is about NodeManagers and needs --yarn.")
    if arguments.acl and not arguments.yarn:
        raise ClusterError("--acl is about the ResourceManager and needs --yarn.")
    if arguments.users:
        users.check(arguments)
    if arguments.https_policy and not arguments.yarn:
        raise ClusterError("--https-policy is about the ResourceManager's proxy and needs --yarn.")
    for name, hosts in arguments.label:
        if unknown := [host for host in hosts if not 1 <= host <= arguments.nodes]:
            raise ClusterError(f"--label {name}: there is no host {unknown[0]}; the hosts are 1 to {arguments.nodes}.")
    return state.Options(version=arguments.version, nodes=arguments.nodes, ha=arguments.ha, second_namenode=arguments.second_namenode,
                         router=arguments.router, secure=arguments.secure, protection=arguments.protection or "authentication", data_protection=arguments.data_protection or "",
                         encrypt=arguments.encrypt or "", yarn=arguments.yarn, acl=arguments.acl, users=arguments.users,
                         namespaces=network.choose_subnet() if arguments.namespaces else "", https_policy=arguments.https_policy or "NONE",
                         labels=dict(arguments.label), queues=dict(arguments.queue), optimize=arguments.optimize, settings=dict(arguments.set))


def _folder_for(name, options):
    if not name:
        return state.new_folder(options)
    folder = Path(name).absolute()
    if folder.exists() and any(folder.iterdir()):
        raise ClusterError(f"{folder} is not empty; end a cluster that is there with `testing/cluster down --dir {name}`, or name another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def down(arguments):
    lifecycle.remove(state.find(arguments.dir))


def status(arguments):
    cluster = state.find(arguments.dir)
    print(f"{cluster.folder}, Hadoop {cluster.options.version}")
    for daemon in lifecycle.daemons(cluster):
        process = f"pid {daemon.pid()}" if daemon.pid() else "not running"
        role = _role(cluster, daemon) if daemon.pid() else ""
        print(f"  {daemon.name:18} {cluster.address(daemon.host):12} {process:14} {role}".rstrip())


def _role(cluster, daemon):
    """Whether a master is the active one."""
    state_of = {"namenode": hdfs.namenode_state, "resourcemanager": yarn.manager_state}.get(daemon.name.rstrip("0123456789"))
    return (state_of and state_of(cluster, daemon.name)) or ""


def env(arguments):
    for name, value in state.find(arguments.dir).variables().items():
        print(f"export {name}='{value}'")


def java(arguments):
    cluster = state.find(arguments.dir)
    command = jvm.command([*jvm.CLIENT, *cluster.jvm_options()], arguments.main, arguments.words)
    variables = cluster.variables()
    # A user who has exported them may have changed one since, for a ticket of another user.
    exported = os.environ if os.environ.get("YDL_CLUSTER_DIR") == variables["YDL_CLUSTER_DIR"] else {}
    environment = {**os.environ, **variables, **exported, **jvm.environment(cluster.options.version, [cluster.conf])}
    os.execvpe(command[0], command, environment)  # signals reach the program, and its exit code is ours


def on_hosts(action):
    def run(arguments):
        cluster = state.find(arguments.dir)
        for host in arguments.hosts:
            action(cluster, host)
    return run


def on_daemons(action):
    def run(arguments):
        cluster = state.find(arguments.dir)
        for name in arguments.daemons:
            action(cluster, name)
    return run


def failover(arguments):
    cluster = state.find(arguments.dir)
    if not cluster.options.ha or (arguments.masters == "resourcemanager" and not cluster.options.yarn):
        raise ClusterError(f"this cluster has no second {arguments.masters}; start it with `up --ha`, and --yarn for ResourceManagers.")
    print(f"{(yarn if arguments.masters == 'resourcemanager' else hdfs).fail_over(cluster)} is active")


def _pair(text):
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return key, value


def _protections(text):
    if unknown := [word for word in text.split(",") if word not in PROTECTIONS]:
        raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join(PROTECTIONS)}")
    return text


def _label(text):
    name, hosts = _pair(text)
    try:
        return name, [int(host) for host in hosts.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{hosts}' are not numbers of hosts, such as 1,3") from None


def _queue(text):
    name, share = _pair(text)
    if not share.isdigit() or not 0 < int(share) < 100:
        raise argparse.ArgumentTypeError(f"'{share}' is not a percentage from 1 to 99")
    return name, int(share)


def _parser():
    def wide(prog):
        return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=120)

    parser = argparse.ArgumentParser(prog="testing/cluster", description=DESCRIPTION, epilog=EPILOG, formatter_class=wide)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name, run, text):
        sub = commands.add_parser(name, formatter_class=wide, help=text, description=text[0].upper() + text[1:] + ".")
        sub.add_argument("--dir", default=os.environ.get("YDL_CLUSTER_DIR"), metavar="FOLDER", help="the cluster's folder")
        sub.set_defaults(run=run)
        return sub

    _add_up(command("up", up, "start a cluster and wait until it serves"))
    command("down", down, "end a cluster and remove its folder")
    command("status", status, "list the daemons")
    command("env", env, "print what to export to use the cluster")
    sub = command("java", java, "run a Java class with the cluster's jars and configuration")
    sub.add_argument("main", metavar="CLASS")
    sub.add_argument("words", nargs=argparse.REMAINDER, metavar="ARGUMENT")
    for name, action, text in (("kill-host", lifecycle.kill_host, "kill all that runs on a host, as when its power fails"),
                               ("start-host", lifecycle.start_host, "start a host again"),
                               ("decommission", yarn.decommission, "take a host's NodeManager out of the cluster, within two minutes"),
                               ("recommission", lifecycle.recommission, "take a host back that was to leave the cluster; its NodeManager starts again")):
        command(name, on_hosts(action), text).add_argument("hosts", type=int, nargs="+", metavar="HOST")
    for name, action, text in (("kill", lifecycle.kill, "kill one daemon, such as namenode1 or datanode2"),
                               ("stop", lifecycle.stop, "end one daemon as an administrator does"),
                               ("start", lifecycle.start_one, "start one daemon that was killed or stopped"),
                               ("restart", lifecycle.restart, "end one daemon, start it again, wait until it serves"),
                               ("pause", lifecycle.pause, "stop one daemon's threads: it accepts connections and does not answer"),
                               ("resume", lifecycle.resume, "let it go on")):
        command(name, on_daemons(action), text).add_argument("daemons", nargs="+", metavar="DAEMON")
    sub = command("failover", failover, "make the other NameNode active, or the other ResourceManager")
    sub.add_argument("masters", nargs="?", choices=("namenode", "resourcemanager"), default="namenode")
    return parser


def _add_up(sub):
    sub.add_argument("--nodes", type=int, default=3, metavar="N", help="hosts with a DataNode (default: %(default)s)")
    sub.add_argument("--version", default="3.4.1", help="Hadoop's release (default: %(default)s)")
    sub.add_argument("--ha", action="store_true", help="two NameNodes, and with --yarn two ResourceManagers")
    sub.add_argument("--second-namenode", action="store_true", help="a second HDFS, with one NameNode and one DataNode of its own")
    sub.add_argument("--router", action="store_true", help="a router in front of HDFS, which has one NameNode")
    sub.add_argument("--yarn", action="store_true", help="a ResourceManager, and a NodeManager on each host")
    sub.add_argument("--label", type=_label, action="append", default=[], metavar="NAME=HOST,...", help="a node label and the hosts that have it")
    sub.add_argument("--queue", type=_queue, action="append", default=[], metavar="NAME=PERCENT", help="one more queue, with this share of the cluster")
    sub.add_argument("--acl", action="store_true", help="the ResourceManager obeys ACLs; the user who runs this is its administrator")
    sub.add_argument("--namespaces", action="store_true", help="each host, and the masters, in a network namespace of its own behind a bridge (root)")
    sub.add_argument("--users", action="store_true", help="containers run as the users who submitted them (root, --secure and --yarn)")
    sub.add_argument("--https-policy", choices=HTTPS_POLICIES, help="between the ResourceManager's proxy and masters (default: NONE)")
    sub.add_argument("--secure", action="store_true", help="Kerberos, with a KDC of its own")
    sub.add_argument("--protection", type=_protections, metavar="LEVEL,...",
                     help=f"of RPC on a secure cluster: {', '.join(PROTECTIONS)}; clients choose among several (default: authentication)")
    sub.add_argument("--data-protection", type=_protections, metavar="LEVEL,...", help="of block transfers on a secure cluster (default: as --protection)")
    sub.add_argument("--encrypt", choices=("aes", "3des", "rc4"), help="encrypt block transfers, on any cluster")
    sub.add_argument("--set", type=_pair, action="append", default=[], metavar="KEY=VALUE", help="one more setting for all daemons and clients")
    sub.add_argument("--optimize", action="store_true", help="daemons with large heaps and the optimizing compiler: for benchmarks")
    sub.add_argument("--foreground", action="store_true", help="print Ready, and end the cluster when stdin closes")
