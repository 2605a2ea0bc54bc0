#include "master/plan.hpp"

#include "spec/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace ydl::master {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

spec::JobSpec job_of(Words command) {
  spec::JobSpec spec;
  spec.command = std::move(command);
  spec.roles = {{}};
  spec.roles[0].name = "worker";
  spec.roles[0].count = 2;
  return spec;
}

spec::Role role(std::string name, int count = 1) {
  spec::Role made;
  made.name = std::move(name);
  made.count = count;
  return made;
}

// A PATH that holds just these.
FindCommand path_with(std::map<std::string, std::string> commands) {
  return [commands = std::move(commands)](const std::string& name) -> std::optional<std::string> {
    const auto found = commands.find(name);
    return found == commands.end() ? std::nullopt : std::optional(found->second);
  };
}

FindCommand both_pythons() {
  return path_with({{"python", "/env/bin/python"}, {"python3", "/usr/bin/python3"}});
}

Words argv_of(const spec::JobSpec& spec, const FindCommand& find = both_pythons()) {
  const auto plan = make_plan(spec, find);
  return plan ? plan->roles.at(0).argv : Words{plan.error().message};
}

std::string refusal(const spec::JobSpec& spec, const FindCommand& find = both_pythons()) {
  const auto plan = make_plan(spec, find);
  if (plan) return "accepted";
  EXPECT_EQ(plan.error().code, core::Errc::usage);
  return plan.error().message;
}

TEST(PlanInterpreter, a_script_runs_with_the_python_on_path) {
  EXPECT_THAT(argv_of(job_of({"train.py", "--lr", "1"})), ElementsAre("/env/bin/python", "train.py", "--lr", "1"));
  const auto plan = make_plan(job_of({"train.py"}), both_pythons());
  EXPECT_EQ(plan->roles[0].interpreter_note, "/env/bin/python, the python on PATH");
}

TEST(PlanInterpreter, a_leading_python_may_be_there_or_not) {
  const auto without = argv_of(job_of({"train.py", "x"}));
  EXPECT_EQ(argv_of(job_of({"python", "train.py", "x"})), without);
  EXPECT_THAT(argv_of(job_of({"python3", "train.py", "x"})), ElementsAre("/usr/bin/python3", "train.py", "x"))
      << "python3 is used as written";
}

TEST(PlanInterpreter, python_with_options_keeps_them) {
  EXPECT_THAT(argv_of(job_of({"python", "-u", "-m", "train"})), ElementsAre("/env/bin/python", "-u", "-m", "train"));
}

TEST(PlanInterpreter, python3_will_do_where_there_is_no_python) {
  const auto only_3 = path_with({{"python3", "/usr/bin/python3"}});
  EXPECT_THAT(argv_of(job_of({"train.py"}), only_3), ElementsAre("/usr/bin/python3", "train.py"));
  EXPECT_THAT(argv_of(job_of({"python", "train.py"}), only_3), ElementsAre("/usr/bin/python3", "train.py"));
  EXPECT_EQ(make_plan(job_of({"train.py"}), only_3)->roles[0].interpreter_note,
            "/usr/bin/python3, the python3 on PATH");
}

TEST(PlanInterpreter, the_python_option_overrides_the_command) {
  auto spec = job_of({"python3", "train.py"});
  spec.python = "/opt/py/bin/python";
  EXPECT_THAT(argv_of(spec, path_with({})), ElementsAre("/opt/py/bin/python", "train.py"));
  EXPECT_EQ(make_plan(spec, path_with({}))->roles[0].interpreter_note, "/opt/py/bin/python, from --python");
}

TEST(PlanInterpreter, no_python_at_all_is_said_with_the_remedy) {
  EXPECT_EQ(refusal(job_of({"train.py"}), path_with({})),
            "there is no program python or python3 on your PATH; install one, or name one with --python PATH");
}

