#include "master/proxy_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::master {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const yarn::ApplicationId kApplication{1'700'000'000'000, 7};

hconf::Config config(std::vector<std::pair<std::string, std::string>> settings) {
  std::vector<hconf::Property> properties;
  for (auto& [key, value] : settings) properties.push_back({key, value, false, "the test"});
  hconf::Config made;
  made.add(properties);
  return made;
}

constexpr std::string_view kPolicy = "yarn.resourcemanager.application-https.policy";

// What a NodeManager of a cluster without HTTPS to masters gives.
const core::Result<std::optional<net::MutualIdentity>> kNoKey = std::nullopt;
const net::MutualIdentity kKey{"key", {"own", "CA"}, {"CA"}};

std::shared_ptr<JobAccess> access(bool acls_enforced) {
  auto made = std::make_shared<JobAccess>(
      JobAccess::Facts{.application = kApplication, .owner = "olga", .acls_enforced = acls_enforced, .realm = ""});
  made->registered({.viewers = "bob ops"});
  return made;
}

ProxyPage page(bool acls_enforced = true) {
  ProxyPage made({{"rm"}, "http://rm:8088/proxy/redirect/application_1700000000000_0007"}, access(acls_enforced));
  made.resolved({"10.0.0.1", "10.0.0.2"});
  made.show([] { return std::string("the page"); });
  return made;
}

TEST(ProxyPage, the_proxy_gets_the_page_for_those_who_may_view) {
  EXPECT_EQ(page().answer({"GET", "/", "proxy-user=bob", "10.0.0.1"}).body, "the page");
  EXPECT_EQ(page().answer({"GET", "/", "a=b; proxy-user=olga", "10.0.0.2"}).status, 200U);
  EXPECT_EQ(page().answer({"GET", "/", "proxy-user=bob", "::ffff:10.0.0.1"}).status, 200U);
}

TEST(ProxyPage, it_shows_nothing_to_others) {
  for (const auto* cookie : {"proxy-user=carol", "proxy-user=ops", "", "proxy-user=", "user=bob"}) {
    const auto answer = page().answer({"GET", "/", cookie, "10.0.0.1"});
    EXPECT_EQ(answer.status, 403U) << cookie;
    EXPECT_THAT(answer.body, HasSubstr("olga can permit it by name"));
  }
  EXPECT_EQ(page().answer({"GET", "/v1/job", "proxy-user=bob", "10.0.0.1"}).status, 404U);
  EXPECT_EQ(page().answer({"POST", "/", "proxy-user=bob", "10.0.0.1"}).status, 405U);
}

TEST(ProxyPage, on_a_cluster_without_acls_all_users_see_it) {
  EXPECT_EQ(page(false).answer({"GET", "/", "", "10.0.0.1"}).status, 200U);
}

TEST(ProxyPage, a_browser_is_sent_to_the_proxy_whatever_its_cookie) {
  const auto answer = page().answer({"GET", "/x", "proxy-user=olga", "10.0.0.3"});
  EXPECT_EQ(answer.status, 302U);
  EXPECT_EQ(answer.location, "http://rm:8088/proxy/redirect/application_1700000000000_0007/");
  EXPECT_EQ(answer.body.find("the page"), std::string::npos);
}

TEST(ProxyPage, proxy_hosts_are_the_resource_managers_unless_one_is_named) {
  const auto pair = config({{"yarn.resourcemanager.ha.enabled", "true"},
                            {"yarn.resourcemanager.ha.rm-ids", "a,b"},
                            {"yarn.resourcemanager.hostname.a", "rm1"},
                            {"yarn.resourcemanager.hostname.b", "rm2"}});
  const auto chosen = ProxyPage::choose(pair, kApplication, kNoKey);
  ASSERT_TRUE(chosen.facts) << chosen.why;
  EXPECT_THAT(chosen.facts->hosts, ElementsAre("rm1", "rm2"));
  EXPECT_EQ(chosen.facts->url, "http://rm1:8088/proxy/redirect/application_1700000000000_0007");
  const auto named =
      ProxyPage::choose(config({{"yarn.resourcemanager.hostname", "rm"}, {"yarn.web-proxy.address", "proxy:9046"}}),
                        kApplication, kNoKey);
  ASSERT_TRUE(named.facts) << named.why;
  EXPECT_THAT(named.facts->hosts, ElementsAre("proxy"));
  EXPECT_THAT(named.facts->url, HasSubstr("http://proxy:9046/proxy/redirect/"));
}

