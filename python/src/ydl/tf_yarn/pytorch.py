"""tf_yarn.pytorch of tf-yarn 0.6 and 0.7."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Union

from ydl.tf_yarn._client import run_on_yarn
from ydl.tf_yarn._experiments import (
    DataLoaderArgs,
    DistributedDataParallelArgs,
    PytorchExperiment,
    get_safe_experiment_fn,
)
from ydl.tf_yarn._metrics import Metrics
from ydl.tf_yarn.topologies import NodeLabel, TaskSpec

__all__ = [
    "DataLoaderArgs",
    "DistributedDataParallelArgs",
    "Metrics",
    "NodeLabel",
    "PytorchExperiment",
    "TaskSpec",
    "get_safe_experiment_fn",
    "load_ckpt",
    "model_ckpt",
    "run_on_yarn",
]


def model_ckpt(model_dir: Union[str, Path], epoch: int, model: Any, optimizer: Any, **states: Any) -> Optional[Path]:
    """Saves a checkpoint `model_EPOCH.pt` from the task of rank 0, and returns its path there."""
    import torch

    if torch.distributed.is_initialized() and torch.distributed.get_rank() != 0:
        return None
    path = Path(model_dir) / f"model_{epoch}.pt"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "model": _bare(model).state_dict(),
        "optimizer": optimizer.state_dict(),
        "epoch": epoch,
        **states,
    }
    unfinished = path.with_suffix(".unfinished")
    torch.save(content, unfinished)
    unfinished.replace(path)
    return path


def load_ckpt(model_dir: Union[str, Path], epoch: int, device: str = "cpu") -> Any:
    """What model_ckpt saved."""
    import torch

    return torch.load(Path(model_dir) / f"model_{epoch}.pt", map_location=device)


def _bare(model: Any) -> Any:
    """The model inside DistributedDataParallel."""
    return getattr(model, "module", model)
