// Whether a master stands behind an agent, as stories of what it hears and finds.
#include "agent/master_lease.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

using core::Instant;
using core::Millis;
using core::Seconds;
using ::testing::HasSubstr;

using GiveUp = MasterLease::GiveUp;
using Look = MasterLease::Look;
using SayHello = MasterLease::SayHello;
using Wait = MasterLease::Wait;

constexpr Millis kOrphan = std::chrono::minutes(30);
const MasterPlace kFirst{"10.0.0.1", 4000, 1};
const MasterPlace kSecond{"10.0.0.2", 5000, 2};

Instant at(Millis time) {
  return Instant(std::chrono::hours(5)) + time;
}
Instant at(double seconds) {
  return at(Millis(static_cast<std::int64_t>(seconds * 1000)));
}

// An agent that obeys the master of epoch 1, which it heard at 0 s.
class WithFolder : public testing::Test {
 protected:
  WithFolder() { lease_.heard(at(0), 1); }

  // Looks whenever it is to look, and finds `found` there. Returns when it looked, in ms.
  std::vector<std::int64_t> look_until(Instant end, const FolderLook& found) {
    std::vector<std::int64_t> looks;
    while (now_ < end) {
      const auto action = lease_.next(now_);
      if (const auto* wait = std::get_if<Wait>(&action)) {
        now_ += std::max(wait->at_most, Millis(1));
      } else if (std::holds_alternative<Look>(action)) {
        looks.push_back((now_ - at(0)).count());
        lease_.looked(now_, found);
      } else {
        break;
      }
    }
    return looks;
  }
  [[nodiscard]] std::string given_up(Instant now) {
    const auto action = lease_.next(now);
    const auto* given_up = std::get_if<GiveUp>(&action);
    return given_up == nullptr ? "" : given_up->why;
  }

  MasterLease lease_{{.outlives_master = kOrphan, .has_folder = true}, at(0)};
  Instant now_ = at(0);
};

TEST_F(WithFolder, nothing_is_looked_at_while_a_master_is_heard) {
  for (int i = 0; i < 1000; ++i) {
    lease_.heard(at(i * 5), 1);
    EXPECT_TRUE(std::holds_alternative<Wait>(lease_.next(at(i * 5 + 4))));
  }
}

