#pragma once

#include "core/result.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

// Compressed streams in bounded memory.
namespace ydl::files {

// Fills the buffer with the next bytes of a stream and returns their number; 0 at the end.
using ReadBytes = std::function<core::Result<std::size_t>(std::span<char>)>;
using WriteBytes = std::function<core::Result<void>(std::string_view)>;

class ZstdReader {
 public:
  explicit ZstdReader(ReadBytes source);
  ~ZstdReader();
  ZstdReader(const ZstdReader&) = delete;
  ZstdReader& operator=(const ZstdReader&) = delete;

  // The next decompressed bytes; 0 at the end. Errors: those of the source; corrupt, also if the stream is cut off.
  [[nodiscard]] core::Result<std::size_t> read(std::span<char> into);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class ZstdWriter {
 public:
  // Compresses with this number of threads. Equal bytes are always compressed to the same bytes, whatever the number.
  ZstdWriter(WriteBytes sink, int threads);
  ~ZstdWriter();
  ZstdWriter(const ZstdWriter&) = delete;
  ZstdWriter& operator=(const ZstdWriter&) = delete;

  // Errors: those of the sink.
  [[nodiscard]] core::Result<void> write(std::string_view bytes);
  [[nodiscard]] core::Result<void> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ydl::files
