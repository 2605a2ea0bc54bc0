#include "master/local_server.hpp"

#include "net/endpoint_file.hpp"
#include "net/http_client.hpp"
#include "support/loop.hpp"
#include "support/temp_dir.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

namespace ydl::master {
namespace {

net::awaitable<http::Response> answer(http::Request request) {
  co_return http::Response::json(request.path);
}

class LocalServerTest : public testing::Test {
 protected:
  LocalServerTest() {
    ::setenv("XDG_RUNTIME_DIR", runtime_.path().c_str(), 1);
    http::Router router;
    router.add("GET", "/job", answer);
    server_.emplace(loop_.executor(), folder_, std::move(router));
  }
  ~LocalServerTest() override { ::unsetenv("XDG_RUNTIME_DIR"); }

  net::Endpoint listen() {
    const auto listening = server_->listen();
    if (!listening) ADD_FAILURE() << listening.error().message;
    return net::read_endpoint(folder_.master_file()).value_or(net::Endpoint{});
  }
  core::Result<net::HttpResponse> get(const net::Endpoint& endpoint) {
    net::HttpClient client(loop_.executor(), endpoint);
    return loop_.run(client.get("/job", test::kPatience));
  }

  test::TempDir dir_;
  test::TempDir runtime_;
  test::Loop loop_;
  jobs::JobFolder folder_{dir_.path()};
  std::optional<LocalServer> server_;
};

TEST_F(LocalServerTest, its_socket_is_in_the_jobs_folder) {
  const auto endpoint = listen();
  EXPECT_EQ(endpoint.file, folder_.socket_file());
  EXPECT_EQ(get(endpoint).value().status, 200U);
}

TEST_F(LocalServerTest, where_the_jobs_folder_takes_no_socket_it_has_a_folder_of_its_own) {
  std::filesystem::create_directory(
      folder_.socket_file());  // a socket cannot be made here, as on a file system without them
  const auto endpoint = listen();
  const auto own = endpoint.file.parent_path();
  EXPECT_EQ(own.parent_path(), runtime_.path());
  EXPECT_EQ(std::filesystem::status(own).permissions(), std::filesystem::perms(0700));
  EXPECT_EQ(get(endpoint).value().status, 200U);
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(own));
}

}  // namespace
}  // namespace ydl::master
