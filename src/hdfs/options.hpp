#pragma once

#include "core/clock.hpp"
#include "hdfs/checksum.hpp"
#include "hrpc/options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ydl::hdfs {

// Options of data connections.
struct TransferOptions {
  bool use_hostname = false;            // dfs.client.use.datanode.hostname
  core::Millis socket_timeout{60'000};  // dfs.client.socket-timeout
  core::Millis write_timeout{480'000};  // dfs.datanode.socket.write.timeout
  core::Millis per_node_extra{5'000};   // added to the timeouts for each DataNode of a pipeline
  // dfs.client.socketcache.expiryMsec; DataNodes close idle connections after 4 s
  core::Millis keep_idle{3'000};
  std::vector<hrpc::Protection> protections = {};  // dfs.data.transfer.protection; empty: no handshake
  bool offer_aes = false;                          // dfs.encrypt.data.transfer.cipher.suites contains AES/CTR/NoPadding
  std::string datanode_principal = {};             // dfs.datanode.kerberos.principal, for the RPC port
};

// dfs.client.block.write.replace-datanode-on-failure.*
struct ReplaceOptions {
  bool enabled = true;
  enum class Policy { normal, never, always } policy = Policy::normal;  // DEFAULT, NEVER, ALWAYS
  bool best_effort = false;
};

// Options of a file system: its NameNode or HA group, and the settings of this client.
struct Options {
  hrpc::ClientOptions namenode;
  std::string authority;  // as in hdfs://AUTHORITY, for messages and URIs
  TransferOptions transfer;
  ReplaceOptions replace;
  std::uint32_t umask = 022;                   // fs.permissions.umask-mode
  std::optional<std::uint32_t> replication;    // dfs.replication; empty: the server's default
  std::optional<std::uint64_t> block_size;     // dfs.blocksize
  std::optional<std::uint32_t> packet_bytes;   // dfs.client-write-packet-size
  std::optional<ChecksumType> checksum_type;   // dfs.checksum.type
  std::optional<std::uint32_t> chunk_bytes;    // dfs.bytes-per-checksum
  std::optional<core::Millis> trash_interval;  // fs.trash.interval; used if the server has none
  int block_write_retries = 3;                 // dfs.client.block.write.retries
  int locate_block_retries = 5;                // dfs.client.block.write.locateFollowingBlock.retries
  core::Millis locate_block_delay{400};        // ...locateFollowingBlock.initial.delay.ms
  int acquire_block_failures = 3;              // dfs.client.max.block.acquire.failures
  core::Millis lease_interval{30'000};
};

}  // namespace ydl::hdfs
