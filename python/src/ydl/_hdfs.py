"""hdfs:// for TensorFlow without a JVM.

TensorFlow's file system for HDFS (tensorflow-io) loads $HADOOP_HDFS_HOME/lib/native/libhdfs.so at the first use.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from pathlib import Path
from typing import Optional


def use_hdfs() -> Optional[Path]:
    """Makes `hdfs://` work in this process, and returns the folder of the library that was chosen.

    Tasks need no call: ydl sets the variable for them. A HADOOP_HDFS_HOME of the user's own is kept. Loads
    tensorflow-io if it is installed. Returns None if the library is missing.
    """
    home = _library_home()
    if home is not None:
        os.environ["HADOOP_HDFS_HOME"] = str(home)
    _load_tensorflow_io()
    return home


def _library_home() -> Optional[Path]:
    """The folder with lib/native/libhdfs.so."""
    own = os.environ.get("HADOOP_HDFS_HOME")
    return Path(own) if own else None


def _load_tensorflow_io() -> None:
    if importlib.util.find_spec("tensorflow_io") is None:
        return
    try:
        importlib.import_module("tensorflow_io")
    except Exception as error:
        # It binds to one release of TensorFlow; with another one the program may still need no HDFS.
        warnings.warn(f"tensorflow-io cannot be loaded, so hdfs:// does not work: {error}", stacklevel=3)
