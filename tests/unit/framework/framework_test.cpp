#include "framework/framework.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace ydl::framework {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A gang of `roles` on 10.0.0.1, 10.0.0.2 …, with the ports each framework asks for: 7000, 7001 …
Gang make_gang(const Framework& framework, const Shape& shape) {
  Gang gang;
  gang.job_id = "mnist-7f3k";
  int host = 1;
  std::uint16_t port = 7000;
  for (const auto& role : shape.roles) {
    for (int i = 0; i < role.count; ++i) {
      Gang::Member member{{role.name, i}, "10.0.0." + std::to_string(host++), {}, 2};
      for (int p = framework.ports(shape, member.id); p > 0; --p) member.ports.push_back(port++);
      gang.members.push_back(member);
    }
  }
  return gang;
}

const Framework& get(std::string_view name) {
  return **find(name);
}

Environment env_of(std::string_view name, const Shape& shape, const core::TaskId& task) {
  const auto& framework = get(name);
  EXPECT_TRUE(check(framework, shape));
  const auto gang = make_gang(framework, shape);
  auto env = framework.environment(gang, task);
  for (const auto& [variable, beginning] : framework.beginnings(gang)) env[variable].insert(0, beginning);
  return env;
}

std::string refusal(std::string_view name, const Shape& shape) {
  const auto result = check(get(name), shape);
  return result ? "accepted" : result.error().message;
}

TEST(Framework, an_unknown_one_is_refused_with_a_guess) {
  EXPECT_THAT(find("pytroch").error().message, HasSubstr("did you mean 'pytorch'?"));
  EXPECT_THAT(find("banana").error().message, AllOf(HasSubstr("(available: pytorch, "), HasSubstr(", none)")));
}

TEST(Framework, a_role_it_does_not_know_is_refused_with_a_guess) {
  EXPECT_THAT(refusal("tensorflow", {{{"wroker", 2}}}),
              HasSubstr("tensorflow has no role 'wroker'; did you mean 'worker'?"));
  EXPECT_EQ(refusal("none", {{{"anything", 2}}}), "accepted");
}

TEST(Framework, says_whether_it_has_servers_a_tracker_and_an_environment) {
  EXPECT_EQ(get("mxnet").tracker(), Tracker::pslite);
  EXPECT_EQ(get("mxnet").default_servers(3)->name, "server");
  EXPECT_EQ(get("mxnet").default_servers(3)->count, 3);
  EXPECT_THAT(std::string(get("mxnet").default_environment()->lock), HasSubstr("\nmxnet=="));
  for (const auto* name : {"pytorch", "tensorflow", "jax", "none"}) {
    EXPECT_EQ(get(name).tracker(), Tracker::none) << name;
    EXPECT_FALSE(get(name).default_servers(3)) << name;
    EXPECT_FALSE(get(name).default_environment()) << name;
  }
}

TEST(Framework, every_task_learns_where_all_tasks_are) {
  const Shape shape{{{"worker", 2}, {"ps", 1}}};
  const auto gang = make_gang(get("none"), shape);
  const auto env = task_environment(gang, {"worker", 1});
  EXPECT_EQ(env.at("YDL_ROLE"), "worker");
  EXPECT_EQ(env.at("YDL_INDEX"), "1");
  EXPECT_EQ(env.at("YDL_PORTS"), "7001");
  EXPECT_EQ(
      tasks_json(gang),
      R"({"worker":[{"host":"10.0.0.1","ports":[7000]},{"host":"10.0.0.2","ports":[7001]}],"ps":[{"host":"10.0.0.3","ports":[7002]}]})");
}

TEST(Framework, a_member_of_a_gang_is_found_by_role_and_index) {
  const auto gang = make_gang(get("none"), {{{"chief", 1}, {"worker", 700}, {"ps", 3}}});
  EXPECT_EQ(gang.member({"chief", 0}).host, "10.0.0.1");
  EXPECT_EQ(gang.member({"worker", 0}).host, "10.0.0.2");
  EXPECT_EQ(gang.member({"worker", 699}).host, "10.0.0.701");
  EXPECT_EQ(gang.member({"ps", 2}).host, "10.0.0.704");
  EXPECT_EQ(gang.count("worker"), 700);
  EXPECT_EQ(gang.count("ps"), 3);
  EXPECT_EQ(gang.count("evaluator"), 0);
}

