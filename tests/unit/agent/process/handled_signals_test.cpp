#include "agent/process/handled_signals.hpp"

#include <csignal>
#include <gtest/gtest.h>

namespace ydl::agent {
namespace {

TEST(HandledSignals, are_a_mask_in_the_status) {
  const std::string_view status = "Name:\tpython\nSigIgn:\t0000000001001000\nSigCgt:\t0000000000004002\nCapInh:\t0\n";
  EXPECT_TRUE(handles_signal(status, SIGTERM));
  EXPECT_TRUE(handles_signal(status, SIGINT));
  EXPECT_FALSE(handles_signal(status, SIGHUP));
}

TEST(HandledSignals, a_status_that_is_cut_or_damaged_has_none) {
  EXPECT_FALSE(handles_signal("", SIGTERM));
  EXPECT_FALSE(handles_signal("Name:\tx\nSigCgt:", SIGTERM));
  EXPECT_FALSE(handles_signal("Name:\tx\nSigCgt:\tno mask\n", SIGTERM));
  EXPECT_FALSE(handles_signal("SigCgt:\t0000000000004002\n", SIGTERM)) << "it is not the first line";
}

}  // namespace
}  // namespace ydl::agent
