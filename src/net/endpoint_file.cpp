#include "net/endpoint_file.hpp"

#include "core/described_json.hpp"
#include "core/files.hpp"

namespace ydl::net {
namespace {

constexpr int kVersion = 1;

}  // namespace

BOOST_DESCRIBE_STRUCT(Endpoint, (), (address, port, secret))

core::Result<void> write_endpoint(const std::filesystem::path& file, const Endpoint& endpoint) {
  return core::write_file_atomically(file, core::encode_record(kVersion, endpoint) + "\n", 0600);
}

core::Result<Endpoint> read_endpoint(const std::filesystem::path& file) {
  const auto text = core::read_file(file, std::size_t{64} << 10U);
  if (!text) return core::fail(text.error());
  auto endpoint = core::decode_record<Endpoint>(kVersion, *text);
  if (!endpoint) return core::fail(endpoint.error().within(file.string()));
  if (endpoint->port == 0) return core::fail(core::Errc::corrupt, file.string() + ": 'port' must not be 0");
  return endpoint;
}

}  // namespace ydl::net
