#pragma once

#include "hdfs/context.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ydl::hdfs {

// The locations of the blocks of a file that is being read, and the DataNodes that failed during reading.
class FileBlocks {
 public:
  using LocatedBlock = hadoop::hdfs::LocatedBlockProto;

  // Errors: not_found, unsupported (erasure-coded or encrypted), those of the NameNode.
  [[nodiscard]] static net::Async<FileBlocks> open(std::shared_ptr<Context> context, std::string path);

  [[nodiscard]] std::uint64_t length() const { return length_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Context& context() const { return *context_; }

  // The block that contains this byte. Errors: no_replica (the file was truncated), those of the NameNode.
  [[nodiscard]] net::Async<LocatedBlock> at(std::uint64_t offset);
  // The same, but always asks the NameNode, because locations change and tokens expire.
  [[nodiscard]] net::Async<LocatedBlock> at_again(std::uint64_t offset);

  // The nearest DataNode that has not failed, if there is one; the NameNode sorts them by distance.
  [[nodiscard]] std::optional<Datanodes::Node> choose(const LocatedBlock& block) const;
  void avoid(const Datanodes::Node& node) { failed_.insert(node.datanodeuuid()); }
  void clear_failed() { failed_.clear(); }

 private:
  FileBlocks(std::shared_ptr<Context> context, std::string path)
      : context_(std::move(context)), path_(std::move(path)) {}

  [[nodiscard]] net::Async<> fetch(std::uint64_t offset);
  void adopt(hadoop::hdfs::LocatedBlocksProto located);
  [[nodiscard]] net::Async<> find_length(const hadoop::hdfs::LocatedBlocksProto& located);
  [[nodiscard]] net::Async<std::uint64_t> visible_length(const LocatedBlock& block);
  [[nodiscard]] const LocatedBlock* find(std::uint64_t offset) const;

  std::shared_ptr<Context> context_;
  std::string path_;
  std::uint64_t length_ = 0;
  // sorted by offset; a block that is being written has the length that its DataNodes reported
  std::vector<LocatedBlock> blocks_;
  std::set<std::string> failed_;
};

}  // namespace ydl::hdfs
