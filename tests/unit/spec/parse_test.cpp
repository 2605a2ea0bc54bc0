#include "spec/parse.hpp"

#include "core/strings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

using core::Millis;
using core::Seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kMinimal = "version: 1\ncommand: ./train\nroles: {worker: {}}\n";

std::string error_of(std::string_view text) {
  const auto parsed = parse_job(text, "train.yaml");
  return parsed ? "accepted" : parsed.error().message;
}

std::string minimal_with(std::string_view line) {
  return std::string(kMinimal) + std::string(line) + "\n";
}

std::string worker_with(std::string_view fields) {
  return "version: 1\ncommand: ./train\nroles:\n  worker: {" + std::string(fields) + "}\n";
}

TEST(ParseJob, all_keys_are_read) {
  const auto job = parse_job(R"(version: 1
name: mnist
framework: pytorch
command: python train.py --epochs 2
env: {OMP_NUM_THREADS: 1}
roles:
  worker: {count: 2, resources: {memory: 2g, vcores: 1, gpus: 1, label: gpu}, retries: 1, ports: 3, env: {A: b}}
  evaluator: {count: 1, command: [python, eval.py], kind: evaluator}
files: [data/train.bin, {source: ../shared/conf, name: conf}]
auto_files: false
python: /usr/bin/python3
retries: 4
job_retries: 5
fail_fast: false
blacklist: {mode: strict, failures: 3, forget: 90s}
timeouts: {allocation: 6m, start: 7m, run: 12h, stop_grace: 500ms, evaluator: 0, stall: 9m, orphan: 20m, blind: 90s}
save_every: 45s
restore_from: train-ab12
)",
                             "train.yaml");
  ASSERT_TRUE(job) << job.error().message;
  JobSpec expected;
  expected.name = "mnist";
  expected.framework = "pytorch";
  expected.command = {"python", "train.py", "--epochs", "2"};
  expected.env = {{"OMP_NUM_THREADS", "1"}};
  Role worker;
  worker.name = "worker";
  worker.count = 2;
  worker.env = {{"A", "b"}};
  worker.resources = {2ULL << 30U, 1, 1, "gpu"};
  worker.retries = 1;
  worker.ports = 3;
  Role evaluator;
  evaluator.name = "evaluator";
  evaluator.kind = "evaluator";
  evaluator.command = {"python", "eval.py"};
  expected.roles = {worker, evaluator};
  expected.files = {{"data/train.bin", ""}, {"../shared/conf", "conf"}};
  expected.auto_files = false;
  expected.python = "/usr/bin/python3";
  expected.retries = 4;
  expected.job_retries = 5;
  expected.fail_fast = false;
  expected.blacklist = {"strict", 3, Seconds(90)};
  expected.allocation_timeout = Seconds(360);
  expected.start_timeout = Seconds(420);
  expected.run_timeout = Seconds(12 * 3600);
  expected.stop_grace = Millis(500);
  expected.evaluator_grace = Millis(0);
  expected.stall_timeout = core::Seconds(540);
  expected.orphan_timeout = core::Seconds(1200);
  expected.blind_timeout = core::Seconds(90);
  expected.save_every = core::Seconds(45);
  expected.restore_from = "train-ab12";
  EXPECT_EQ(*job, expected);
}

TEST(ParseJob, missing_keys_have_defaults) {
  const auto job = parse_job(kMinimal, "f");
  ASSERT_TRUE(job) << job.error().message;
  JobSpec expected;
  expected.command = {"./train"};
  expected.roles.emplace_back().name = "worker";
  EXPECT_EQ(*job, expected);
}

