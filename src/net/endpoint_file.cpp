#include "net/endpoint_file.hpp"

#include "core/described_json.hpp"
#include "core/files.hpp"

#include <cstdint>
#include <optional>

namespace ydl::net {

namespace {

constexpr int kVersion = 3;

// Has either `socket`, or the three members for TLS: address, port and fingerprint.
struct EndpointRecord {
  std::optional<std::string> socket = {};
  std::optional<std::string> address = {};
  std::optional<std::uint16_t> port = {};
  std::optional<std::string> fingerprint = {};
  std::string secret;
  std::int64_t epoch = 1;
};
BOOST_DESCRIBE_STRUCT(EndpointRecord, (), (socket, address, port, fingerprint, secret, epoch))

}  // namespace

core::Result<void> write_endpoint(const std::filesystem::path& file, const Endpoint& endpoint) {
  EndpointRecord record{.secret = endpoint.secret, .epoch = endpoint.epoch};
  if (!endpoint.file.empty()) {
    const bool beside = endpoint.file.parent_path() == file.parent_path();
    record.socket = (beside ? endpoint.file.filename() : endpoint.file).string();
  } else {
    record.address = endpoint.address;
    record.port = endpoint.port;
    record.fingerprint = endpoint.fingerprint;
  }
  return core::write_file_atomically(file, core::encode_record(kVersion, record) + "\n", 0600);
}

core::Result<Endpoint> read_endpoint(const std::filesystem::path& file) {
  const auto text = core::read_file(file, std::size_t{64} << 10U);
  if (!text) return core::fail(text.error());
  auto endpoint = endpoint_from_json(*text, file.parent_path());
  if (!endpoint) return core::fail(endpoint.error().within(file.string()));
  return endpoint;
}

core::Result<Endpoint> endpoint_from_json(std::string_view text, const std::filesystem::path& folder) {
  auto record = core::decode_record<EndpointRecord>(kVersion, text);
  if (!record) return core::fail(record.error());
  if (record->socket && !record->socket->empty())
    return Endpoint{
        .address = {}, .secret = std::move(record->secret), .file = folder / *record->socket, .epoch = record->epoch};
  const auto port = record->port.value_or(0);
  const auto fingerprint = record->fingerprint.value_or("");
  if (!record->address || port == 0 || fingerprint.empty())
    return core::fail(core::Errc::corrupt,
                      "it does not contain the address, port and certificate fingerprint of a master");
  return Endpoint{*std::move(record->address), port, std::move(record->secret), fingerprint, {}, record->epoch};
}

}  // namespace ydl::net
