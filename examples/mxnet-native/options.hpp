#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

// The options of examples/mxnet/train_mnist.py, with the same names and defaults.
struct Options {
  std::string network = "lenet";
  std::size_t batch_size = 128;
  float learning_rate = 0.05F;
  int epochs = 5;
  std::size_t samples = 60'000;
  std::string kv_store = "dist_sync";
  std::filesystem::path data_dir;
  std::string model_prefix;
  std::optional<int> load_epoch;
  bool started_again = false;  // by the launcher, after a failure
  std::size_t disp_batches = 100;
};

struct ExitCode {
  int value;
};

// The options, or the exit code after the help or the error that was printed.
[[nodiscard]] std::variant<Options, ExitCode> parse_options(int argc, char** argv);
