"""The networks of the examples, as symbols that end in a softmax over ten classes."""

import mxnet as mx

CLASSES = 10


def mlp():
    net = mx.sym.flatten(mx.sym.Variable("data"))
    for i, units in enumerate((256, 128), start=1):
        net = mx.sym.FullyConnected(net, num_hidden=units, name=f"fc{i}")
        net = mx.sym.Activation(net, act_type="relu", name=f"relu{i}")
    return classifier(net)


def lenet():
    net = mx.sym.Variable("data")
    for i, filters in enumerate((20, 50), start=1):
        net = mx.sym.Convolution(net, kernel=(5, 5), num_filter=filters, name=f"conv{i}")
        net = mx.sym.Activation(net, act_type="tanh", name=f"tanh{i}")
        net = mx.sym.Pooling(net, pool_type="max", kernel=(2, 2), stride=(2, 2), name=f"pool{i}")
    net = mx.sym.FullyConnected(mx.sym.flatten(net), num_hidden=500, name="fc1")
    net = mx.sym.Activation(net, act_type="tanh", name="tanh3")
    return classifier(net)


def resnet(blocks_per_stage=1):
    """A residual network of 6 * blocks_per_stage + 2 layers for 32×32 images."""
    net = convolution(mx.sym.Variable("data"), 16, "stem")
    for stage, filters in enumerate((16, 32, 64), start=1):
        for block in range(1, blocks_per_stage + 1):
            halves = stage > 1 and block == 1
            net = residual_block(net, filters, f"stage{stage}_block{block}", stride=2 if halves else 1)
    net = mx.sym.Activation(batch_norm(net, "last"), act_type="relu", name="last_relu")
    return classifier(mx.sym.flatten(mx.sym.Pooling(net, global_pool=True, pool_type="avg", kernel=(8, 8), name="pool")))


def residual_block(net, filters, name, stride):
    """Batch norm and ReLU come before each convolution, so that the sum runs through the network untouched."""
    ready = mx.sym.Activation(batch_norm(net, f"{name}_a"), act_type="relu", name=f"{name}_a_relu")
    inner = convolution(ready, filters, f"{name}_a", stride)
    inner = mx.sym.Activation(batch_norm(inner, f"{name}_b"), act_type="relu", name=f"{name}_b_relu")
    inner = convolution(inner, filters, f"{name}_b")
    shortcut = net if stride == 1 else convolution(ready, filters, f"{name}_shortcut", stride, kernel=1)
    return inner + shortcut


def convolution(net, filters, name, stride=1, kernel=3):
    return mx.sym.Convolution(
        net, kernel=(kernel, kernel), stride=(stride, stride), pad=(kernel // 2, kernel // 2), num_filter=filters, no_bias=True,
        name=f"{name}_conv",
    )  # fmt: skip


def batch_norm(net, name):
    return mx.sym.BatchNorm(net, fix_gamma=False, eps=2e-5, momentum=0.9, name=f"{name}_bn")


def classifier(net):
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(net, num_hidden=CLASSES, name="scores"), name="softmax")