TEST(ProxyPage, a_key_for_https_decides_whatever_the_policy_of_the_client_is) {
  for (const auto* policy : {"NONE", "LENIENT", "STRICT"}) {
    const auto chosen = ProxyPage::choose(config({{std::string(kPolicy), policy}}), kApplication, kKey);
    ASSERT_TRUE(chosen.facts) << chosen.why;
    ASSERT_TRUE(chosen.facts->identity);
    EXPECT_EQ(chosen.facts->identity->key, "key");
  }
  const auto without = ProxyPage::choose(
      config({{"yarn.resourcemanager.hostname", "rm"}, {std::string(kPolicy), "NONE"}}), kApplication, kNoKey);
  ASSERT_TRUE(without.facts) << without.why;
  EXPECT_FALSE(without.facts->identity);
}

TEST(ProxyPage, with_https_to_masters_and_no_key_for_it_there_is_no_page_and_never_one_in_clear) {
  for (const auto* policy : {"LENIENT", "STRICT"}) {
    const auto chosen = ProxyPage::choose(
        config({{"yarn.resourcemanager.hostname", "rm"}, {std::string(kPolicy), policy}}), kApplication, kNoKey);
    EXPECT_FALSE(chosen.facts);
    EXPECT_EQ(chosen.why,
              fmt::format("the ResourceManager cannot show a page of the job: {} is {}, but the ResourceManager "
                          "gave this master no key for HTTPS; `ydl status {}` shows the job",
                          kPolicy, policy, kApplication.str()));
  }
}

TEST(ProxyPage, a_key_that_cannot_be_read_is_the_reason_for_no_page) {
  const auto chosen = ProxyPage::choose(
      config({{"yarn.resourcemanager.hostname", "rm"}}), kApplication,
      core::fail(core::Errc::corrupt, "yarn.application.am.keystore: this is not a valid Java key store"));
  EXPECT_FALSE(chosen.facts);
  EXPECT_THAT(chosen.why, HasSubstr("cannot show a page of the job: yarn.application.am.keystore: this is not"));
}

TEST(ProxyPage, with_https_the_address_does_not_count_and_the_acl_does) {
  ProxyPage made({{}, {}, kKey}, access(true));
  made.show([] { return std::string("the page"); });
  EXPECT_EQ(made.answer({"GET", "/", "proxy-user=bob", "10.0.0.9"}).body, "the page");
  EXPECT_EQ(made.answer({"GET", "/", "proxy-user=carol", "10.0.0.9"}).status, 403U);
  EXPECT_EQ(made.answer({"GET", "/", "", "10.0.0.9"}).status, 403U);
  EXPECT_EQ(made.answer({"GET", "/v1/job", "proxy-user=bob", "10.0.0.9"}).status, 404U);
  EXPECT_EQ(made.answer({"PUT", "/", "proxy-user=olga", "10.0.0.9"}).status, 405U);
}

TEST(ProxyPage, the_page_has_states_and_hosts_and_nothing_that_tasks_wrote) {
  const auto text = proxy_page_text(
      R"({"id":"api-bc93","name":"api","framework":"none","cluster":"yarn","user":"ann","state":"running","attempt":1,)"
      R"("submitted":"2026-11-15T04:52:42.963Z","logs":"/l","results":"/r","tasks":[{"id":"worker:0","attempt":2,)"
      R"("state":"running","reason":"","node":"edge1","last_line":"password"}]})");
  EXPECT_THAT(text, HasSubstr("api-bc93  running  of ann\n"));
  EXPECT_THAT(text, HasSubstr("worker:0  running  2  edge1\n"));
  EXPECT_THAT(text, HasSubstr("\n`ydl status api-bc93` shows more, `ydl follow api-bc93` (as ann) follows it, "));
  EXPECT_EQ(text.find("password"), std::string::npos);
}

}  // namespace
}  // namespace ydl::master
