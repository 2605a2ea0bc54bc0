#include "mnist.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace {

constexpr std::uint32_t kSeed = 1;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw std::runtime_error(fmt::format("{} {}", path.string(), reason));
}

std::uint32_t read_big_endian(std::istream& file) {
  std::array<char, 4> bytes{};
  file.read(bytes.data(), bytes.size());
  return std::accumulate(bytes.begin(), bytes.end(), std::uint32_t{0},
                         [](std::uint32_t number, char byte) { return number << 8 | static_cast<std::uint8_t>(byte); });
}

//   0   0   type   dimensions   size of each dimension …   values …
//   └ zero  └ 8: bytes          └ 32 bits, big endian      └ one byte each
std::vector<std::uint8_t> read_idx(const std::filesystem::path& path, std::span<const std::size_t> row_shape) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail(path, "is missing: download the data with tools/fetch_data.py mnist, or name its folder with --data-dir.");
  const std::uint32_t magic = read_big_endian(file);
  if (!file || magic != (8U << 8 | (row_shape.size() + 1))) {
    fail(path, fmt::format("is not an idx file of bytes with {} dimensions.", row_shape.size() + 1));
  }
  std::size_t size = read_big_endian(file);
  for (const std::size_t expected : row_shape) {
    if (read_big_endian(file) != expected)
      fail(path, fmt::format("has rows that are not {}.", fmt::join(row_shape, "×")));
    size *= expected;
  }
  const auto header = static_cast<std::size_t>(file.tellg());
  if (!file || std::filesystem::file_size(path) != header + size)
    fail(path, "is cut off or too long: download it again.");
  std::vector<std::uint8_t> values(size);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(size));
  if (!file) fail(path, "cannot be read completely.");
  return values;
}

}  // namespace

void DataSet::shorten(std::size_t samples) {
  labels.resize(std::min(samples, labels.size()));
  images.resize(labels.size() * kImageBytes);
}

DataSet read_mnist(const std::filesystem::path& folder, Part part) {
  const std::string prefix = part == Part::train ? "train" : "t10k";
  DataSet data{
      .images = read_idx(folder / (prefix + "-images-idx3-ubyte"), std::array{kImageSide, kImageSide}),
      .labels = read_idx(folder / (prefix + "-labels-idx1-ubyte"), {}),
  };
  if (data.images.size() != data.labels.size() * kImageBytes) {
    fail(folder, fmt::format("has {} images and {} labels of the part '{}'.", data.images.size() / kImageBytes,
                             data.labels.size(), prefix));
  }
  return data;
}

std::vector<std::size_t> share_of_worker(std::size_t rows, int rank, int worker_count) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, std::mt19937(kSeed));
  const std::size_t share = rows / static_cast<std::size_t>(worker_count);
  const auto first = order.begin() + static_cast<std::ptrdiff_t>(share) * rank;
  return {first, first + static_cast<std::ptrdiff_t>(share)};
}

Batch make_batch(const DataSet& data, std::span<const std::size_t> rows, std::size_t batch_size) {
  Batch batch{std::vector<float>(batch_size * kImageBytes), std::vector<float>(batch_size)};
  for (std::size_t i = 0; i < batch_size; ++i) {
    const std::size_t row = rows[i < rows.size() ? i : 0];
    const auto image = std::span(data.images).subspan(row * kImageBytes, kImageBytes);
    std::ranges::transform(image, batch.images.begin() + static_cast<std::ptrdiff_t>(i * kImageBytes),
                           [](std::uint8_t pixel) { return static_cast<float>(pixel) / 255.0F; });
    batch.labels[i] = data.labels[row];
  }
  return batch;
}