TEST(ParseJob, a_blacklist_is_a_mapping_or_only_its_mode) {
  const auto blacklist_of = [](std::string_view value) {
    const auto job = parse_job(minimal_with(fmt::format("blacklist: {}", value)), "f");
    EXPECT_TRUE(job) << job.error().message;
    return job ? job->blacklist : Blacklist{};
  };
  EXPECT_EQ(blacklist_of("strict"), (Blacklist{"strict", 2, Seconds(3600)}));
  EXPECT_EQ(blacklist_of("off"), (Blacklist{"off", 2, Seconds(3600)}));
  EXPECT_EQ(blacklist_of("{failures: 1}"), (Blacklist{"decay", 1, Seconds(3600)}));
  EXPECT_EQ(blacklist_of("{forget: 10m}"), (Blacklist{"decay", 2, Seconds(600)}));
  EXPECT_EQ(error_of(minimal_with("blacklist: strikt")),
            "train.yaml:4: blacklist: unknown blacklist mode 'strikt'; did you mean 'strict'? (available: decay, "
            "strict, off)");
  EXPECT_EQ(error_of(minimal_with("blacklist: {mode: strikt}")),
            "train.yaml:4: mode in blacklist: unknown blacklist mode 'strikt'; did you mean 'strict'? (available: "
            "decay, strict, off)");
  EXPECT_EQ(error_of(minimal_with("blacklist: {failures: 0}")),
            "train.yaml:4: failures in blacklist: this must be a whole number from 1 to 1000, not 0");
  EXPECT_EQ(error_of(minimal_with("blacklist: {forget: 0}")),
            "train.yaml:4: forget in blacklist: the time must be more than 0; write for example 90s or 10m");
  EXPECT_THAT(error_of(minimal_with("blacklist: {hosts: [a]}")), HasSubstr("unknown key 'hosts' in blacklist"));
  EXPECT_THAT(error_of(minimal_with("blacklist: [a]")), HasSubstr("blacklist: this must be a mapping, for example {"));
  EXPECT_THAT(error_of(minimal_with("blacklist: false")), HasSubstr("blacklist: this must be text"));
  EXPECT_THAT(error_of(minimal_with("fail_fast: yes")), HasSubstr("fail_fast: this must be true or false, not 'yes'"));
}

TEST(ParseJob, roles_keep_the_order_of_the_file) {
  const auto job = parse_job("version: 1\ncommand: a\nroles: {worker: {}, chief: {}, ps: {}}\n", "f");
  ASSERT_TRUE(job);
  ASSERT_THAT(job->roles, SizeIs(3));
  EXPECT_EQ(job->roles[0].name, "worker");
  EXPECT_EQ(job->roles[1].name, "chief");
  EXPECT_EQ(job->roles[2].name, "ps");
}

TEST(ParseJob, keys_of_other_tools_are_answered_with_ours) {
  EXPECT_EQ(error_of(worker_with("instances: 2")),
            "train.yaml:4: unknown key 'instances' in role 'worker'; write count");
  EXPECT_EQ(error_of(worker_with("replicas: 2")), "train.yaml:4: unknown key 'replicas' in role 'worker'; write count");
  EXPECT_EQ(error_of(worker_with("memory: 2g")),
            "train.yaml:4: unknown key 'memory' in role 'worker'; write resources: {memory: 2g}");
  EXPECT_EQ(error_of(worker_with("resources: {cpu: 1}")),
            "train.yaml:4: unknown key 'cpu' in resources of role 'worker'; write vcores");
  EXPECT_EQ(error_of(minimal_with("services: {}")),
            "train.yaml:4: unknown key 'services'; write roles: {worker: {count: 2}}");
  EXPECT_EQ(error_of("apiVersion: batch/v1\nkind: Job\n"),
            "train.yaml:1: this is a Kubernetes resource; a job file begins with 'version: 1' and has roles and a "
            "command");
}

TEST(ParseJob, the_error_for_an_unknown_key_has_its_location_and_the_nearest_key) {
  EXPECT_EQ(error_of(minimal_with("tiemouts: {}")), "train.yaml:4: unknown key 'tiemouts'; did you mean 'timeouts'?");
  EXPECT_EQ(error_of(worker_with("resorces: {}")),
            "train.yaml:4: unknown key 'resorces' in role 'worker'; did you mean 'resources'?");
  EXPECT_EQ(error_of(worker_with("resources: {memroy: 1}")),
            "train.yaml:4: unknown key 'memroy' in resources of role 'worker'; did you mean 'memory'?");
  EXPECT_THAT(error_of(minimal_with("timeouts: {xyzzy: 1}")),
              HasSubstr("unknown key 'xyzzy' in timeouts; the keys here are allocation, start, rendezvous, run"));
  EXPECT_THAT(error_of(minimal_with("files: [{source: a, nam: b}]")), HasSubstr("did you mean 'name'?"));
}

TEST(ParseJob, the_version_is_required_and_a_newer_one_is_the_only_problem_reported) {
  EXPECT_EQ(error_of("command: a\n"), "train.yaml:1: the version is missing; add 'version: 1' at the top");
  EXPECT_EQ(error_of("# hi\nversion: 2\nbanana: true\n"),
            "train.yaml:2: version: this ydl reads version 1, and the file has version 2; use a newer ydl");
  for (const auto* bad : {"'1'", "one", "0", "-1", "1.0", "", "[1]"}) {
    EXPECT_THAT(error_of(std::string("version: ") + bad), HasSubstr("version: this must be 1")) << bad;
  }
}

