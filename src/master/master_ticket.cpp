#include "master/master_ticket.hpp"

#include "core/described_json.hpp"

namespace ydl::net {

BOOST_DESCRIBE_STRUCT(Identity, (), (certificate, key))

}  // namespace ydl::net

namespace ydl::master {
namespace {

constexpr int kVersion = 2;

}  // namespace

BOOST_DESCRIBE_STRUCT(MasterTicket, (), (folder, user, hadoop, job_key, identity))

std::string encode_ticket(const MasterTicket& ticket) {
  return core::encode_record(kVersion, ticket);
}

core::Result<MasterTicket> decode_ticket(std::string_view text) {
  return core::decode_record<MasterTicket>(kVersion, text);
}

}  // namespace ydl::master
