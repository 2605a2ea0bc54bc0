#include "spec/write.hpp"

#include "spec/image_rules.hpp"
#include "spec/parse.hpp"
#include "spec/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace ydl::spec {
namespace {

using core::Millis;
using testing::HasSubstr;

// Jobs of every shape that check_job accepts, the same ones in every run.
class RandomJobs {
 public:
  JobSpec next() {
    JobSpec job;
    if (maybe()) job.name = text(1, 100);
    if (maybe()) job.framework = "jax";
    job.command = words();
    if (maybe()) job.env = env();
    const auto roles = number(1, 5);
    for (int i = 0; i < roles; ++i) job.roles.push_back(role(i));
    const auto files = number(0, 4);
    for (int i = 0; i < files; ++i) job.files.push_back(file(i));
    for (int i = 0; i < number(0, 2); ++i) job.archives.push_back(file(files + i));
    if (maybe()) job.files_limit = static_cast<std::uint64_t>(number(1, 1'000'000'000));
    job.auto_files = maybe();
    if (maybe()) job.directory = "/" + text(1, 20);
    for (int i = 0; i < number(0, 2); ++i) job.inputs.push_back(input(i));
    if (maybe()) job.python = text(1, 20);
    if (!job.python && maybe()) job.python_env = text(1, 20);
    if (job.python && maybe()) job.python_env = kEnvHere;
    if (job.python_env && maybe()) {
      job.python_version = "3.11";
      job.pip_packages = {"scipy<2", "git+https://host/x.git"};
      job.requirements = text(1, 20);
    }
    if (!job.python_env && maybe()) job.image = image();
    if (maybe()) job.queue = "root.research";
    if (maybe()) job.am = kAmKinds[static_cast<std::size_t>(number(0, 1))];
    if (maybe()) job.priority = number(0, 1'000'000);
    if (maybe()) job.am_resources.memory = static_cast<std::uint64_t>(number(1, 1'000'000'000));
    if (maybe()) job.am_resources.label = "masters";
    if (maybe()) job.acl.view = "alice,bob ml-team";
    if (maybe()) job.acl.modify = " ";
    if (maybe()) job.retries = number(0, 1000);
    job.job_retries = number(0, 1000);
    job.fail_fast = maybe();
    job.blacklist = {std::string(kBlacklistModes[static_cast<std::size_t>(number(0, 2))]), number(1, 1000),
                     Millis(number(1, 1'000'000'000))};
    job.allocation_timeout = Millis(number(1, 1'000'000'000));
    job.start_timeout = Millis(number(1, 100) * 1000);
    job.run_timeout = Millis(number(0, 5) * 3'600'000LL);
    job.stop_grace = Millis(number(0, 2));
    job.evaluator_grace = Millis(number(0, 3) * 60'000);
    if (maybe()) job.stall_timeout = Millis(number(1, 1'000'000'000));
    job.orphan_timeout = Millis(number(1, 1'000'000'000));
    job.blind_timeout = Millis(number(1, 1'000'000'000));
    job.save_every = Millis(number(1, 1'000'000'000));
    if (maybe()) job.grow_every = Millis(number(1, 1'000'000'000));
    if (maybe()) job.restore_from = "train-ab12";
    return job;
  }

 private:
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  bool maybe() { return number(0, 1) == 1; }

  // Text that writers or readers often handle wrongly.
  std::string text(int shortest, int longest) {
    static constexpr std::array<std::string_view, 20> kPieces{"a",
                                                              "1",
                                                              " ",
                                                              "'",
                                                              "\"",
                                                              "\\",
                                                              "{",
                                                              "}",
                                                              "[",
                                                              "]",
                                                              ":",
                                                              ",",
                                                              "#",
                                                              "&x",
                                                              "*x",
                                                              "%",
                                                              "!",
                                                              "\xC3\xA9",
                                                              "\xF0\x9F\x98\x80",
                                                              "null"};
    std::string made;
    while (made.size() < static_cast<std::size_t>(number(shortest, longest - 4))) {
      made += kPieces[static_cast<std::size_t>(number(0, 19))];
    }
    return made.empty() ? "x" : made;
  }
  std::vector<std::string> words() {
    std::vector<std::string> made{text(1, 10)};
    const auto count = number(0, 5);
    for (int i = 0; i < count; ++i) made.push_back(maybe() ? text(1, 30) : "line\n\ttab\r\x01\x7f");
    if (maybe()) made.emplace_back();
    return made;
  }
  std::map<std::string, std::string> env() { return {{"A", text(1, 20)}, {"_b", ""}, {"C3", "true"}}; }
  Role role(int index) {
    Role made;
    made.name = "role_" + std::to_string(index);
    made.count = number(1, 100'000);
    if (made.count > 1 && maybe()) made.least = number(1, made.count - 1);
    if (maybe()) made.kind = kKinds[static_cast<std::size_t>(number(0, 3))];
    if (maybe()) made.command = words();
    if (maybe()) made.env = env();
    if (maybe())
      made.resources.memory = static_cast<std::uint64_t>(number(1, 1'000'000'000))
                              << static_cast<unsigned>(number(0, 20));
    if (maybe()) made.resources.vcores = number(1, 4096);
    if (maybe()) made.resources.gpus = number(0, 1024);
    if (maybe()) made.resources.label = "gpu-1.x_y";
    if (maybe()) made.resources.hosts = {"node1.example.org", "10.0.0.1"};
    if (maybe()) made.resources.racks = {"/dc/rack-1"};
    if (maybe()) made.resources.placement = kPlacements[static_cast<std::size_t>(number(0, 1))];
    if (maybe()) made.resources.types = {{"yarn.io/fpga", number(0, 1000)}, {"licences", 1}};
    if (maybe()) made.retries = number(0, 1000);
    if (maybe()) made.restart = kRestarts[static_cast<std::size_t>(number(0, 1))];
    if (maybe()) made.ports = number(0, 100);
    return made;
  }
  Image image() {
    Image made{.name = "localhost:5000/a/b:1"};
    if (maybe()) made.runtime = kImageRuntimes[static_cast<std::size_t>(number(0, 2))];
    if (maybe()) made.mounts = {"/a:/b", "/c\xC3\xA9:/d:rw"};
    if (maybe()) made.network = "host";
    if (maybe()) made.pull = kImagePulls[static_cast<std::size_t>(number(0, 2))];
    if (maybe()) made.entry_point = maybe();
    if (maybe()) made.options = {"--env=A=" + text(1, 10)};
    return made;
  }
  FileRef file(int index) {
    return maybe() ? FileRef{"../d/" + std::to_string(index), ""} : FileRef{text(1, 20), "n/" + std::to_string(index)};
  }

  FileRef input(int index) {
    const auto source = "hdfs://" + text(0, 5) + "/data/" + std::to_string(index);
    return {source, "i/" + std::to_string(index)};
  }

  std::mt19937 engine_{20'261'115};
};

TEST(WriteJob, a_written_job_is_equal_after_reading) {
  RandomJobs jobs;
  for (int i = 0; i < 2'000; ++i) {
    const auto job = jobs.next();
    ASSERT_TRUE(check_job(job)) << check_job(job).error().message;
    const auto text = to_json(job);
    const auto read = parse_saved_job(text, "saved.json");
    ASSERT_TRUE(read) << read.error().message << "\n" << text;
    ASSERT_EQ(*read, job) << text;
  }
}

TEST(WriteJob, a_job_without_a_directory_is_a_job_file) {
  const auto job = parse_job("version: 1\ncommand: ./train\nroles: {worker: {count: 3}}\n", "f");
  ASSERT_TRUE(job);
  EXPECT_EQ(parse_job(to_json(*job), "f"), *job);
}

TEST(WriteJob, the_text_is_json_with_a_line_for_each_key) {
  JobSpec job;
  job.command = {"a", "b \"c\""};
  job.roles.emplace_back().name = "worker";
  job.directory = "/d";
  EXPECT_EQ(to_json(job), R"({
  "version": 1,
  "framework": "none",
  "command": ["a","b \"c\""],
  "roles": {
    "worker": {
      "count": 1
    }
  },
  "auto_files": true,
  "directory": "/d",
  "job_retries": 0,
  "fail_fast": true,
  "blacklist": {
    "mode": "decay",
    "failures": 2,
    "forget": "1h"
  },
  "save_every": "30s",
  "timeouts": {
    "allocation": "5m",
    "start": "2m",
    "rendezvous": "10m",
    "run": "0s",
    "stop_grace": "10s",
    "evaluator": "10m",
    "orphan": "30m",
    "blind": "5m"
  }
}
)");
}

TEST(WriteJob, sizes_and_durations_are_exact) {
  EXPECT_EQ(exact_bytes(2ULL << 30U), "2g");
  EXPECT_EQ(exact_bytes(1536ULL << 20U), "1536m");
  EXPECT_EQ(exact_bytes(1025), "1025b");
  EXPECT_EQ(exact_bytes(kMaxMemory - 1), "1125899906842623b");
  EXPECT_EQ(exact_duration(Millis(7'200'000)), "2h");
  EXPECT_EQ(exact_duration(Millis(90'000)), "90s");
  EXPECT_EQ(exact_duration(Millis(1'001)), "1001ms");
}

TEST(CheckJob, a_generated_job_must_follow_the_rules_of_a_job_file) {
  JobSpec good;
  good.command = {"a"};
  good.roles.emplace_back().name = "worker";
  ASSERT_TRUE(check_job(good));
  const auto complaint = [&](auto&& spoil) {
    JobSpec job = good;
    spoil(job);
    const auto checked = check_job(job);
    return checked ? "accepted" : checked.error().message;
  };
  EXPECT_THAT(complaint([](JobSpec& job) { job.roles[0].count = 0; }),
              HasSubstr("roles: role 'worker': count: 0 is not from 1"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.roles.push_back(job.roles[0]); }), HasSubstr("two roles 'worker'"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.roles.clear(); }), HasSubstr("1 to 64 roles, not 0"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.command.clear(); }), HasSubstr("the job has none either"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.command[0] = "\xff"; }), HasSubstr("is not UTF-8"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.command.emplace_back(1, '\0'); }), HasSubstr("NUL"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.env["1"] = "x"; }), HasSubstr("env: '1' cannot be the name"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.files = {{"a/x", ""}, {"b/x", ""}}; }),
              HasSubstr("two files have the name 'x'"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.allocation_timeout = Millis(0); }),
              HasSubstr("timeouts: allocation: the time must be more than 0"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.stop_grace = Millis(-1); }),
              HasSubstr("timeouts: stop_grace: -1 ms is negative"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.roles[0].kind = "boss"; }),
              HasSubstr("kind: unknown kind of role 'boss'"));
  EXPECT_THAT(complaint([](JobSpec& job) { job.version = 2; }), HasSubstr("version: "));
}

}  // namespace
}  // namespace ydl::spec
