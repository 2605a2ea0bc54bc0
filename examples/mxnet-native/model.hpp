#pragma once

#include "mnist.hpp"
#include "mx.hpp"

#include <span>
#include <string>
#include <vector>

// A network with its parameters, on batches of one size.
class Model {
 public:
  Model(mx::Symbol symbol, std::size_t batch_size);
  // The files of a saved model are PREFIX-symbol.json and PREFIX-EPOCH.params, as MXNet's other languages write and
  // read them.
  static Model load(const std::string& prefix, int epoch, std::size_t batch_size);
  // A file gets its name when it is whole: a worker may be killed while it saves.
  void save(const std::string& prefix, int epoch) const;
  // The last epoch with a saved model, or 0.
  [[nodiscard]] static int newest_epoch(const std::string& prefix);

  // Draws new parameters: weights from a normal distribution with the variance 2 / inputs, biases zero.
  void draw_parameters();

  [[nodiscard]] std::size_t batch_size() const { return batch_size_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::span<const mx::Array> parameters() const { return parameters_; }
  [[nodiscard]] std::span<const mx::Array> gradients() const { return gradients_; }

  // Computes the gradients for a batch.
  void learn(const Batch& batch);
  // Looks at a batch without learning.
  void look_at(const Batch& batch);
  // The class it found for each image of the last batch.
  [[nodiscard]] std::vector<int> classes() const;

 private:
  void set_inputs(const Batch& batch);
  [[nodiscard]] mx::Executor bind();

  mx::Symbol symbol_;
  std::size_t batch_size_;
  mx::Array data_;
  mx::Array label_;
  std::vector<std::string> names_;
  std::vector<mx::Array> parameters_;
  std::vector<mx::Array> gradients_;
  mx::Executor executor_;
};

[[nodiscard]] bool is_weight(const std::string& parameter);
