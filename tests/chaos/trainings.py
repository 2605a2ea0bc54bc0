"""Real trainings of 10 to 20 s on two cores, and what they must come to."""

from dataclasses import dataclass, field
from pathlib import Path

from installed import EXAMPLES, mnist, python_of

DONE = "all-is-mended"  # a file in the folder of notes
NOTE = Path(__file__).with_name("note.sh")


@dataclass(frozen=True)
class Training:
    framework: str
    roles: dict
    python: str = ""
    words: tuple = ()
    epochs: int = 0
    least_epochs: int = 0  # for the accuracy, if fewer than `epochs` will do
    accuracy: float = 0.0  # the least that it may come to
    error: str = ""  # of one that is to fail: what its end says
    env: dict = field(default_factory=dict)

    @property
    def tasks(self):
        return [f"{role}:{index}" for role, count in self.roles.items() for index in range(count)]

    def command(self, notes, times=1):
        """`times` as many epochs, and no fewer than it needs."""
        if not self.python:
            return ["sh", NOTE, notes, *self.words, "sh", notes]
        script, *options = self.words
        epochs = ("--num-epochs" if self.python == "mxnet" else "--epochs", max(self.least_epochs or self.epochs, round(self.epochs * times)))
        return ["sh", NOTE, notes, python_of(self.python), EXAMPLES / script, "--data-dir", mnist(), *options, *epochs]

    def spec(self, name, notes, memory="1g", times=1, **more):
        """A job file. Errors that are the same everywhere may come from the faults, and do not end the job.

    A task whose host is lost under a new master is replaced after 140 s: a minute of silence, `blind`, and another minute.
    Its peers must wait longer than that at the rendezvous.
    """
        resources = {"memory": memory, "vcores": 1, "placement": "spread"}
        return {
            "version": 1, "name": name, "framework": self.framework, "command": [str(word) for word in self.command(notes, times)],
            "roles": {role: {"count": count, "resources": resources} for role, count in self.roles.items()},
            "env": self.env, "auto_files": False, "retries": 8, "fail_fast": False, "save_every": "5s",
            "timeouts": {"blind": "20s", "stop_grace": "5s", "rendezvous": "4m"}, **more,
        }  # fmt: skip


def _mxnet(kind):
    words = ("mxnet/train_mnist.py", "--network", "mlp", "--kv-store", kind, "--batch-size", 32, "--samples", 20_000, "--disp-batches", 50)
    return Training("mxnet", {"worker": 2, "server": 1}, "mxnet", words, epochs=8, least_epochs=4, accuracy=0.9)


# It ends by itself, and trying again cannot help.
MISTAKE = """
i=0
while [ $i -lt 200 ]; do i=$((i+1)); echo "::progress 0.$i line $i"; sleep 0.1; done
echo "model.cfg: no such layer" >&2
exit 3
"""

# Goes on until all faults are over.
PATIENT = "patient"
WAIT = f'while [ ! -e "$1/{DONE}" ]; do i=$((i+1)); echo "line $i"; sleep 0.2; done'

TRAININGS = {
    "mxnet-sync": _mxnet("dist_sync"),
    "mxnet-async": _mxnet("dist_async"),
    # The namespaces have other addresses than the one that this machine's name stands for.
    "pytorch": Training("pytorch", {"worker": 2}, "torch", ("pytorch/train_mnist.py", "--samples", 20_000), epochs=3, accuracy=0.93,
                        env={"GLOO_SOCKET_IFNAME": "eth0"}),
    "tensorflow-ps": Training("tensorflow", {"chief": 1, "worker": 1, "ps": 1}, "tensorflow",
                              ("tensorflow/train_mnist_ps.py", "--model-dir", "{results}", "--samples", 9_600), epochs=5, accuracy=0.85),
    "tensorflow-mirrored": Training("tensorflow", {"worker": 2}, "tensorflow",
                                    ("tensorflow/train_mnist_mirrored.py", "--samples", 20_000), epochs=3, accuracy=0.88),
    "mistake": Training("none", {"worker": 2}, words=("sh", "-c", MISTAKE), error="failed with exit code 3"),
    PATIENT: Training("none", {"worker": 2}, words=("sh", "-c", WAIT)),
}  # fmt: skip
