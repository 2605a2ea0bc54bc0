"""What an experiment function returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Optional

from ydl._task import resolve


class Experiment(NamedTuple):
    """An estimator with how it is trained and evaluated: tf.estimator.train_and_evaluate in every task."""

    estimator: Any
    train_spec: Any
    eval_spec: Any

    @property
    def config(self) -> Any:
        """The estimator's RunConfig, which has model_dir."""
        return self.estimator.config


@dataclass(frozen=True)
class KerasExperiment:
    """A compiled Keras model and its data. The function that makes it is called inside the scope of
    MultiWorkerMirroredStrategy if there are workers."""

    model: Any
    model_dir: Optional[str] = None
    train_params: dict[str, Any] = field(default_factory=dict)
    input_data_fn: Optional[Callable[[], Any]] = None
    target_data_fn: Optional[Callable[[], Any]] = None
    validation_data_fn: Optional[Callable[[], Any]] = None


@dataclass(frozen=True)
class DataLoaderArgs:
    """Arguments of torch.utils.data.DataLoader."""

    batch_size: int = 1
    num_workers: int = 0
    collate_fn: Optional[Callable[[Any], Any]] = None
    pin_memory: bool = False
    drop_last: bool = False
    timeout: float = 0
    worker_init_fn: Optional[Callable[[int], None]] = None
    shuffle: bool = True

    def as_keywords(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "shuffle"}


@dataclass(frozen=True)
class DistributedDataParallelArgs:
    """Arguments of torch.nn.parallel.DistributedDataParallel."""

    broadcast_buffers: bool = True
    bucket_cap_mb: int = 25
    find_unused_parameters: bool = False
    gradient_as_bucket_view: bool = False


@dataclass(frozen=True)
class PytorchExperiment:
    """A PyTorch model, wrapped into DistributedDataParallel, and `main_fn(model, loader, device, rank, tb_writer)`,
    which trains it in every task."""

    model: Any
    main_fn: Callable[..., Any]
    train_dataset: Any
    dataloader_args: DataLoaderArgs = DataLoaderArgs()
    tensorboard_hdfs_dir: Optional[str] = None
    ddp_args: DistributedDataParallelArgs = DistributedDataParallelArgs()


class _ImportedExperiment:
    def __init__(self, name: str, args: tuple[Any, ...]) -> None:
        self._name = name
        self._args = args

    @property
    def __name__(self) -> str:
        return self._name.rpartition(".")[2]

    def __call__(self) -> Any:
        return resolve(self._name)(*self._args)


def get_safe_experiment_fn(full_fn_name: str, *args: Any) -> Callable[[], Any]:
    """An experiment function that imports "package.module.function" in the task and calls it with `args`."""
    if "." not in full_fn_name:
        raise ValueError(f"'{full_fn_name}' names no module; write 'package.module.function'")
    return _ImportedExperiment(full_fn_name, args)
