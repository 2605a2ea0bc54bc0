#pragma once

#include "core/error.hpp"

#include <string>
#include <system_error>

namespace ydl::hdfs {

// Errors in the communication with DataNodes. Errors of the NameNode have the codes of hrpc/errors.hpp.
enum class Errc {
  access_token = 1,   // the DataNode refused the block token: fetch the locations again
  encryption_key,     // the DataNode does not have our encryption key, or deleted it: fetch a new one
  checksum_mismatch,  // the bytes differ from those that were written
  datanode_refused,   // the DataNode answered with an error
  datanode_lost,      // the connection failed or was closed
  datanode_silent,    // no answer in time
  protocol,           // the peer violated the data-transfer protocol
  no_replica,         // the block could not be read from any DataNode
  pipeline,           // no DataNode is left to write to
  no_datanodes,       // the NameNode finds no DataNode for a new block
  unsupported,        // an erasure-coded or encrypted file, or a link
  closed,             // the file is closed or its writer failed earlier
};

[[nodiscard]] const std::error_category& error_category() noexcept;
[[nodiscard]] std::error_code make_error_code(Errc code) noexcept;

[[nodiscard]] inline core::Error error(Errc code, std::string message) {
  return {make_error_code(code), std::move(message)};
}

}  // namespace ydl::hdfs

template <>
struct std::is_error_code_enum<ydl::hdfs::Errc> : std::true_type {};
