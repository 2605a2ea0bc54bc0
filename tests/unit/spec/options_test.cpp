#include "spec/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::spec {
namespace {

using testing::HasSubstr;

template <class T>
std::string error_of(const core::Result<T>& result) {
  return result ? "accepted" : result.error().message;
}

TEST(Options, a_role_has_a_name_and_a_count) {
  EXPECT_EQ(parse_role_count("worker=2"), (RoleCount{"worker", 2}));
  EXPECT_THAT(error_of(parse_role_count("worker")), HasSubstr("write NAME=N, for example worker=2"));
  EXPECT_THAT(error_of(parse_role_count("=2")), HasSubstr("cannot be the name of a role"));
  EXPECT_THAT(error_of(parse_role_count("2w=2")), HasSubstr("cannot be the name of a role"));
}

TEST(Options, a_role_without_tasks_is_refused) {
  EXPECT_EQ(error_of(parse_role_count("worker=0")),
            "role 'worker' cannot have '0' tasks; write a whole number from 1 to 100000, or remove the role");
  for (const auto* bad : {"worker=-1", "worker=", "worker=two", "worker=1.5", "worker=100001", "worker=2 "}) {
    EXPECT_THAT(error_of(parse_role_count(bad)), HasSubstr("cannot have")) << bad;
  }
}

TEST(Options, the_number_of_tasks_may_be_a_range) {
  EXPECT_EQ(parse_task_count("8"), (TaskCount{8}));
  EXPECT_EQ(parse_task_count("2:8"), (TaskCount{8, 2}));
  EXPECT_EQ(parse_task_count("4:4"), (TaskCount{4}));
  EXPECT_EQ(parse_role_count("worker=2:8"), (RoleCount{"worker", 8, 2}));
}

TEST(Options, a_range_that_cannot_be_is_refused_with_what_to_write) {
  EXPECT_EQ(error_of(parse_role_count("worker=8:2")),
            "role 'worker': '8:2': the first number is larger than the second; write 2:8");
  EXPECT_EQ(error_of(parse_role_count("worker=0:4")),
            "role 'worker': '0:4': a role needs at least one task; write 1:4");
  for (const auto* bad : {"worker=:", "worker=2:", "worker=:8", "worker=2:8:9", "worker=-1:4", "worker=2:x",
                          "worker=2:100001", "worker=2: 8"}) {
    EXPECT_THAT(error_of(parse_role_count(bad)), HasSubstr("is not a range of tasks; write LEAST:MOST")) << bad;
  }
}

TEST(Options, resources_are_read_in_any_order_and_number) {
  EXPECT_EQ(parse_role_resources("worker:memory=2g,vcores=2,gpus=1,label=gpu"),
            (RoleResources{"worker", {2ULL << 30U, 2, 1, "gpu"}}));
  EXPECT_EQ(parse_role_resources("am:gpus=0"), (RoleResources{"am", {std::nullopt, std::nullopt, 0, std::nullopt}}));
  EXPECT_EQ(parse_role_resources("ps:vcores=1,memory=512"),
            (RoleResources{"ps", {512ULL << 20U, 1, std::nullopt, std::nullopt}}));
}

TEST(Options, hosts_and_racks_are_lists) {
  const auto asked = parse_role_resources("worker:hosts=node1+10.0.0.2,racks=/r1,placement=pack");
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->resources.hosts, (std::vector<std::string>{"node1", "10.0.0.2"}));
  EXPECT_EQ(asked->resources.racks, (std::vector<std::string>{"/r1"}));
  EXPECT_EQ(asked->resources.placement, "pack");
  EXPECT_THAT(error_of(parse_role_resources("worker:hosts=a+")), HasSubstr("hosts: '' cannot be the name of a host"));
  EXPECT_THAT(error_of(parse_role_resources("worker:racks=r1")),
              HasSubstr("'r1' cannot be the name of a rack; it begins with"));
  EXPECT_THAT(error_of(parse_role_resources("worker:hosts=a,hosts=b")), HasSubstr("hosts: the value is given twice"));
  EXPECT_THAT(error_of(parse_role_resources("worker:placement=packed")), HasSubstr("did you mean 'pack'?"));
}