TEST(PlanInterpreter, other_commands_run_as_they_are) {
  const auto nothing_on_path = path_with({});
  EXPECT_THAT(argv_of(job_of({"./train", "x.py"}), nothing_on_path), ElementsAre("./train", "x.py"));
  EXPECT_THAT(argv_of(job_of({"/opt/py/bin/python", "x.py"}), nothing_on_path),
              ElementsAre("/opt/py/bin/python", "x.py"));
  EXPECT_EQ(make_plan(job_of({"./train"}), nothing_on_path)->roles[0].interpreter_note, "");
}

TEST(Plan, a_role_may_have_a_command_and_variables_of_its_own) {
  auto spec = job_of({"train.py"});
  spec.env = {{"A", "job"}, {"B", "job"}};
  spec.roles.push_back(role("evaluator"));
  spec.roles[1].command = {"eval.py", "--once"};
  spec.roles[1].env = {{"B", "role"}, {"C", "role"}};
  const auto plan = make_plan(spec, both_pythons());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->role("worker").argv, ElementsAre("/env/bin/python", "train.py"));
  EXPECT_THAT(plan->role("evaluator").argv, ElementsAre("/env/bin/python", "eval.py", "--once"));
  EXPECT_EQ(plan->role("worker").env, (std::map<std::string, std::string>{{"A", "job"}, {"B", "job"}}));
  EXPECT_EQ(plan->role("evaluator").env,
            (std::map<std::string, std::string>{{"A", "job"}, {"B", "role"}, {"C", "role"}}));
}

TEST(Plan, a_variable_that_no_program_could_be_started_with_is_refused) {
  auto spec = job_of({"./train"});
  spec.env["BLOB"] = std::string(std::size_t{128} << 10U, 'x');
  const auto plan = make_plan(spec);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("BLOB"));
}

TEST(Plan, a_role_without_any_command_is_refused) {
  auto spec = job_of({});
  EXPECT_EQ(refusal(spec), "role worker has no command; write it after `--`, or as 'command' in the job file");
  spec.roles[0].command = {"./train"};
  EXPECT_EQ(refusal(spec), "accepted");
}

TEST(Plan, the_framework_says_what_kind_a_role_is_unless_the_job_file_does) {
  auto spec = job_of({"./train"});
  spec.roles.push_back(role("server"));
  auto plan = make_plan(spec, both_pythons());
  EXPECT_EQ(plan->job.roles[0].kind, core::RoleKind::decider);
  EXPECT_EQ(plan->job.roles[1].kind, core::RoleKind::service);
  spec.roles[0].kind = "side";
  spec.roles[1].kind = "decider";
  plan = make_plan(spec, both_pythons());
  EXPECT_EQ(plan->job.roles[0].kind, core::RoleKind::side);
  EXPECT_EQ(plan->job.roles[1].kind, core::RoleKind::decider);
}

TEST(Plan, the_script_of_a_command_is_found) {
  EXPECT_EQ(script_in({"python", "../jobs/train.py", "x.py"}), 1U);
  EXPECT_EQ(script_in({"train.py"}), 0U);
  EXPECT_EQ(script_in({"./train", "x.py"}), std::nullopt);
  EXPECT_EQ(script_in({"python"}), std::nullopt);
  EXPECT_EQ(script_in({}), std::nullopt);
}

TEST(Plan, the_framework_decides_which_tasks_restart_unless_the_job_file_does) {
  auto spec = job_of({"./train"});
  spec.framework = "mxnet";
  spec.roles.push_back(role("server"));
  auto plan = make_plan(spec, both_pythons());
  EXPECT_EQ(plan->job.roles[0].restart, core::RestartUnit::gang);
  EXPECT_THAT(plan->job.roles[0].restart_reason, HasSubstr("synchronous"));
  spec.roles[0].restart = "alone";
  plan = make_plan(spec, both_pythons());
  EXPECT_EQ(plan->job.roles[0].restart, core::RestartUnit::task);
  EXPECT_EQ(plan->job.roles[0].restart_reason, "");
}

