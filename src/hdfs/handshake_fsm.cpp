#include "hdfs/handshake_fsm.hpp"

#include "hdfs/errors.hpp"
#include "hdfs/transfer_codec.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;
using Message = pb::DataTransferEncryptorMessageProto;

namespace {

core::Error refusal(const Message& message) {
  if (message.status() == Message::ERROR_UNKNOWN_KEY) {
    return error(Errc::encryption_key, fmt::format("the encryption key was refused: {}", message.message()));
  }
  if (message.accesstokenerror()) {
    return error(Errc::access_token, fmt::format("the block token was refused: {}", message.message()));
  }
  return error(Errc::datanode_refused,
               fmt::format("the handshake was refused: {} (dfs.data.transfer.protection and dfs.encrypt.data.transfer "
                           "must have the same values here and in the cluster)",
                           message.message().empty() ? "the DataNode gives no reason" : message.message()));
}

}  // namespace

HandshakeFsm::HandshakeFsm(std::unique_ptr<hrpc::sasl::Mechanism> mechanism, Aes aes)
    : mechanism_(std::move(mechanism)), aes_(aes) {}

std::string HandshakeFsm::start() {
  Message message;
  message.set_status(Message::SUCCESS);
  message.set_payload("");
  return "\xde\xad\xbe\xef" + encode_delimited(message);
}

core::Result<HandshakeFsm::Action> HandshakeFsm::resume(const Message& message) {
  if (message.status() != Message::SUCCESS) return core::fail(refusal(message));
  return state_ == State::challenge ? on_challenge(message.payload()) : on_proof(message);
}

core::Result<HandshakeFsm::Action> HandshakeFsm::on_challenge(const std::string& challenge) {
  auto response = mechanism_->step(challenge);
  if (!response) return core::fail(response.error());
  Message answer;
  answer.set_status(Message::SUCCESS);
  answer.set_payload(std::move(*response));
  if (aes_ == Aes::offer) answer.add_cipheroption()->set_suite(pb::AES_CTR_NOPADDING);
  state_ = State::proof;
  return Action{.kind = ActionKind::send, .bytes = encode_delimited(answer)};
}

core::Result<HandshakeFsm::Action> HandshakeFsm::on_proof(const Message& message) {
  const auto checked = mechanism_->step(message.payload());
  if (!checked) return core::fail(checked.error());
  if (!mechanism_->complete())
    return core::fail(error(Errc::protocol, "the handshake ended without the DataNode's proof"));
  if (mechanism_->protection() == hrpc::Protection::authentication) return Action{};
  if (message.cipheroption_size() > 0) {
    auto layer = aes_layer(message.cipheroption(0));
    if (!layer) return core::fail(layer.error());
    return Action{.layer = std::move(*layer)};
  }
  return Action{.layer = make_sasl_layer(std::move(mechanism_))};
}

// The names are from the server's view: we encrypt with its "in" key. Both keys are wrapped, and the "in" key must be
// unwrapped first because messages are counted.
core::Result<std::unique_ptr<ByteLayer>> HandshakeFsm::aes_layer(const pb::CipherOptionProto& option) {
  if (aes_ == Aes::no || option.suite() != pb::AES_CTR_NOPADDING) {
    return core::fail(error(Errc::protocol, "the DataNode chose a cipher that was not offered"));
  }
  // AES-CTR replaces the negotiated layer. Without privacy its keys would be sent unencrypted, and the integrity
  // protection would be lost too. Hadoop's DataNodes choose a cipher only with privacy.
  if (mechanism_->protection() != hrpc::Protection::privacy) {
    return core::fail(error(Errc::protocol, "the DataNode chose a cipher without privacy, which gives no protection"));
  }
  AesKey sending{option.inkey(), option.iniv()};
  AesKey receiving{option.outkey(), option.outiv()};
  for (AesKey* key : {&sending, &receiving}) {
    auto plain = mechanism_->unwrap(key->key);
    if (!plain) return core::fail(plain.error());
    key->key = std::move(*plain);
  }
  return make_aes_layer(sending, receiving);
}

}  // namespace ydl::hdfs
