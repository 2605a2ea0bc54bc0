#include "hdfs/datanodes.hpp"

#include "core/base64.hpp"
#include "hdfs/errors.hpp"
#include "hdfs/handshake_fsm.hpp"
#include "hrpc/sasl/digest_md5.hpp"
#include "net/resolver.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;
namespace sasl = hrpc::sasl;

namespace {

constexpr std::size_t kIdleLimit = 16;  // dfs.client.socketcache.capacity
constexpr std::uint32_t kFirstUnprivilegedPort = 1024;
// The protocol and server name that Hadoop uses in the SASL exchange of data connections.
constexpr std::string_view kDigestUri = "hdfs/0";

std::unique_ptr<sasl::Mechanism> digest(sasl::DigestCredentials credentials, std::vector<hrpc::Protection> protections,
                                        std::vector<std::string> ciphers) {
  const std::string user = credentials.username;
  return sasl::make_digest_md5({.credentials = std::move(credentials),
                                .digest_uri = std::string(kDigestUri),
                                .protections = std::move(protections),
                                .ciphers = std::move(ciphers),
                                .authzid = user});
}

net::Async<> exchange(DataStream& stream, std::unique_ptr<sasl::Mechanism> mechanism, Aes aes, core::Millis at_most) {
  HandshakeFsm fsm(std::move(mechanism), aes);
  std::string bytes = HandshakeFsm::start();
  for (;;) {
    if (auto sent = co_await stream.write(bytes, at_most); !sent) co_return core::fail(sent.error());
    const auto message = co_await stream.read_message<pb::DataTransferEncryptorMessageProto>(at_most);
    if (!message) co_return core::fail(message.error());
    auto action = fsm.resume(*message);
    if (!action) co_return core::fail(std::move(action).error().within("DataNode " + stream.peer()));
    if (action->kind == HandshakeFsm::ActionKind::done) {
      if (action->layer == nullptr) co_return core::Result<>{};
      co_return stream.set_layer(std::move(action->layer));
    }
    bytes = std::move(action->bytes);
  }
}

}  // namespace

core::Millis Datanodes::read_timeout(std::size_t nodes) const {
  return options_.socket_timeout + options_.per_node_extra * static_cast<int>(nodes);
}

core::Millis Datanodes::write_timeout(std::size_t nodes) const {
  return options_.write_timeout + options_.per_node_extra * static_cast<int>(nodes);
}

net::Async<DataSocket> Datanodes::open_socket(Node node) {
  auto addresses =
      co_await net::resolve(options_.use_hostname ? node.hostname() : node.ipaddr(), options_.socket_timeout);
  if (!addresses || addresses->empty()) {
    co_return core::fail(
        error(Errc::datanode_lost, fmt::format("cannot find the address of DataNode {}: {}", node.hostname(),
                                               addresses ? "it has none" : addresses.error().message)));
  }
  co_return co_await DataSocket::connect({addresses->front(), static_cast<std::uint16_t>(node.xferport())},
                                         options_.socket_timeout);
}

net::Async<DataStream> Datanodes::connect(Node node, BlockToken token) {
  for (bool second = false;; second = true) {
    auto socket = co_await open_socket(node);
    if (!socket) co_return core::fail(socket.error());
    DataStream stream(std::move(*socket));
    const auto ready = co_await handshake(stream, node, token);
    if (ready) co_return stream;
    // The NameNode regularly creates new keys, and DataNodes delete the old ones. So retry once with a new key.
    if (second || ready.error().code != Errc::encryption_key) co_return core::fail(ready.error());
    key_.reset();
  }
}

net::Async<> Datanodes::handshake(DataStream& stream, const Node& node, const BlockToken& token) {
  const auto encrypted = co_await transfer_is_encrypted();
  if (!encrypted) co_return core::fail(encrypted.error());
  if (*encrypted) co_return co_await encrypted_handshake(stream);
  // As in Hadoop, a DataNode on a privileged port is trusted without a handshake, because only root could have started
  // it.
  if (options_.protections.empty() || node.xferport() < kFirstUnprivilegedPort) co_return core::Result<>{};
  const bool privacy = std::ranges::count(options_.protections, hrpc::Protection::privacy) > 0;
  co_return co_await exchange(stream,
                              digest(sasl::digest_credentials(hrpc::from_proto(token)), options_.protections, {}),
                              privacy && options_.offer_aes ? Aes::offer : Aes::no, options_.socket_timeout);
}

net::Async<> Datanodes::encrypted_handshake(DataStream& stream) {
  const auto now = static_cast<std::uint64_t>(core::wall_now().time_since_epoch().count());
  if (!key_ || key_->expirydate() <= now) {
    auto key = co_await namenode_.data_encryption_key();
    if (!key) co_return core::fail(key.error());
    if (!*key)
      co_return core::fail(error(Errc::protocol, "the NameNode requires encryption but did not return a key for it"));
    key_ = std::move(**key);
  }
  sasl::DigestCredentials credentials{
      .username = fmt::format("{} {} {}", key_->keyid(), key_->blockpoolid(), core::to_base64(key_->nonce())),
      .password = core::to_base64(key_->encryptionkey())};
  const std::string cipher = key_->encryptionalgorithm().empty() ? "3des" : key_->encryptionalgorithm();
  co_return co_await exchange(stream, digest(std::move(credentials), {hrpc::Protection::privacy}, {cipher}),
                              options_.offer_aes ? Aes::offer : Aes::no, options_.socket_timeout);
}

net::Async<bool> Datanodes::transfer_is_encrypted() {
  if (!encrypted_) {
    const auto defaults = co_await namenode_.server_defaults();
    if (!defaults) co_return core::fail(defaults.error());
    encrypted_ = defaults->encrypt_transfer;
  }
  co_return *encrypted_;
}

std::optional<DataStream> Datanodes::take_idle(const Node& node) {
  const auto now = core::steady_now();
  std::erase_if(idle_, [&](Idle& idle) { return idle.until <= now; });
  const auto found = std::ranges::find(idle_, node.datanodeuuid(), &Idle::uuid);
  if (found == idle_.end()) return std::nullopt;
  DataStream stream = std::move(found->stream);
  idle_.erase(found);
  if (!stream.reusable()) return std::nullopt;
  return stream;
}

void Datanodes::keep(const Node& node, DataStream stream) {
  if (idle_.size() == kIdleLimit) idle_.pop_front();
  idle_.push_back({node.datanodeuuid(), core::steady_now() + options_.keep_idle, std::move(stream)});
}

}  // namespace ydl::hdfs
