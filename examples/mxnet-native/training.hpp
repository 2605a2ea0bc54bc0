#pragma once

#include "accuracy.hpp"
#include "key_value_store.hpp"
#include "log.hpp"
#include "mnist.hpp"
#include "model.hpp"
#include "options.hpp"

#include <random>
#include <span>
#include <vector>

struct Data {
  DataSet train;
  DataSet test;
};

// One worker's part of training a model.
class Training {
 public:
  // Throws std::invalid_argument if this worker's share is less than one batch.
  Training(const Options& options, const Data& data, Model model, mx::KeyValueStore& store);
  // Trains for all epochs after the given one, or after that of the first worker, which saves the model after each.
  void run(int first_epoch);
  // The accuracy on the whole test set.
  [[nodiscard]] Accuracy test();

 private:
  void share_parameters();
  [[nodiscard]] int agree_on(int first_epoch);
  void train_epoch(int epoch);
  Accuracy train_batch(std::span<const std::size_t> rows);
  void report_progress(int epoch, std::size_t batches_done, const Accuracy& accuracy) const;
  [[nodiscard]] Accuracy accuracy_on(const DataSet& data, std::span<const std::size_t> rows);
  [[nodiscard]] std::size_t batches_per_epoch() const { return train_rows_.size() / model_.batch_size(); }

  const Options& options_;
  const Data& data_;
  Model model_;
  mx::KeyValueStore& store_;
  Log log_;
  std::vector<std::size_t> train_rows_;
  std::vector<std::size_t> validation_rows_;
  std::mt19937 random_;
};
