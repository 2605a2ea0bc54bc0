#pragma once

#include "mx.hpp"

// The networks of examples/mxnet/networks.py, with the same names for their parameters: from "data" to a softmax over
// ten classes, whose right answers are "softmax_label".
[[nodiscard]] mx::Symbol mlp();
[[nodiscard]] mx::Symbol lenet();
