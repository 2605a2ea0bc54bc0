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

// The DataNodes a block is written to, in the order in which the data passes them; and what became of the others.
// Decisions only, no I/O.
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
  // Those that failed; they are not asked for again.
  [[nodiscard]] const std::vector<Node>& failed() const { return failed_; }

  // "127.0.0.1:9866" of a refusal's firstBadLink; the first DataNode when nobody else is named.
  [[nodiscard]] std::size_t index_of(const std::string& bad_link) const;

  // Errors: pipeline (it was the last one).
  [[nodiscard]] core::Result<> drop(std::size_t bad);

  // What the NameNode says the pipeline is now, with one more member; which one that is.
  // Errors: protocol (nobody is new).
  [[nodiscard]] core::Result<std::size_t> extend(const hadoop::hdfs::LocatedBlockProto& block);
  // The new member is of no use: back to the others.
  void refuse(std::size_t added);

  // Fills in who is written to: the first member, and its targets behind it.
  void fill(hadoop::hdfs::OpWriteBlockProto& op) const;

  // "127.0.0.1:9866, 127.0.0.2:9866".
  [[nodiscard]] std::string names() const;

 private:
  [[nodiscard]] static std::vector<Member> members_of(const hadoop::hdfs::LocatedBlockProto& block);

  std::vector<Member> members_;
  std::vector<Node> failed_;
};

// Whether a DataNode that failed is to be replaced (dfs.client.block.write.replace-datanode-on-failure.policy).
struct Survivors {
  std::size_t wanted = 3;  // the file's replication
  std::size_t left = 0;
  bool visible = false;  // appended or flushed: readers count on what is there
};
[[nodiscard]] bool should_replace(const ReplaceOptions& options, const Survivors& survivors);

// How often a pipeline may be repaired without a single packet getting through in between.
class RecoveryBudget {
 public:
  static constexpr int kLimit = 5;
  // Errors: pipeline (too often).
  [[nodiscard]] core::Result<> charge(std::int64_t last_acked_seqno);

 private:
  std::optional<std::int64_t> acked_before_;
  int count_ = 0;
};

}  // namespace ydl::hdfs
