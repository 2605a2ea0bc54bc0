#include "agent/job_folder_look.hpp"

#include "net/endpoint_file.hpp"

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr std::size_t kLargestEndpoint = std::size_t{16} << 10U;

net::Async<std::string> read_small_file(hdfs::FileSystem& fs, std::string path) {
  auto reader = co_await fs.open(path);
  if (!reader) co_return core::fail(reader.error());
  if (reader->length() > kLargestEndpoint)
    co_return core::fail(core::Errc::corrupt, fmt::format("{} is too long for the address of a master", path));
  std::string content(reader->length(), '\0');
  const auto count = co_await reader->read(content);
  if (!count) co_return core::fail(count.error());
  content.resize(*count);
  co_return content;
}

net::Async<MasterPlace> read_master(hdfs::FileSystem& fs, std::string path) {
  const auto text = co_await read_small_file(fs, path);
  if (!text) co_return core::fail(text.error());
  const auto endpoint = net::endpoint_from_json(*text, {});
  if (!endpoint) co_return core::fail(endpoint.error().within(path));
  if (endpoint->port == 0) co_return core::fail(core::Errc::corrupt, fmt::format("{} names no port", path));
  co_return MasterPlace{endpoint->address, endpoint->port, endpoint->epoch};
}

}  // namespace

net::awaitable<FolderLook> look_at_job_folder(hdfs::FileSystem& fs, std::string folder, core::AgentId id) {
  const auto revoked = co_await fs.stat(fmt::format("{}/revoked/{}", folder, id.str()));
  if (!revoked) co_return Unreadable{revoked.error().message};
  if (*revoked) co_return FolderState{.is_revoked = true, .master = std::nullopt};
  auto master = co_await read_master(fs, folder + "/master.json");
  if (!master) co_return FolderState{};
  co_return FolderState{.is_revoked = false, .master = *std::move(master)};
}

}  // namespace ydl::agent
