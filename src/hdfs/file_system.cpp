#include "hdfs/file_system.hpp"

#include "hdfs/context.hpp"
#include "hdfs/errors.hpp"
#include "hdfs/explain.hpp"
#include "hdfs/listing.hpp"
#include "hdfs/paths.hpp"
#include "hrpc/errors.hpp"

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

// Adds the attempted operation, the path and the remedy to an error.
template <class T>
core::Result<T> with_context(core::Result<T> result, std::string_view what, std::string_view path) {
  if (result) return result;
  return core::fail(explain(std::move(result).error(), fmt::format("{} {}", what, path)));
}

core::Result<> refuse_unsupported(const FileStatus& status, std::string_view place) {
  if (!status.erasure_policy.empty()) {
    return core::fail(error(Errc::unsupported, fmt::format("{}: the file is erasure-coded ({}), which is not supported",
                                                           place, status.erasure_policy)));
  }
  if (status.block_size == 0) {
    return core::fail(error(Errc::protocol, fmt::format("{}: the NameNode reports a block size of 0 bytes", place)));
  }
  if (status.encrypted) {
    return core::fail(error(Errc::unsupported, fmt::format("{}: encrypted files are not supported", place)));
  }
  return {};
}

}  // namespace

FileSystem::FileSystem(net::asio::any_io_executor executor, Options options)
    : context_(std::make_shared<Context>(std::move(executor), std::move(options))) {}

void FileSystem::close() {
  context_->namenode.close();
  context_->datanodes.close_idle();
}

net::Async<std::optional<FileStatus>> FileSystem::stat(std::string path) {
  co_return with_context(co_await context_->namenode.file_status(path), "reading the status of", path);
}

net::Async<Listing> FileSystem::list(std::string path, ListingCursor from) {
  auto page = with_context(co_await context_->namenode.listing(path, std::move(from)), "listing", path);
  if (!page) co_return core::fail(page.error());
  if (!*page) co_return core::fail(hrpc::Errc::not_found, fmt::format("listing {}: no such file or directory", path));
  co_return std::move(**page);
}

net::Async<std::vector<FileStatus>> FileSystem::list_all(std::string path) {
  std::vector<FileStatus> entries;
  ListingCursor from;
  for (;;) {
    auto page = co_await list(path, std::move(from));
    if (!page) co_return core::fail(page.error());
    if (entries.size() + page->entries.size() > kLargestDirectory) {
      co_return core::fail(
          core::Errc::refused,
          fmt::format("listing {}: the directory has more than {} entries, which is too many to read at once; use 'ydl "
                      "fs ls', which reads them in pages, or choose a smaller directory",
                      path, kLargestDirectory));
    }
    if (entries.empty()) {
      entries = std::move(page->entries);
    } else {
      std::ranges::move(page->entries, std::back_inserter(entries));
    }
    if (!page->next) co_return entries;
    from = *std::move(page->next);
  }
}

net::Async<FileReader> FileSystem::open(std::string path) {
  auto blocks = co_await FileBlocks::open(context_, std::move(path));
  if (!blocks) co_return core::fail(blocks.error());
  co_return FileReader(std::move(*blocks));
}

net::Async<FileWriter> FileSystem::create(std::string path, CreateOptions options) {
  auto defaults = with_context(co_await context_->server_defaults(), "creating", path);
  if (!defaults) co_return core::fail(defaults.error());
  const auto& mine = context_->options;
  auto status =
      with_context(co_await context_->namenode.create(
                       {.path = path,
                        .client = context_->client_name,
                        .mode = options.mode,
                        .umask = mine.umask,
                        .overwrite = options.overwrite,
                        .parents = options.parents,
                        .replication = options.replication.value_or(mine.replication.value_or(defaults->replication)),
                        .block_size = options.block_size.value_or(mine.block_size.value_or(defaults->block_size))}),
                   "creating", path);
  if (!status) co_return core::fail(status.error());
  if (auto known = refuse_unsupported(*status, "writing " + path); !known) co_return core::fail(known.error());
  co_return FileWriter(context_, std::move(path), *status, *defaults);
}

