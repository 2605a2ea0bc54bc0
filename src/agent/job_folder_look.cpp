#include "agent/job_folder_look.hpp"

#include "core/enum_names.hpp"
#include "core/job_states.hpp"
#include "core/json.hpp"
#include "hrpc/errors.hpp"
#include "net/endpoint_file.hpp"

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr std::size_t kLargestFile = std::size_t{64} << 10U;

net::Async<std::string> read_small_file(hdfs::FileSystem& fs, std::string path) {
  auto reader = co_await fs.open(path);
  if (!reader) co_return core::fail(reader.error());
  if (reader->length() > kLargestFile)
    co_return core::fail(core::Errc::corrupt, fmt::format("{} is longer than any file that a master writes", path));
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
  if (endpoint->port == 0) co_return core::fail(core::Errc::corrupt, fmt::format("{} does not contain a port", path));
  co_return MasterPlace{endpoint->address, endpoint->port, endpoint->epoch};
}

// master.json is missing before the first master has written it and after the last one has removed it.
net::awaitable<FolderLook> look_for_end(hdfs::FileSystem& fs, std::string folder) {
  const auto state = co_await read_small_file(fs, folder + "/state.json");
  if (state) co_return FolderState{.is_revoked = false, .master = {}, .is_over = says_that_job_is_over(*state)};
  if (state.error().code != hrpc::Errc::not_found) co_return FolderState{};
  const auto found = co_await fs.stat(folder);
  co_return FolderState{.is_revoked = false, .master = {}, .is_over = found && !*found};
}

}  // namespace

bool says_that_job_is_over(std::string_view state) {
  const auto object = core::parse_json_object(state);
  if (!object) return false;
  const auto named = core::parse_name<core::JobState>(core::json_string_or(*object, "state", ""));
  return named && core::is_final(*named);
}

net::awaitable<FolderLook> look_at_job_folder(hdfs::FileSystem& fs, std::string folder, core::AgentId id) {
  const auto revoked = co_await fs.stat(fmt::format("{}/revoked/{}", folder, id.str()));
  if (!revoked) co_return Unreadable{revoked.error().message};
  if (*revoked) co_return FolderState{.is_revoked = true, .master = std::nullopt};
  auto master = co_await read_master(fs, folder + "/master.json");
  if (!master && master.error().code == hrpc::Errc::not_found) co_return co_await look_for_end(fs, std::move(folder));
  if (!master) co_return FolderState{};
  co_return FolderState{.is_revoked = false, .master = *std::move(master)};
}

}  // namespace ydl::agent
