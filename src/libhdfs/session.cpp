#include "libhdfs/session.hpp"

#include "core/version.hpp"
#include "hconf/named_services.hpp"
#include "hdfs/configured.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"

#include <algorithm>
#include <sys/socket.h>

#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace ydl::libhdfs {
namespace {

namespace asio = net::asio;

constexpr core::Millis kGreeting = core::Seconds(60);  // until the first request, and for the body of each
constexpr std::size_t kPage = std::size_t{1} << 20U;   // of a listing
constexpr int kSocketBuffer = 1 << 20;

std::string ok() {
  return Answer().finish();
}

core::Error unknown_state(std::string_view what) {
  return {core::Errc::corrupt, fmt::format("the library sent a request out of order: {}", what)};
}

core::Error no_such_file(const std::string& path) {
  return {make_error_code(hrpc::Errc::not_found), fmt::format("{}: no such file or directory", path)};
}

std::optional<core::WallTime> time_of(std::int64_t seconds) {
  if (seconds < 0) return std::nullopt;
  return core::WallTime(core::Seconds(seconds));
}

}  // namespace

Session::Session(net::Socket socket, Shared& shared) : stream_(std::move(socket)), shared_(shared) {
  ::setsockopt(stream_.socket().native_handle(), SOL_SOCKET, SO_SNDBUF, &kSocketBuffer, sizeof(kSocketBuffer));
}

Session::~Session() {
  if (reader_) --shared_.readers;
}

net::awaitable<void> Session::run() {
  while (!ended_ && co_await serve_one()) continue;
  if (reader_) --shared_.readers;
  reader_.reset();
  if (writer_) (void)co_await writer_->close();
  writer_.reset();
}

// Returns whether the connection can serve another request.
net::awaitable<bool> Session::serve_one() {
  std::array<char, kYdlFrameHeader> bytes{};
  if (greeted_)
    stream_.expires_never();  // a connection may be idle as long as the program likes
  else
    stream_.expires_after(kGreeting);
  if (const auto [error, n] = co_await asio::async_read(stream_, asio::buffer(bytes), net::tuple); error)
    co_return false;
  const auto header = decode_header(bytes);
  if (!header) {
    (void)co_await send(encode_error(header.error()));
    co_return false;
  }
  body_.resize(header->size);
  stream_.expires_after(kGreeting);
  if (const auto [error, n] = co_await asio::async_read(stream_, asio::buffer(body_), net::tuple); error)
    co_return false;
  stream_.expires_never();
  const auto request = decode_request(header->kind, {body_.data(), body_.size()});
  if (!request) {
    (void)co_await send(encode_error(request.error()));
    co_return false;
  }
  auto reply = co_await answer(*request);
  if (!reply) co_return co_await send(encode_error(reply.error()));
  co_return reply->empty() || co_await send(*std::move(reply));
}

// Never times out: a program that computes for hours may have requested more than it reads now. The wait ends with the
// connection.
net::awaitable<bool> Session::send(std::string frame) {
  const auto [error, n] = co_await asio::async_write(stream_, asio::buffer(frame), net::tuple);
  if (error) ended_ = true;
  co_return !ended_;
}

Session::Reply Session::answer(Request request) {
  const bool is_hello = std::holds_alternative<Hello>(request);
  if (!is_hello && !greeted_) {
    ended_ = true;
    co_return core::fail(unknown_state("the first one must be HELLO"));
  }
  if (!is_hello && shared_.broken) co_return core::fail(*shared_.broken);
  co_return co_await std::visit([this](auto& r) { return on(std::move(r)); }, request);
}

core::Result<hdfs::FileSystems::Location> Session::locate(const std::string& path) {
  return shared_.file_systems->locate(path);
}

// FileSystem has no calls about a cluster as a whole or about hosts.
core::Result<hdfs::NameNode*> Session::name_node(const std::string& path) {
  const auto services = hconf::services_behind(shared_.config, path);
  if (!services) return core::fail(services.error());
  auto& known = shared_.name_nodes[services->front().name];
  if (!known) {
    auto options =
        hdfs::configured(shared_.config, services->front(), {.user = shared_.user, .tokens = shared_.tokens});
    if (!options) return core::fail(options.error());
    known = std::make_unique<hdfs::NameNode>(stream_.get_executor(), std::move(options->namenode));
  }
  return known.get();
}

Session::Reply Session::on(Hello /*request*/) {
  greeted_ = true;
  co_return Answer().number(YDL_WIRE_VERSION).text(core::kVersion).finish();
}

Session::Reply Session::on(Connect request) {
  const auto location = locate(request.uri);
  if (!location) co_return core::fail(location.error());
  const auto services = hconf::services_behind(shared_.config, request.uri);
  if (!services) co_return core::fail(services.error());
  if (!request.user.empty() && request.user != shared_.user) {
    co_return core::fail(
        core::Errc::refused,
        fmt::format("this process acts as the user {}, not as {}; set HADOOP_USER_NAME before it starts, or with "
                    "Kerberos use a ticket of {}",
                    shared_.user, request.user, request.user));
  }
  co_return Answer().text(services->front().name).text(location->fs->home_directory()).finish();
}

