#include "files/metric_line.hpp"

#include "files/log_lines.hpp"

#include <gtest/gtest.h>
#include <string>

#include <fmt/format.h>

namespace ydl::files {
namespace {

using core::Metrics;

TEST(MetricLine, numbers_are_read_by_their_names) {
  EXPECT_EQ(parse_metric(R"(::metric {"step":10,"loss":0.4})"), (Metrics{10, {{"loss", 0.4}}}));
  EXPECT_EQ(parse_metric("::metric\t{\"acc\": 1, \"loss\": -2.5e3}\r"), (Metrics{{}, {{"acc", 1}, {"loss", -2500}}}));
  EXPECT_EQ(parse_metric(R"(::metric {"step":3.0,"loss":1})"), (Metrics{3, {{"loss", 1}}}));
}

TEST(MetricLine, a_value_that_is_not_a_finite_number_is_null) {
  EXPECT_EQ(parse_metric(R"(::metric {"loss":null})"), (Metrics{{}, {{"loss", std::nullopt}}}));
  EXPECT_EQ(parse_metric(R"(::metric {"loss":1e999})"), (Metrics{{}, {{"loss", std::nullopt}}}));
}

TEST(MetricLine, what_is_not_an_object_of_numbers_is_malformed) {
  std::string many = "::metric {";
  for (std::size_t i = 0; i <= Metrics::kMost; ++i) many += fmt::format(R"({}"m{}":1)", i == 0 ? "" : ",", i);
  const auto long_name = fmt::format(R"(::metric {{"{}":1}})", std::string(Metrics::kLongestName + 1, 'x'));
  for (const std::string line :
       {"::metric", "::metric ", "::metric loss 0.4", "::metric {}", R"(::metric {"step":1})",
        R"(::metric {"loss":NaN})", R"(::metric {"loss":"0.4"})", R"(::metric {"loss":[1]})",
        R"(::metric {"loss":{"a":1}})", R"(::metric {"":1})", R"(::metric {"loss":0.4)", R"(::metric {"loss":0.4} x)",
        R"(::metric {"step":1.5,"loss":1})", "::metric [1]", R"(::metric {"step":1e30,"loss":1})",
        "::metric {\"a\\u0007\":1}", R"(::metric:{"loss":0.4} x)", many.c_str(), long_name.c_str()}) {
    EXPECT_FALSE(parse_metric(line)) << line;
    EXPECT_TRUE(is_metric_line(line)) << line;
  }
  for (const auto* line : {"::metrics {}", "metric {}", R"( ::metric {"loss":1})", ""}) {
    EXPECT_FALSE(parse_metric(line)) << line;
    EXPECT_FALSE(is_metric_line(line)) << line;
  }
}

TEST(MetricLine, later_values_replace_earlier_ones_of_the_same_name) {
  LogLines lines;
  lines.feed("::metric {\"step\":1,\"loss\":2}\nx\n::metric {\"acc\":0.5}\n::metric {\"step\":2,\"loss\":1}\n");
  EXPECT_EQ(lines.metrics(), (Metrics{2, {{"acc", 0.5}, {"loss", 1}}}));
  EXPECT_EQ(lines.malformed_metric(), "");
  lines.feed("::metric loss=1\n::metric x\n");
  EXPECT_EQ(lines.malformed_metric(), "::metric loss=1");
}

TEST(MetricLine, a_task_with_too_many_names_keeps_the_first_ones) {
  LogLines lines;
  for (std::size_t i = 0; i < 2 * Metrics::kMost; ++i) lines.feed(fmt::format("::metric {{\"m{}\":1}}\n", i));
  lines.feed("::metric {\"m0\":7}\n");
  ASSERT_TRUE(lines.metrics());
  EXPECT_EQ(lines.metrics()->values.size(), Metrics::kMost);
  EXPECT_EQ(lines.metrics()->values.at("m0"), 7);
}

TEST(MetricLine, it_is_for_ydl) {
  EXPECT_TRUE(is_for_ydl(R"(::metric {"loss":0.4})"));
  EXPECT_FALSE(is_for_ydl("::metric loss"));
}

}  // namespace
}  // namespace ydl::files
