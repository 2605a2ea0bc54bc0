#include "protocol/epoch.hpp"

#include "core/json.hpp"

#include <fmt/format.h>

namespace ydl::protocol {

core::Result<Epoch> epoch_of(const boost::json::object& object) {
  const auto number = core::json_int(object, "epoch");
  if (!number) return core::fail(number.error());
  if (*number < 1) return core::fail(core::Errc::corrupt, fmt::format("'epoch' is out of range: {}", *number));
  return Epoch{*number};
}

}  // namespace ydl::protocol