TEST(ParseJob, several_problems_are_reported_together_in_the_order_of_the_file) {
  const auto message = error_of("version: 1\nretries: -1\ncommand: ./train\nroles:\n  worker: {count: 0}\nname: 5\n");
  const auto lines = core::split(message, '\n');
  EXPECT_THAT(lines,
              ElementsAre(StartsWith("train.yaml:2: retries: "), StartsWith("train.yaml:5: count in role 'worker': "),
                          StartsWith("train.yaml:6: name: ")));
}

TEST(ParseJob, at_most_ten_problems_are_reported) {
  std::string text(kMinimal);
  for (char c = 'a'; c <= 'z'; ++c) text += std::string(20, c) + ": 1\n";
  const auto message = error_of(text);
  const auto lines = core::split(message, '\n');
  ASSERT_THAT(lines, SizeIs(11));
  EXPECT_EQ(lines.back(), "and 16 more");
}

TEST(ParseJob, a_count_may_be_a_range) {
  EXPECT_EQ(error_of(worker_with("count: 2:8")), "accepted");
  EXPECT_EQ(error_of(worker_with("count: '2:8'")), "accepted");
  EXPECT_THAT(error_of(worker_with("count: 8:2")),
              StartsWith("train.yaml:4: count in role 'worker': '8:2': the first number is larger than the second"));
  EXPECT_THAT(error_of(worker_with("count: 0:4")), HasSubstr("needs at least one task"));
}

TEST(ParseJob, counts_are_whole_numbers_in_their_range) {
  for (const auto* bad : {"0", "-1", "two", "1.5", "100001", "99999999999999999999", "0x10", "[1]", "true"}) {
    EXPECT_THAT(error_of(worker_with(std::string("count: ") + bad)),
                StartsWith("train.yaml:4: count in role 'worker': this must be a whole number from 1 to 100000, not "))
        << bad;
  }
  EXPECT_THAT(error_of(worker_with("count: '2'")), HasSubstr("remove the quotes"));
  EXPECT_THAT(error_of(worker_with("count: ")), HasSubstr("the value is missing; write one or remove the key"));
  EXPECT_EQ(error_of(worker_with("count: 100000")), "accepted");
}

TEST(ParseJob, other_numbers_must_be_in_their_ranges) {
  EXPECT_THAT(error_of(minimal_with("retries: -1")), HasSubstr("from 0 to 1000, not -1"));
  EXPECT_THAT(error_of(minimal_with("job_retries: x")), HasSubstr("from 0 to 1000, not 'x'"));
  EXPECT_THAT(error_of(worker_with("ports: 101")), HasSubstr("from 0 to 100,"));
  EXPECT_THAT(error_of(worker_with("resources: {vcores: 0}")), HasSubstr("from 1 to 4096"));
  EXPECT_THAT(error_of(worker_with("resources: {gpus: -1}")), HasSubstr("from 0 to 1024"));
}

TEST(ParseJob, sizes_and_durations_are_refused_with_an_example) {
  EXPECT_EQ(
      error_of(worker_with("resources: {memory: 12q}")),
      "train.yaml:4: memory in resources of role 'worker': '12q' is not a size: write a number with k, m, g or t, "
      "for example 512m or 2g");
  EXPECT_THAT(error_of(worker_with("resources: {memory: 0}")), HasSubstr("the memory must be more than 0"));
  EXPECT_THAT(error_of(worker_with("resources: {memory: 2000t}")),
              HasSubstr("is too large; the largest size is 1 PiB"));
  EXPECT_THAT(error_of(minimal_with("timeouts: {run: soon}")), HasSubstr("run in timeouts: 'soon' is not a duration"));
  EXPECT_THAT(error_of(minimal_with("timeouts: {start: 0}")), HasSubstr("the time must be more than 0"));
}

TEST(ParseJob, environment_values_are_not_changed) {
  const auto job =
      parse_job(minimal_with("env: {A: 1.50, B: true, C: yes, D: '', E: 0x1F, F: 2024-01-01, _g: \"x\\ny\"}"), "f");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->env, ElementsAre(Pair("A", "1.50"), Pair("B", "true"), Pair("C", "yes"), Pair("D", ""),
                                    Pair("E", "0x1F"), Pair("F", "2024-01-01"), Pair("_g", "x\ny")));
}

