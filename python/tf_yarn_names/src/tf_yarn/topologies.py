"""See ydl.tf_yarn.topologies."""

from ydl.tf_yarn.topologies import *  # noqa: F403
