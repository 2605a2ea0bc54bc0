#pragma once

#include "hdfs/proto/hdfs.pb.h"
#include "hdfs/types.hpp"
#include "hrpc/client.hpp"
#include "hrpc/token.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ydl::hdfs {

// The bytes that the DataNodes of a cluster can store, and those that its files and their replicas use.
struct Space {
  std::uint64_t capacity = 0;
  std::uint64_t used = 0;
};

// The methods of the NameNode's ClientProtocol. namenode_files.cpp and namenode_blocks.cpp define for each method
// whether it may be repeated after a lost connection; the RPC client does retries and failover. Errors: those of
// hrpc/errors.hpp.
class NameNode {
 public:
  NameNode(net::asio::any_io_executor executor, hrpc::ClientOptions options)
      : rpc_(std::move(executor), std::move(options)) {}

  // Files and directories.
  [[nodiscard]] net::Async<std::optional<FileStatus>> file_status(std::string path);
  // A page of a directory; nothing if the directory does not exist. Errors: also those of decode_listing().
  [[nodiscard]] net::Async<std::optional<Listing>> listing(std::string path, ListingCursor from);
  [[nodiscard]] net::Async<> make_directory(std::string path, std::uint32_t mode, std::uint32_t umask, Parents parents);
  [[nodiscard]] net::Async<> rename(std::string from, std::string to, Overwrite overwrite);
  // Returns whether there was something to delete.
  [[nodiscard]] net::Async<bool> remove(std::string path, Recursive recursive);
  [[nodiscard]] net::Async<> set_permission(std::string path, std::uint32_t mode);
  // An empty owner or group is not changed.
  [[nodiscard]] net::Async<> set_owner(std::string path, std::string owner, std::string group);
  [[nodiscard]] net::Async<> set_times(std::string path, std::optional<core::WallTime> modified,
                                       std::optional<core::WallTime> accessed);
  [[nodiscard]] net::Async<bool> set_replication(std::string path, std::uint32_t replication);
  [[nodiscard]] net::Async<ContentSummary> content_summary(std::string path);
  [[nodiscard]] net::Async<ServerDefaults> server_defaults();
  [[nodiscard]] net::Async<Space> space();
  [[nodiscard]] net::Async<std::optional<hrpc::Token>> delegation_token(std::string renewer);
  [[nodiscard]] net::Async<core::WallTime> renew_token(hrpc::Token token);
  [[nodiscard]] net::Async<> cancel_token(hrpc::Token token);

  // Files that are being read and written. `client` is the holder of the lease.
  struct Creation {
    std::string path;
    std::string client;
    std::uint32_t mode = 0666;
    std::uint32_t umask = 022;
    Overwrite overwrite = Overwrite::no;
    Parents parents = Parents::create;
    std::uint32_t replication = 3;
    std::uint64_t block_size = 0;
  };
  [[nodiscard]] net::Async<FileStatus> create(Creation creation);

  struct Appended {
    FileStatus status;
    std::optional<hadoop::hdfs::LocatedBlockProto> last_block;  // the block to continue; empty if all blocks are full
  };
  [[nodiscard]] net::Async<Appended> append(std::string path, std::string client);

  // Identifies a file that is being written, in calls to the NameNode.
  struct OpenFile {
    std::string path;
    std::string client;
    std::uint64_t file_id = 0;
  };
  using Block = hadoop::hdfs::ExtendedBlockProto;
  using LocatedBlock = hadoop::hdfs::LocatedBlockProto;
  using Nodes = std::vector<hadoop::hdfs::DatanodeInfoProto>;
  [[nodiscard]] net::Async<LocatedBlock> add_block(OpenFile file, std::optional<Block> previous, Nodes exclude);
  [[nodiscard]] net::Async<> abandon_block(OpenFile file, Block block);
  // False while the last block has too few replicas: call it again.
  [[nodiscard]] net::Async<bool> complete(OpenFile file, std::optional<Block> last);
  [[nodiscard]] net::Async<> sync_length(OpenFile file, std::uint64_t last_block_length);

  [[nodiscard]] net::Async<LocatedBlock> new_generation(std::string client, Block block);
  struct Pipeline {
    Nodes nodes;
    std::vector<std::string> storage_ids;
  };
  [[nodiscard]] net::Async<> update_pipeline(std::string client, Block before, Block now, Pipeline pipeline);
  [[nodiscard]] net::Async<LocatedBlock> additional_datanode(OpenFile file, Block block, Pipeline existing,
                                                             Nodes exclude);

  [[nodiscard]] net::Async<> renew_lease(std::string client);
  // Returns whether the file is closed. It is not closed while its last block is being recovered.
  [[nodiscard]] net::Async<bool> recover_lease(std::string path, std::string client);
  [[nodiscard]] net::Async<std::optional<hadoop::hdfs::LocatedBlocksProto>> block_locations(std::string path,
                                                                                            std::uint64_t offset,
                                                                                            std::uint64_t length);
  [[nodiscard]] net::Async<> report_bad_block(LocatedBlock block);
  [[nodiscard]] net::Async<std::optional<hadoop::hdfs::DataEncryptionKeyProto>> data_encryption_key();

  void close() { rpc_.close(); }

 private:
  hrpc::Client rpc_;
};

// "RS-6-3-1024k". For built-in policies the NameNode sends only the number.
[[nodiscard]] std::string policy_name(const hadoop::hdfs::ErasureCodingPolicyProto& policy);

}  // namespace ydl::hdfs
