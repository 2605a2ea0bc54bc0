#include "libhdfs/protocol.hpp"

#include "libhdfs/errno_of.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

namespace ydl::libhdfs {
namespace {

template <class T>
T read_le(std::string_view bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | (static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i)));
  return value;
}

template <class T>
void append_le(std::string& to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

// Takes values from the front of a body. After a failure all values are empty.
class Cursor {
 public:
  explicit Cursor(std::string_view body) : left_(body) {}

  std::uint32_t number() { return read_le<std::uint32_t>(take(4)); }
  std::uint64_t long_number() { return read_le<std::uint64_t>(take(8)); }
  std::int64_t signed_number() { return static_cast<std::int64_t>(long_number()); }
  bool flag() {
    const auto value = number();
    if (value > 1) failed_ = true;
    return value == 1;
  }
  std::string text() {
    const std::size_t size = number();
    if (size > kYdlLargestText || size > left_.size()) failed_ = true;
    if (failed_) return {};
    const auto bytes = left_.substr(0, size);
    left_.remove_prefix(size);
    if (bytes.find('\0') != std::string_view::npos) failed_ = true;
    return std::string(bytes);
  }
  std::string_view rest() { return std::exchange(left_, {}); }
  [[nodiscard]] bool done() const { return !failed_ && left_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    static constexpr std::string_view kZeros("\0\0\0\0\0\0\0\0", 8);
    if (left_.size() < count) failed_ = true;
    if (failed_) return kZeros;
    const auto bytes = left_.substr(0, count);
    left_.remove_prefix(count);
    return bytes;
  }

  std::string_view left_;
  bool failed_ = false;
};

// The members are read in the order of the braces.
Request read_request(std::uint16_t kind, Cursor& body) {
  switch (kind) {
    case kYdlHello:
      return Hello{body.number()};
    case kYdlConnect:
      return Connect{body.text(), body.text()};
    case kYdlConf:
      return Conf{body.text()};
    case kYdlStatus:
      return Status{body.text()};
    case kYdlList:
      return List{body.text()};
    case kYdlMakeDir:
      return MakeDirectory{body.text()};
    case kYdlRename:
      return Rename{body.text(), body.text()};
    case kYdlDelete:
      return Delete{body.text(), body.flag()};
    case kYdlChmod:
      return Chmod{body.text(), body.number()};
    case kYdlChown:
      return Chown{body.text(), body.text(), body.text()};
    case kYdlUtime:
      return Utime{body.text(), body.signed_number(), body.signed_number()};
    case kYdlReplication:
      return SetReplication{body.text(), body.number()};
    case kYdlHosts:
      return Hosts{body.text(), body.long_number(), body.long_number()};
    case kYdlSpace:
      return Space{body.text()};
    case kYdlDefaults:
      return Defaults{body.text()};
    case kYdlOpen:
      return Open{body.text()};
    case kYdlRead:
      return Read{body.long_number(), body.number()};
    case kYdlCreate:
      return Create{body.text(), body.flag(), body.number(), body.long_number()};
    case kYdlWrite:
      return Write{body.rest()};
    case kYdlFlush:
      return Flush{body.flag()};
    default:
      return Close{};
  }
}

bool fits_hdfs(std::uint64_t value) {
  return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

bool fits_seconds(std::int64_t seconds) {
  return seconds >= -1 && seconds <= std::numeric_limits<std::int64_t>::max() / 1000;
}

bool is_valid(const Request& request) {
  if (const auto* chmod = std::get_if<Chmod>(&request)) return chmod->mode <= 07777;
  if (const auto* utime = std::get_if<Utime>(&request)) {
    return fits_seconds(utime->modified) && fits_seconds(utime->accessed);
  }
  if (const auto* set = std::get_if<SetReplication>(&request))
    return set->replication >= 1 && set->replication <= 32767;
  if (const auto* hosts = std::get_if<Hosts>(&request)) return fits_hdfs(hosts->offset) && fits_hdfs(hosts->length);
  if (const auto* read = std::get_if<Read>(&request)) return fits_hdfs(read->offset) && read->length <= kYdlLargestRead;
  if (const auto* create = std::get_if<Create>(&request)) {
    return create->replication <= 32767 && fits_hdfs(create->block_size);
  }
  return true;
}

}  // namespace

core::Result<FrameHeader> decode_header(std::span<const char, kYdlFrameHeader> bytes) {
  const std::string_view text(bytes.data(), bytes.size());
  const FrameHeader header{read_le<std::uint32_t>(text.substr(0, 4)), read_le<std::uint16_t>(text.substr(4, 2))};
  if (header.kind < kYdlHello || header.kind > kYdlClose)
    return core::fail(core::Errc::corrupt, fmt::format("{} is an unknown kind of request", header.kind));
  const std::uint32_t limit = header.kind == kYdlWrite ? kYdlLargestData : kYdlLargestRequest;
  if (header.size > limit) {
    return core::fail(core::Errc::corrupt, fmt::format("a request of kind {} has {} bytes; at most {} are allowed",
                                                       header.kind, header.size, limit));
  }
  return header;
}

core::Result<Request> decode_request(std::uint16_t kind, std::string_view body) {
  Cursor cursor(body);
  auto request = read_request(kind, cursor);
  if (cursor.done() && is_valid(request)) return request;
  return core::fail(core::Errc::corrupt, fmt::format("a request of kind {} has an invalid body", kind));
}

std::array<char, kYdlFrameHeader> encode_header(std::uint16_t kind, std::size_t size) {
  std::string bytes;
  append_le(bytes, static_cast<std::uint32_t>(size));
  append_le(bytes, std::uint32_t{kind});
  std::array<char, kYdlFrameHeader> header{};
  std::ranges::copy(bytes, header.begin());
  return header;
}

Answer::Answer(std::uint16_t kind) {
  const auto header = encode_header(kind, 0);
  bytes_.assign(header.begin(), header.end());
}

Answer& Answer::number(std::uint32_t value) {
  append_le(bytes_, value);
  return *this;
}

Answer& Answer::long_number(std::uint64_t value) {
  append_le(bytes_, value);
  return *this;
}

Answer& Answer::text(std::string_view value) {
  const auto cut = value.substr(0, kYdlLargestText);
  number(static_cast<std::uint32_t>(cut.size()));
  const auto begin = bytes_.size();
  bytes_ += cut;
  std::replace(bytes_.begin() + static_cast<std::ptrdiff_t>(begin), bytes_.end(), '\0', ' ');
  return *this;
}

Answer& Answer::entry(const hdfs::FileStatus& status) {
  const auto seconds = [](core::WallTime time) {
    return static_cast<std::uint64_t>(std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
  };
  return number(status.is_directory() ? 'D' : 'F')
      .text(status.name)
      .long_number(status.length)
      .long_number(seconds(status.modified))
      .long_number(seconds(status.accessed))
      .number(status.replication)
      .long_number(status.block_size)
      .number(status.permission)
      .number(status.encrypted ? 1 : 0)
      .text(status.owner)
      .text(status.group);
}

std::string Answer::finish() {
  const auto size = static_cast<std::uint32_t>(bytes_.size() - kYdlFrameHeader);
  for (std::size_t i = 0; i < 4; ++i) bytes_[i] = static_cast<char>((size >> (8 * i)) & 0xff);
  return std::move(bytes_);
}

std::string encode_error(const core::Error& error) {
  Answer answer(kYdlError);
  answer.number(static_cast<std::uint32_t>(errno_of(error.code))).text(error.message);
  return answer.text(error.remote ? error.remote->type : "").finish();
}

}  // namespace ydl::libhdfs
