#include "master/master_ticket.hpp"

#include "core/json.hpp"

#include <boost/json.hpp>

namespace ydl::master {

std::string encode_ticket(const MasterTicket& ticket) {
  boost::json::object hadoop;
  for (const auto& [key, value] : ticket.hadoop) hadoop[key] = value;
  return boost::json::serialize(boost::json::object{
      {"version", 1}, {"folder", ticket.folder}, {"user", ticket.user}, {"hadoop", std::move(hadoop)}});
}

core::Result<MasterTicket> decode_ticket(std::string_view text) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  auto folder = core::json_string(*object, "folder");
  if (!folder) return core::fail(folder.error());
  auto user = core::json_string(*object, "user");
  if (!user) return core::fail(user.error());
  const auto hadoop = core::json_object(*object, "hadoop");
  if (!hadoop) return core::fail(hadoop.error());
  MasterTicket ticket{*std::move(folder), *std::move(user), {}};
  for (const auto& [key, value] : **hadoop) {
    if (value.is_string()) ticket.hadoop[key] = value.get_string();
  }
  return ticket;
}

}  // namespace ydl::master
