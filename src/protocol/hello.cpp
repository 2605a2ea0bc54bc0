#include "protocol/hello.hpp"

#include "core/described_json.hpp"

#include <boost/json.hpp>

namespace ydl::protocol {

boost::json::object to_json(const Hello& hello) {
  return core::to_json(hello);
}

boost::json::object to_json(const Welcome& welcome) {
  return {{"epoch", welcome.epoch.number}};
}

// The Hello of an earlier protocol has no "holds". It must still be readable, so that the error can name its version.
core::Result<Hello> hello_from_json(const boost::json::object& object) {
  if (object.contains("holds")) return core::from_json<Hello>(object);
  auto complete = object;
  complete["holds"] = boost::json::array();
  return core::from_json<Hello>(complete);
}

core::Result<Welcome> welcome_from_json(const boost::json::object& object) {
  const auto epoch = epoch_of(object);
  if (!epoch) return core::fail(epoch.error());
  return Welcome{*epoch};
}

}  // namespace ydl::protocol
