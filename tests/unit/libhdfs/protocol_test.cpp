#include "libhdfs/protocol.hpp"

#include "hdfs/errors.hpp"
#include "hrpc/errors.hpp"
#include "libhdfs/errno_of.hpp"

#include <cerrno>
#include <gtest/gtest.h>

// The library's own half of the protocol. It is C that is also C++.
extern "C" {
#include "libhdfs/client/message.c"
}

namespace ydl::libhdfs {
namespace {

using namespace std::string_literals;

// A request as the library writes it.
class Sent {
 public:
  explicit Sent(unsigned kind) { message_begin(&message_, kind); }
  Sent(const Sent&) = delete;
  Sent& operator=(const Sent&) = delete;
  ~Sent() { message_free(&message_); }
  Sent& text(const char* value) {
    message_text(&message_, value);
    return *this;
  }
  Sent& number(std::uint32_t value) {
    message_u32(&message_, value);
    return *this;
  }
  Sent& long_number(std::uint64_t value) {
    message_u64(&message_, value);
    return *this;
  }
  int end() { return message_end(&message_); }
  [[nodiscard]] std::string bytes() const { return {reinterpret_cast<const char*>(message_.data), message_.size}; }

 private:
  message message_{};
};

core::Result<Request> received(const std::string& frame) {
  std::array<char, kYdlFrameHeader> header{};
  std::copy_n(frame.begin(), header.size(), header.begin());
  const auto decoded = decode_header(header);
  if (!decoded) return core::fail(decoded.error());
  EXPECT_EQ(decoded->size, frame.size() - header.size());
  return decode_request(decoded->kind, std::string_view(frame).substr(header.size()));
}

TEST(LibhdfsProtocol, the_helper_reads_what_the_library_writes) {
  Sent create(kYdlCreate);
  create.text("hdfs://ns/a b").number(1).number(3).long_number(1U << 20U);
  ASSERT_EQ(create.end(), 0);
  const auto request = received(create.bytes());
  ASSERT_TRUE(request) << request.error().message;
  const auto& read = std::get<Create>(*request);
  EXPECT_EQ(read.path, "hdfs://ns/a b");
  EXPECT_TRUE(read.append);
  EXPECT_EQ(read.replication, 3U);
  EXPECT_EQ(read.block_size, 1U << 20U);

  Sent utime(kYdlUtime);
  utime.text("/a").long_number(1000).long_number(~std::uint64_t{0});
  ASSERT_EQ(utime.end(), 0);
  const auto times = received(utime.bytes());
  ASSERT_TRUE(times);
  EXPECT_EQ(std::get<Utime>(*times).modified, 1000);
  EXPECT_EQ(std::get<Utime>(*times).accessed, -1);
}

TEST(LibhdfsProtocol, the_library_reads_what_the_helper_writes) {
  hdfs::FileStatus status;
  status.name = "part-0";
  status.kind = hdfs::FileKind::directory;
  status.length = 1ULL << 40U;
  status.permission = 01777;
  status.owner = "ann";
  status.group = "users";
  status.encrypted = true;
  const auto frame = Answer(kYdlMore).entry(status).finish();
  frame_header header{};
  ASSERT_EQ(::decode_header(reinterpret_cast<const unsigned char*>(frame.data()), &header), 0);
  EXPECT_EQ(header.kind, unsigned{kYdlMore});
  ASSERT_EQ(header.size, frame.size() - kYdlFrameHeader);
  body body{reinterpret_cast<const unsigned char*>(frame.data()) + kYdlFrameHeader, header.size, 0, false};
  EXPECT_EQ(body_u32(&body), std::uint32_t{'D'});
  char* name = body_text(&body);
  EXPECT_STREQ(name, "part-0");
  free(name);
  EXPECT_EQ(body_u64(&body), 1ULL << 40U);
}

TEST(LibhdfsProtocol, the_library_reads_nothing_behind_the_end_of_an_answer) {
  const std::string cut("\x05\x00\x00\x00"s + "abcd");
  body body{reinterpret_cast<const unsigned char*>(cut.data()), cut.size(), 0, false};
  EXPECT_EQ(body_text(&body), nullptr);
  EXPECT_TRUE(body.broken);
  EXPECT_EQ(body_u64(&body), 0U);
  EXPECT_FALSE(body_done(&body));
}

TEST(LibhdfsProtocol, the_library_refuses_answers_of_unknown_kinds_and_sizes) {
  frame_header header{};
  for (const auto& [kind, size] : {std::pair<unsigned, std::size_t>{kYdlHello, 0},
                                   {kYdlError + 1, 0},
                                   {kYdlData, 0},
                                   {kYdlData, kYdlLargestData + 1},
                                   {kYdlOk, kYdlLargestReply + 1}}) {
    unsigned char bytes[kYdlFrameHeader];
    ::encode_header(bytes, kind, size);
    EXPECT_EQ(::decode_header(bytes, &header), EPROTO) << kind << ' ' << size;
  }
}

TEST(LibhdfsProtocol, a_path_that_is_too_long_is_not_sent) {
  Sent status(kYdlStatus);
  status.text(std::string(kYdlLargestRequest, 'x').c_str());
  EXPECT_EQ(status.end(), ENAMETOOLONG);
}

TEST(LibhdfsProtocol, requests_above_the_limit_of_their_kind_are_refused_before_their_body_is_read) {
  EXPECT_TRUE(decode_header(encode_header(kYdlWrite, kYdlLargestData)));
  EXPECT_FALSE(decode_header(encode_header(kYdlWrite, kYdlLargestData + 1)));
  EXPECT_TRUE(decode_header(encode_header(kYdlStatus, kYdlLargestRequest)));
  EXPECT_FALSE(decode_header(encode_header(kYdlStatus, kYdlLargestRequest + 1)));
  EXPECT_FALSE(decode_header(encode_header(0, 0)));
  EXPECT_FALSE(decode_header(encode_header(kYdlClose + 1, 0)));
}

TEST(LibhdfsProtocol, a_body_has_exactly_its_values) {
  Sent status(kYdlStatus);
  status.text("/a");
  ASSERT_EQ(status.end(), 0);
  const auto body = status.bytes().substr(kYdlFrameHeader);
  EXPECT_TRUE(decode_request(kYdlStatus, body));
  EXPECT_FALSE(decode_request(kYdlStatus, body + "x"));
  for (std::size_t size = 0; size < body.size(); ++size) EXPECT_FALSE(decode_request(kYdlStatus, body.substr(0, size)));
}

TEST(LibhdfsProtocol, values_that_hdfs_cannot_have_are_refused) {
  Sent nul(kYdlStatus);
  nul.number(2);
  EXPECT_FALSE(decode_request(kYdlStatus, nul.bytes().substr(kYdlFrameHeader) + "a\0"s));
  Sent mode(kYdlChmod);
  mode.text("/a").number(010000);
  EXPECT_FALSE(decode_request(kYdlChmod, mode.bytes().substr(kYdlFrameHeader)));
  Sent flag(kYdlDelete);
  flag.text("/a").number(2);
  EXPECT_FALSE(decode_request(kYdlDelete, flag.bytes().substr(kYdlFrameHeader)));
  Sent offset(kYdlRead);
  offset.long_number(~std::uint64_t{0}).number(1);
  EXPECT_FALSE(decode_request(kYdlRead, offset.bytes().substr(kYdlFrameHeader)));
  Sent length(kYdlRead);
  length.long_number(0).number(kYdlLargestRead + 1);
  EXPECT_FALSE(decode_request(kYdlRead, length.bytes().substr(kYdlFrameHeader)));
  Sent replication(kYdlReplication);
  replication.text("/a").number(0);
  EXPECT_FALSE(decode_request(kYdlReplication, replication.bytes().substr(kYdlFrameHeader)));
}

TEST(LibhdfsProtocol, a_message_with_a_nul_or_of_any_length_is_readable) {
  const auto frame = encode_error({make_error_code(hrpc::Errc::not_found), "a\0b"s + std::string(100'000, 'x')});
  frame_header header{};
  ASSERT_EQ(::decode_header(reinterpret_cast<const unsigned char*>(frame.data()), &header), 0);
  body body{reinterpret_cast<const unsigned char*>(frame.data()) + kYdlFrameHeader, header.size, 0, false};
  EXPECT_EQ(body_u32(&body), std::uint32_t{ENOENT});
  char* message = body_text(&body);
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(std::string(message).substr(0, 3), "a b");
  free(message);
  free(body_text(&body));
  EXPECT_TRUE(body_done(&body));
}

TEST(LibhdfsErrno, programs_find_the_cause_in_errno) {
  const auto of = [](auto code) { return errno_of(make_error_code(code)); };
  EXPECT_EQ(of(hrpc::Errc::not_found), ENOENT);
  EXPECT_EQ(of(hrpc::Errc::access_denied), EACCES);
  EXPECT_EQ(of(hrpc::Errc::exists), EEXIST);
  EXPECT_EQ(of(hrpc::Errc::not_a_directory), ENOTDIR);
  EXPECT_EQ(of(hrpc::Errc::not_empty), ENOTEMPTY);
  EXPECT_EQ(of(hrpc::Errc::quota_exceeded), EDQUOT);
  EXPECT_EQ(of(hrpc::Errc::safe_mode), EROFS);
  EXPECT_EQ(of(hrpc::Errc::lease_lost), ESTALE);
  EXPECT_EQ(of(hrpc::Errc::remote), EIO);
  EXPECT_EQ(of(hdfs::Errc::no_replica), EIO);
  EXPECT_EQ(of(hdfs::Errc::unsupported), ENOTSUP);
  EXPECT_EQ(of(core::Errc::usage), EINVAL);
  EXPECT_EQ(errno_of(std::make_error_code(std::errc::cross_device_link)), EXDEV);
  EXPECT_EQ(errno_of(std::error_code()), EIO);  // never 0
}

}  // namespace
}  // namespace ydl::libhdfs
