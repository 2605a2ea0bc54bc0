#include "agent/resources/net_tcp.hpp"

#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

constexpr std::string_view kV4 =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1664 1 0 100 0 0 10 0\n"
    "   1: 0100007F:07E8 0100007F:B410 01 00000000:00000000 00:00000000 00000000     0        0 1700 1 0 20 4 30 10 "
    "-1\n"
    "   2: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1800 1 0 100 0 0 10 "
    "0\n";
constexpr std::string_view kV6 =
    "   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 "
    "00:00000000 00000000     0        0 2700 1 0 100 0 0 10 0\n";

TEST(NetTcp, only_listeners_on_the_port_count) {
  EXPECT_EQ(listening_inodes(kV4, 2024), (std::vector<std::uint64_t>{1664}));
  EXPECT_EQ(listening_inodes(kV4, 8080), (std::vector<std::uint64_t>{1800}));
  EXPECT_TRUE(listening_inodes(kV4, 46096).empty());
}

TEST(NetTcp, six_is_read_as_four) {
  EXPECT_EQ(listening_inodes(kV6, 8080), (std::vector<std::uint64_t>{2700}));
}

TEST(NetTcp, damaged_lines_are_passed_over) {
  EXPECT_TRUE(listening_inodes("", 8080).empty());
  EXPECT_TRUE(listening_inodes("   0: 00000000:1F90 00000000:0000 0A", 8080).empty());
  EXPECT_TRUE(listening_inodes("   0: 000000001F90 00000000:0000 0A 0:0 0:0 0 0 0 5", 8080).empty());
  EXPECT_TRUE(listening_inodes("   0: 00000000:1F9Z 00000000:0000 0A 0:0 0:0 0 0 0 5", 8080).empty());
  EXPECT_TRUE(listening_inodes("   0: 00000000:1F90 00000000:0000 0A 0:0 0:0 0 0 0 0", 8080).empty());
  EXPECT_TRUE(listening_inodes("   0: 0:FFFFFFFFFFFF1F90 0:0 0A 0:0 0:0 0 0 0 5", 8080).empty());
}

}  // namespace
}  // namespace ydl::agent
