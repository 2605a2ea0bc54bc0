#include "master/job_access.hpp"

#include "core/base64.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::master {
namespace {

// Tokens that Hadoop's own classes made with the key "12345678", for attempt 1 of application_1700000000000_0007.
const auto kAlice = std::string("yarn.Cg0KCQgHEIDQlf+8MRABEhFhbGljZUBFWEFNUExFLk9SRw==.fYKdlv5lvx97vjyatf3xS7nsnuo=");

JobAccess access(JobAccess::Facts facts, yarn::Registration registration) {
  JobAccess made(std::move(facts));
  registration.client_token_key = "12345678";
  made.registered(registration);
  return made;
}
JobAccess::Facts enforced() {
  return {.application = {1'700'000'000'000, 7}, .owner = "olga", .acls_enforced = true, .realm = "EXAMPLE.ORG"};
}
JobAccess::Facts not_enforced() {
  auto facts = enforced();
  facts.acls_enforced = false;
  return facts;
}

TEST(JobAccess, a_genuine_token_is_enough_to_view_where_the_cluster_enforces_acls) {
  const auto guest = access(enforced(), {.viewers = " ml-team"}).guest(kAlice);
  ASSERT_TRUE(guest) << "the ResourceManager knows who is in the group";
  EXPECT_EQ(guest->user, "alice");
  EXPECT_FALSE(guest->may_modify);
}

TEST(JobAccess, where_it_does_not_the_list_must_name_the_user) {
  EXPECT_FALSE(access(not_enforced(), {}).guest(kAlice));
  EXPECT_FALSE(access(not_enforced(), {.viewers = " ml-team"}).guest(kAlice));
  EXPECT_FALSE(access(not_enforced(), {.viewers = "alice, bob"}).guest(kAlice)) << "not a list";
  EXPECT_TRUE(access(not_enforced(), {.viewers = "bob,alice"}).guest(kAlice));
  EXPECT_TRUE(access(not_enforced(), {.viewers = "*"}).guest(kAlice));
}

TEST(JobAccess, modify_is_held_against_the_names) {
  EXPECT_TRUE(access(enforced(), {.modifiers = "alice"}).guest(kAlice)->may_modify);
  EXPECT_TRUE(access(enforced(), {.modifiers = "*"}).guest(kAlice)->may_modify);
  EXPECT_FALSE(access(enforced(), {.modifiers = "bob alice"}).guest(kAlice)->may_modify) << "a group of that name";
  EXPECT_FALSE(access(enforced(), {.viewers = "alice", .modifiers = " "}).guest(kAlice)->may_modify);
}

TEST(JobAccess, alice_of_another_realm_is_another_user) {
  for (const auto* realm : {"OTHER.ORG", "", "EXAMPLE.ORGX"}) {
    auto facts = enforced();
    facts.realm = realm;
    const auto guest = access(facts, {.viewers = "alice", .modifiers = "*"}).guest(kAlice);
    ASSERT_TRUE(guest) << "the ResourceManager let her in";
    EXPECT_EQ(guest->user, "alice@EXAMPLE.ORG");
    EXPECT_FALSE(guest->may_modify);
    facts.acls_enforced = false;
    EXPECT_FALSE(access(facts, {.viewers = "alice"}).guest(kAlice));
  }
}

TEST(JobAccess, no_user_is_accepted_before_registration_or_with_the_token_of_another_application) {
  EXPECT_FALSE(JobAccess(enforced()).guest(kAlice));
  auto facts = enforced();
  facts.application.id = 8;
  EXPECT_FALSE(access(facts, {}).guest(kAlice));
  EXPECT_FALSE(access(enforced(), {}).guest("s3cret"));
}

TEST(JobAccess, the_owner_and_those_on_the_list_may_view_by_name) {
  const auto made = access(enforced(), {.viewers = "bob ops"});
  EXPECT_TRUE(made.may_view("olga"));
  EXPECT_TRUE(made.may_view("bob"));
  EXPECT_FALSE(made.may_view("ops"));
  EXPECT_FALSE(made.may_view(""));
}

TEST(JobAccess, facts_are_those_of_the_configuration) {
  hconf::Config config;
  config.add(std::vector<hconf::Property>{{"yarn.resourcemanager.principal", "rm/_HOST@EXAMPLE.ORG", false, "x"}});
  const auto facts = access_facts(config, {1, 2}, "olga");
  EXPECT_EQ(facts.realm, "EXAMPLE.ORG");
  EXPECT_FALSE(facts.acls_enforced) << "YARN's default";
}

}  // namespace
}  // namespace ydl::master
