#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>

#include <fmt/format.h>

namespace {

constexpr std::uint32_t kSeed = 1;
constexpr float kMagnitude = 2;
const std::string kData = "data";
const std::string kLabel = "softmax_label";

std::string symbol_path(const std::string& prefix) {
  return prefix + "-symbol.json";
}
std::string parameters_path(const std::string& prefix, int epoch) {
  return fmt::format("{}-{:04}.params", prefix, epoch);
}

mx::Shape image_shape(std::size_t batch_size) {
  return {static_cast<std::uint32_t>(batch_size), 1, kImageSide, kImageSide};
}

// How many inputs each output of a layer has, from its weights' shape (outputs, inputs, kernel …).
std::size_t fan_in(const mx::Shape& weights) {
  return std::accumulate(weights.begin() + 1, weights.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace

bool is_weight(const std::string& parameter) {
  return parameter.ends_with("_weight");
}

Model::Model(mx::Symbol symbol, std::size_t batch_size)
    : symbol_(std::move(symbol)),
      batch_size_(batch_size),
      data_(image_shape(batch_size)),
      label_(mx::Shape{static_cast<std::uint32_t>(batch_size)}),
      executor_(bind()) {}

mx::Executor Model::bind() {
  const std::vector<std::string> arguments = symbol_.arguments();
  const std::vector<mx::Shape> shapes = symbol_.infer_shapes(kData, image_shape(batch_size_));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == kData || arguments[i] == kLabel) continue;
    names_.push_back(arguments[i]);
    parameters_.push_back(mx::Array::zeros(shapes[i]));
    gradients_.push_back(mx::Array::zeros(shapes[i]));
  }
  std::vector<mx::Binding> bindings;
  std::size_t parameter = 0;
  for (const std::string& argument : arguments) {
    if (argument == kData) {
      bindings.push_back({&data_, nullptr});
    } else if (argument == kLabel) {
      bindings.push_back({&label_, nullptr});
    } else {
      bindings.push_back({&parameters_[parameter], &gradients_[parameter]});
      ++parameter;
    }
  }
  return mx::Executor(symbol_, bindings);
}

Model Model::load(const std::string& prefix, int epoch, std::size_t batch_size) {
  const std::string path = parameters_path(prefix, epoch);
  for (const std::string& file : {symbol_path(prefix), path}) {
    if (!std::filesystem::exists(file)) {
      throw mx::Error(fmt::format("{} is missing: name a saved model with --model-prefix and --load-epoch.", file));
    }
  }
  Model model(mx::Symbol::load(symbol_path(prefix)), batch_size);
  const mx::NamedArrays saved = mx::load_arrays(path);
  for (std::size_t i = 0; i < model.names_.size(); ++i) {
    const auto found = saved.find("arg:" + model.names_[i]);
    if (found == saved.end() || found->second.shape() != model.parameters_[i].shape()) {
      throw mx::Error(
          fmt::format("{} has no '{}' of the shape that {} asks for.", path, model.names_[i], symbol_path(prefix)));
    }
    model.parameters_[i].write(found->second.read());
  }
  return model;
}

void Model::save(const std::string& prefix, int epoch) const {
  const std::string part = prefix + ".part";
  symbol_.save(part);
  std::filesystem::rename(part, symbol_path(prefix));
  std::vector<std::string> names;
  for (const std::string& name : names_) names.push_back("arg:" + name);
  mx::save_arrays(part, names, parameters_);
  std::filesystem::rename(part, parameters_path(prefix, epoch));
}

int Model::newest_epoch(const std::string& prefix) {
  int epoch = 0;
  while (std::filesystem::exists(parameters_path(prefix, epoch + 1))) ++epoch;
  return epoch;
}

void Model::draw_parameters() {
  std::mt19937 random(kSeed);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!is_weight(names_[i])) continue;  // biases are zero from the start
    std::normal_distribution<float> normal(0,
                                           std::sqrt(kMagnitude / static_cast<float>(fan_in(parameters_[i].shape()))));
    std::vector<float> values = parameters_[i].read();
    std::ranges::generate(values, [&] { return normal(random); });
    parameters_[i].write(values);
  }
}

void Model::learn(const Batch& batch) {
  set_inputs(batch);
  executor_.forward_for_training();
  executor_.backward();
}

void Model::look_at(const Batch& batch) {
  set_inputs(batch);
  executor_.forward_for_inference();
}

void Model::set_inputs(const Batch& batch) {
  data_.write(batch.images);
  label_.write(batch.labels);
}

std::vector<int> Model::classes() const {
  const std::vector<float> scores = executor_.output().read();
  const auto class_count = static_cast<std::ptrdiff_t>(scores.size() / batch_size_);
  std::vector<int> classes;
  for (auto row = scores.begin(); row != scores.end(); row += class_count) {
    classes.push_back(static_cast<int>(std::max_element(row, row + class_count) - row));
  }
  return classes;
}
