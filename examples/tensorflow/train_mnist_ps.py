"""Trains MNIST with TensorFlow's ParameterServerStrategy: one chief, workers, parameter servers and, if wanted, an evaluator.

Every process runs this script and learns its part from TF_CONFIG. The chief drives and decides when the training is over; workers and
parameter servers only serve it and never end by themselves; the evaluator watches the chief's checkpoints.
"""

import argparse
import os
from pathlib import Path

# Before TensorFlow is imported: its start-up messages, once per process, hide the ones that matter.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

import mnist
import tensorflow as tf


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    mnist.add_common_options(parser)
    parser.add_argument("--model-dir", type=Path, required=True,
                        help="folder of the checkpoints, seen by chief and evaluator; training goes on from the newest one in it")  # fmt: skip
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=64, help="images per step; the workers take the steps of an epoch in turns")
    parser.add_argument("--lr", type=float, default=1e-3, help="Adam's learning rate")
    arguments = parser.parse_args()
    if not arguments.model_dir.is_absolute():
        parser.error(f"--model-dir {arguments.model_dir} must be an absolute path: tasks do not share a working directory")
    return arguments


class Checkpoints:
    """The model and the number of finished epochs in --model-dir."""

    def __init__(self, folder, model):
        self.epochs_done = tf.Variable(0, dtype=tf.int64)
        self._checkpoint = tf.train.Checkpoint(model=model, epochs_done=self.epochs_done)
        self._manager = tf.train.CheckpointManager(self._checkpoint, str(folder), max_to_keep=3)
        # Without this every parameter server writes its own part, and all of them would have to see the folder.
        self._options = tf.train.CheckpointOptions(experimental_io_device="/job:chief/task:0/device:CPU:0")

    def restore_latest(self):
        restore = os.environ.get("YDL_RESTORE_DIR")  # where an earlier attempt, or the job of --restore-from, left off
        latest = self._manager.latest_checkpoint or (restore and tf.train.latest_checkpoint(restore))
        if latest:
            self._checkpoint.restore(latest, options=self._options).expect_partial()
        return int(self.epochs_done)

    def save(self, epochs_done):
        self.epochs_done.assign(epochs_done)
        self._manager.save(checkpoint_number=epochs_done, options=self._options)
        print("::checkpoint", flush=True)  # ydl saves it now, if the folder is among the results


def run_chief(arguments, resolver):
    strategy = tf.distribute.experimental.ParameterServerStrategy(resolver)
    with strategy.scope():
        model = mnist.build_model(arguments.lr)
        checkpoints = Checkpoints(arguments.model_dir, model)
        first_epoch = checkpoints.restore_latest()
    if first_epoch:
        print(f"resumed from {arguments.model_dir} after epoch {first_epoch}", flush=True)

    def worker_input(context):
        # Runs on each worker. Workers take steps as they come, so each draws from all images, in an order of its own.
        data = mnist.dataset(arguments.data_dir, "train").take(arguments.samples).cache()
        return data.shuffle(10_000).repeat().batch(context.get_per_replica_batch_size(arguments.batch_size)).prefetch(4)

    def end_of_epoch(epoch, logs):
        checkpoints.save(epoch + 1)
        mnist.print_progress((epoch + 1) / arguments.epochs, f"epoch {epoch + 1}/{arguments.epochs} loss {logs['loss']:.4f}")

    model.fit(
        tf.keras.utils.experimental.DatasetCreator(worker_input),
        initial_epoch=first_epoch,
        epochs=arguments.epochs,
        steps_per_epoch=max(1, arguments.samples // arguments.batch_size),
        callbacks=[tf.keras.callbacks.LambdaCallback(on_epoch_end=end_of_epoch)],
        verbose=0,
    )
    trained = mnist.local_copy(model)
    mnist.save_model(trained, arguments.model)
    print(f"accuracy: {mnist.test_accuracy(trained, arguments.data_dir):.4f}", flush=True)


def run_evaluator(arguments):
    model = mnist.build_model()
    epochs_done = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, epochs_done=epochs_done)
    for path in tf.train.checkpoints_iterator(str(arguments.model_dir)):
        try:
            checkpoint.restore(path).expect_partial()
        except tf.errors.NotFoundError:
            continue  # the chief deleted it between our look and our read: a newer one is there
        accuracy = mnist.test_accuracy(model, arguments.data_dir)
        done = int(epochs_done)
        mnist.print_progress(done / arguments.epochs, f"evaluated epoch {done}/{arguments.epochs}: accuracy {accuracy:.4f}")
        if done >= arguments.epochs:
            return


def main():
    arguments = parse_arguments()
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        server = tf.distribute.Server(
            resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol=resolver.rpc_layer or "grpc"
        )
        server.join()
    elif resolver.task_type == "evaluator":
        run_evaluator(arguments)
    else:
        run_chief(arguments, resolver)


if __name__ == "__main__":
    main()
