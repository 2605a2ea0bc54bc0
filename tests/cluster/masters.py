"""Masters of jobs on a real cluster, and their loss."""

import json
import os
import re
import signal

from cluster_lib import processes
from hdfs_files import eventually


def events(jobs, job):
    return [json.loads(line) for line in jobs.run("events", "--output", "json", job)[0].splitlines()]


def containers(jobs):
    """The processes of all containers of the cluster."""
    return [pid for folder in jobs.cluster.folder.glob("nodemanager*/local") for pid in processes.containers_of(folder)]


def masters_of(jobs):
    return [pid for pid in containers(jobs) if "\0__master\0" in processes.command_line(pid)]


def master_of(jobs):
    (master,) = masters_of(jobs)
    return master


def kill_master(jobs):
    os.kill(master_of(jobs), signal.SIGKILL)


def wait_until_known(jobs, count=3):
    """The ResourceManager has heard of all containers: one of which it has not heard ends with the master."""
    log = jobs.cluster.folder / "resourcemanager1/log"
    # A ResourceManager that was started again counts applications from 1, and names containers with its epoch.
    newest = max(re.findall(r"application_(\d+)_(\d+)", log.read_text()), key=lambda id: tuple(map(int, id)))
    transition = re.compile(rf"(container_(?:e\d+_)?{newest[0]}_{newest[1]}_01_\d+) Container Transitioned from ACQUIRED to RUNNING")
    eventually(lambda: len(set(transition.findall(log.read_text()))) == count, "the ResourceManager has heard of all containers")


def only_job(jobs):
    return json.loads(jobs.run("ls", "--output", "json")[0].splitlines()[0])["job"]
