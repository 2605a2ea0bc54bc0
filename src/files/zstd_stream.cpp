#include "files/zstd_stream.hpp"

#include "core/assert.hpp"

#include <algorithm>
#include <deque>
#include <future>
#include <utility>
#include <vector>
#include <zstd.h>

#include <fmt/format.h>

namespace ydl::files {
namespace {

using core::Errc;
using core::fail;
using core::Result;

// Of the tried levels, 3 is the one after which files hardly become smaller but need much more time.
constexpr int kLevel = 3;
// Larger pieces are hardly smaller when compressed, and each thread needs two of them in memory.
constexpr std::size_t kPiece = 8 << 20U;
constexpr int kMostThreads = 8;
// A stream that needs a larger window is refused: 128 MiB.
constexpr int kLargestWindowLog = 27;

}  // namespace

struct ZstdReader::State {
  ReadBytes source;
  ZSTD_DCtx* context = ZSTD_createDCtx();
  std::vector<char> buffer = std::vector<char>(ZSTD_DStreamInSize());
  ZSTD_inBuffer in{buffer.data(), 0, 0};
  bool source_ended = false;
  bool between_frames = true;
};

ZstdReader::ZstdReader(ReadBytes source) : state_(std::make_unique<State>(std::move(source))) {
  ZSTD_DCtx_setParameter(state_->context, ZSTD_d_windowLogMax, kLargestWindowLog);
}

ZstdReader::~ZstdReader() {
  ZSTD_freeDCtx(state_->context);
}

Result<std::size_t> ZstdReader::read(std::span<char> into) {
  auto& state = *state_;
  ZSTD_outBuffer out{into.data(), into.size(), 0};
  while (out.pos == 0 && !into.empty()) {
    if (state.in.pos == state.in.size && !state.source_ended) {
      const auto size = state.source(state.buffer);
      if (!size) return size;
      state.source_ended = *size == 0;
      state.in = {state.buffer.data(), *size, 0};
    }
    if (state.in.pos == state.in.size && state.source_ended && state.between_frames) return std::size_t{0};
    const auto consumed = state.in.pos;
    const auto left = ZSTD_decompressStream(state.context, &out, &state.in);
    if (ZSTD_isError(left) != 0)
      return fail(Errc::corrupt, fmt::format("the compressed data is damaged: {}", ZSTD_getErrorName(left)));
    state.between_frames = left == 0;
    if (state.source_ended && out.pos == 0 && state.in.pos == consumed && !state.between_frames)
      return fail(Errc::corrupt, "the compressed data is cut off");
  }
  return out.pos;
}

// Debian's static library has no threads of its own, so pieces become frames, each compressed by a thread.
struct ZstdWriter::State {
  WriteBytes sink;
  std::size_t threads;
  std::string piece = {};
  std::deque<std::future<std::string>> frames = {};  // in the order of their pieces

  static std::string compress(const std::string& bytes) {
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    std::string frame(ZSTD_compressBound(bytes.size()), '\0');
    const auto size = ZSTD_compress2(context.get(), frame.data(), frame.size(), bytes.data(), bytes.size());
    YDL_ASSERT(ZSTD_isError(size) == 0);  // the buffer is large enough for any input
    frame.resize(size);
    return frame;
  }

  void start_frame() {
    frames.push_back(
        std::async(std::launch::async, [bytes = std::exchange(piece, {})] { return State::compress(bytes); }));
  }

  Result<void> write_frames(std::size_t most_left) {
    while (frames.size() > most_left) {
      const auto frame = frames.front().get();
      frames.pop_front();
      if (auto written = sink(frame); !written) return written;
    }
    return {};
  }
};

ZstdWriter::ZstdWriter(WriteBytes sink, int threads)
    : state_(std::make_unique<State>(
          State{.sink = std::move(sink), .threads = static_cast<std::size_t>(std::clamp(threads, 1, kMostThreads))})) {}

ZstdWriter::~ZstdWriter() = default;

Result<void> ZstdWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto size = std::min(bytes.size(), kPiece - state_->piece.size());
    state_->piece.append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (state_->piece.size() < kPiece) continue;
    state_->start_frame();
    if (auto written = state_->write_frames(state_->threads); !written) return written;
  }
  return {};
}

Result<void> ZstdWriter::finish() {
  state_->start_frame();
  return state_->write_frames(0);
}

}  // namespace ydl::files
