"""What a person is told when something goes wrong."""


class ClusterError(Exception):
    """One sentence: what failed, where, and what to do next."""
