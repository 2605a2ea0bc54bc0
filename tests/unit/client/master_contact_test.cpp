// A client whose master does not answer: what it does and says, by a scripted clock.
#include "client/master_contact.hpp"

#include "net/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::StartsWith;
using Kind = MasterContact::Next::Kind;
using Witness = MasterContact::Witness;

constexpr core::Instant kStart{core::Seconds(1'000)};

core::Instant at(int seconds) {
  return kStart + core::Seconds(seconds);
}

core::Error error(std::string text, std::error_code code = make_error_code(core::Errc::timeout)) {
  return {code, std::move(text)};
}

TEST(MasterContact, gives_up_where_asking_again_is_of_no_use) {
  MasterContact contact(Witness::resource_manager, kStart);
  EXPECT_EQ(contact.failed(MasterEvidence::refused, error("no answer")).kind, Kind::give_up) << "no ticket";
  const auto untrusted = error("another certificate", make_error_code(net::Errc::untrusted));
  EXPECT_EQ(contact.failed(MasterEvidence::running, untrusted).kind, Kind::give_up);
  const auto refused = error("the master answered 401", make_error_code(core::Errc::refused));
  EXPECT_EQ(contact.failed(MasterEvidence::running, refused).kind, Kind::give_up) << "the key of another job";
  EXPECT_EQ(contact.failed(MasterEvidence::over, untrusted).kind, Kind::over) << "the address is another's by now";
}

TEST(MasterContact, a_failed_call_is_repeated_while_the_master_runs) {
  MasterContact contact(Witness::process, kStart);
  for (int i = 0; i < 1'000; ++i)
    EXPECT_EQ(contact.failed(MasterEvidence::running, error("no answer")).kind, Kind::ask_again);
}

TEST(MasterContact, only_evidence_ends_it) {
  MasterContact contact(Witness::resource_manager, kStart);
  EXPECT_EQ(contact.failed(MasterEvidence::unknown, error("no answer")).kind, Kind::ask_again);
  EXPECT_EQ(contact.failed(MasterEvidence::running, error("no answer")).kind, Kind::ask_again);
  EXPECT_EQ(contact.failed(MasterEvidence::over, error("no answer")).kind, Kind::over);
}

TEST(MasterContact, pauses_grow_up_to_two_seconds_and_shrink_with_an_answer) {
  MasterContact contact(Witness::process, kStart);
  std::vector<int> pauses;
  for (int i = 0; i < 7; ++i)
    pauses.push_back(static_cast<int>(contact.failed(MasterEvidence::running, error("")).pause.count()));
  EXPECT_EQ(pauses, (std::vector<int>{100, 200, 400, 800, 1600, 2000, 2000}));
  EXPECT_EQ(contact.answered(at(7)), std::nullopt);
  EXPECT_EQ(contact.failed(MasterEvidence::running, error("")).pause, core::Millis(100));
}

TEST(MasterContact, a_short_silence_is_not_mentioned) {
  MasterContact contact(Witness::process, kStart);
  EXPECT_EQ(contact.notice(at(14)), std::nullopt);
  EXPECT_EQ(contact.answered(at(14)), std::nullopt);
  EXPECT_EQ(contact.notice(at(28)), std::nullopt) << "it counts from the last answer";
}

TEST(MasterContact, a_long_silence_is_mentioned_once_and_its_end_too) {
  MasterContact contact(Witness::process, kStart);
  (void)contact.failed(MasterEvidence::running, error("asking 127.0.0.1:7: no answer in time"));
  EXPECT_THAT(contact.notice(at(15)), Optional(std::string("the job's master has not answered for 15 s "
                                                           "(asking 127.0.0.1:7: no answer in time); its process "
                                                           "still runs, so ydl keeps trying")));
  EXPECT_EQ(contact.notice(at(60)), std::nullopt);
  EXPECT_THAT(contact.answered(at(75)), Optional(std::string("the job's master answers again, after 1 min 15 s")));
  EXPECT_EQ(contact.answered(at(76)), std::nullopt);
  EXPECT_EQ(contact.notice(at(90)), std::nullopt);
  EXPECT_THAT(contact.notice(at(91)), Optional(StartsWith("the job's master has not answered for 15 s;")))
      << "a second silence is a new one, and what failed before the answer is forgotten";
}

TEST(MasterContact, on_a_cluster_the_notice_says_what_the_resource_manager_knows) {
  MasterContact known(Witness::resource_manager, kStart);
  (void)known.failed(MasterEvidence::running, error(""));
  EXPECT_THAT(known.notice(at(15)), Optional(HasSubstr("reports that the application is running")));
  MasterContact alone(Witness::resource_manager, kStart);
  (void)alone.failed(MasterEvidence::running, error(""));
  (void)alone.failed(MasterEvidence::unknown, error(""));
  EXPECT_THAT(alone.notice(at(15)), Optional(StartsWith("neither the job's master nor the ResourceManager")));
}

TEST(MasterContact, a_master_that_is_gone_is_mentioned_at_once_and_only_once) {
  MasterContact contact(Witness::resource_manager, kStart);
  EXPECT_EQ(contact.answered(at(5)), std::nullopt);
  EXPECT_EQ(contact.failed(MasterEvidence::running, error("connection refused")).kind, Kind::ask_again)
      << "the ResourceManager has not noticed yet";
  EXPECT_EQ(contact.notice(at(5)), std::nullopt);
  EXPECT_EQ(contact.failed(MasterEvidence::gone, error("connection refused")).kind, Kind::look_again)
      << "there is no master to call";
  EXPECT_THAT(contact.notice(at(6)), Optional(std::string("the job's master is gone; waiting for another")));
  (void)contact.failed(MasterEvidence::gone, error("connection refused"));
  EXPECT_EQ(contact.notice(at(6)), std::nullopt);
  EXPECT_EQ(contact.notice(at(3600)), std::nullopt) << "that it is awaited was said";
}

TEST(MasterContact, another_master_is_asked_once_its_address_is_known_and_is_told_when_it_answers) {
  MasterContact contact(Witness::resource_manager, kStart);
  (void)contact.answered(at(1));
  (void)contact.failed(MasterEvidence::gone, error("connection refused"));
  (void)contact.notice(at(2));
  EXPECT_EQ(contact.failed(MasterEvidence::replaced, error("connection refused")).kind, Kind::ask_again);
  EXPECT_EQ(contact.notice(at(3)), std::nullopt);
  EXPECT_THAT(contact.answered(at(4)), Optional(std::string("a new master has taken over the job, after 3 s")));
  EXPECT_EQ(contact.answered(at(5)), std::nullopt);
  (void)contact.failed(MasterEvidence::gone, error("connection refused"));
  EXPECT_THAT(contact.notice(at(6)), Optional(std::string(kMasterGone))) << "a second loss is a new one";
}

TEST(MasterContact, a_change_that_is_over_before_it_is_noticed_needs_no_words) {
  MasterContact contact(Witness::resource_manager, kStart);
  (void)contact.answered(at(1));
  EXPECT_EQ(contact.failed(MasterEvidence::replaced, error("connection refused")).kind, Kind::ask_again);
  EXPECT_EQ(contact.notice(at(2)), std::nullopt);
  EXPECT_EQ(contact.answered(at(2)), std::nullopt);
}

TEST(MasterContact, another_process_at_the_address_of_a_lost_master_is_not_its_end) {
  MasterContact contact(Witness::resource_manager, kStart);
  (void)contact.answered(at(1));
  const auto untrusted = error("another certificate", make_error_code(net::Errc::untrusted));
  EXPECT_EQ(contact.failed(MasterEvidence::running, untrusted).kind, Kind::ask_again);
  EXPECT_EQ(contact.failed(MasterEvidence::gone, untrusted).kind, Kind::look_again);
  EXPECT_EQ(contact.failed(MasterEvidence::over, untrusted).kind, Kind::over);
}

TEST(MasterContact, a_resource_manager_that_is_silent_too_is_mentioned_while_another_master_is_awaited) {
  MasterContact contact(Witness::resource_manager, kStart);
  (void)contact.failed(MasterEvidence::gone, error(""));
  (void)contact.notice(at(1));
  (void)contact.failed(MasterEvidence::unknown, error(""));
  EXPECT_EQ(contact.notice(at(14)), std::nullopt);
  EXPECT_THAT(contact.notice(at(15)), Optional(StartsWith("neither the job's master nor the ResourceManager")));
}

}  // namespace
}  // namespace ydl::client