TEST(Options, any_resource_type_of_a_cluster_can_be_requested_by_name) {
  const auto asked = parse_role_resources("worker:types.yarn.io/fpga=1,memory=1g,types.licences=2");
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->resources.types, (std::map<std::string, int>{{"licences", 2}, {"yarn.io/fpga", 1}}));
  EXPECT_THAT(error_of(parse_role_resources("worker:types=1")),
              HasSubstr("the name of the type is missing; write types.NAME=N"));
  EXPECT_THAT(error_of(parse_role_resources("worker:types.=1")), HasSubstr("'' cannot be a resource type"));
  EXPECT_THAT(error_of(parse_role_resources("worker:types.vcores=1")),
              HasSubstr("has its own key; write vcores instead"));
  EXPECT_THAT(error_of(parse_role_resources("worker:types.a=1,types.a=1")),
              HasSubstr("types.a: the value is given twice"));
  EXPECT_THAT(error_of(parse_role_resources("worker:types.a=-1")), HasSubstr("types.a: "));
  EXPECT_THAT(error_of(parse_role_resources("worker:types.a")), HasSubstr("types.a has no value"));
}

TEST(Options, a_mistake_in_resources_is_named) {
  EXPECT_THAT(error_of(parse_role_resources("memory=2g")), HasSubstr("does not name a role; write ROLE:KEY=VALUE"));
  EXPECT_EQ(
      error_of(parse_role_resources("worker:memroy=2g")),
      "'worker:memroy=2g': unknown resource 'memroy'; did you mean 'memory'? (available: memory, vcores, gpus, label, "
      "hosts, racks, placement, types)");
  EXPECT_THAT(error_of(parse_role_resources("worker:")), HasSubstr("unknown resource ''"));
  EXPECT_THAT(error_of(parse_role_resources("worker:gpus=1,")), HasSubstr("unknown resource ''"));
  EXPECT_THAT(error_of(parse_role_resources("worker:memory")), HasSubstr("memory has no value"));
  EXPECT_THAT(error_of(parse_role_resources("worker:memory=12q")), HasSubstr("memory: '12q' is not a size"));
  EXPECT_THAT(error_of(parse_role_resources("worker:memory=0")), HasSubstr("the memory must be more than 0"));
  EXPECT_THAT(error_of(parse_role_resources("worker:vcores=0")),
              HasSubstr("vcores: '0' is not a whole number from 1 to 4096"));
  EXPECT_THAT(error_of(parse_role_resources("worker:gpus=1,gpus=2")), HasSubstr("gpus: the value is given twice"));
  EXPECT_THAT(error_of(parse_role_resources("worker:label=")), HasSubstr("cannot be a node label"));
  EXPECT_THAT(error_of(parse_role_resources(":memory=2g")), HasSubstr("cannot be the name of a role"));
}

TEST(Options, the_name_of_a_variable_ends_at_the_first_equals_sign) {
  EXPECT_EQ(parse_env_variable("A=b=c"), (EnvVariable{"A", "b=c"}));
  EXPECT_EQ(parse_env_variable("A="), (EnvVariable{"A", ""}));
  EXPECT_THAT(error_of(parse_env_variable("A")), HasSubstr("write KEY=VALUE, or KEY= for an empty one"));
  EXPECT_THAT(error_of(parse_env_variable("=x")), HasSubstr("cannot be the name of an environment variable"));
  EXPECT_THAT(error_of(parse_env_variable("A=\xff")), HasSubstr("A: "));
}

TEST(Options, an_archive_may_have_a_name_in_the_notation_of_hadoops_tools) {
  EXPECT_EQ(parse_archive_ref("data.tar.gz#data"), (FileRef{"data.tar.gz", "data"}));
  EXPECT_EQ(parse_archive_ref("data.tar.gz=data"), (FileRef{"data.tar.gz", "data"}));
  EXPECT_EQ(parse_archive_ref("a/data.zip"), (FileRef{"a/data.zip", ""}));
  EXPECT_THAT(parse_archive_ref("data.zip#").error().message, HasSubstr("write PATH#NAME"));
  EXPECT_FALSE(parse_archive_ref("data.zip#../up"));
}

TEST(Options, a_file_may_get_another_name) {
  EXPECT_EQ(parse_file_ref("data/x"), (FileRef{"data/x", ""}));
  EXPECT_EQ(parse_file_ref("../conf=etc/conf"), (FileRef{"../conf", "etc/conf"}));
  EXPECT_EQ(parse_file_ref("dt=2024=day"), (FileRef{"dt=2024", "day"}));
  EXPECT_THAT(error_of(parse_file_ref("")), HasSubstr("the path is empty"));
  EXPECT_THAT(error_of(parse_file_ref("a=")), HasSubstr("ends without a name"));
  EXPECT_THAT(error_of(parse_file_ref("=b")), HasSubstr("the path is empty"));
  EXPECT_THAT(error_of(parse_file_ref("a=../b")), HasSubstr("'../b' cannot be the name"));
  EXPECT_THAT(error_of(parse_file_ref("..")), HasSubstr("add one with PATH=NAME"));
}

}  // namespace
}  // namespace ydl::spec
