#include "yarn/token_life.hpp"

#include "yarn/writable_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr core::WallTime kEnd = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23);

hrpc::Token hdfs_token(const std::string& service, core::WallTime end) {
  std::string identifier(1, '\0');
  for (const auto* text : {"alice@EXAMPLE.ORG", "rm", ""}) identifier += encode_sized(text);
  for (const std::int64_t number :
       {(end - 24h * 7).time_since_epoch().count(), end.time_since_epoch().count(), std::int64_t{7}, std::int64_t{2}})
    identifier += encode_vlong(number);
  return {identifier, "pw", std::string(hrpc::kHdfsToken), service};
}

TEST(TokenLife, an_identifier_of_hdfs_has_owner_and_end) {
  const auto read = read_hdfs_delegation_token(hdfs_token("nn:8020", kEnd));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->owner, "alice@EXAMPLE.ORG");
  EXPECT_EQ(read->renewer, "rm");
  EXPECT_EQ(read->max_date, kEnd);
  EXPECT_EQ(read->sequence, 7);
  EXPECT_FALSE(read_hdfs_delegation_token({"", "pw", std::string(hrpc::kHdfsToken), "nn:8020"}));
  EXPECT_FALSE(read_hdfs_delegation_token({std::string("\x01") + "x", "pw", std::string(hrpc::kHdfsToken), "nn"}));
  EXPECT_FALSE(read_hdfs_delegation_token({"x", "pw", "kms-dt", "nn:8020"}));
}

TEST(TokenLife, the_earliest_end_of_all_tokens_counts) {
  Credentials credentials;
  EXPECT_EQ(end_of_tokens(credentials), std::nullopt);
  credentials.add(hdfs_token("a:8020", kEnd + 1h));
  credentials.add(hdfs_token("b:8020", kEnd));
  credentials.add({"x", "pw", "kms-dt", "c:9600"});
  EXPECT_EQ(end_of_tokens(credentials), kEnd);
  EXPECT_EQ(owner_of(credentials), "alice@EXAMPLE.ORG");
}

TEST(TokenLife, a_longer_time_limit_is_a_warning_with_the_date) {
  EXPECT_EQ(limit_passes_tokens(kEnd - 24h, 0ms, kEnd), "") << "no limit";
  EXPECT_EQ(limit_passes_tokens(kEnd - 24h, 24h, kEnd), "");
  EXPECT_THAT(limit_passes_tokens(kEnd - 24h, 25h, kEnd),
              HasSubstr("longer than 2026-11-23T00:00:00.000Z, when its tokens"));
}

TEST(TokenLife, a_running_job_warns_an_hour_before_the_end) {
  EXPECT_EQ(until_warning(kEnd - 3h, kEnd), core::Millis(2h));
  EXPECT_EQ(until_warning(kEnd - 10min, kEnd), core::Millis(0));
  EXPECT_THAT(tokens_end_soon(kEnd), HasSubstr("expire at 2026-11-23T00:00:00.000Z"));
}

}  // namespace
}  // namespace ydl::yarn
