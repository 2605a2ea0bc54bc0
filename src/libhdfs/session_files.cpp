// The contents of files.
#include "hdfs/errors.hpp"
#include "libhdfs/session.hpp"

#include <algorithm>
#include <array>

#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace ydl::libhdfs {
namespace {

namespace asio = net::asio;

// A read of this size opens a stream to the end of the block; a smaller one elsewhere in the file reads only its bytes.
constexpr std::uint64_t kStreams = std::uint64_t{512} << 10U;
// Beyond this number of open files no stream is kept between requests: each takes a connection and 240 KiB.
constexpr std::size_t kReadersWithStreams = 64;

core::Error out_of_order(std::string_view what) {
  return {make_error_code(core::Errc::corrupt), fmt::format("the library sent a request out of order: {}", what)};
}

}  // namespace

Session::Reply Session::on(Open request) {
  if (reader_ || writer_) co_return core::fail(out_of_order("the connection has a file"));
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  auto opened = co_await location->fs->open(location->path);
  if (!opened) co_return core::fail(opened.error());
  reader_.emplace(*std::move(opened));
  ++shared_.readers;
  left_ = {};
  at_ = last_end_ = 0;
  co_return Answer().long_number(reader_->length()).finish();
}

Session::Reply Session::on(Read request) {
  if (!reader_) co_return core::fail(out_of_order("no file is open"));
  const auto begin = std::min(request.offset, reader_->length());
  const auto end = std::min(begin + request.length, reader_->length());
  if (begin != at_) {
    if (end - begin < kStreams && begin != last_end_) co_return co_await read_piece(begin, end);
    left_ = {};
    reader_->seek(begin);
    at_ = begin;
  }
  const auto sent = co_await read_stream(end);
  if (!sent || shared_.readers > kReadersWithStreams || at_ == reader_->length()) {
    left_ = {};
    at_ = std::min(at_, reader_->length());
    reader_->seek(at_);
  }
  if (!sent) co_return core::fail(sent.error());
  co_return ended_ ? std::string() : Answer().finish();
}

// Sends the bytes as they arrive from the DataNode.
net::Async<> Session::read_stream(std::uint64_t end) {
  while (at_ < end && !ended_) {
    if (left_.empty()) {
      const auto more = co_await reader_->next();
      if (!more) co_return core::fail(more.error());
      left_ = *more;
      if (left_.empty()) co_return core::fail(hdfs::Errc::no_replica, "the file was truncated while it was being read");
    }
    const auto part = left_.first(std::min<std::size_t>({left_.size(), end - at_, kYdlLargestData}));
    if (!co_await send_data(part)) break;
    left_ = left_.subspan(part.size());
    at_ += part.size();
  }
  // The connection to the DataNode can be used again once the end of the block was read.
  if (at_ == reader_->length() && !ended_) (void)co_await reader_->next();
  co_return core::Result<>{};
}

net::awaitable<bool> Session::send_data(std::span<const char> data) {
  const auto header = encode_header(kYdlData, data.size());
  const std::array<asio::const_buffer, 2> parts{asio::buffer(header), asio::buffer(data.data(), data.size())};
  const auto [error, n] = co_await asio::async_write(stream_, parts, net::tuple);
  if (error) ended_ = true;
  co_return !ended_;
}

// Exactly these bytes, so that the DataNode sends no others. One frame, as they are few.
Session::Reply Session::read_piece(std::uint64_t begin, std::uint64_t end) {
  std::string frames;
  if (end > begin) {
    const auto header = encode_header(kYdlData, end - begin);
    frames.assign(header.begin(), header.end());
    frames.resize(header.size() + (end - begin));
    const auto got = co_await reader_->read_at(begin, std::span(frames).subspan(header.size()));
    if (!got) co_return core::fail(got.error());
    if (*got != end - begin)
      co_return core::fail(hdfs::Errc::no_replica, "the file was truncated while it was being read");
  }
  last_end_ = end;
  co_return frames + Answer().finish();
}

Session::Reply Session::on(Create request) {
  if (reader_ || writer_) co_return core::fail(out_of_order("the connection has a file"));
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  hdfs::CreateOptions options;
  options.overwrite = hdfs::Overwrite::yes;
  if (request.replication > 0) options.replication = request.replication;
  if (request.block_size > 0) options.block_size = request.block_size;
  auto opened = request.append ? co_await location->fs->append(location->path)
                               : co_await location->fs->create(location->path, options);
  if (!opened) co_return core::fail(opened.error());
  writer_.emplace(*std::move(opened));
  co_return Answer().long_number(writer_->length()).finish();
}

// A failure is sent at once, and then nothing more: the program reads it at its next call.
Session::Reply Session::on(Write request) {
  if (failed_) co_return "";
  if (!writer_) co_return core::fail(out_of_order("no file is open"));
  const auto written = co_await writer_->write({request.bytes.data(), request.bytes.size()});
  if (written) co_return "";
  failed_ = true;
  co_return core::fail(written.error());
}

Session::Reply Session::on(Flush request) {
  if (failed_) co_return "";
  if (!writer_) co_return core::fail(out_of_order("no file is open"));
  const auto flushed = request.to_disk ? co_await writer_->sync() : co_await writer_->flush();
  if (flushed) co_return Answer().finish();
  failed_ = true;
  co_return core::fail(flushed.error());
}

}  // namespace ydl::libhdfs
