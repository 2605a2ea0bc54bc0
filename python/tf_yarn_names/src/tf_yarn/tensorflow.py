"""See ydl.tf_yarn.tensorflow."""

from ydl.tf_yarn.tensorflow import *  # noqa: F403
