"""MNIST and the model that both TensorFlow examples train."""

import os
import sys
from pathlib import Path

import tensorflow as tf

SEED = 1
TRAIN_IMAGES = 60_000


def add_common_options(parser):
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    results = Path(os.environ.get("YDL_RESULTS_DIR", "."))
    parser.add_argument("--data-dir", type=Path, default=cache / "ydl/data/mnist", help="folder with MNIST's four idx files")
    parser.add_argument("--samples", type=int, default=TRAIN_IMAGES, help="how many training images to use")
    parser.add_argument("--model", type=Path, default=results / "mnist.keras", help="where the trained model goes")


def dataset(folder, part):
    """(image, label) pairs of "train" or "t10k", read by whichever process iterates over them."""
    images, labels = folder / f"{part}-images-idx3-ubyte", folder / f"{part}-labels-idx1-ubyte"
    for path in (images, labels):
        if not path.exists():
            sys.exit(f"{path} is missing: download the data with tools/fetch_data.py mnist, or name its folder with --data-dir.")
    # An idx file is a header of 16 (images) or 8 (labels) bytes and then the plain values.
    pixels = tf.data.FixedLengthRecordDataset(str(images), 28 * 28, header_bytes=16)
    digits = tf.data.FixedLengthRecordDataset(str(labels), 1, header_bytes=8)

    def decode(pixel_bytes, digit_byte):
        image = tf.reshape(tf.io.decode_raw(pixel_bytes, tf.uint8), [28 * 28])
        return tf.cast(image, tf.float32) / 255.0, tf.cast(tf.io.decode_raw(digit_byte, tf.uint8)[0], tf.int32)

    return tf.data.Dataset.zip((pixels, digits)).map(decode)


def build_model(learning_rate=2e-3):
    tf.keras.utils.set_random_seed(SEED)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(128, activation="relu", input_shape=(28 * 28,)),
            tf.keras.layers.Dense(64, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def local_copy(model):
    """The same model with its weights in this process: for evaluating and saving without the rest of the cluster."""
    copy = build_model()
    copy.set_weights(model.get_weights())
    return copy


def save_model(model, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)


def test_accuracy(model, folder):
    return model.evaluate(dataset(folder, "t10k").batch(1000), verbose=0, return_dict=True)["accuracy"]


def print_progress(fraction, text):
    print(f"::progress {fraction:.3f} {text}", flush=True)
