#include "protocol/hello.hpp"

#include "core/json.hpp"
#include "protocol/fields.hpp"

#include <boost/json.hpp>

namespace ydl::protocol {

namespace json = boost::json;

json::object to_json(const Hello& hello) {
  return {{"protocol", hello.protocol}, {"version", hello.version}, {"node", hello.node}, {"pid", hello.pid}};
}

json::object to_json(const Welcome& welcome) {
  return {{"epoch", welcome.epoch.number}};
}

core::Result<Hello> hello_from_json(const json::object& o) {
  const auto protocol = small_int(o, "protocol");
  const auto node = core::json_string(o, "node");
  if (!protocol) return core::fail(protocol.error());
  if (!node) return core::fail(node.error());
  return Hello{*protocol, core::json_string_or(o, "version", "unknown"), *node, small_int(o, "pid").value_or(0)};
}

core::Result<Welcome> welcome_from_json(const json::object& o) {
  const auto epoch = epoch_of(o);
  if (!epoch) return core::fail(epoch.error());
  return Welcome{*epoch};
}

}  // namespace ydl::protocol
