"""See ydl.tf_yarn.pytorch."""

from ydl.tf_yarn.pytorch import *  # noqa: F403