TEST(Plan, a_job_without_a_decider_is_refused) {
  auto spec = job_of({"./train"});
  spec.roles[0].kind = "service";
  EXPECT_EQ(refusal(spec),
            "the job has no role that must succeed, so it would never end; write 'kind: decider' in one of its roles");
  spec.roles.clear();
  EXPECT_THAT(refusal(spec), HasSubstr("the job has no role that must succeed"));
}

TEST(Plan, a_side_role_of_any_name_may_stand_beside_a_framework) {
  auto spec = job_of({"./train"});
  spec.framework = "pytorch";
  spec.roles.push_back(role("monitor"));
  EXPECT_THAT(refusal(spec), HasSubstr("pytorch has no role 'monitor'"));
  spec.roles.back().kind = "side";
  const auto plan = make_plan(spec, both_pythons());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->shape.count("monitor"), 0);
  EXPECT_EQ(plan->job_role("monitor").kind, core::RoleKind::side);
  EXPECT_EQ(plan->job_role("monitor").restart, core::RestartUnit::task);
  EXPECT_EQ(plan->ports({"monitor", 0}), 1);
}

TEST(Plan, a_role_may_go_on_with_fewer_tasks) {
  auto spec = job_of({"./train"});
  spec.roles[0].count = 8;
  spec.roles[0].least = 2;
  spec.grow_every = core::Seconds(60);
  const auto plan = make_plan(spec, both_pythons());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->job.roles[0].least, 2);
  EXPECT_EQ(plan->job.grow_every, core::Seconds(60));
  EXPECT_EQ(plan->roles[0].least, 2);
}

TEST(Plan, only_the_main_role_of_a_framework_may_go_on_with_fewer_tasks) {
  const auto elastic = [](std::string name) {
    auto elastic = role(std::move(name));
    elastic.count = 4;
    elastic.least = 2;
    return elastic;
  };
  auto spec = job_of({"./train"});
  spec.roles = {role("worker"), elastic("ps")};
  EXPECT_EQ(refusal(spec), "ps=2:4: the number of tasks of role ps cannot change while the job runs; write ps=4");
  spec.roles = {role("worker"), elastic("evaluator")};
  EXPECT_THAT(refusal(spec), HasSubstr("evaluator=2:4: the number of tasks"));
  spec.framework = "mxnet";
  spec.roles = {role("worker"), elastic("server")};
  EXPECT_THAT(refusal(spec), HasSubstr("server=2:4: the number of tasks"));
  spec.roles[1].kind = "decider";
  EXPECT_THAT(refusal(spec), HasSubstr("server=2:4: the number of tasks"));
  spec.framework = "tensorflow";
  spec.roles = {role("chief"), elastic("worker"), role("ps")};
  EXPECT_THAT(refusal(spec), HasSubstr("worker=2:4: the number of tasks")) << "the chief calls them at their addresses";
  spec.roles = {role("chief"), elastic("worker")};
  EXPECT_EQ(refusal(spec), "accepted");
}

TEST(Plan, tasks_that_are_numbered_without_gaps_do_not_start_alone_in_an_elastic_role) {
  auto spec = job_of({"./train"});
  spec.framework = "pytorch";
  spec.roles[0].count = 4;
  spec.roles[0].least = 2;
  EXPECT_EQ(refusal(spec), "accepted");
  spec.roles[0].restart = "alone";
  EXPECT_THAT(refusal(spec), HasSubstr("remove 'restart: alone' of role worker"));
}

TEST(Plan, mxnet_workers_that_run_on_without_each_other_keep_their_number) {
  auto spec = job_of({"train.py", "--kv-store", "dist_async"});
  spec.framework = "mxnet";
  spec.roles[0].count = 4;
  spec.roles[0].least = 2;
  spec.roles.push_back(role("server"));
  EXPECT_THAT(refusal(spec), HasSubstr("as with dist_async; write worker=4, or use dist_sync"));
  spec.command = {"train.py", "--kv-store", "dist_sync"};
  EXPECT_EQ(refusal(spec), "accepted");
}

TEST(Plan, an_unknown_kind_is_refused) {
  auto spec = job_of({"./train"});
  spec.roles[0].kind = "boss";
  EXPECT_EQ(refusal(spec), "unknown kind of role 'boss' (available: decider, service, side, evaluator)");
}

