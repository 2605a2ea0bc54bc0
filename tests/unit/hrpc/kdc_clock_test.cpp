#include "hrpc/sasl/kdc_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hrpc::sasl {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(KdcClock, the_difference_is_rounded_to_minutes) {
  for (const auto ahead : {20min - 1s, 20min + 0s, 20min + 1s}) {
    EXPECT_EQ(describe_skew(ahead),
              "this machine's clock is 20 min behind the KDC's, but Kerberos allows only five minutes: correct it");
    EXPECT_EQ(describe_skew(-ahead),
              "this machine's clock is 20 min ahead of the KDC's, but Kerberos allows only five minutes: correct it");
  }
  EXPECT_THAT(describe_skew(2h + 10min + 3s), HasSubstr("2 h 10 min behind"));
}

TEST(KdcClock, an_unknown_difference_is_described_by_the_limit) {
  EXPECT_THAT(describe_skew(std::nullopt), HasSubstr("by more than the five minutes that Kerberos allows"));
  EXPECT_THAT(describe_skew(3s), HasSubstr("by more than the five minutes that Kerberos allows"));
}

}  // namespace
}  // namespace ydl::hrpc::sasl
