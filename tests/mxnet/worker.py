"""A worker of the scheduler tests: worker.py MODE KVSTORE DIRECTORY. Raises when a number is wrong."""
import ctypes
import os
import signal
import sys
import time

import mxnet as mx

MODE, KVSTORE, DIRECTORY = sys.argv[1:4]
ATTEMPT = int(os.environ.get("ATTEMPT", "1"))
SMALL, BIG = (5, 7), (1100, 1000)  # BIG is split over all servers


def mark(name):
    with open(os.path.join(DIRECTORY, name), "w"):
        pass


def marked(name):
    return os.path.exists(os.path.join(DIRECTORY, name))


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def check(array, expected):
    values = array.asnumpy()
    if values.min() != expected or values.max() != expected:
        raise SystemExit(f"rank {kv.rank}: {values.min()}..{values.max()} where {expected} was expected")


def pulled(key, shape):
    out = mx.nd.zeros(shape)
    kv.pull(key, out=out)
    return out


def set_up():
    """The server adds what is pushed: the sum does not depend on the order."""
    kv.set_optimizer(mx.optimizer.create("test", rescale_grad=1))
    kv.init([3, 99], [mx.nd.ones(SMALL), mx.nd.zeros(BIG)])


def push_pull():
    set_up()
    for _ in range(3):
        kv.push(3, mx.nd.ones(SMALL) * (kv.rank + 1))
        kv.push(99, mx.nd.ones(BIG))
        check_finite = pulled(99, BIG)
    check_finite.wait_to_read()
    mx.nd.waitall()
    kv._barrier()
    n = kv.num_workers
    check(pulled(3, SMALL), 1 + 3 * n * (n + 1) // 2)
    check(pulled(99, BIG), 3 * n)


def barriers():
    for turn in range(20):
        mark(f"{turn}.{kv.rank}")
        kv._barrier()
        for rank in range(kv.num_workers):
            if not marked(f"{turn}.{rank}"):
                raise SystemExit(f"rank {kv.rank} passed barrier {turn} before rank {rank}")


def compression():
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    kv.set_optimizer(mx.optimizer.create("test", rescale_grad=1))
    kv.init(3, mx.nd.zeros(SMALL))
    # 0.6 goes over the wire as 0.5 and leaves 0.1 for later.
    kv.push(3, mx.nd.ones(SMALL) * 0.6)
    mx.nd.waitall()
    pulled(3, SMALL).wait_to_read()
    kv._barrier()
    check(pulled(3, SMALL), 0.5 * kv.num_workers)


def heartbeats():
    set_up()
    end = time.monotonic() + 4
    while time.monotonic() < end:
        kv.push(99, mx.nd.ones(BIG))
        pulled(99, BIG).wait_to_read()
    # 1 is the scheduler's group: dead would mean that it did not answer for two seconds.
    dead = ctypes.c_int(-1)
    mx.base.check_call(mx.base._LIB.MXKVStoreGetNumDeadNode(kv.handle, 1, ctypes.byref(dead), 2))
    if dead.value != 0:
        raise SystemExit("the scheduler does not answer heartbeats")


def async_recovery():
    set_up()
    if kv.rank == 1:
        for turn in range(10):
            kv.push(3, mx.nd.ones(SMALL))
            pulled(3, SMALL).wait_to_read()
            if ATTEMPT == 1 and turn == 4:
                die()
        mark("recovered")
        return
    while not marked("recovered"):
        kv.push(99, mx.nd.ones(BIG))
        pulled(99, BIG).wait_to_read()
    values = pulled(3, SMALL).asnumpy()
    if not 15 <= values.min() <= 16:
        raise SystemExit(f"the pushes of both attempts should count: {values.min()}")


def sync_recovery():
    """Worker 1 dies between two steps and, restarted, goes on with the next one."""
    set_up()
    for turn in range(6):
        if kv.rank == 1 and marked(f"done.{turn}"):
            continue
        kv.push(3, mx.nd.ones(SMALL) * (kv.rank + 1))
        pulled(3, SMALL).wait_to_read()
        if kv.rank == 1:
            mark(f"done.{turn}")
            if ATTEMPT == 1 and turn == 2:
                die()
    kv._barrier()
    check(pulled(3, SMALL), 1 + 6 * 3)


def early_death():
    """Worker 1 dies after it has an id and before the model is set up."""
    if kv.rank == 1 and ATTEMPT == 1:
        die()
    push_pull()


def two_kvstores():
    other = mx.kv.create(KVSTORE)
    kv._barrier()
    other._barrier()
    # MXNet takes the first one down with everything: it has to go last.
    del other


kv = mx.kv.create(KVSTORE)
print(f"rank {kv.rank} of {kv.num_workers}", flush=True)
globals()[MODE]()
print("done", flush=True)