TEST(Plan, defaults_depend_on_the_kind_and_give_way_to_what_is_asked) {
  auto spec = job_of({"./train"});
  spec.roles.push_back(role("ps"));
  spec.roles.push_back(role("chief"));
  spec.roles[2].resources = {3ULL << 30U, 4, 1, std::nullopt};
  const auto plan = make_plan(spec, both_pythons());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->role("worker").memory, 2ULL << 30U);
  EXPECT_EQ(plan->role("worker").vcores, 1);
  EXPECT_EQ(plan->role("worker").gpus, 0);
  EXPECT_FALSE(plan->role("worker").asked.memory);
  EXPECT_EQ(plan->role("ps").memory, 1ULL << 30U);
  EXPECT_EQ(plan->role("chief").memory, 3ULL << 30U);
  EXPECT_EQ(plan->role("chief").vcores, 4);
  EXPECT_EQ(plan->role("chief").gpus, 1);
}

TEST(Plan, a_worker_has_a_workers_memory_also_where_it_is_a_service) {
  auto spec = job_of({"./train"});
  spec.framework = "tensorflow";
  spec.roles.push_back(role("chief"));
  spec.roles.push_back(role("ps"));
  const auto plan = make_plan(spec, both_pythons());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->job.roles[0].kind, core::RoleKind::service) << "the chief drives the workers";
  EXPECT_EQ(plan->role("worker").memory, 2ULL << 30U);
  EXPECT_EQ(plan->role("chief").memory, 2ULL << 30U);
  EXPECT_EQ(plan->role("ps").memory, 1ULL << 30U);
}

TEST(Plan, retries_are_the_roles_or_the_jobs) {
  auto spec = job_of({"./train"});
  spec.roles.push_back(role("ps"));
  spec.retries = 3;
  spec.roles[1].retries = 0;
  const auto plan = make_plan(spec, both_pythons());
  EXPECT_EQ(plan->job.roles[0].retries, 3);
  EXPECT_EQ(plan->job.roles[1].retries, 0);
}

TEST(Plan, default_retries_depend_on_the_cluster) {
  auto spec = job_of({"./train"});
  spec.roles.push_back(role("ps"));
  spec.roles[1].retries = 5;
  const auto retries = [&](core::ClusterKind cluster) {
    return make_plan(spec, both_pythons(), cluster)->job.roles[0].retries;
  };
  EXPECT_EQ(retries(core::ClusterKind::local), 0);
  EXPECT_EQ(retries(core::ClusterKind::yarn), 2);
  EXPECT_EQ(make_plan(spec, both_pythons(), core::ClusterKind::yarn)->job.roles[1].retries, 5);
  spec.retries = 0;
  EXPECT_EQ(retries(core::ClusterKind::yarn), 0);
  spec.retries = 1;
  EXPECT_EQ(retries(core::ClusterKind::yarn), 1);
  EXPECT_EQ(retries(core::ClusterKind::local), 1);
}

TEST(Plan, what_the_job_says_of_hosts_and_errors_reaches_the_state_machine) {
  auto spec = job_of({"./train"});
  auto plan = make_plan(spec, both_pythons());
  EXPECT_TRUE(plan->job.fail_fast);
  EXPECT_EQ(plan->job.blacklist.mode, job::Blacklist::Mode::decay);
  EXPECT_EQ(plan->job.blacklist.failures, job::Blacklist{}.failures);
  EXPECT_EQ(plan->job.blacklist.forget, job::Blacklist{}.forget);
  for (const auto mode : spec::kBlacklistModes) {
    spec.blacklist = {std::string(mode), 3, core::Seconds(90)};
    spec.fail_fast = false;
    plan = make_plan(spec, both_pythons());
    EXPECT_FALSE(plan->job.fail_fast);
    EXPECT_EQ(core::name(plan->job.blacklist.mode), mode);
    EXPECT_EQ(plan->job.blacklist.failures, 3);
    EXPECT_EQ(plan->job.blacklist.forget, core::Seconds(90));
  }
}

