#include "net/endpoint_file.hpp"

#include "core/files.hpp"
#include "core/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::net {

core::Result<void> write_endpoint(const std::filesystem::path& file, const Endpoint& endpoint) {
  const boost::json::object object{
      {"version", 1}, {"address", endpoint.address}, {"port", endpoint.port}, {"secret", endpoint.secret}};
  return core::write_file_atomically(file, boost::json::serialize(object) + "\n", 0600);
}

core::Result<Endpoint> read_endpoint(const std::filesystem::path& file) {
  const auto text = core::read_file(file, std::size_t{64} << 10U);
  if (!text) return core::fail(text.error());
  const auto object = core::parse_json_object(*text);
  if (!object) return core::fail(object.error().within(file.string()));
  const auto address = core::json_string(*object, "address");
  const auto port = core::json_int(*object, "port");
  const auto secret = core::json_string(*object, "secret");
  if (!address || !port || !secret || *port < 1 || *port > 65535) {
    return core::fail(core::Errc::corrupt, fmt::format("{} does not say where the master is", file.string()));
  }
  return Endpoint{*address, static_cast<std::uint16_t>(*port), *secret};
}

}  // namespace ydl::net
