#pragma once

#include "hdfs/file_reader.hpp"
#include "hdfs/file_writer.hpp"
#include "hdfs/options.hpp"
#include "hdfs/types.hpp"
#include "hrpc/token.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ydl::hdfs {

struct Context;

struct CreateOptions {
  Overwrite overwrite = Overwrite::no;
  Parents parents = Parents::create;
  std::uint32_t mode = 0666;                 // before the umask
  std::optional<std::uint32_t> replication;  // nothing: the configuration's, or the server's
  std::optional<std::uint64_t> block_size;
};

// HDFS as its users see it. Paths are absolute, in plain UTF-8, without scheme; resolve() makes them from what people
// write. Belongs to one thread: call it from coroutines of its executor, any number at a time. Readers and writers may
// outlive it.
//
// Errors: hrpc::Errc for what the NameNode refuses (not_found, exists, access_denied, safe_mode, quota_exceeded,
// lease_conflict, ...) and for a NameNode that cannot be reached, hdfs::Errc for DataNodes; each a whole sentence with
// the path and, where there is one, the remedy.
class FileSystem {
 public:
  FileSystem(net::asio::any_io_executor executor, Options options);

  // Nothing when there is no such file.
  [[nodiscard]] net::Async<std::optional<FileStatus>> stat(std::string path);
  // The entries of a directory, a page at a time: start with {} and go on with `next` until there is none.
  // Errors: not_a_directory; corrupt (listing.hpp says what a NameNode may not list).
  [[nodiscard]] net::Async<Listing> list(std::string path, ListingCursor from);
  // All pages. Errors: refused too (more than kLargestDirectory entries).
  [[nodiscard]] net::Async<std::vector<FileStatus>> list_all(std::string path);

  [[nodiscard]] net::Async<FileReader> open(std::string path);
  [[nodiscard]] net::Async<FileWriter> create(std::string path, CreateOptions options);
  [[nodiscard]] net::Async<FileWriter> append(std::string path);
  // Takes a file from a writer that failed or is gone, so that it can be appended to at once. False while its last
  // block is being recovered, which takes seconds: ask again.
  [[nodiscard]] net::Async<bool> recover_lease(std::string path);

  [[nodiscard]] net::Async<> make_directory(std::string path, Parents parents, std::uint32_t mode = 0777);
  // Onto a path that exists only with Overwrite::yes, and then a directory only onto an empty one.
  [[nodiscard]] net::Async<> rename(std::string from, std::string to, Overwrite overwrite);
  // False when there was nothing.
  [[nodiscard]] net::Async<bool> remove(std::string path, Recursive recursive);
  // To the user's trash where the cluster or the configuration has one; where it went, or nothing when it was deleted.
  [[nodiscard]] net::Async<std::optional<std::string>> move_to_trash(std::string path);

  [[nodiscard]] net::Async<> set_permission(std::string path, std::uint32_t mode);
  [[nodiscard]] net::Async<> set_owner(std::string path, std::string owner, std::string group);
  [[nodiscard]] net::Async<> set_times(std::string path, std::optional<core::WallTime> modified,
                                       std::optional<core::WallTime> accessed);
  [[nodiscard]] net::Async<> set_replication(std::string path, std::uint32_t replication);
  [[nodiscard]] net::Async<ContentSummary> content_summary(std::string path);
  [[nodiscard]] net::Async<ServerDefaults> server_defaults();

  // Errors: unsupported (the cluster has no security: no tokens are needed).
  [[nodiscard]] net::Async<hrpc::Token> delegation_token(std::string renewer);
  [[nodiscard]] net::Async<core::WallTime> renew_token(hrpc::Token token);
  [[nodiscard]] net::Async<> cancel_token(hrpc::Token token);

  // "/user/NAME".
  [[nodiscard]] std::string home_directory() const;
  // "hdfs://ns/a/b", "/a/b", "a/b" (below the home directory), "." and ".." as an absolute path.
  // Errors: usage (another scheme or another cluster, a NUL byte).
  [[nodiscard]] core::Result<std::string> resolve(std::string_view path) const;

  void close();

 private:
  std::shared_ptr<Context> context_;
};

}  // namespace ydl::hdfs
