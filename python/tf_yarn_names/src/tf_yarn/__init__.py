"""tf-yarn's names, on ydl: see ydl.tf_yarn."""

from ydl.tf_yarn import *  # noqa: F403
from ydl.tf_yarn import __all__ as __all__
