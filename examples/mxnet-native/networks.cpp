#include "networks.hpp"

#include <string>

#include <fmt/format.h>

namespace {

mx::Symbol activation(const mx::Symbol& input, const std::string& type, const std::string& name) {
  return mx::Symbol::apply("Activation", name, {{"act_type", type}}, input);
}

mx::Symbol fully_connected(const mx::Symbol& input, int units, const std::string& name) {
  return mx::Symbol::apply("FullyConnected", name, {{"num_hidden", std::to_string(units)}}, input);
}

mx::Symbol convolution(const mx::Symbol& input, int filters, const std::string& name) {
  return mx::Symbol::apply("Convolution", name, {{"kernel", "(5, 5)"}, {"num_filter", std::to_string(filters)}}, input);
}

mx::Symbol max_pooling(const mx::Symbol& input, const std::string& name) {
  return mx::Symbol::apply("Pooling", name, {{"kernel", "(2, 2)"}, {"pool_type", "max"}, {"stride", "(2, 2)"}}, input);
}

mx::Symbol flatten(const mx::Symbol& input) {
  return mx::Symbol::apply("Flatten", "flatten0", {}, input);
}

mx::Symbol classifier(const mx::Symbol& input) {
  return mx::Symbol::apply("SoftmaxOutput", "softmax", {}, fully_connected(input, 10, "scores"));
}

}  // namespace

mx::Symbol mlp() {
  mx::Symbol net = flatten(mx::Symbol::variable("data"));
  int layer = 0;
  for (int units : {256, 128}) {
    ++layer;
    net = activation(fully_connected(net, units, fmt::format("fc{}", layer)), "relu", fmt::format("relu{}", layer));
  }
  return classifier(net);
}

mx::Symbol lenet() {
  mx::Symbol net = mx::Symbol::variable("data");
  int layer = 0;
  for (int filters : {20, 50}) {
    ++layer;
    net = activation(convolution(net, filters, fmt::format("conv{}", layer)), "tanh", fmt::format("tanh{}", layer));
    net = max_pooling(net, fmt::format("pool{}", layer));
  }
  return classifier(activation(fully_connected(flatten(net), 500, "fc1"), "tanh", "tanh3"));
}