TEST_F(WithFolder, it_looks_at_once_then_every_second_and_later_every_five) {
  now_ = at(10);
  lease_.heard(now_, 1);
  lease_.unheard(now_, "connection refused");
  const auto looks = look_until(at(41), FolderState{false, kFirst});
  const std::vector<std::int64_t> expected{10'000, 11'000, 12'000, 13'000, 14'000, 15'000, 16'000, 17'000, 18'000,
                                           19'000, 20'000, 21'000, 22'000, 23'000, 24'000, 29'000, 34'000, 39'000};
  EXPECT_EQ(looks, expected);
}

TEST_F(WithFolder, a_master_that_answers_again_ends_the_looking) {
  lease_.unheard(at(1), "no route");
  ASSERT_TRUE(std::holds_alternative<Look>(lease_.next(at(1))));
  lease_.heard(at(1.5), 1);
  lease_.looked(at(1), FolderState{true, kSecond});  // it answered before the look ended
  EXPECT_EQ(lease_.next(at(2)), MasterLease::Action(Wait{Seconds(5)}));
  lease_.unheard(at(100), "no route");
  EXPECT_TRUE(std::holds_alternative<Look>(lease_.next(at(100))));
}

// On a host without a running NodeManager no other process ends it.
TEST_F(WithFolder, an_agent_whose_job_is_over_gives_up) {
  lease_.unheard(at(1), "connection refused");
  ASSERT_TRUE(std::holds_alternative<Look>(lease_.next(at(1))));
  lease_.looked(at(1), FolderState{.is_revoked = false, .master = {}, .is_over = true});
  EXPECT_THAT(given_up(at(1.1)), HasSubstr("the job is over"));
}

TEST_F(WithFolder, a_master_that_answers_overrides_the_folder) {
  lease_.unheard(at(1), "no route");
  ASSERT_TRUE(std::holds_alternative<Look>(lease_.next(at(1))));
  lease_.heard(at(1.5), 1);
  lease_.looked(at(1), FolderState{.is_revoked = false, .master = {}, .is_over = true});
  EXPECT_EQ(given_up(at(2)), "");
}

TEST_F(WithFolder, a_master_of_a_higher_epoch_is_called_once_for_each_look_that_finds_it) {
  lease_.unheard(at(1), "connection refused");
  ASSERT_TRUE(std::holds_alternative<Look>(lease_.next(at(1))));
  lease_.looked(at(1), FolderState{false, kSecond});
  EXPECT_EQ(lease_.next(at(1.1)), MasterLease::Action(SayHello{kSecond, Seconds(5)}));
  lease_.unheard(at(1.2), "it is not ready");
  EXPECT_TRUE(std::holds_alternative<Wait>(lease_.next(at(1.2))));
  ASSERT_TRUE(std::holds_alternative<Look>(lease_.next(at(2))));
  lease_.looked(at(2), FolderState{false, kSecond});
  EXPECT_EQ(lease_.next(at(2.1)), MasterLease::Action(SayHello{kSecond, Seconds(5)}));
  lease_.heard(at(2.2), 2);
  EXPECT_TRUE(lease_.hears_master());
}

TEST_F(WithFolder, a_master_of_the_same_or_a_lower_epoch_is_not_called) {
  lease_.heard(at(0), 2);
  lease_.unheard(at(1), "connection refused");
  for (const auto& place : {kFirst, kSecond}) {
    now_ += Seconds(2);
    ASSERT_TRUE(std::holds_alternative<Look>(lease_.next(now_)));
    lease_.looked(now_, FolderState{false, place});
    EXPECT_TRUE(std::holds_alternative<Wait>(lease_.next(now_)));
  }
}

TEST_F(WithFolder, a_revoked_agent_gives_up_at_once) {
  lease_.unheard(at(1), "connection refused");
  ASSERT_TRUE(std::holds_alternative<Look>(lease_.next(at(1))));
  lease_.looked(at(1), FolderState{true, kSecond});
  EXPECT_THAT(given_up(at(1)), HasSubstr("given up this container"));
}

TEST_F(WithFolder, an_agent_that_is_not_revoked_waits_for_a_master_until_it_is_an_orphan) {
  now_ = at(1);
  lease_.unheard(now_, "connection refused");
  look_until(at(10'000), FolderState{false, kFirst});
  EXPECT_EQ(now_, at(1) + kOrphan);
  EXPECT_THAT(given_up(now_), HasSubstr("no master of the job has answered for 30 min"));
  EXPECT_THAT(given_up(now_), HasSubstr("connection refused"));
}

TEST_F(WithFolder, unreadable_for_45_s_since_the_master_was_heard_it_gives_up) {
  now_ = at(30);  // the call was open for this long
  lease_.unheard(now_, "timeout");
  look_until(at(10'000), Unreadable{"no NameNode answers"});
  EXPECT_EQ(now_, at(45));
  EXPECT_THAT(given_up(now_), HasSubstr("could not be read for 45 s: no NameNode answers"));
}

TEST_F(WithFolder, unreadable_for_45_s_since_the_last_look_it_gives_up) {
  now_ = at(1);
  lease_.unheard(now_, "timeout");
  look_until(at(300), FolderState{false, kFirst});
  const auto last = now_ - Seconds(5);
  look_until(at(10'000), Unreadable{"no NameNode answers"});
  EXPECT_EQ(now_, last + Seconds(45));
  EXPECT_THAT(given_up(now_), HasSubstr("could not be read"));
}

TEST_F(WithFolder, an_agent_that_stood_still_looks_once_before_it_gives_up) {
  for (const bool is_revoked : {false, true}) {
    lease_.heard(at(0), 1);
    lease_.unheard(at(600), "connection reset");
    EXPECT_EQ(lease_.next(at(600)), MasterLease::Action(Look{Seconds(4)}));
    EXPECT_THAT(given_up(at(604)), HasSubstr("could not be read"));
    lease_.looked(at(600), FolderState{is_revoked, kFirst});
    EXPECT_EQ(given_up(at(604)).empty(), !is_revoked);
  }
}

TEST_F(WithFolder, a_folder_that_can_be_read_again_is_enough_to_go_on) {
  now_ = at(1);
  lease_.unheard(now_, "timeout");
  for (int i = 0; i < 10; ++i) {
    look_until(now_ + Seconds(30), Unreadable{"no NameNode answers"});
    look_until(now_ + Seconds(6), FolderState{false, std::nullopt});
  }
  EXPECT_EQ(given_up(now_), "");
}

TEST_F(WithFolder, looks_and_hellos_end_when_it_has_to_give_up) {
  lease_.unheard(at(0), "timeout");
  ASSERT_TRUE(std::holds_alternative<Look>(lease_.next(at(0))));
  lease_.looked(at(0), FolderState{false, kSecond});
  EXPECT_EQ(lease_.next(at(43)), MasterLease::Action(SayHello{kSecond, Seconds(2)}));
  EXPECT_EQ(lease_.next(at(44)), MasterLease::Action(Look{Seconds(1)}));
}

// What a master relies on: whatever HDFS does, and whenever the revocation is written, the agent ends its task in less
// than 60 s from then. The master writes it after it has not heard the agent for 60 s, and the agent's own call fails
// 30 s after the last answer at the latest.
TEST(Promise, it_gives_up_within_45_s_of_its_revocation_whatever_hdfs_does) {
  struct Hdfs {
    Millis answers_in;  // a look takes this long, or as long as it may
    Millis readable;    // and is then unreadable for the rest of the period
    Millis period;
  };
  const std::vector<Hdfs> kinds{
      {Millis(5), Seconds(1000), Seconds(1000)},   {Millis(3900), Seconds(1000), Seconds(1000)},
      {Seconds(60), Seconds(1000), Seconds(1000)}, {Millis(5), Seconds(3), Seconds(40)},
      {Millis(3900), Seconds(20), Seconds(44)},    {Millis(5), Seconds(0), Seconds(1000)},
      {Millis(2000), Seconds(70), Seconds(500)}};
  for (const auto& hdfs : kinds) {
    for (int revoked_at = 61; revoked_at < 200; ++revoked_at) {
      MasterLease lease({.outlives_master = kOrphan, .has_folder = true}, at(0));
      lease.heard(at(0), 1);
      auto now = at(30);
      lease.unheard(now, "timeout");
      for (;;) {
        const auto action = lease.next(now);
        if (std::holds_alternative<GiveUp>(action)) break;
        if (const auto* wait = std::get_if<Wait>(&action)) now += std::max(wait->at_most, Millis(1));
        if (const auto* look = std::get_if<Look>(&action)) {
          const auto began = now;
          const bool in_time = hdfs.answers_in <= look->within;
          const bool readable = (began - at(0)) % hdfs.period < hdfs.readable;
          now += std::min(hdfs.answers_in, look->within);
          // The NameNode looks when the call arrives: what is written while the answer is on its way is not seen.
          if (in_time && readable)
            lease.looked(began, FolderState{began >= at(revoked_at), kFirst});
          else
            lease.looked(began, Unreadable{"timeout"});
        }
        ASSERT_LT(now, at(revoked_at + 50)) << revoked_at;
      }
      EXPECT_LE(now, at(revoked_at + 45)) << "revoked at " << revoked_at << " s";
    }
  }
}

TEST(WithoutFolder, it_only_waits_and_gives_up_when_the_time_is_over) {
  MasterLease lease({.outlives_master = Seconds(5), .has_folder = false}, at(0));
  lease.heard(at(100), 1);
  lease.unheard(at(130), "connection refused");
  EXPECT_EQ(lease.next(at(130)), MasterLease::Action(Wait{Seconds(5)}));
  EXPECT_TRUE(std::holds_alternative<Wait>(lease.next(at(134.9))));
  const auto action = lease.next(at(135));
  ASSERT_TRUE(std::holds_alternative<GiveUp>(action));
  EXPECT_THAT(std::get<GiveUp>(action).why, HasSubstr("has answered for 5 s: connection refused"));
}

TEST(FirstHello, an_agent_that_never_had_a_master_calls_any_that_the_folder_names) {
  MasterLease lease({.outlives_master = kOrphan, .has_folder = true}, at(0));
  lease.unheard(at(0), "connection refused");
  ASSERT_TRUE(std::holds_alternative<Look>(lease.next(at(0))));
  lease.looked(at(0), FolderState{false, kFirst});
  EXPECT_TRUE(std::holds_alternative<SayHello>(lease.next(at(0))));
}

TEST(FirstHello, an_agent_that_never_had_a_master_gives_up_after_a_minute) {
  MasterLease lease({.outlives_master = kOrphan, .has_folder = true}, at(0));
  lease.unheard(at(0), "connection refused");
  lease.looked(at(50), FolderState{false, std::nullopt});
  EXPECT_FALSE(std::holds_alternative<GiveUp>(lease.next(at(59))));
  EXPECT_TRUE(std::holds_alternative<GiveUp>(lease.next(at(60))));
}

}  // namespace
}  // namespace ydl::agent
