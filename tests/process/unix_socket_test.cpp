// The socket of a master on this machine.
#include "http/server.hpp"
#include "net/http_client.hpp"
#include "net/listener.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ydl::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr core::Millis kLong = test::kPatience;

net::awaitable<Response> answer(Request request) {
  co_return Response::json(request.path);
}

class UnixSocketTest : public testing::Test {
 protected:
  std::unique_ptr<Server> serve(const std::filesystem::path& file) {
    Router router;
    router.add("GET", "/job", answer);
    ServerOptions options;
    options.file = file;
    options.secret = "s3cret";
    return std::make_unique<Server>(loop_.executor(), options, std::move(router));
  }
  core::Result<net::HttpResponse> get(const std::filesystem::path& file) {
    net::HttpClient client(loop_.executor(), {.address = {}, .secret = "s3cret", .file = file});
    return loop_.run(client.get("/job", kLong));
  }
  test::Loop loop_;
  test::TempDir dir_;
};

TEST_F(UnixSocketTest, answers_in_a_folder_whose_name_is_longer_than_a_sockets_address) {
  const auto folder = dir_.path() / std::string(150, 'x');
  std::filesystem::create_directory(folder);
  const auto file = folder / "master.sock";
  auto server = serve(file);
  const auto listening = server->listen();
  ASSERT_TRUE(listening) << listening.error().message;
  EXPECT_EQ(server->port(), 0);
  const auto response = get(file);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "/job");
  struct stat found{};
  ASSERT_EQ(::stat(file.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(file)) << "it goes with its server";
}

TEST_F(UnixSocketTest, takes_the_place_of_one_that_a_killed_master_left) {
  const auto file = dir_.path() / "master.sock";
  ASSERT_TRUE(core::write_file_atomically(file, "left"));
  auto server = serve(file);
  ASSERT_TRUE(server->listen());
  EXPECT_TRUE(get(file));
}

TEST_F(UnixSocketTest, without_a_server_the_error_names_the_file) {
  const auto response = get(dir_.path() / "master.sock");
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, core::Errc::unavailable);
  EXPECT_THAT(response.error().message, HasSubstr("master.sock"));
}

TEST_F(UnixSocketTest, a_file_system_without_sockets_is_an_error_that_names_the_file) {
  const auto listening = serve("/proc/self/master.sock")->listen();
  ASSERT_FALSE(listening);
  EXPECT_THAT(listening.error().message, StartsWith("cannot listen on /proc/self/master.sock: "));
}

TEST_F(UnixSocketTest, a_folder_for_a_socket_is_ours_alone) {
  const auto here = [this](const char* name) {
    return std::string_view(name) == "XDG_RUNTIME_DIR" ? std::optional(dir_.path().string()) : std::nullopt;
  };
  const auto folder = net::make_socket_folder(here);
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(folder->parent_path(), dir_.path());
  EXPECT_EQ(std::filesystem::status(*folder).permissions(), std::filesystem::perms(0700));
  EXPECT_NE(net::make_socket_folder(here).value(), *folder);
  EXPECT_FALSE(net::make_socket_folder([](const char*) { return std::optional<std::string>("/nonexistent"); }));
}

}  // namespace
}  // namespace ydl::http
