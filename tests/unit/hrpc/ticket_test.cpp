#include "hrpc/errors.hpp"
#include "hrpc/sasl/ticket_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hrpc::sasl {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::chrono::sys_seconds kNow = std::chrono::sys_days(std::chrono::year(2026) / 11 / 15);

Ticket ticket(std::optional<std::chrono::sys_seconds> starts, std::optional<std::chrono::sys_seconds> ends) {
  return {.cache = "FILE:/tmp/krb5cc_1000", .principal = "alice@EXAMPLE.ORG", .starts = starts, .ends = ends};
}

std::string refusal(const Ticket& given) {
  const auto usable = check_ticket(given, kNow);
  if (!usable) EXPECT_EQ(usable.error().code, Errc::unauthenticated);
  return usable ? "" : usable.error().message;
}

TEST(Ticket, a_valid_ticket_is_accepted) {
  EXPECT_EQ(refusal(ticket(kNow - 1h, kNow + 1s)), "");
  EXPECT_EQ(refusal(ticket(kNow + 4min, kNow + 1h)), "") << "clocks differ a little";
}

TEST(Ticket, the_error_for_an_expired_ticket_has_owner_cache_and_time) {
  EXPECT_EQ(refusal(ticket(kNow - 10h, kNow - 2h - 10min)),
            "the Kerberos ticket of alice@EXAMPLE.ORG in FILE:/tmp/krb5cc_1000 expired at 2026-11-14T21:50:00.000Z, "
            "2 h 10 min ago: run kinit");
}

TEST(Ticket, a_ticket_from_the_future_means_a_wrong_clock) {
  EXPECT_THAT(refusal(ticket(kNow + 20min, kNow + 1h)), HasSubstr("20 min from now: this machine's clock is behind"));
}

TEST(Ticket, the_error_for_a_cache_without_a_ticket_has_a_remedy) {
  EXPECT_EQ(refusal(ticket(std::nullopt, std::nullopt)),
            "no Kerberos ticket in FILE:/tmp/krb5cc_1000 (the cache of alice@EXAMPLE.ORG has no ticket-granting "
            "ticket): run kinit");
}

}  // namespace
}  // namespace ydl::hrpc::sasl
