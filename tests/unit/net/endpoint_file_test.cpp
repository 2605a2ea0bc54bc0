#include "net/endpoint_file.hpp"

#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ydl::net {
namespace {

using ::testing::HasSubstr;

class EndpointFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return dir_.path() / "master.json"; }
  core::Error error_of(std::string_view text) {
    EXPECT_TRUE(core::write_file_atomically(file(), text));
    const auto read = read_endpoint(file());
    EXPECT_FALSE(read) << text;
    return read ? core::Error{} : read.error();
  }

  test::TempDir dir_;
};

TEST_F(EndpointFileTest, an_endpoint_is_read_as_it_was_written) {
  for (const auto& endpoint : {Endpoint{"10.0.0.7", 65535, "s3\"cret", "ab12"},
                               Endpoint{.address = {}, .secret = "s", .file = "/run/ydl-1/master.sock"},
                               Endpoint{.address = {}, .secret = "s", .file = file().parent_path() / "master.sock"}}) {
    ASSERT_TRUE(write_endpoint(file(), endpoint));
    const auto read = read_endpoint(file());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, endpoint);
  }
}

TEST_F(EndpointFileTest, a_socket_in_the_same_folder_is_stored_without_the_folder) {
  ASSERT_TRUE(write_endpoint(file(), {.address = {}, .secret = "s", .file = file().parent_path() / "master.sock"}));
  EXPECT_THAT(core::read_file(file()).value(), HasSubstr(R"("socket":"master.sock")"));
}

TEST_F(EndpointFileTest, a_port_without_a_fingerprint_is_refused) {
  const auto error = error_of(R"({"version":3,"address":"127.0.0.1","port":80,"secret":"s","epoch":1})");
  EXPECT_THAT(error.message, HasSubstr("does not contain the address, port and certificate fingerprint of a master"));
  EXPECT_THAT(error_of(R"({"version":1,"address":"127.0.0.1","port":80,"secret":"s"})").message,
              HasSubstr("version 1"));
}

TEST_F(EndpointFileTest, only_the_owner_can_read_the_file_even_if_it_existed_before) {
  ASSERT_TRUE(core::write_file_atomically(file(), "{}", 0666));
  ASSERT_TRUE(write_endpoint(file(), {"127.0.0.1", 1, "s", "ab"}));
  struct stat found{};
  ASSERT_EQ(::stat(file().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(EndpointFileTest, a_broken_file_is_corrupt_and_named) {
  for (const auto* text :
       {"", "{", "[]", "{}", R"({"socket":"","secret":"s"})", R"({"socket":"x"})",
        R"({"address":"127.0.0.1","port":0,"secret":"s"})", R"({"address":"127.0.0.1","port":65536,"secret":"s"})",
        R"({"address":"127.0.0.1","port":"80","secret":"s"})", R"({"address":"127.0.0.1","port":80})",
        R"({"port":80,"secret":"s"})"}) {
    const auto error = error_of(text);
    EXPECT_EQ(error.code, core::Errc::corrupt) << text;
    EXPECT_THAT(error.message, HasSubstr("master.json")) << text;
  }
}

TEST_F(EndpointFileTest, a_missing_file_is_named) {
  EXPECT_THAT(read_endpoint(file()).error().message, HasSubstr("master.json"));
}

}  // namespace
}  // namespace ydl::net
