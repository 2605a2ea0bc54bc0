#pragma once

#include "hdfs/data_stream.hpp"
#include "hdfs/namenode.hpp"
#include "hdfs/options.hpp"
#include "net/asio.hpp"

#include <deque>
#include <optional>
#include <string>

namespace ydl::hdfs {

// Opens data connections, with a handshake if necessary, and keeps idle connections for later reads.
class Datanodes {
 public:
  Datanodes(NameNode& namenode, TransferOptions options) : namenode_(namenode), options_(std::move(options)) {}

  using Node = hadoop::hdfs::DatanodeIDProto;
  using BlockToken = hadoop::common::TokenProto;

  // Errors: datanode_lost, datanode_silent, datanode_refused, access_token, protocol.
  [[nodiscard]] net::Async<DataStream> connect(Node node, BlockToken token);

  // A kept connection to this DataNode that can still be used, if there is one.
  [[nodiscard]] std::optional<DataStream> take_idle(const Node& node);
  void keep(const Node& node, DataStream stream);
  void close_idle() { idle_.clear(); }

  [[nodiscard]] const TransferOptions& options() const { return options_; }
  // How long a pipeline of this many DataNodes may send nothing, and how long a write to it may block.
  [[nodiscard]] core::Millis read_timeout(std::size_t nodes) const;
  [[nodiscard]] core::Millis write_timeout(std::size_t nodes) const;

 private:
  struct Idle {
    std::string uuid;
    core::Instant until;
    DataStream stream;
  };

  [[nodiscard]] net::Async<DataSocket> open_socket(Node node);
  [[nodiscard]] net::Async<> handshake(DataStream& stream, const Node& node, const BlockToken& token);
  [[nodiscard]] net::Async<> encrypted_handshake(DataStream& stream);
  [[nodiscard]] net::Async<bool> transfer_is_encrypted();

  NameNode& namenode_;
  TransferOptions options_;
  std::optional<bool> encrypted_;
  std::optional<hadoop::hdfs::DataEncryptionKeyProto> key_;
  std::deque<Idle> idle_;
};

}  // namespace ydl::hdfs
