#include "master/master_ticket.hpp"

#include "core/json.hpp"

#include <boost/json.hpp>

namespace ydl::master {

std::string encode_ticket(const MasterTicket& ticket) {
  return boost::json::serialize(boost::json::object{{"version", 2},
                                                    {"folder", ticket.folder},
                                                    {"user", ticket.user},
                                                    {"hadoop", core::to_json(ticket.hadoop)},
                                                    {"job_key", ticket.job_key},
                                                    {"certificate", ticket.identity.certificate},
                                                    {"key", ticket.identity.key}});
}

core::Result<MasterTicket> decode_ticket(std::string_view text) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  auto folder = core::json_string(*object, "folder");
  if (!folder) return core::fail(folder.error());
  auto user = core::json_string(*object, "user");
  if (!user) return core::fail(user.error());
  auto hadoop = core::json_strings(*object, "hadoop");
  if (!hadoop) return core::fail(hadoop.error());
  MasterTicket ticket{*std::move(folder), *std::move(user), *std::move(hadoop)};
  for (const auto& [field, to] : {std::pair{"job_key", &ticket.job_key},
                                  {"certificate", &ticket.identity.certificate},
                                  {"key", &ticket.identity.key}}) {
    auto value = core::json_string(*object, field);
    if (!value) return core::fail(value.error());
    *to = *std::move(value);
  }
  return ticket;
}

}  // namespace ydl::master
