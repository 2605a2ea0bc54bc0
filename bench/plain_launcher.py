"""Starts a job of MXNet on this machine with nothing but the standard library: plain_launcher.py WORKERS SERVERS COMMAND…

What a launcher must do at the least, to measure others by: one process for the scheduler, one for each server and worker, each with the
variables of ps-lite, all running the same command.
"""

import os
import socket
import subprocess
import sys


def free_port():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        return holder.getsockname()[1]


def main():
    workers, servers, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    shared = {
        "DMLC_PS_ROOT_URI": "127.0.0.1",
        "DMLC_PS_ROOT_PORT": str(free_port()),
        "DMLC_NUM_WORKER": str(workers),
        "DMLC_NUM_SERVER": str(servers),
        "DMLC_NODE_HOST": "127.0.0.1",
    }
    roles = ["scheduler", *["server"] * servers, *["worker"] * workers]
    processes = [subprocess.Popen(command, env={**os.environ, **shared, "DMLC_ROLE": role}) for role in roles]
    return end_with_the_first_failure({process.pid: process for process in processes})


def end_with_the_first_failure(running):
    """Waits for all; the exit code is 0 if all of them succeed. After a failure the others would wait for ever: they are stopped."""
    while running:
        pid, status = os.wait()
        process = running.pop(pid)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            for other in running.values():
                other.terminate()
            return abs(process.returncode)
    return 0


if __name__ == "__main__":
    sys.exit(main())
