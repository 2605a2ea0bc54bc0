"""The command line."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from . import jvm, lifecycle, state
from .errors import ClusterError
from .ports import PortHolder


def main():
    arguments = _parser().parse_args()
    try:
        return arguments.run(arguments) or 0
    except ClusterError as error:
        print(f"testing/cluster: {error}", file=sys.stderr)
        return 1


def up(arguments):
    started = time.monotonic()
    options = state.Options(version=arguments.version, nodes=arguments.nodes, settings=dict(arguments.set))
    folder = _folder_for(arguments.dir)
    ports = PortHolder()
    cluster = state.Cluster(folder, options, leash=os.getpid() if arguments.foreground else None, port_holder=ports)
    try:
        lifecycle.prepare(cluster)
        lifecycle.start(cluster)
        ports.release()
        print(f"Ready after {time.monotonic() - started:.1f} s: Hadoop {options.version}, {options.nodes} hosts, {folder}", flush=True)
        if not arguments.foreground:
            return
        sys.stdin.read()
    except KeyboardInterrupt:
        pass
    except BaseException:
        lifecycle.stop(cluster)
        raise
    lifecycle.stop(cluster)


def _folder_for(name):
    if not name:
        return state.new_folder()
    folder = Path(name).absolute()
    if folder.exists() and any(folder.iterdir()):
        raise ClusterError(f"{folder} is not empty; `testing/cluster down --dir {name}` ends a cluster that is there, or name another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def down(arguments):
    lifecycle.stop(state.find(arguments.dir))


def env(arguments):
    cluster = state.find(arguments.dir)
    print(f"export HADOOP_CONF_DIR={cluster.conf}")


def java(arguments):
    cluster = state.find(arguments.dir)
    options = [*jvm.ALWAYS, "-XX:+UseSerialGC", "-Xmx512m"]
    command = jvm.java(cluster.options.version, options, [cluster.conf], arguments.main, arguments.words)
    return subprocess.run(command, env={**os.environ, "HADOOP_CONF_DIR": str(cluster.conf)}).returncode


def _setting(text):
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not KEY=VALUE")
    return key, value


def _parser():
    parser = argparse.ArgumentParser(prog="testing/cluster", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name, run, text):
        sub = commands.add_parser(name, help=text, description=text)
        sub.add_argument("--dir", default=os.environ.get("YDL_CLUSTER_DIR"), help="the cluster's folder (default: the only cluster there is)")
        sub.set_defaults(run=run)
        return sub

    sub = command("up", up, "start a cluster")
    sub.add_argument("--nodes", type=int, default=3, metavar="N")
    sub.add_argument("--version", default="3.4.1", help="Hadoop's release (default: %(default)s)")
    sub.add_argument("--set", type=_setting, action="append", default=[], metavar="KEY=VALUE", help="one more setting for all daemons and clients")
    sub.add_argument("--foreground", action="store_true", help="print Ready, then end the cluster when stdin closes")
    command("down", down, "end a cluster and remove its folder")
    command("env", env, "print what to export to use the cluster")
    sub = command("java", java, "run a Java class with the cluster's jars and configuration")
    sub.add_argument("main", metavar="CLASS")
    sub.add_argument("words", nargs=argparse.REMAINDER, metavar="ARGUMENT")
    return parser
