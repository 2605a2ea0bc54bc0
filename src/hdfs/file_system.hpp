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
  std::uint32_t mode = 0666;                 // before the umask is applied
  std::optional<std::uint32_t> replication;  // empty: that of the configuration, or else of the server
  std::optional<std::uint64_t> block_size;
};

// The interface of this module. Paths are absolute, in UTF-8 and without scheme; resolve() converts the paths that
// users write. Single-threaded: use it from coroutines of its executor; any number of calls can be in flight. Readers
// and writers may outlive it.
//
// Errors: hrpc::Errc for refusals of the NameNode (not_found, exists, access_denied, safe_mode, quota_exceeded,
// lease_conflict, ...) and if it cannot be reached, hdfs::Errc for DataNodes. Each message is a sentence with the path
// and, if known, the remedy.
class FileSystem {
 public:
  FileSystem(net::asio::any_io_executor executor, Options options);

  // Nothing if the file does not exist.
  [[nodiscard]] net::Async<std::optional<FileStatus>> stat(std::string path);
  // One page of a directory: start with {} and continue with `next` until it is empty. Errors: not_a_directory; corrupt
  // (see decode_listing() in listing.hpp).
  [[nodiscard]] net::Async<Listing> list(std::string path, ListingCursor from);
  // All pages. Errors: also refused (more than kLargestDirectory entries).
  [[nodiscard]] net::Async<std::vector<FileStatus>> list_all(std::string path);

  [[nodiscard]] net::Async<FileReader> open(std::string path);
  [[nodiscard]] net::Async<FileWriter> create(std::string path, CreateOptions options);
  [[nodiscard]] net::Async<FileWriter> append(std::string path);
  // Ends the lease of a writer that failed or is gone, so that the file can be appended to. False while the last block
  // is being recovered, which takes seconds: call it again.
  [[nodiscard]] net::Async<bool> recover_lease(std::string path);

  [[nodiscard]] net::Async<> make_directory(std::string path, Parents parents, std::uint32_t mode = 0777);
  // An existing target is only replaced with Overwrite::yes; a directory only replaces an empty directory.
  [[nodiscard]] net::Async<> rename(std::string from, std::string to, Overwrite overwrite);
  // False if there was nothing to delete.
  [[nodiscard]] net::Async<bool> remove(std::string path, Recursive recursive);
  // Moves to the user's trash if the cluster or the configuration has one, and returns the new path. Otherwise deletes
  // and returns nothing.
  [[nodiscard]] net::Async<std::optional<std::string>> move_to_trash(std::string path);

  [[nodiscard]] net::Async<> set_permission(std::string path, std::uint32_t mode);
  [[nodiscard]] net::Async<> set_owner(std::string path, std::string owner, std::string group);
  [[nodiscard]] net::Async<> set_times(std::string path, std::optional<core::WallTime> modified,
                                       std::optional<core::WallTime> accessed);
  [[nodiscard]] net::Async<> set_replication(std::string path, std::uint32_t replication);
  [[nodiscard]] net::Async<ContentSummary> content_summary(std::string path);
  [[nodiscard]] net::Async<ServerDefaults> server_defaults();

  // Errors: unsupported (the cluster runs without security, so no tokens are needed).
  [[nodiscard]] net::Async<hrpc::Token> delegation_token(std::string renewer);
  [[nodiscard]] net::Async<core::WallTime> renew_token(hrpc::Token token);
  [[nodiscard]] net::Async<> cancel_token(hrpc::Token token);

  // "/user/NAME".
  [[nodiscard]] std::string home_directory() const;
  // Converts "hdfs://ns/a/b", "/a/b" and "a/b" (relative to the home directory), also with "." and "..", to an absolute
  // path. Errors: usage (another scheme or cluster, a NUL byte).
  [[nodiscard]] core::Result<std::string> resolve(std::string_view path) const;

  void close();

 private:
  std::shared_ptr<Context> context_;
};

}  // namespace ydl::hdfs
