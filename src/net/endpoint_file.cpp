#include "net/endpoint_file.hpp"

#include "core/files.hpp"
#include "core/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::net {

namespace {

constexpr int kVersion = 2;

}  // namespace

core::Result<void> write_endpoint(const std::filesystem::path& file, const Endpoint& endpoint) {
  boost::json::object object{{"version", kVersion}};
  if (!endpoint.file.empty()) {
    const bool beside = endpoint.file.parent_path() == file.parent_path();
    object["socket"] = (beside ? endpoint.file.filename() : endpoint.file).string();
  } else {
    object["address"] = endpoint.address;
    object["port"] = endpoint.port;
    object["fingerprint"] = endpoint.fingerprint;
  }
  object["secret"] = endpoint.secret;
  return core::write_file_atomically(file, boost::json::serialize(object) + "\n", 0600);
}

core::Result<Endpoint> read_endpoint(const std::filesystem::path& file) {
  const auto text = core::read_file(file, std::size_t{64} << 10U);
  if (!text) return core::fail(text.error());
  auto endpoint = endpoint_from_json(*text, file.parent_path());
  if (!endpoint) return core::fail(endpoint.error().within(file.string()));
  return endpoint;
}

core::Result<Endpoint> endpoint_from_json(std::string_view text, const std::filesystem::path& folder) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  const auto version = core::json_int(*object, "version");
  if (version && *version != kVersion) {
    return core::fail(core::Errc::corrupt,
                      fmt::format("it is of version {}, and this ydl reads version {}", *version, kVersion));
  }
  const auto unknown = core::fail(core::Errc::corrupt, "it does not contain the address of a master");
  const auto secret = core::json_string(*object, "secret");
  if (!secret) return unknown;
  if (const auto socket = core::json_string(*object, "socket")) {
    if (socket->empty()) return unknown;
    return Endpoint{.address = {}, .secret = *secret, .file = folder / *socket};
  }
  const auto address = core::json_string(*object, "address");
  const auto port = core::json_int(*object, "port");
  const auto fingerprint = core::json_string(*object, "fingerprint");
  if (!address || !port || *port < 1 || *port > 65535 || !fingerprint || fingerprint->empty()) return unknown;
  return Endpoint{*address, static_cast<std::uint16_t>(*port), *secret, *fingerprint};
}

}  // namespace ydl::net
