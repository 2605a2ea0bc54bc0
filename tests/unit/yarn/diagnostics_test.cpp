#include "yarn/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

using ::testing::IsEmpty;

TEST(Diagnostics, are_shortened_to_one_line_without_times_and_stack_traces) {
  const auto text = shorten_diagnostics(
      "[2026-11-15 10:00:00.123]Exception from container-launch.\n\tat org.apache.hadoop.X(X.java:1)\n"
      "[2026-11-15 10:00:00.124]exec: ./ydl: not found\nFor more detailed output, check http://x\n"
      "[2026-11-15 10:00:00.125]exec: ./ydl: not found\n");
  EXPECT_EQ(text, "exec: ./ydl: not found");
}

// Written by a NodeManager with the LinuxContainerExecutor.
TEST(Diagnostics, of_an_image_that_could_not_be_started_are_its_errors) {
  const auto text = shorten_diagnostics(
      "[2026-11-15 19:34:51.003]Exception from container-launch.\n"
      "Container id: container_1794771249394_0002_01_000004\nExit code: 29\n"
      "Exception message: Launch container failed\n"
      "Shell error output: Configuration does not allow mount src='/etc', dest='/host'\n"
      "Error constructing docker command, docker error code=50, error message='Invalid read-only mount'\n\n"
      "Shell output: main : command provided 4\nmain : run as user is nobody\nCreating script paths...\n\n\n"
      "[2026-11-15 19:34:51.004]Container exited with a non-zero exit code 29. \n"
      "[2026-11-15 19:34:51.004]Container exited with a non-zero exit code 29. \n");
  EXPECT_EQ(text,
            "Configuration does not allow mount src='/etc', dest='/host' | Error constructing docker command, docker "
            "error code=50, error message='Invalid read-only mount'");
}

// Written by a NodeManager that could not reach its NameNode.
TEST(Diagnostics, of_java_errors_appear_once_and_without_stack_frames) {
  const auto text = shorten_diagnostics(
      "Call From vm/127.0.0.1 to 10.0.0.2:8020 failed on connection exception: java.net.ConnectException: Connection "
      "refused; For more details see:  http://wiki.apache.org/hadoop/ConnectionRefused\n"
      "java.net.ConnectException: Call From vm/127.0.0.1 to 10.0.0.2:8020 failed on connection exception: "
      "java.net.ConnectException: Connection refused; For more details see:  http://wiki.apache.org/hadoop/"
      "ConnectionRefused\n\tat java.base/jdk.internal.reflect.X(Unknown Source)\n"
      "\tat jdk.proxy2/jdk.proxy2.$Proxy82.getFileInfo(Unknown Source)\n"
      "Caused by: java.net.ConnectException: Connection refused\n\t... 39 more\nCaused by: Connection refused\n"
      "java.net.ConnectException: Connection refused\n");
  EXPECT_EQ(text,
            "Call From vm/127.0.0.1 to 10.0.0.2:8020 failed on connection exception: java.net.ConnectException: "
            "Connection refused");
}

TEST(Diagnostics, that_are_too_long_are_cut_between_characters) {
  std::string words = "x";
  for (int i = 0; i < 1'000; ++i) words += "é";
  const auto text = shorten_diagnostics(words);
  EXPECT_EQ(text, words.substr(0, 1'499) + "…");
}

TEST(Diagnostics, contain_no_list_of_processes) {
  const auto text = shorten_diagnostics(
      "Current usage: 617.8 MB of 256 MB physical memory used. Killing container.\n"
      "Dump of the process-tree for container_1_1_01_000002 :\n\t|- PID PPID CMD_NAME\n\t|- 10008 9999 (ydl-task)\n");
  EXPECT_EQ(text, "Current usage: 617.8 MB of 256 MB physical memory used. Killing container.");
}

TEST(Diagnostics, are_limited_to_a_readable_length) {
  EXPECT_LT(shorten_diagnostics(std::string(100'000, 'x')).size(), 2000U);
  EXPECT_THAT(shorten_diagnostics(""), IsEmpty());
}

// Written by a ResourceManager.
TEST(Diagnostics, of_an_application_tell_why_its_master_ended) {
  const auto text = describe_end_of_application(
      "Application application_1794775076560_0001 failed 1 times (global limit =2; local limit is =1) due to AM "
      "Container for appattempt_1794775076560_0001_000001 exited with  exitCode: 137\n"
      "Failing this attempt.Diagnostics: [2026-11-15 20:38:01.291]Container killed on request. Exit code is 137\n"
      "[2026-11-15 20:38:01.292]Container exited with a non-zero exit code 137. \n"
      "[2026-11-15 20:38:01.292]Killed by external signal\n"
      "For more detailed output, check the application tracking page: http://localhost:10781/cluster/app/x Then click "
      "on links to logs of each attempt.\n. Failing the application.");
  EXPECT_EQ(text,
            "the container of the application's master ended: it was killed by signal 9 (Container killed on request. "
            "Exit code is 137 | "
            "Killed by external signal)");
}

TEST(Diagnostics, of_an_application_without_a_master_are_only_shortened) {
  EXPECT_EQ(describe_end_of_application("Application x was killed by user ann\n"),
            "Application x was killed by user ann");
  EXPECT_EQ(describe_end_of_application("AM Container for x exited with exitCode: "),
            "AM Container for x exited with exitCode:");
  EXPECT_THAT(describe_end_of_application(""), IsEmpty());
}

}  // namespace
}  // namespace ydl::yarn
