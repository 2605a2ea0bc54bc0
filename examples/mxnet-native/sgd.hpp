#pragma once

#include "mx.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Stochastic gradient descent with momentum, as MXNet's optimizer "sgd" does it.
struct SgdSettings {
  float learning_rate = 0;
  float momentum = 0;
  float rescale_gradient = 1;
  std::vector<float> weight_decay;  // of each key

  // One line for the command that takes the settings to the servers.
  [[nodiscard]] std::string to_text() const;
  // Throws std::invalid_argument if the text is not from to_text().
  static SgdSettings from_text(std::string_view text);
  bool operator==(const SgdSettings&) const = default;
};

// Updates parameters where they are stored; holds the momentum of each key.
class Sgd {
 public:
  explicit Sgd(SgdSettings settings) : settings_(std::move(settings)) {}
  [[nodiscard]] const SgdSettings& settings() const { return settings_; }
  void update(int key, const mx::Array& gradient, const mx::Array& parameters);

 private:
  SgdSettings settings_;
  std::map<int, mx::Array> momentum_;
};
