#pragma once

#include "hdfs/block_writer.hpp"
#include "hdfs/context.hpp"
#include "hdfs/packet.hpp"
#include "hdfs/types.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ydl::hdfs {

// Writes a file. One user at a time. Call close() before destruction; otherwise the file stays open until its lease
// expires (flushed bytes are kept). After a failure every call returns the same error.
class FileWriter {
 public:
  // `status`: the NameNode's answer when the file was created.
  FileWriter(std::shared_ptr<Context> context, std::string path, const FileStatus& status, ServerDefaults defaults);
  ~FileWriter();
  FileWriter(FileWriter&&) noexcept = default;
  FileWriter& operator=(FileWriter&&) = delete;

  // For an append: continues after the last block of the file. Must be the first call.
  [[nodiscard]] net::Async<> resume(hadoop::hdfs::LocatedBlockProto last_block);

  // Errors: pipeline, no_datanodes, lease_lost, quota_exceeded and others of the NameNode.
  [[nodiscard]] net::Async<> write(std::span<const char> data);
  // Makes all written bytes visible to readers that open the file later.
  [[nodiscard]] net::Async<> flush() { return flush(Sync::no); }
  // The same, and waits until the DataNodes have the bytes on disk.
  [[nodiscard]] net::Async<> sync() { return flush(Sync::yes); }
  [[nodiscard]] net::Async<> close();

  // The length of the file, including the bytes before an append.
  [[nodiscard]] std::uint64_t length() const { return length_; }

 private:
  [[nodiscard]] net::Async<> write_all(std::span<const char> data);
  [[nodiscard]] net::Async<> flush(Sync sync);
  [[nodiscard]] net::Async<> flush_block(Sync sync);
  [[nodiscard]] net::Async<> close_file();
  [[nodiscard]] net::Async<> start_block();
  [[nodiscard]] net::Async<> end_block();
  [[nodiscard]] net::Async<hadoop::hdfs::LocatedBlockProto> add_block();
  [[nodiscard]] BlockWriter::Environment environment() const;
  [[nodiscard]] core::Result<> usable() const;
  [[nodiscard]] core::Result<> remember(core::Result<> result);

  std::shared_ptr<Context> context_;
  WriterLease lease_;
  NameNode::OpenFile file_;
  Packetizer::Format format_;
  std::size_t replication_;
  std::uint64_t length_;

  std::optional<Packetizer> packetizer_;  // for the current block
  std::shared_ptr<BlockWriter> block_;
  std::optional<NameNode::Block> previous_;  // the last finished block
  NameNode::Nodes excluded_;
  bool length_told_ = false;  // the NameNode was told that the current block has data
  bool closed_ = false;
  std::optional<core::Error> failed_;
};

}  // namespace ydl::hdfs