net::Async<FileWriter> FileSystem::append(std::string path) {
  auto defaults = with_context(co_await context_->server_defaults(), "appending to", path);
  if (!defaults) co_return core::fail(defaults.error());
  // Checked before opening: a file that we cannot write must not be left open.
  auto before = co_await stat(path);
  if (!before) co_return core::fail(before.error());
  if (*before) {
    if (auto known = refuse_unsupported(**before, "appending to " + path); !known) co_return core::fail(known.error());
  }
  auto opened = with_context(co_await context_->namenode.append(path, context_->client_name), "appending to", path);
  if (!opened) co_return core::fail(opened.error());
  FileWriter writer(context_, std::move(path), opened->status, *defaults);
  if (opened->last_block) {
    auto resumed = co_await writer.resume(std::move(*opened->last_block));
    if (!resumed) co_return core::fail(resumed.error());
  }
  co_return writer;
}

net::Async<bool> FileSystem::recover_lease(std::string path) {
  co_return with_context(co_await context_->namenode.recover_lease(path, context_->client_name), "recovering", path);
}

net::Async<> FileSystem::make_directory(std::string path, Parents parents, std::uint32_t mode) {
  co_return with_context(co_await context_->namenode.make_directory(path, mode, context_->options.umask, parents),
                         "making directory", path);
}

net::Async<> FileSystem::rename(std::string from, std::string to, Overwrite overwrite) {
  co_return with_context(co_await context_->namenode.rename(from, to, overwrite), "renaming",
                         fmt::format("{} to {}", from, to));
}

net::Async<bool> FileSystem::remove(std::string path, Recursive recursive) {
  co_return with_context(co_await context_->namenode.remove(path, recursive), "deleting", path);
}

net::Async<> FileSystem::set_permission(std::string path, std::uint32_t mode) {
  co_return with_context(co_await context_->namenode.set_permission(path, mode), "changing the permissions of", path);
}

net::Async<> FileSystem::set_owner(std::string path, std::string owner, std::string group) {
  co_return with_context(co_await context_->namenode.set_owner(path, owner, group), "changing the owner of", path);
}

net::Async<> FileSystem::set_times(std::string path, std::optional<core::WallTime> modified,
                                   std::optional<core::WallTime> accessed) {
  co_return with_context(co_await context_->namenode.set_times(path, modified, accessed), "changing the times of",
                         path);
}

net::Async<> FileSystem::set_replication(std::string path, std::uint32_t replication) {
  auto done =
      with_context(co_await context_->namenode.set_replication(path, replication), "changing the replication of", path);
  if (!done) co_return core::fail(done.error());
  if (*done) co_return core::Result<>{};
  co_return core::fail(hrpc::Errc::not_found, fmt::format("changing the replication of {}: no such file", path));
}

net::Async<ContentSummary> FileSystem::content_summary(std::string path) {
  co_return with_context(co_await context_->namenode.content_summary(path), "measuring", path);
}

net::Async<ServerDefaults> FileSystem::server_defaults() {
  return context_->server_defaults();
}

net::Async<hrpc::Token> FileSystem::delegation_token(std::string renewer) {
  auto token = co_await context_->namenode.delegation_token(std::move(renewer));
  if (!token) co_return core::fail(explain(std::move(token).error(), "asking the NameNode for a token"));
  if (*token) co_return std::move(**token);
  co_return core::fail(
      error(Errc::unsupported, "the NameNode issues no tokens because the cluster runs without security"));
}

net::Async<core::WallTime> FileSystem::renew_token(hrpc::Token token) {
  auto until = co_await context_->namenode.renew_token(std::move(token));
  if (!until) co_return core::fail(explain(std::move(until).error(), "renewing a token"));
  co_return *until;
}

net::Async<> FileSystem::cancel_token(hrpc::Token token) {
  auto cancelled = co_await context_->namenode.cancel_token(std::move(token));
  if (!cancelled) co_return core::fail(explain(std::move(cancelled).error(), "cancelling a token"));
  co_return core::Result<>{};
}

std::string FileSystem::home_directory() const {
  return "/user/" + context_->options.namenode.identity.user;
}

core::Result<std::string> FileSystem::resolve(std::string_view path) const {
  return resolve_path(path, context_->options.authority, home_directory());
}

}  // namespace ydl::hdfs
