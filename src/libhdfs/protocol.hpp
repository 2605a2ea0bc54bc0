#pragma once

#include "core/result.hpp"
#include "hdfs/types.hpp"
#include "libhdfs/wire.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

// The requests and answers of wire.h as C++ values. Pure. The program that sends the requests is not trusted: every
// length and every value is checked.
namespace ydl::libhdfs {

struct Hello {
  std::uint32_t version = 0;
};
struct Connect {
  std::string uri;
  std::string user;  // empty: any
};
struct Conf {
  std::string key;
};
struct Status {
  std::string path;
};
struct List {
  std::string path;
};
struct MakeDirectory {
  std::string path;
};
struct Rename {
  std::string from;
  std::string to;
};
struct Delete {
  std::string path;
  bool recursive = false;
};
struct Chmod {
  std::string path;
  std::uint32_t mode = 0;
};
struct Chown {
  std::string path;
  std::string owner;
  std::string group;
};
struct Utime {
  std::string path;
  std::int64_t modified = -1;  // seconds; -1: do not change
  std::int64_t accessed = -1;
};
struct SetReplication {
  std::string path;
  std::uint32_t replication = 1;
};
struct Hosts {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};
struct Space {
  std::string path;
};
struct Defaults {
  std::string path;
};
struct Open {
  std::string path;
};
struct Read {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
};
struct Create {
  std::string path;
  bool append = false;
  std::uint32_t replication = 0;  // 0: the default
  std::uint64_t block_size = 0;   // 0: the default
};
struct Write {
  std::string_view bytes;  // a part of the body
};
struct Flush {
  bool to_disk = false;
};
struct Close {};

using Request = std::variant<Hello, Connect, Conf, Status, List, MakeDirectory, Rename, Delete, Chmod, Chown, Utime,
                             SetReplication, Hosts, Space, Defaults, Open, Read, Create, Write, Flush, Close>;

struct FrameHeader {
  std::uint32_t size = 0;
  std::uint16_t kind = 0;
};
// Errors: corrupt, for an unknown kind and for a body above the limit of its kind.
[[nodiscard]] core::Result<FrameHeader> decode_header(std::span<const char, kYdlFrameHeader> bytes);
// Errors: corrupt. A Write refers to `body`.
[[nodiscard]] core::Result<Request> decode_request(std::uint16_t kind, std::string_view body);

[[nodiscard]] std::array<char, kYdlFrameHeader> encode_header(std::uint16_t kind, std::size_t size);

// An answer that is being written.
class Answer {
 public:
  explicit Answer(std::uint16_t kind = kYdlOk);
  Answer& number(std::uint32_t value);
  Answer& long_number(std::uint64_t value);
  // Cut at kYdlLargestText; NUL bytes become spaces.
  Answer& text(std::string_view value);
  Answer& entry(const hdfs::FileStatus& status);
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  // The whole frame. The answer is empty afterwards.
  [[nodiscard]] std::string finish();

 private:
  std::string bytes_;
};

[[nodiscard]] std::string encode_error(const core::Error& error);

}  // namespace ydl::libhdfs