TEST(Plan, times_reach_the_state_machine) {
  auto spec = job_of({"./train"});
  spec.job_retries = 2;
  spec.allocation_timeout = core::Seconds(1);
  spec.start_timeout = core::Seconds(2);
  spec.run_timeout = core::Seconds(3);
  spec.stop_grace = core::Seconds(4);
  spec.evaluator_grace = core::Seconds(5);
  const auto plan = make_plan(spec, both_pythons());
  EXPECT_EQ(plan->job.job_retries, 2);
  EXPECT_EQ(plan->job.allocation_timeout, core::Seconds(1));
  EXPECT_EQ(plan->job.start_timeout, core::Seconds(2));
  EXPECT_EQ(plan->job.run_timeout, core::Seconds(3));
  EXPECT_EQ(plan->job.stop_grace, core::Seconds(4));
  EXPECT_EQ(plan->job.evaluator_grace, core::Seconds(5));
}

TEST(Plan, ports_of_the_framework_and_of_the_job_add_up) {
  auto spec = job_of({"./train"});
  EXPECT_EQ(make_plan(spec, both_pythons())->ports({"worker", 0}), 1);
  spec.roles[0].ports = 2;
  EXPECT_EQ(make_plan(spec, both_pythons())->ports({"worker", 1}), 3);
}

TEST(Plan, an_unknown_framework_is_refused_with_the_nearest) {
  auto spec = job_of({"./train"});
  spec.framework = "pytorhc";
  EXPECT_THAT(refusal(spec), HasSubstr("did you mean 'pytorch'?"));
}

TEST(Plan, roles_the_framework_does_not_know_are_refused) {
  auto spec = job_of({"./train"});
  spec.framework = "mxnet";
  EXPECT_EQ(refusal(spec), "mxnet needs at least one server to hold the parameters: --s N");
  spec.roles.push_back(role("sever"));
  EXPECT_THAT(refusal(spec), HasSubstr("did you mean 'server'?"));
}

TEST(Plan, mxnet_corrects_the_store_once_and_reports_it_once) {
  auto spec = job_of({"train.py", "--kv-store", "sync", "--data-dir", "."});
  spec.framework = "mxnet";
  spec.roles.push_back(role("server", 2));
  const auto plan = make_plan(spec, both_pythons());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->notes, ElementsAre("--kv-store sync was changed to --kv-store dist_sync, because MXNet would use "
                                       "'sync' as a store of one process"));
  for (const auto* name : {"worker", "server"}) {
    EXPECT_THAT(plan->role(name).argv,
                ElementsAre("/env/bin/python", "train.py", "--kv-store", "dist_sync", "--data-dir", "."));
  }
  EXPECT_EQ(plan->spec.command.at(2), "sync") << "what the user wrote is kept";
  EXPECT_EQ(plan->job.roles[1].restart, core::RestartUnit::gang);
}

TEST(Plan, without_a_correction_there_is_no_note) {
  EXPECT_THAT(make_plan(job_of({"train.py", "--kv-store", "sync"}), both_pythons())->notes, IsEmpty());
}

TEST(NameFromCommand, is_the_programs_without_folder_and_suffix) {
  EXPECT_EQ(name_from_command({"python", "train_mnist.py", "--x"}), "train_mnist");
  EXPECT_EQ(name_from_command({"/opt/bin/python3", "-u", "/a/b/train.py"}), "train");
  EXPECT_EQ(name_from_command({"./run.sh"}), "run");
  EXPECT_EQ(name_from_command({"sleep", "1"}), "sleep");
}

TEST(NameFromCommand, is_job_where_the_command_has_no_name) {
  EXPECT_EQ(name_from_command({}), "job");
  EXPECT_EQ(name_from_command({"python", "-"}), "job");
  EXPECT_EQ(name_from_command({"python"}), "job");
  EXPECT_EQ(name_from_command({"/"}), "job");
}

}  // namespace
}  // namespace ydl::master
