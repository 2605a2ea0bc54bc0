"""Ports that no other program takes between the moment they are chosen and the moment a daemon listens on them."""

import errno
import random
import socket

from .errors import ClusterError

# Below the range from which the kernel takes the ports of outgoing connections: a daemon that is started again finds its port free.
LOWEST, HIGHEST = 10000, 32000


class PortHolder:
    """Chooses free ports and holds each with a socket that is bound but never listens.

    A second cluster that starts meanwhile sees such a port as taken, because it tries without SO_REUSEADDR; the daemon it is meant for can
    bind it all the same, because Java's server sockets set SO_REUSEADDR.
    """

    def __init__(self):
        self._held = []

    def choose(self, address):
        for _ in range(1000):
            port = random.randint(LOWEST, HIGHEST)
            if self._hold(address, port):
                return port
        raise ClusterError(f"there is no free port on {address} between {LOWEST} and {HIGHEST}; stop some of the programs that listen there.")

    def release(self):
        for held in self._held:
            held.close()
        self._held = []

    def _hold(self, address, port):
        with socket.socket() as probe:
            try:
                # The wildcard address: a port that is taken on any address is left alone.
                probe.bind(("0.0.0.0", port))
            except OSError as error:
                if error.errno in (errno.EADDRINUSE, errno.EACCES):
                    return False
                raise
        held = socket.socket()
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind((address, port))
        except OSError:
            held.close()
            return False
        self._held.append(held)
        return True
