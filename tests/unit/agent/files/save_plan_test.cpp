#include "agent/files/save_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

using core::Millis;
using core::WallTime;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const core::AttemptId kFirst{{"worker", 0}, 1};
const core::AttemptId kSecond{{"worker", 0}, 2};
constexpr WallTime kNow{Millis(1'000'000)};

SeenFile file(const std::string& path, Millis age = Millis(10'000), std::uint64_t size = 5) {
  SeenFile seen{.path = path, .real = "/work/" + path, .size = size, .mode = 0644};
  seen.changed = kNow - age;
  seen.modified = seen.changed.time_since_epoch().count() * 1'000'000;
  return seen;
}

SeenFile open_file(const std::string& path) {
  auto seen = file(path);
  seen.is_being_written = true;
  return seen;
}

std::vector<std::string> uploads(const SavePlan& plan) {
  std::vector<std::string> paths;
  for (const auto& upload : plan.uploads) paths.push_back(upload.file.path);
  return paths;
}

std::vector<std::string> stored(const SaveManifest& manifest) {
  std::vector<std::string> names;
  for (const auto& saved : manifest.files) names.push_back(saved.stored);
  return names;
}

// A save in which nothing happens meanwhile.
SaveManifest save(const std::vector<SeenFile>& seen, const SaveManifest& last = {},
                  const core::AttemptId& by = kFirst) {
  auto plan = plan_save(seen, last, by, {kNow});
  const std::vector<Uploaded> done(plan.uploads.size(), "hash");
  return finish_plan(std::move(plan), done, seen, last);
}

TEST(SavePlan, what_is_new_is_uploaded_under_new_names) {
  const auto plan = plan_save({file("a"), file("run/b:1")}, {}, kFirst, {kNow});
  EXPECT_THAT(uploads(plan), ElementsAre("a", "run/b:1"));
  EXPECT_TRUE(plan.changes);
  EXPECT_TRUE(plan.complete);
  const auto saved = save({file("a"), file("run/b:1")});
  EXPECT_THAT(stored(saved), ElementsAre("1-1-a", "1-2-b%3A1"));
  EXPECT_EQ(saved.files[1].path, "run/b%3A1");
  EXPECT_EQ(saved.files[1].sha256, "hash");
  EXPECT_EQ(saved.next, 3);
  EXPECT_EQ(saved.saved, kNow);
}

TEST(SavePlan, what_is_saved_already_is_not_uploaded_again) {
  const auto last = save({file("a"), file("b")});
  const auto plan = plan_save({file("a"), file("b")}, last, kFirst, {kNow + Millis(30'000)});
  EXPECT_THAT(plan.uploads, IsEmpty());
  EXPECT_FALSE(plan.changes);
  EXPECT_TRUE(plan.complete);
  const auto changed = plan_save({file("a", Millis(5'000)), file("b")}, last, kFirst, {kNow});
  EXPECT_THAT(uploads(changed), ElementsAre("a"));
  EXPECT_EQ(changed.uploads[0].saved.stored, "1-3-a");
  EXPECT_THAT(uploads(plan_save({file("a", Millis(10'000), 6), file("b")}, last, kFirst, {kNow})), ElementsAre("a"));
}

TEST(SavePlan, a_file_that_is_being_written_keeps_its_last_version) {
  auto again = open_file("a");
  again.size = 99;
  const auto last = save({file("a")});
  const auto plan = plan_save({again, open_file("never")}, last, kFirst, {kNow});
  EXPECT_THAT(plan.uploads, IsEmpty());
  EXPECT_THAT(stored(plan.next), ElementsAre("1-1-a"));
  EXPECT_FALSE(plan.changes);
  EXPECT_FALSE(plan.complete);
  EXPECT_FALSE(plan.again_at);
}

TEST(SavePlan, a_file_that_is_too_new_waits_until_it_is_not) {
  const auto last = save({file("a", Millis(10'000), 7)});
  const auto plan = plan_save({file("a", Millis(1'999)), file("b", Millis(500))}, last, kFirst, {kNow});
  EXPECT_THAT(plan.uploads, IsEmpty());
  EXPECT_THAT(stored(plan.next), ElementsAre("1-1-a"));
  EXPECT_FALSE(plan.complete);
  ASSERT_TRUE(plan.again_at);
  EXPECT_EQ(*plan.again_at, kNow + Millis(1'501));
  EXPECT_THAT(uploads(plan_save({file("a", Millis(2'000))}, last, kFirst, {kNow})), ElementsAre("a"));
}

TEST(SavePlan, a_task_that_asks_for_a_save_vouches_for_what_it_closed) {
  const auto plan = plan_save({file("a", Millis(0)), open_file("b")}, {}, kFirst, {kNow, Millis(0)});
  EXPECT_THAT(uploads(plan), ElementsAre("a"));
}

TEST(SavePlan, a_file_from_the_future_has_no_age) {
  EXPECT_THAT(uploads(plan_save({file("a", Millis(-3'600'000))}, {}, kFirst, {kNow})), ElementsAre("a"));
}

TEST(SavePlan, a_file_that_is_gone_leaves_the_manifest) {
  const auto last = save({file("a"), file("b")});
  const auto plan = plan_save({file("b")}, last, kFirst, {kNow});
  EXPECT_TRUE(plan.changes);
  EXPECT_THAT(stored(plan.next), ElementsAre("1-2-b"));
}

TEST(SavePlan, the_next_attempt_takes_over_what_it_restored) {
  const auto last = save({file("a")});
  const auto plan = plan_save({file("a")}, last, kSecond, {kNow});
  EXPECT_THAT(plan.uploads, IsEmpty());
  EXPECT_TRUE(plan.changes) << "the attempt before it must see that it has a successor";
  EXPECT_EQ(plan.next.attempt, kSecond);
  EXPECT_THAT(stored(save({file("a"), file("b")}, last, kSecond)), ElementsAre("1-1-a", "2-2-b"));
}

TEST(SavePlan, nothing_written_is_nothing_to_save) {
  const auto plan = plan_save({}, {}, kSecond, {kNow});
  EXPECT_FALSE(plan.changes);
}

TEST(SavePlan, a_file_that_changed_during_its_upload_keeps_its_last_version) {
  const auto last = save({file("a", Millis(10'000), 1), file("b", Millis(10'000), 1)});
  const std::vector<SeenFile> seen{file("a"), file("b"), file("c"), file("d")};
  auto plan = plan_save(seen, last, kFirst, {kNow});
  ASSERT_EQ(plan.uploads.size(), 4U);
  const std::vector<SeenFile> after{file("a", Millis(-1)), file("b"), open_file("c")};  // and d is gone
  const auto finished = finish_plan(std::move(plan), {"h", "h", "h", std::nullopt}, after, last);
  EXPECT_THAT(stored(finished), ElementsAre("1-1-a", "1-4-b"));
}

}  // namespace
}  // namespace ydl::agent