TEST(ParseJob, environment_mistakes_are_refused_with_a_remedy) {
  EXPECT_EQ(error_of(minimal_with("env:\n  A:\n")),
            "train.yaml:5: env: A has no value; write '' for an empty text or remove it");
  EXPECT_THAT(error_of(minimal_with("env: {A: {b: c}}")), HasSubstr("A must be text or a number, not a mapping"));
  EXPECT_THAT(error_of(minimal_with("env: {A-B: c}")),
              HasSubstr("'A-B' cannot be the name of an environment variable"));
  EXPECT_THAT(error_of(worker_with("env: [A]")), HasSubstr("env in role 'worker': this must be a mapping"));
  EXPECT_THAT(error_of(minimal_with("env: {A: " + std::string(131'072, 'x') + "}")), HasSubstr("at most 131071 bytes"));
}

TEST(ParseJob, a_command_is_a_line_or_a_list_of_words) {
  const auto line = parse_job("version: 1\ncommand: python 'my train.py' \"a b\"\nroles: {w: {}}\n", "f");
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_THAT(line->command, ElementsAre("python", "my train.py", "a b"));
  const auto list = parse_job("version: 1\ncommand: [python, --lr, 1e-3, a && b, '']\nroles: {w: {}}\n", "f");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(list->command, ElementsAre("python", "--lr", "1e-3", "a && b", ""));
}

TEST(ParseJob, a_command_that_cannot_run_is_refused) {
  const auto with = [](std::string_view command) {
    return error_of("version: 1\nroles: {w: {}}\ncommand: " + std::string(command) + "\n");
  };
  EXPECT_EQ(with("python 'train.py"), "train.yaml:3: command: a single quote (') is opened and never closed");
  EXPECT_THAT(with("a && b"), HasSubstr("needs a shell"));
  EXPECT_THAT(with("[]"), HasSubstr("the command is empty"));
  EXPECT_THAT(with("['']"), HasSubstr("the command is empty"));
  EXPECT_THAT(with("'  '"), HasSubstr("the command is empty"));
  EXPECT_THAT(with("[a, [b]]"), HasSubstr("a word of a command is text or a number, not a list"));
  EXPECT_THAT(with("{a: b}"), HasSubstr("not a mapping"));
  EXPECT_THAT(with("5"), HasSubstr("not 5"));
}

TEST(ParseJob, every_role_has_a_command) {
  EXPECT_EQ(error_of("version: 1\nroles:\n  chief: {command: a}\n  ps: {}\n"),
            "train.yaml:4: role 'ps' has no command, and the job has none either; add a 'command' to one of them");
  EXPECT_EQ(error_of("version: 1\nroles:\n  chief: {command: a}\n"), "accepted");
}

TEST(ParseJob, roles_are_required_named_by_words_and_mappings) {
  EXPECT_THAT(error_of("version: 1\ncommand: a\n"), HasSubstr("the roles are missing"));
  EXPECT_THAT(error_of("version: 1\ncommand: a\nroles: {}\n"), HasSubstr("1 to 64 roles, not 0"));
  EXPECT_THAT(error_of("version: 1\ncommand: a\nroles: {my-role: {}}\n"),
              HasSubstr("'my-role' cannot be the name of a role"));
  EXPECT_THAT(error_of("version: 1\ncommand: a\nroles: {" + std::string(33, 'w') + ": {}}\n"),
              HasSubstr("cannot be the name of a role"));
  EXPECT_THAT(error_of("version: 1\ncommand: a\nroles: {w: 2}\n"),
              HasSubstr("role 'w' must be a mapping, for example {count: 2}, not 2"));
  std::string many = "version: 1\ncommand: a\nroles:\n";
  for (int i = 0; i < 65; ++i) many += "  w" + std::to_string(i) + ": {}\n";
  EXPECT_THAT(error_of(many), HasSubstr("1 to 64 roles, not 65"));
}

TEST(ParseJob, the_remedy_for_text_that_looks_like_a_number_is_quotes) {
  EXPECT_EQ(error_of(minimal_with("name: 5")), "train.yaml:4: name: this must be text; put it in quotes: \"5\"");
  for (const auto* bad : {"1.5", "1e3", "-.5", "0x1f", "0o7", ".inf", "true", "FALSE"}) {
    EXPECT_THAT(error_of(minimal_with(std::string("name: ") + bad)), HasSubstr("in quotes")) << bad;
  }
  for (const auto* good : {"'5'", "1.2.3", "5x", "e3", ".", "-", "0x", "yes", "inf", "1_000", "+"}) {
    EXPECT_EQ(
        error_of(minimal_with(std::string("framework: none\nname: ") + (good == std::string_view("-") ? "'-'" : good))),
        "accepted")
        << good;
  }
  EXPECT_THAT(error_of(minimal_with("auto_files: yes")), HasSubstr("this must be true or false, not 'yes'"));
  EXPECT_THAT(error_of(minimal_with("auto_files: 'true'")), HasSubstr("not the text 'true'"));
}

TEST(ParseJob, files_have_unique_names_inside_the_task) {
  EXPECT_THAT(error_of(minimal_with("files: [{source: a, name: ../x}]")), HasSubstr("'../x' cannot be the name"));
  EXPECT_THAT(error_of(minimal_with("files: [{source: a, name: /x}]")), HasSubstr("'/x' cannot be the name"));
  EXPECT_THAT(error_of(minimal_with("files: [/]")), HasSubstr("add one with PATH=NAME"));
  EXPECT_THAT(error_of(minimal_with("files: ['']")), HasSubstr("the path is empty"));
  EXPECT_THAT(error_of(minimal_with("files: [{name: x}]")), HasSubstr("'source' of this file is missing"));
  EXPECT_THAT(error_of(minimal_with("files:\n- a/x\n- b\n- {source: c, name: x}")),
              HasSubstr("train.yaml:7: files: the name 'x' in the task is taken by the file on line 5"));
  EXPECT_EQ(error_of(minimal_with("files: [a/x/, {source: /, name: root/y}]")), "accepted");
}

TEST(ParseJob, names_are_unique_among_archives_and_files) {
  const auto job = parse_job(minimal_with("archives: [{source: a.zip, name: data}]\nfiles_limit: 5g"), "train.yaml");
  EXPECT_EQ(job->archives, (std::vector<FileRef>{{"a.zip", "data"}}));
  EXPECT_EQ(job->files_limit, 5ULL << 30U);
  EXPECT_THAT(error_of(minimal_with("files: [data]\narchives: [{source: a.zip, name: data}]")),
              HasSubstr("the name 'data' in the task is taken by the file on line 4"));
}

TEST(ParseJob, restart_is_one_of_two_words) {
  EXPECT_EQ(parse_job(worker_with("restart: all"), "train.yaml")->roles[0].restart, "all");
  EXPECT_THAT(error_of(worker_with("restart: none")), HasSubstr("write alone (only the failed task restarts) or all"));
}

TEST(ParseJob, the_directory_of_submission_is_read_from_saved_jobs_only) {
  const auto text = minimal_with("directory: /home/me");
  EXPECT_THAT(error_of(text), HasSubstr("train.yaml:4: unknown key 'directory'"));
  const auto saved = parse_saved_job(text, "f");
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(saved->directory, "/home/me");
}

TEST(ParseJob, a_file_that_is_not_a_mapping_is_refused) {
  EXPECT_EQ(error_of(""), "train.yaml:1: the file is empty");
  EXPECT_THAT(error_of("- a\n"), HasSubstr("a job file is a mapping that begins with 'version: 1', not a list"));
}

TEST(ParseJob, keys_for_checkpoints_and_hangs_are_checked) {
  EXPECT_EQ(error_of(minimal_with("grow_every: 0")),
            "train.yaml:4: grow_every: the time must be more than 0; write for example 90s or 10m");
  EXPECT_EQ(error_of(minimal_with("grow_every: 90s")), "accepted");
  EXPECT_EQ(error_of(minimal_with("save_every: 0")),
            "train.yaml:4: save_every: the time must be more than 0; write for example 90s or 10m");
  EXPECT_EQ(error_of(minimal_with("timeouts: {stall: 0}")),
            "train.yaml:4: stall in timeouts: the time must be more than 0; write for example 90s or 10m");
  EXPECT_EQ(error_of(minimal_with("restore_from: ../x")),
            "train.yaml:4: restore_from: '../x' cannot be the id of a job; `ydl ls` shows the ids of your jobs");
}

TEST(ParseJob, times_without_a_master_have_defaults_and_are_never_zero) {
  const auto job = parse_job(minimal_with("retries: 1"), "train.yaml");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->orphan_timeout, core::Seconds(1800));
  EXPECT_EQ(job->blind_timeout, core::Seconds(300));
  EXPECT_EQ(error_of(minimal_with("timeouts: {orphan: 0}")),
            "train.yaml:4: orphan in timeouts: the time must be more than 0; write for example 90s or 10m");
  EXPECT_EQ(error_of(minimal_with("timeouts: {blind: 0}")),
            "train.yaml:4: blind in timeouts: the time must be more than 0; write for example 90s or 10m");
}

TEST(ParseJob, messages_are_safe_for_a_terminal) {
  const auto message = error_of(minimal_with("\"\\e[31m" + std::string(500, 'x') + "\": 1"));
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_LT(message.size(), 600U);  // it lists all keys
}

}  // namespace
}  // namespace ydl::spec
