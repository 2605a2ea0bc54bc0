#!/usr/bin/python3
"""HDFS clients beside each other on one cluster: a large file written and read, many small files, many questions to the NameNode.

usage: hdfs.py [--ydl BINARY] [--ydl-client PROGRAM] [--hdfs-native-python PYTHON] [--rounds N] [--mebibytes N] [--files N] [--peer-files N] [--questions N]

A client is a program that reads requests and writes answers, one JSON object per line, and times itself: Hadoop's own in a warm JVM
(testing/java/Client.java), hdfs-native (hdfs_native_peer.py), ydl's (tests/support/hdfs_client.cpp). Then commands as people run them: `ydl fs`
beside `hadoop fs`, which starts a JVM each time.

Small files are written by --threads at a time in every client. Hadoop's own sleeps for 400 ms whenever the NameNode has not heard of a file's last
block yet, which is nearly always: as it comes it is bound by that and not by its work. So it is measured a second time with the wait set to 4 ms, which
is where ydl begins, and each client but ydl writes only --peer-files files: what counts is the rate.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from report import Floor, Goal, fail, median, print_goals, table

BENCH = Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH.parent / "testing"))

from cluster_lib import jvm  # noqa: E402
from cluster_lib.errors import ClusterError  # noqa: E402
from cluster_lib.running import JavaClient, LineClient, RunningCluster  # noqa: E402

WRITE, READ, SMALL, STAT = "write", "read", "small files", "getFileInfo"
WARM_UP_FILES = 200
JAVA, IMPATIENT_JAVA, NATIVE, YDL = "Java", "Java, 4 ms", "hdfs-native", "ydl"
IMPATIENT = {"dfs.client.block.write.locateFollowingBlock.initial.delay.ms": 4, "dfs.client.block.write.locateFollowingBlock.retries": 12}
# How many times as fast as the other client ydl is to be.
GOALS = {(WRITE, JAVA): 0.95, (READ, JAVA): 1.0, (WRITE, NATIVE): 1.2, (READ, NATIVE): 1.5, (SMALL, JAVA): 1.0, (SMALL, IMPATIENT_JAVA): 1.0, (STAT, JAVA): 1.0}


def measure(client, name, folder, files, options):
    """One client's turn: {what: rate}, in MiB or operations per second."""
    file = f"{folder}/large"
    rates = {SMALL: files / client("time-small-files", remote=f"{folder}/small", count=files, bytes=1024, threads=options.threads)}
    if name == IMPATIENT_JAVA:
        return rates
    rates[WRITE] = options.mebibytes / client("time-write", remote=file, bytes=options.mebibytes << 20, replication=1)
    rates[READ] = options.mebibytes / client("time-read", remote=file)
    rates[STAT] = options.questions / client("time-stat", remote=file, count=options.questions, threads=options.questions)
    return rates


def measure_all(cluster, clients, options):
    """Every client in every round, each time another one first; the first round warms caches and compilers and does not count."""
    rates = {name: {} for name in clients}
    names = list(clients)
    for number in range(options.rounds + 1):
        names = names[1:] + names[:1]
        for name in names:
            folder = f"/bench/{number}-{name.replace(', ', '-').replace(' ', '-')}"
            # In all rounds together as many as asked for.
            files = (options.files if name == YDL else options.peer_files) // options.rounds
            cluster.client.mkdirs(remote=f"{folder}/small")
            for what, rate in measure(clients[name], name, folder, files if number > 0 else min(files, WARM_UP_FILES), options).items():
                if number > 0:
                    rates[name].setdefault(what, []).append(rate)
            cluster.client.delete(remote=folder)
    return {name: {what: median(values) for what, values in of.items()} for name, of in rates.items()}


def peak_mebibytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def seconds_of(command, env):
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        fail(f"`{' '.join(str(word) for word in command)}` ended with {done.returncode}.")
    return time.perf_counter() - start


def mebibytes_of(command, env):
    """The most memory a command had. By time(1): the kernel counts what a process had before it became that program, and Python is large."""
    with tempfile.NamedTemporaryFile(prefix="ydl-bench-") as report:
        seconds_of(["/usr/bin/time", "-f", "%M", "-o", report.name, *command], env)
        return int(report.read()) / 1024


