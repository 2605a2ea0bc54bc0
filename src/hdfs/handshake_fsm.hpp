#pragma once

#include "core/result.hpp"
#include "hdfs/byte_layer.hpp"
#include "hdfs/proto/data_transfer.pb.h"
#include "hrpc/sasl/mechanism.hpp"

#include <memory>
#include <string>

namespace ydl::hdfs {

enum class Aes { no, offer };

// The client side of the SASL exchange at the start of a data connection. Pure.
//
//   client  de ad be ef | message { SUCCESS, payload "" }
//   server  message { SUCCESS, payload = challenge }
//   client  message { SUCCESS, payload = response, cipherOption? }
//   server  message { SUCCESS, payload = "rspauth=...", cipherOption with keys? }
//
// where each message is a varint length and a DataTransferEncryptorMessageProto.
class HandshakeFsm {
 public:
  HandshakeFsm(std::unique_ptr<hrpc::sasl::Mechanism> mechanism, Aes aes);

  // The bytes to send first.
  [[nodiscard]] static std::string start();

  enum class ActionKind { send, done };
  struct Action {
    ActionKind kind = ActionKind::done;
    std::string bytes = {};                      // to send
    std::unique_ptr<ByteLayer> layer = nullptr;  // with done: protects the following bytes; null: they are plain
  };
  // Errors: encryption_key, access_token, datanode_refused, protocol, and those of the mechanism.
  [[nodiscard]] core::Result<Action> resume(const hadoop::hdfs::DataTransferEncryptorMessageProto& message);

 private:
  enum class State { challenge, proof };

  [[nodiscard]] core::Result<Action> on_challenge(const std::string& challenge);
  [[nodiscard]] core::Result<Action> on_proof(const hadoop::hdfs::DataTransferEncryptorMessageProto& message);
  [[nodiscard]] core::Result<std::unique_ptr<ByteLayer>> aes_layer(const hadoop::hdfs::CipherOptionProto& option);

  std::unique_ptr<hrpc::sasl::Mechanism> mechanism_;
  Aes aes_;
  State state_ = State::challenge;
};

}  // namespace ydl::hdfs