Session::Reply Session::on(Conf request) {
  const auto value = shared_.config.get(request.key);
  co_return Answer().number(value ? 1 : 0).text(value.value_or("")).finish();
}

Session::Reply Session::on(Status request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  const auto status = co_await location->fs->stat(location->path);
  if (!status) co_return core::fail(status.error());
  if (!*status) co_return core::fail(no_such_file(request.path));
  co_return Answer().entry(**status).finish();
}

Session::Reply Session::on(List request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  hdfs::ListingCursor from;
  for (;;) {
    const auto page = co_await location->fs->list(location->path, from);
    if (!page) co_return core::fail(page.error());
    Answer part(kYdlMore);
    for (const auto& entry : page->entries) {
      part.entry(entry);
      if (part.size() < kPage) continue;
      if (!co_await send(std::exchange(part, Answer(kYdlMore)).finish())) co_return "";
    }
    if (!co_await send(part.finish())) co_return "";
    if (!page->next) co_return ok();
    from = *page->next;
  }
}

Session::Reply Session::on(MakeDirectory request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  if (auto made = co_await location->fs->make_directory(location->path, hdfs::Parents::create); !made)
    co_return core::fail(made.error());
  co_return ok();
}

// As Java's FileSystem.rename: a directory receives the source, and nothing is ever replaced.
Session::Reply Session::on(Rename request) {
  const auto from = locate(request.from);
  if (!from) co_return core::fail(from.error());
  const auto to = locate(request.to);
  if (!to) co_return core::fail(to.error());
  if (from->fs != to->fs) {
    co_return core::fail(std::make_error_code(std::errc::cross_device_link),
                         fmt::format("{} and {} are on two file systems: copy the file", request.from, request.to));
  }
  const auto target = co_await to->fs->stat(to->path);
  if (!target) co_return core::fail(target.error());
  const bool inside = *target && (*target)->is_directory() && to->path != from->path;
  const auto path = inside ? hdfs::join_path(to->path, hdfs::base_name(from->path)) : to->path;
  if (auto renamed = co_await from->fs->rename(from->path, path, hdfs::Overwrite::no); !renamed)
    co_return core::fail(renamed.error());
  co_return ok();
}

Session::Reply Session::on(Delete request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  const auto removed =
      co_await location->fs->remove(location->path, request.recursive ? hdfs::Recursive::yes : hdfs::Recursive::no);
  if (!removed) co_return core::fail(removed.error());
  if (!*removed) co_return core::fail(no_such_file(request.path));
  co_return ok();
}

Session::Reply Session::on(Chmod request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  if (auto done = co_await location->fs->set_permission(location->path, request.mode); !done)
    co_return core::fail(done.error());
  co_return ok();
}

Session::Reply Session::on(Chown request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  auto done = co_await location->fs->set_owner(location->path, std::move(request.owner), std::move(request.group));
  if (!done) co_return core::fail(done.error());
  co_return ok();
}

Session::Reply Session::on(Utime request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  auto done = co_await location->fs->set_times(location->path, time_of(request.modified), time_of(request.accessed));
  if (!done) co_return core::fail(done.error());
  co_return ok();
}

Session::Reply Session::on(SetReplication request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  if (auto done = co_await location->fs->set_replication(location->path, request.replication); !done)
    co_return core::fail(done.error());
  co_return ok();
}

Session::Reply Session::on(Hosts request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  const auto server = name_node(request.path);
  if (!server) co_return core::fail(server.error());
  const auto located = co_await (*server)->block_locations(location->path, request.offset, request.length);
  if (!located) co_return core::fail(located.error());
  if (!*located) co_return core::fail(no_such_file(request.path));
  Answer answer;
  for (const auto& block : (*located)->blocks()) {
    if (answer.size() > kYdlLargestReply / 2)
      co_return core::fail(core::Errc::refused, "the range has too many blocks: ask for a smaller one");
    answer.number(static_cast<std::uint32_t>(block.locs_size()));
    for (const auto& node : block.locs()) answer.text(node.id().hostname());
  }
  co_return answer.finish();
}

Session::Reply Session::on(Space request) {
  const auto server = name_node(request.path);
  if (!server) co_return core::fail(server.error());
  const auto space = co_await (*server)->space();
  if (!space) co_return core::fail(space.error());
  co_return Answer().long_number(space->capacity).long_number(space->used).finish();
}

Session::Reply Session::on(Defaults request) {
  const auto location = locate(request.path);
  if (!location) co_return core::fail(location.error());
  const auto defaults = co_await location->fs->server_defaults();
  if (!defaults) co_return core::fail(defaults.error());
  co_return Answer().long_number(defaults->block_size).number(defaults->replication).finish();
}

Session::Reply Session::on(Close /*request*/) {
  if (failed_) co_return "";
  if (reader_) --shared_.readers;
  reader_.reset();
  left_ = {};
  if (!writer_) co_return ok();
  const auto closed = co_await writer_->close();
  writer_.reset();
  if (!closed) co_return core::fail(closed.error());
  co_return ok();
}

}  // namespace ydl::libhdfs