def measure_commands(cluster, options):
    """Single commands, in turn: {command: {program: seconds}}, and {what: ydl's memory}."""
    env = {**os.environ, **cluster.variables, **jvm.environment(cluster.options.version, [cluster.conf])}
    hadoop = jvm.command(jvm.CLIENT, "org.apache.hadoop.fs.FsShell", [])
    many = f"ls of {options.entries} entries"
    commands = {"ls": ["ls", "/"], many: ["ls", "/commands/many"], "put": ["put", BENCH / "hdfs.py", "/commands/file"], "rm": ["rm", "/commands/file"]}
    seconds = {name: {"hadoop fs": [], "ydl fs": []} for name in commands}
    for _ in range(options.rounds):
        for program in ("hadoop fs", "ydl fs"):
            for name, (verb, *words) in commands.items():
                line = [options.ydl, "fs", verb, *words] if program == "ydl fs" else [*hadoop, f"-{verb}", *words]
                seconds[name][program].append(seconds_of(line, env))
    with tempfile.TemporaryDirectory(prefix="ydl-bench-") as folder:
        large = Path(folder) / "large"
        with open(large, "wb") as file:
            file.truncate(options.mebibytes << 20)
        put = mebibytes_of([options.ydl, "fs", "put", "-f", large, "/commands/large"], env)
        large.unlink()
        get = mebibytes_of([options.ydl, "fs", "get", "/commands/large", large], env)
    memory = {"put and get, large file": max(put, get), many: mebibytes_of([options.ydl, "fs", "ls", "/commands/many"], env)}
    return {name: {program: median(values) for program, values in of.items()} for name, of in seconds.items()}, memory


def print_commands(seconds, memory):
    rows = [[name, *(f"{value * 1000:.0f}" for value in of.values())] for name, of in seconds.items()]
    table("Commands, ms", ["", "hadoop fs", "ydl fs"], rows)
    print_goals([*(Floor(f"{name}, hadoop fs to ydl fs", of["hadoop fs"] / of["ydl fs"], 5, "x") for name, of in seconds.items()),
                 *(Goal(f"memory of ydl fs {what}", mebibytes, 32, "MiB") for what, mebibytes in memory.items())])


def start_clients(cluster, options):
    clients = {JAVA: JavaClient(cluster.folder, cluster.conf), IMPATIENT_JAVA: JavaClient(cluster.folder, cluster.view(IMPATIENT).conf)}
    if options.hdfs_native_python:
        clients[NATIVE] = LineClient([options.hdfs_native_python, str(BENCH / "hdfs_native_peer.py")], cluster.variables)
    if options.ydl_client:
        clients[YDL] = LineClient([options.ydl_client], cluster.variables)
    return clients


def print_results(rates, memory, options):
    units = {WRITE: "MiB/s", READ: "MiB/s", SMALL: "1/s", STAT: "1/s"}
    rows = [[name, *(f"{of[what]:.0f}" if what in of else "" for what in units), f"{memory[name]:.0f}"] for name, of in rates.items()]
    title = (f"HDFS, {options.mebibytes} MiB; {options.files} files of 1 KiB ({options.peer_files} by other clients), {options.threads} at a time; "
             f"{options.questions} questions at once; medians of {options.rounds} rounds")
    table(title, ["client", *(f"{what}, {unit}" for what, unit in units.items()), "peak MiB"], rows)
    if YDL not in rates:
        return
    goals = [Floor(f"{what}, ydl to {peer}", rates[YDL][what] / rates[peer][what], limit, "x")
             for (what, peer), limit in GOALS.items() if peer in rates]
    print_goals(goals)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ydl")
    parser.add_argument("--ydl-client")
    parser.add_argument("--hdfs-native-python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mebibytes", type=int, default=1024)
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--peer-files", type=int, default=2000, help="by each client but ydl")
    parser.add_argument("--entries", type=int, default=100_000, help="of the directory that is listed")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=16, help="small files at a time")
    options = parser.parse_args()
    try:
        cluster = RunningCluster("--nodes", "3", "--optimize", "--set", "dfs.replication=1")
        try:
            clients = start_clients(cluster, options)
            rates = measure_all(cluster, clients, options)
            print_results(rates, {name: peak_mebibytes(client.pid) for name, client in clients.items()}, options)
            if options.ydl:
                cluster.client.mkdirs(remote="/commands/many")
                maker = clients.get(YDL, cluster.client)
                maker("time-small-files", remote="/commands/many", count=options.entries, bytes=0, threads=options.threads)
            for client in clients.values():
                client.stop()
            if options.ydl:
                print_commands(*measure_commands(cluster, options))
        finally:
            cluster.stop()
    except ClusterError as error:
        fail(str(error))


if __name__ == "__main__":
    main()
