#include "protocol/hello.hpp"

#include "core/described_json.hpp"

namespace ydl::protocol {

boost::json::object to_json(const Hello& hello) {
  return core::to_json(hello);
}

boost::json::object to_json(const Welcome& welcome) {
  return {{"epoch", welcome.epoch.number}};
}

core::Result<Hello> hello_from_json(const boost::json::object& object) {
  return core::from_json<Hello>(object);
}

core::Result<Welcome> welcome_from_json(const boost::json::object& object) {
  const auto epoch = epoch_of(object);
  if (!epoch) return core::fail(epoch.error());
  return Welcome{*epoch};
}

}  // namespace ydl::protocol
