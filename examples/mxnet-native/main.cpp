// Trains MNIST with MXNet and without Python. One program for all roles of a job: DMLC_ROLE says which one it plays.
#include "key_value_store.hpp"
#include "mnist.hpp"
#include "model.hpp"
#include "networks.hpp"
#include "options.hpp"
#include "sgd.hpp"
#include "training.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <variant>

#include <fmt/format.h>

namespace {

// Holds parameters and updates them with the optimizer that the first worker sends. A worker that was started again
// sends the same once more, which must not cost the momentum. MXNet's server calls both handlers on this thread.
void serve() {
  mx::KeyValueStore store("dist");
  std::optional<Sgd> sgd;
  store.run_server([&](std::string_view command) {
    const SgdSettings settings = SgdSettings::from_text(command);
    if (sgd && sgd->settings() == settings) return;
    sgd.emplace(settings);
    store.set_updater([&](int key, const mx::Array& gradient, const mx::Array& parameters) {
      sgd->update(key, gradient, parameters);
    });
  });
}

// What --load-epoch says or, when the launcher starts the job again, the newest saved model.
int first_epoch(const Options& options) {
  const int asked = options.load_epoch.value_or(0);
  return options.started_again ? std::max(asked, Model::newest_epoch(options.model_prefix)) : asked;
}

Model starting_point(const Options& options) {
  if (const int epoch = first_epoch(options); epoch > 0 || options.load_epoch)
    return Model::load(options.model_prefix, epoch, options.batch_size);
  Model model(options.network == "lenet" ? lenet() : mlp(), options.batch_size);
  model.draw_parameters();
  return model;
}

Data read_data(const Options& options) {
  Data data{.train = read_mnist(options.data_dir, Part::train), .test = read_mnist(options.data_dir, Part::test)};
  data.train.shorten(options.samples);
  return data;
}

[[nodiscard]] int report(const std::exception& error) {
  fmt::print(stderr, "train_mnist_native: {}\n", error.what());
  return EXIT_FAILURE;
}

void train_and_test(const Options& options, const Data& data, Model model, mx::KeyValueStore& store) {
  Training training(options, data, std::move(model), store);
  training.run(first_epoch(options));
  if (store.rank() == 0) fmt::print("accuracy: {:.4f}\n", training.test().value());
  std::fflush(stdout);
}

void work(const Options& options) {
  // What can be wrong with the input is found before the other workers begin to wait for this one.
  const Data data = read_data(options);
  Model model = starting_point(options);
  const std::filesystem::path folder = std::filesystem::path(options.model_prefix).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  mx::KeyValueStore store(options.kv_store);
  try {
    train_and_test(options, data, std::move(model), store);
  } catch (const std::exception& error) {
    // The store's destructor waits for the other workers, and they for this one.
    std::_Exit(report(error));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::variant<Options, ExitCode> options = parse_options(argc, argv);
    if (const auto* exit = std::get_if<ExitCode>(&options)) return exit->value;
    if (mx::role_of_this_process() == mx::Role::worker) {
      work(std::get<Options>(options));
    } else {
      serve();
    }
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    return report(error);
  }
}
