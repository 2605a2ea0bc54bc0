#include "sgd.hpp"

#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

std::string SgdSettings::to_text() const {
  return fmt::format("sgd {} {} {} {}", learning_rate, momentum, rescale_gradient, fmt::join(weight_decay, " "));
}

SgdSettings SgdSettings::from_text(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string name;
  SgdSettings settings;
  if (!(words >> name >> settings.learning_rate >> settings.momentum >> settings.rescale_gradient) || name != "sgd") {
    throw std::invalid_argument(fmt::format("'{}' is not an optimizer that this server knows", text));
  }
  for (float decay = 0; words >> decay;) settings.weight_decay.push_back(decay);
  if (!words.eof()) throw std::invalid_argument(fmt::format("'{}' has a weight decay that is not a number", text));
  return settings;
}

void Sgd::update(int key, const mx::Array& gradient, const mx::Array& parameters) {
  auto momentum = momentum_.find(key);
  if (momentum == momentum_.end()) momentum = momentum_.emplace(key, mx::Array::zeros(parameters.shape())).first;
  const mx::Array* inputs[] = {&parameters, &gradient, &momentum->second};
  mx::invoke("sgd_mom_update", inputs, parameters,
             {{"lr", fmt::format("{}", settings_.learning_rate)},
              {"momentum", fmt::format("{}", settings_.momentum)},
              {"rescale_grad", fmt::format("{}", settings_.rescale_gradient)},
              {"wd", fmt::format("{}", settings_.weight_decay.at(static_cast<std::size_t>(key)))}});
}
