#include "options.hpp"

#include <cstdlib>
#include <map>
#include <set>

#include <CLI/CLI.hpp>

namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::filesystem::path default_data_dir() {
  const auto cache = variable("XDG_CACHE_HOME");
  return std::filesystem::path(cache ? *cache : variable("HOME").value_or("") + "/.cache") / "ydl/data/mnist";
}

// A store without a launcher's variables has no peers: train alone.
std::string store_type(const std::string& name) {
  static const std::map<std::string, std::string> kShortNames = {{"sync", "dist_sync"}, {"async", "dist_async"}};
  if (!variable("DMLC_ROLE") && (name.starts_with("dist") || kShortNames.contains(name))) return "local";
  const auto full = kShortNames.find(name);
  return full == kShortNames.end() ? name : full->second;
}

const CLI::Validator& positive() {
  static const CLI::Validator kValidator(
      [](std::string& text) {
        return CLI::PositiveNumber(text).empty() ? "" : "must be a number above zero, not '" + text + "'";
      },
      "");
  return kValidator;
}

// MXNet takes a store that it does not know for a local one, and every worker would train alone.
const std::set<std::string> kStores = {
    "sync", "async", "dist_sync", "dist_async", "dist_device_sync", "dist_device_async", "local", "device"};

}  // namespace

std::variant<Options, ExitCode> parse_options(int argc, char** argv) {
  Options options;
  options.data_dir = default_data_dir();
  options.model_prefix = std::filesystem::path(variable("YDL_RESULTS_DIR").value_or(".")) / "mnist";
  CLI::App app{
      "Trains a network on MNIST through MXNet's C API, the workers sharing its parameters through a key-value store."};
  app.option_defaults()->always_capture_default();
  app.add_option("--network", options.network, "the network to train")->check(CLI::IsMember({"lenet", "mlp"}));
  app.add_option("--batch-size", options.batch_size, "images per step and worker")->check(positive());
  app.add_option("--lr", options.learning_rate, "learning rate")->check(positive());
  app.add_option("--num-epochs", options.epochs, "how often to go through the images")->check(positive());
  app.add_option("--samples", options.samples, "how many training images to use")->check(positive());
  app.add_option("--kv-store", options.kv_store, "sync and async are short for dist_sync and dist_async")
      ->check(CLI::IsMember(kStores));
  app.add_option("--data-dir", options.data_dir, "folder with MNIST's four idx files");
  app.add_option("--model-prefix", options.model_prefix,
                 "the model goes to PREFIX-symbol.json and PREFIX-EPOCH.params");
  app.add_option("--load-epoch", options.load_epoch, "go on from the model saved after this epoch")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--disp-batches", options.disp_batches, "report every so many batches")->check(positive());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return ExitCode{code == 0 ? EXIT_SUCCESS : 2};
  }
  options.kv_store = store_type(options.kv_store);
  options.started_again = variable("YDL_ATTEMPT").value_or("1") != "1";
  return options;
}
