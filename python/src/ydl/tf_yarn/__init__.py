"""tf-yarn's names, on ydl.

    from ydl.tf_yarn import Experiment, TaskSpec, run_on_yarn

The wheel `ydl_tf_yarn` has the same as `tf_yarn`. docs/from-tf-yarn.md compares all arguments.
Like tf-yarn, this imports TensorFlow's support of hdfs:// where it is installed, because experiments write their data
to HDFS before they call run_on_yarn.
"""

from __future__ import annotations

from ydl._errors import JobFailed
from ydl._hdfs import use_hdfs
from ydl.tf_yarn._client import RunFailed, run_on_yarn
from ydl.tf_yarn._experiments import (
    DataLoaderArgs,
    DistributedDataParallelArgs,
    Experiment,
    KerasExperiment,
    PytorchExperiment,
    get_safe_experiment_fn,
)
from ydl.tf_yarn._metrics import ContainerKey, Metrics
from ydl.tf_yarn.topologies import (
    NodeLabel,
    TaskFlavor,
    TaskSpec,
    ps_strategy_topology,
    single_server_topology,
)

__all__ = [
    "ContainerKey",
    "DataLoaderArgs",
    "DistributedDataParallelArgs",
    "Experiment",
    "JobFailed",
    "KerasExperiment",
    "Metrics",
    "NodeLabel",
    "PytorchExperiment",
    "RunFailed",
    "TaskFlavor",
    "TaskSpec",
    "get_safe_experiment_fn",
    "ps_strategy_topology",
    "run_on_yarn",
    "single_server_topology",
]

use_hdfs()
