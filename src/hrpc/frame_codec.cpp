#include "hrpc/frame_codec.hpp"

#include "core/strings.hpp"
#include "hrpc/errors.hpp"

#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc {
namespace {

constexpr std::size_t kLengthSize = 4;

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kLengthSize; ++i) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct OtherService {
  std::string_view first_bytes;
  std::string_view name;
};
// Services that users often reach with a wrong port number.
constexpr std::array kOtherServices = {OtherService{"HTTP", "an HTTP server"}, OtherService{"SSH-", "an SSH server"},
                                       OtherService{"\x15\x03", "a TLS server"}, OtherService{"<htm", "an HTTP server"},
                                       OtherService{"220 ", "a mail or FTP server"}};

core::Error refuse_first(std::string_view bytes, std::uint32_t length) {
  for (const OtherService& service : kOtherServices) {
    if (bytes.starts_with(service.first_bytes)) {
      return {Errc::not_hadoop,
              fmt::format("{} answered instead of Hadoop RPC; check that this is the RPC port", service.name)};
    }
  }
  if (length == std::numeric_limits<std::uint32_t>::max()) {
    return {Errc::not_hadoop, "the server speaks an RPC version before 9 (Hadoop 1 or older)"};
  }
  return {
      Errc::not_hadoop,
      fmt::format("the server does not speak Hadoop RPC (its answer starts with '{}'); check that this is the RPC port",
                  core::printable(bytes.substr(0, kLengthSize)))};
}

}  // namespace

void FrameReader::feed(std::string_view bytes) {
  if (start_ == buffer_.size()) {
    buffer_.clear();
    start_ = 0;
  } else if (start_ > buffer_.size() / 2) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_.append(bytes);
}

core::Result<std::optional<std::string>> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  if (rest.size() < kLengthSize) return std::nullopt;
  const std::uint32_t length = read_u32(rest);
  if (length == 0 || length > max_frame_) {
    if (is_first_) return core::fail(refuse_first(rest, length));
    return core::fail(Errc::corrupt,
                      fmt::format("the server announced an answer of {} bytes, but at most {} are allowed (set by "
                                  "ipc.maximum.response.length; during the handshake the limit is lower)",
                                  length, max_frame_));
  }
  if (rest.size() - kLengthSize < length) {
    buffer_.reserve(start_ + kLengthSize + length);
    return std::nullopt;
  }
  is_first_ = false;
  // the only frame in the buffer, as large ones usually are: it can be moved instead of copied
  if (start_ == 0 && rest.size() == kLengthSize + length) {
    std::string whole = std::exchange(buffer_, {});
    whole.erase(0, kLengthSize);
    return whole;
  }
  std::string frame(rest.substr(kLengthSize, length));
  start_ += kLengthSize + length;
  return frame;
}

std::string encode_frame(std::string_view payload) {
  const auto length = static_cast<std::uint32_t>(payload.size());
  std::string frame;
  frame.reserve(kLengthSize + payload.size());
  for (const unsigned shift : {24U, 16U, 8U, 0U}) frame.push_back(static_cast<char>(length >> shift & 0xffU));
  frame.append(payload);
  return frame;
}

void append_delimited(std::string& out, std::string_view message) {
  std::size_t length = message.size();
  while (length >= 0x80) {
    out.push_back(static_cast<char>((length & 0x7fU) | 0x80U));
    length >>= 7U;
  }
  out.push_back(static_cast<char>(length));
  out.append(message);
}

std::optional<std::string_view> take_delimited(std::string_view& bytes) {
  constexpr std::size_t kMaxVarint = 5;  // a length has at most 32 bits
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kMaxVarint && i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    length |= std::uint64_t{byte & 0x7fU} << (7U * i);
    if ((byte & 0x80U) != 0) continue;
    const std::string_view rest = bytes.substr(i + 1);
    if (length > rest.size()) return std::nullopt;
    bytes = rest.substr(length);
    return rest.substr(0, length);
  }
  return std::nullopt;
}

}  // namespace ydl::hrpc
