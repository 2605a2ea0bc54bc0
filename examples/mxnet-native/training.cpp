#include "training.hpp"

#include "sgd.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace {

constexpr std::uint32_t kSeed = 1;
constexpr float kMomentum = 0.9F;
constexpr float kWeightDecay = 1e-4F;

bool is_distributed(const std::string& store) {
  return store.starts_with("dist");
}

// With dist_sync a step adds up the gradients of all workers' batches, else those of one.
std::size_t images_per_step(const Options& options, int workers) {
  const bool together = is_distributed(options.kv_store) && options.kv_store.find("async") == std::string::npos;
  return options.batch_size * (together ? static_cast<std::size_t>(workers) : 1);
}

SgdSettings optimizer_for(const Model& model, const Options& options, int workers) {
  SgdSettings settings{.learning_rate = options.learning_rate,
                       .momentum = kMomentum,
                       .rescale_gradient = 1.0F / static_cast<float>(images_per_step(options, workers)),
                       .weight_decay = {}};
  for (const std::string& name : model.names()) settings.weight_decay.push_back(is_weight(name) ? kWeightDecay : 0);
  return settings;
}

Accuracy count_right(std::span<const int> classes, std::span<const std::size_t> rows, const DataSet& data) {
  Accuracy accuracy{.right = 0, .total = rows.size()};
  for (std::size_t i = 0; i < rows.size(); ++i) accuracy.right += classes[i] == data.labels[rows[i]] ? 1 : 0;
  return accuracy;
}

}  // namespace

Training::Training(const Options& options, const Data& data, Model model, mx::KeyValueStore& store)
    : options_(options),
      data_(data),
      model_(std::move(model)),
      store_(store),
      log_(store.rank()),
      train_rows_(share_of_worker(data.train.size(), store.rank(), store.worker_count())),
      validation_rows_(share_of_worker(data.test.size(), store.rank(), store.worker_count())),
      random_(kSeed + static_cast<std::uint32_t>(store.rank())) {
  if (batches_per_epoch() == 0) {
    throw std::invalid_argument(fmt::format("{} images per worker are less than one batch of {}: lower --batch-size.",
                                            train_rows_.size(), model_.batch_size()));
  }
}

void Training::run(int first_epoch) {
  share_parameters();
  first_epoch = agree_on(first_epoch);
  if (first_epoch > 0 && store_.rank() == 0)
    log_.line(fmt::format("goes on from {}-{:04}.params", options_.model_prefix, first_epoch));
  for (int epoch = first_epoch; epoch < options_.epochs; ++epoch) {
    train_epoch(epoch);
    if (store_.rank() == 0) {
      model_.save(options_.model_prefix, epoch + 1);
      log_.line(fmt::format("Saved checkpoint to \"{}-{:04}.params\"", options_.model_prefix, epoch + 1));
    }
    const Accuracy validation = accuracy_on(data_.test, validation_rows_);
    log_.line(fmt::format("Epoch[{}] Validation-accuracy={:f}", epoch, validation.value()));
  }
}

// The optimizer goes first: init() ends when all workers are there, so no gradient can reach a server before it.
void Training::share_parameters() {
  SgdSettings settings = optimizer_for(model_, options_, store_.worker_count());
  if (!is_distributed(options_.kv_store)) {
    auto sgd = std::make_shared<Sgd>(std::move(settings));
    store_.set_updater([sgd](int key, const mx::Array& gradient, const mx::Array& parameters) {
      sgd->update(key, gradient, parameters);
    });
  } else if (store_.rank() == 0) {
    store_.send_command_to_servers(settings.to_text());
  }
  store_.init(model_.parameters());
  for (int key = 0; const mx::Array& parameter : model_.parameters()) store_.pull(key++, parameter);
}

// With dist_sync all workers must take the same number of steps: the first worker tells the others where they begin.
int Training::agree_on(int first_epoch) {
  const int key = static_cast<int>(model_.parameters().size());  // the next after theirs
  mx::Array shared(mx::Shape{1});
  shared.write(std::array{static_cast<float>(first_epoch)});
  store_.init(key, shared);
  if (store_.rank() > 0) store_.pull(key, shared);
  return static_cast<int>(shared.read().front());
}

void Training::train_epoch(int epoch) {
  std::ranges::shuffle(train_rows_, random_);
  const std::size_t batches = batches_per_epoch();
  const Stopwatch epoch_time;
  Stopwatch report_time;
  Accuracy in_epoch;
  Accuracy since_report;
  for (std::size_t batch = 1; batch <= batches; ++batch) {
    const auto rows = std::span(train_rows_).subspan((batch - 1) * model_.batch_size(), model_.batch_size());
    const Accuracy accuracy = train_batch(rows);
    in_epoch += accuracy;
    since_report += accuracy;
    const bool due = batch % options_.disp_batches == 0;
    if (due || batch == batches) report_progress(epoch, batch, since_report);
    if (!due) continue;
    log_.line(to_text({.epoch = epoch,
                       .first_batch = batch - options_.disp_batches,
                       .last_batch = batch,
                       .images_per_second = static_cast<double>(since_report.total) / report_time.seconds(),
                       .accuracy = since_report}));
    since_report = {};
    report_time = {};
  }
  log_.line(fmt::format("Epoch[{}] Train-accuracy={:f}", epoch, in_epoch.value()));
  log_.line(fmt::format("Epoch[{}] Time cost={:.3f}", epoch, epoch_time.seconds()));
}

// Nothing here waits but the look at the classes: MXNet sends a layer's gradients while it still computes those of the
// layers before it, and lets the next step begin as soon as the parameters it needs have arrived.
Accuracy Training::train_batch(std::span<const std::size_t> rows) {
  model_.learn(make_batch(data_.train, rows, model_.batch_size()));
  const auto gradients = model_.gradients();
  const auto parameters = model_.parameters();
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    store_.push(static_cast<int>(i), gradients[i]);
    store_.pull(static_cast<int>(i), parameters[i]);
  }
  return count_right(model_.classes(), rows, data_.train);
}

// For ydl, which shows it while the job runs.
void Training::report_progress(int epoch, std::size_t batches_done, const Accuracy& accuracy) const {
  const double of_epoch = static_cast<double>(batches_done) / static_cast<double>(batches_per_epoch());
  fmt::print("::progress {:.3f} epoch {}/{} accuracy {:.4f}\n", (epoch + of_epoch) / options_.epochs, epoch + 1,
             options_.epochs, accuracy.value());
  std::fflush(stdout);
}

Accuracy Training::accuracy_on(const DataSet& data, std::span<const std::size_t> rows) {
  Accuracy accuracy;
  while (!rows.empty()) {
    const auto batch = rows.first(std::min(rows.size(), model_.batch_size()));
    model_.look_at(make_batch(data, batch, model_.batch_size()));
    accuracy += count_right(model_.classes(), batch, data);
    rows = rows.subspan(batch.size());
  }
  return accuracy;
}

Accuracy Training::test() {
  std::vector<std::size_t> all(data_.test.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return accuracy_on(data_.test, all);
}