// Three of five workers: each knows its position among them.
Gang smaller_gang(const Framework& framework) {
  const Shape shape{{{.name = "worker", .count = 5, .is_elastic = true}}};
  auto gang = make_gang(framework, shape);
  std::erase_if(gang.members, [](const Gang::Member& member) { return member.id.index == 0 || member.id.index == 3; });
  for (std::size_t i = 0; i < gang.members.size(); ++i) gang.members[i].index = static_cast<int>(i);
  return gang;
}

TEST(Framework, tasks_of_a_smaller_gang_are_numbered_without_gaps) {
  const auto gang = smaller_gang(get("none"));
  EXPECT_EQ(gang.count("worker"), 3);
  EXPECT_EQ(gang.member({"worker", 4}).host, "10.0.0.5");
  EXPECT_TRUE(gang.has({"worker", 4}));
  EXPECT_FALSE(gang.has({"worker", 3}));
  const auto env = task_environment(gang, {"worker", 4});
  EXPECT_EQ(env.at("YDL_INDEX"), "2");
  EXPECT_EQ(env.at("YDL_TASK"), "worker:4");
  EXPECT_EQ(tasks_json(gang), R"({"worker":[{"host":"10.0.0.2","ports":[7001],"index":0},)"
                              R"({"host":"10.0.0.3","ports":[7002],"index":1},)"
                              R"({"host":"10.0.0.5","ports":[7004],"index":2}]})");
}

TEST(PyTorch, ranks_of_a_smaller_gang_have_no_gaps) {
  const auto gang = smaller_gang(get("pytorch"));
  auto env = get("pytorch").environment(gang, {"worker", 1});
  EXPECT_EQ(env["RANK"], "0");
  EXPECT_EQ(env["MASTER_ADDR"], "10.0.0.2");
  env = get("pytorch").environment(gang, {"worker", 4});
  EXPECT_EQ(env["RANK"], "2");
  EXPECT_EQ(env["ROLE_RANK"], "2");
  EXPECT_EQ(env["WORLD_SIZE"], "3");
  EXPECT_EQ(env["MASTER_ADDR"], "10.0.0.2");
}

TEST(TensorFlow, a_task_beside_it_is_not_in_its_cluster) {
  const auto gang = make_gang(get("tensorflow"), {{{"chief", 1}, {"tensorboard", 1}}});
  EXPECT_EQ(get("tensorflow").beginnings(gang).at("TF_CONFIG"), R"({"cluster":{"chief":["10.0.0.1:7000"]},)");
  EXPECT_TRUE(has_role(get("tensorflow"), "ps"));
  EXPECT_FALSE(has_role(get("tensorflow"), "tensorboard"));
  EXPECT_TRUE(has_role(get("none"), "tensorboard"));
}

TEST(TensorFlow, a_smaller_gang_is_named_and_numbered_without_gaps) {
  const auto gang = smaller_gang(get("tensorflow"));
  const auto& tensorflow = get("tensorflow");
  EXPECT_EQ(tensorflow.beginnings(gang).at("TF_CONFIG") + tensorflow.environment(gang, {"worker", 4}).at("TF_CONFIG"),
            R"({"cluster":{"worker":["10.0.0.2:7001","10.0.0.3:7002","10.0.0.5:7004"]},)"
            R"("task":{"type":"worker","index":2}})");
}

TEST(Jax, processes_of_a_smaller_gang_have_no_gaps) {
  const auto gang = smaller_gang(get("jax"));
  const auto env = get("jax").environment(gang, {"worker", 4});
  EXPECT_EQ(env.at("YDL_PROCESS_ID"), "2");
  EXPECT_EQ(env.at("YDL_NUM_PROCESSES"), "3");
  EXPECT_EQ(env.at("YDL_COORDINATOR"), "10.0.0.2:7001");
}

TEST(Framework, a_variable_that_the_kernel_would_refuse_is_refused_by_name) {
  EXPECT_TRUE(check_length("A", (128U << 10U) - 3));
  const auto refused = check_length("A", (128U << 10U) - 2);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("variable A would have 131070 bytes"), HasSubstr("in a file")));
}

