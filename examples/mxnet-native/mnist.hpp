#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

constexpr std::size_t kImageSide = 28;
constexpr std::size_t kImageBytes = kImageSide * kImageSide;

// Images of digits and which digits they are.
struct DataSet {
  std::vector<std::uint8_t> images;  // kImageBytes for each label
  std::vector<std::uint8_t> labels;

  [[nodiscard]] std::size_t size() const { return labels.size(); }
  void shorten(std::size_t samples);
};

enum class Part { train, test };
// Reads a part of MNIST from its idx files. Throws std::runtime_error that names the file and what is wrong with it.
[[nodiscard]] DataSet read_mnist(const std::filesystem::path& folder, Part part);

// The rows of one worker. All workers get the same number, for with dist_sync they must take the same number of steps;
// drawn from the whole, for MNIST's odd rows are from other writers, and easier, than its even ones.
[[nodiscard]] std::vector<std::size_t> share_of_worker(std::size_t rows, int rank, int worker_count);

struct Batch {
  std::vector<float> images;  // from 0 to 1
  std::vector<float> labels;
};
// The rows' images and labels. With fewer rows than batch_size the rest is filled with the first row.
[[nodiscard]] Batch make_batch(const DataSet& data, std::span<const std::size_t> rows, std::size_t batch_size);
