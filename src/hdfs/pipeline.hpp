#pragma once

#include "core/result.hpp"
#include "hdfs/options.hpp"
#include "hdfs/proto/data_transfer.pb.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ydl::hdfs {

// The DataNodes that a block is written to, in the order in which data passes through them, and those that failed.
// Makes decisions only, no I/O.
class Pipeline {
 public:
  using Node = hadoop::hdfs::DatanodeInfoProto;
  struct Member {
    Node node;
    std::string storage_id;
    hadoop::hdfs::StorageTypeProto storage_type = hadoop::hdfs::DISK;
  };

  explicit Pipeline(const hadoop::hdfs::LocatedBlockProto& block) : members_(members_of(block)) {}

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] std::vector<Node> nodes() const;
  [[nodiscard]] std::vector<std::string> storage_ids() const;
  // The failed DataNodes, which must not be used again.
  [[nodiscard]] const std::vector<Node>& failed() const { return failed_; }

  // The index of the DataNode in a refusal's firstBadLink ("127.0.0.1:9866"); 0 if it names no member.
  [[nodiscard]] std::size_t index_of(const std::string& bad_link) const;

  // Removes a failed DataNode. Errors: pipeline (it was the last one).
  [[nodiscard]] core::Result<> drop(std::size_t bad);

  // Replaces the members by those in the NameNode's answer, which has one more. Returns the index of the new member.
  // Errors: protocol (none is new).
  [[nodiscard]] core::Result<std::size_t> extend(const hadoop::hdfs::LocatedBlockProto& block);
  // Removes the new member again because it failed.
  void refuse(std::size_t added);

  // Sets the members in a request: the first member is the receiver, the others are its targets.
  void fill(hadoop::hdfs::OpWriteBlockProto& op) const;

  // "127.0.0.1:9866, 127.0.0.2:9866".
  [[nodiscard]] std::string names() const;

 private:
  [[nodiscard]] static std::vector<Member> members_of(const hadoop::hdfs::LocatedBlockProto& block);

  std::vector<Member> members_;
  std::vector<Node> failed_;
};

// Whether to replace a failed DataNode (dfs.client.block.write.replace-datanode-on-failure.policy).
struct Survivors {
  std::size_t wanted = 3;  // the file's replication
  std::size_t left = 0;
  bool visible = false;  // appended or flushed: readers may already use the data
};
[[nodiscard]] bool should_replace(const ReplaceOptions& options, const Survivors& survivors);

// Limits how often a pipeline is repaired without any packet being acknowledged in between.
class RecoveryBudget {
 public:
  static constexpr int kLimit = 5;
  // Counts a repair. Errors: pipeline (the limit is exceeded).
  [[nodiscard]] core::Result<> charge(std::int64_t last_acked_seqno);

 private:
  std::optional<std::int64_t> acked_before_;
  int count_ = 0;
};

}  // namespace ydl::hdfs
