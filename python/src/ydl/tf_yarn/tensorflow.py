"""tf_yarn.tensorflow of tf-yarn 0.6 and 0.7."""

from ydl.tf_yarn._client import run_on_yarn
from ydl.tf_yarn._experiments import Experiment, KerasExperiment, get_safe_experiment_fn
from ydl.tf_yarn._metrics import Metrics
from ydl.tf_yarn.topologies import NodeLabel, TaskSpec, ps_strategy_topology, single_server_topology

__all__ = [
    "Experiment",
    "KerasExperiment",
    "Metrics",
    "NodeLabel",
    "TaskSpec",
    "get_safe_experiment_fn",
    "ps_strategy_topology",
    "run_on_yarn",
    "single_server_topology",
]