TEST(PyTorch, workers_are_ranked_and_meet_at_rank_zero) {
  const Shape shape{{{"worker", 2}}};
  const auto env = env_of("pytorch", shape, {"worker", 1});
  EXPECT_EQ(env.at("MASTER_ADDR"), "10.0.0.1");
  EXPECT_EQ(env.at("MASTER_PORT"), "7000");
  EXPECT_EQ(env.at("RANK"), "1");
  EXPECT_EQ(env.at("WORLD_SIZE"), "2");
  EXPECT_EQ(env.at("LOCAL_RANK"), "0");
  EXPECT_EQ(env.at("LOCAL_WORLD_SIZE"), "1");
  EXPECT_EQ(env.at("GROUP_RANK"), "1");
  EXPECT_EQ(env.at("OMP_NUM_THREADS"), "2");
  EXPECT_EQ(env.at("TORCHELASTIC_RUN_ID"), "mnist-7f3k");
}

TEST(PyTorch, a_master_has_rank_zero_and_evaluators_have_none) {
  const Shape shape{{{"worker", 2}, {"master", 1}, {"evaluator", 1}}};
  EXPECT_EQ(env_of("pytorch", shape, {"master", 0}).at("RANK"), "0");
  EXPECT_EQ(env_of("pytorch", shape, {"worker", 1}).at("RANK"), "2");
  EXPECT_EQ(env_of("pytorch", shape, {"worker", 1}).at("MASTER_ADDR"), "10.0.0.3");
  EXPECT_EQ(env_of("pytorch", shape, {"worker", 0}).at("WORLD_SIZE"), "3");
  EXPECT_FALSE(env_of("pytorch", shape, {"evaluator", 0}).contains("RANK"));
}

TEST(PyTorch, impossible_shapes_are_refused) {
  EXPECT_THAT(refusal("pytorch", {{{"master", 2}}}), HasSubstr("at most one master"));
  EXPECT_THAT(refusal("pytorch", {{{"evaluator", 1}}}), HasSubstr("--role worker=N"));
}

TEST(TensorFlow, tf_config_names_the_cluster_and_the_task) {
  const Shape shape{{{"chief", 1}, {"worker", 2}, {"ps", 1}, {"evaluator", 1}}};
  EXPECT_EQ(
      env_of("tensorflow", shape, {"worker", 1}).at("TF_CONFIG"),
      R"({"cluster":{"chief":["10.0.0.1:7000"],"worker":["10.0.0.2:7001","10.0.0.3:7002"],"ps":["10.0.0.4:7003"]},)"
      R"("task":{"type":"worker","index":1}})");
}

TEST(TensorFlow, more_tasks_than_tf_config_can_name_are_refused_with_the_number_that_fits) {
  EXPECT_EQ(refusal("tensorflow", {{{"chief", 1}, {"worker", 1'790}}}), "accepted");
  EXPECT_THAT(refusal("tensorflow", {{{"chief", 1}, {"worker", 3'000}}}),
              AllOf(HasSubstr("3001 tasks cannot start"), HasSubstr("TF_CONFIG"), HasSubstr("the most is 1791 tasks")));
}

TEST(TensorFlow, as_many_tasks_as_are_accepted_fit_with_long_host_names) {
  const Shape shape{{{"chief", 1}, {"worker", 1'790}}};
  ASSERT_TRUE(check(get("tensorflow"), shape));
  auto gang = make_gang(get("tensorflow"), shape);
  for (auto& member : gang.members) {
    member.host = std::string(64, 'h');
    member.ports = {65'535};
  }
  const auto beginning = get("tensorflow").beginnings(gang).at("TF_CONFIG");
  const auto rest = get("tensorflow").environment(gang, {"worker", 1'789}).at("TF_CONFIG");
  EXPECT_TRUE(check_length("TF_CONFIG", beginning.size() + rest.size()));
}

TEST(TensorFlow, an_evaluator_is_in_nobodys_cluster) {
  const Shape shape{{{"evaluator", 1}, {"chief", 1}}};
  const auto config = boost::json::parse(env_of("tensorflow", shape, {"evaluator", 0}).at("TF_CONFIG"));
  EXPECT_FALSE(config.at("cluster").as_object().contains("evaluator"));
  EXPECT_EQ(config.at("task").at("type").as_string(), "evaluator");
}

TEST(TensorFlow, impossible_shapes_are_refused) {
  EXPECT_THAT(refusal("tensorflow", {{{"chief", 2}}}), HasSubstr("at most one chief"));
  EXPECT_THAT(refusal("tensorflow", {{{"ps", 1}}}), HasSubstr("needs a chief or workers"));
  EXPECT_THAT(refusal("tensorflow", {{{"worker", 1}, {"ps", 1}}}), HasSubstr("add --role chief=1"));
  EXPECT_TRUE(check(get("tensorflow"), {{{"chief", 1}, {"ps", 1}}})) << "with tf.estimator the chief computes";
  EXPECT_THAT(refusal("tensorflow", {{{"worker", 1}, {"evaluator", 2}}}), HasSubstr("at most one evaluator"));
  EXPECT_EQ(refusal("tensorflow", {{{"worker", 2}}}), "accepted");
}

TEST(MxNet, only_workers_whose_command_asks_for_an_asynchronous_store_start_again_alone) {
  const auto restart = [](std::vector<std::string> command, std::string_view role = "worker") {
    return get("mxnet").traits({{{"worker", 2, command}, {"server", 2, command}}}, role).restart;
  };
  using core::RestartUnit;
  EXPECT_EQ(restart({"train.py", "--kv-store", "dist_async"}), RestartUnit::task);
  EXPECT_EQ(restart({"train.py", "--kv-store", "async"}), RestartUnit::task);
  EXPECT_EQ(restart({"train.py", "--kv-store=async"}), RestartUnit::task);
  EXPECT_EQ(restart({"train.py", "--kvstore=dist_async"}), RestartUnit::task);
  EXPECT_EQ(restart({"train.py", "dist_async"}), RestartUnit::task);
  EXPECT_EQ(restart({"train.py", "--kv-store", "dist_sync"}), RestartUnit::gang);
  EXPECT_EQ(restart({"train.py", "--mode", "async"}), RestartUnit::gang);  // the word may mean anything
  EXPECT_EQ(restart({"train.py"}), RestartUnit::gang);
  EXPECT_EQ(restart({"train.py", "--kv-store", "dist_async"}, "server"), RestartUnit::gang);
}

TEST(TensorFlow, workers_decide_unless_parameter_servers_make_them_servers) {
  EXPECT_EQ(get("tensorflow").traits({{{"worker", 2}}}, "worker").kind, core::RoleKind::decider);
  EXPECT_EQ(get("tensorflow").traits({{{"chief", 1}, {"worker", 2}, {"ps", 1}}}, "worker").kind,
            core::RoleKind::service);
}

TEST(TensorFlow, a_worker_beside_ps_starts_again_alone_where_the_chief_calls_it) {
  const Shape with_ps{{{"chief", 1}, {"worker", 2}, {"ps", 1}, {"evaluator", 1}}};
  const auto restart = [](const Shape& shape, std::string_view role) {
    return get("tensorflow").traits(shape, role).restart;
  };
  using core::RestartUnit;
  EXPECT_EQ(restart(with_ps, "worker"), RestartUnit::task_in_place);
  EXPECT_EQ(restart(with_ps, "chief"), RestartUnit::gang);
  EXPECT_EQ(restart(with_ps, "ps"), RestartUnit::gang);
  EXPECT_EQ(restart(with_ps, "evaluator"), RestartUnit::task);
  EXPECT_EQ(restart({{{"chief", 1}, {"worker", 2}}}, "worker"), RestartUnit::gang);
  EXPECT_EQ(restart({{{"worker", 2}}}, "worker"), RestartUnit::gang);
}

TEST(Frameworks, a_task_that_cannot_start_again_alone_and_anywhere_has_a_reason) {
  const Shape shape{{{"chief", 1}, {"master", 1}, {"worker", 2}, {"ps", 1}, {"server", 1}, {"evaluator", 1}}};
  for (const auto* framework : all()) {
    for (const auto& role : shape.roles) {
      const auto traits = framework->traits(shape, role.name);
      EXPECT_EQ(traits.restart_reason.empty(), traits.restart == core::RestartUnit::task)
          << framework->name() << " " << role.name;
    }
  }
}

TEST(Jax, processes_are_numbered_and_meet_at_process_zero) {
  const Shape shape{{{"worker", 2}}};
  const auto env = env_of("jax", shape, {"worker", 1});
  EXPECT_EQ(env.at("YDL_COORDINATOR"), "10.0.0.1:7000");
  EXPECT_EQ(env.at("YDL_NUM_PROCESSES"), "2");
  EXPECT_EQ(env.at("YDL_PROCESS_ID"), "1");
}

TEST(MxNet, workers_and_servers_are_pointed_at_the_scheduler) {
  const Shape shape{{{"worker", 2}, {"server", 1}}};
  auto gang = make_gang(get("mxnet"), shape);
  gang.scheduler_host = "10.0.0.9";
  gang.scheduler_port = 9091;
  const auto env = get("mxnet").environment(gang, {"server", 0});
  EXPECT_EQ(env.at("DMLC_ROLE"), "server");
  EXPECT_EQ(env.at("DMLC_NUM_WORKER"), "2");
  EXPECT_EQ(env.at("DMLC_NUM_SERVER"), "1");
  EXPECT_EQ(env.at("DMLC_PS_ROOT_URI"), "10.0.0.9");
  EXPECT_EQ(env.at("DMLC_PS_ROOT_PORT"), "9091");
  EXPECT_EQ(env.at("DMLC_NODE_HOST"), "10.0.0.3");
  EXPECT_EQ(env.at("DMLC_SERVER_ID"), "0");
  EXPECT_EQ(env.at("DMLC_TASK_ID"), "2");
  EXPECT_EQ(env.at("PORT"), "7002");
  EXPECT_THAT(refusal("mxnet", {{{"worker", 2}}}), HasSubstr("--s N"));
}

TEST(MxNet, a_local_store_by_mistake_becomes_the_distributed_one_with_a_note) {
  std::vector<std::string> argv{"python", "train.py", "--kv-store", "sync", "--kv-store=async", "--lr", "sync"};
  const auto notes = get("mxnet").correct_arguments(argv);
  EXPECT_EQ(argv, (std::vector<std::string>{"python", "train.py", "--kv-store", "dist_sync", "--kv-store=dist_async",
                                            "--lr", "sync"}));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes[0], HasSubstr("--kv-store sync was changed to --kv-store dist_sync"));
  std::vector<std::string> right{"train.py", "--kv-store", "dist_device_sync"};
  EXPECT_TRUE(get("mxnet").correct_arguments(right).empty());
}

TEST(MxNet, its_own_log_lines_tell_how_far_a_task_is) {
  const std::vector<std::string> argv{"train.py", "--num-epochs", "4"};
  const auto batch = get("mxnet").read_progress(
      "INFO:root:Epoch[1] Batch [100-200]\tSpeed: 15727.29 samples/sec\taccuracy=0.942422", argv);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->fraction, 0.25);
  EXPECT_EQ(batch->text, "epoch 2/4, 15727 samples/s, accuracy 0.9424");
  const auto end = get("mxnet").read_progress("Node[0] Epoch[1] Validation-accuracy=0.960352", argv);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->fraction, 0.5);
  EXPECT_EQ(end->text, "epoch 2/4, test accuracy 0.9603");
  EXPECT_EQ(get("mxnet").read_progress("Epoch[0] Batch [20]", {})->fraction, std::nullopt);
  EXPECT_FALSE(get("mxnet").read_progress("Epoch[x] nonsense", argv));
  EXPECT_FALSE(get("mxnet").read_progress("loading data", argv));
}

TEST(None, roles_named_like_servers_are_services) {
  EXPECT_EQ(get("none").traits({}, "ps").kind, core::RoleKind::service);
  EXPECT_EQ(get("none").traits({}, "tensorboard").kind, core::RoleKind::side);
  EXPECT_EQ(get("none").traits({}, "evaluator").kind, core::RoleKind::evaluator);
  EXPECT_EQ(get("none").traits({}, "shard").kind, core::RoleKind::decider);
}

}  // namespace
}  // namespace ydl::framework
