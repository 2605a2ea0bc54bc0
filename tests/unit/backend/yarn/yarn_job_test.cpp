#include "backend/yarn/yarn_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

YarnJob example() {
  YarnJob job;
  job.application = "application_1700000000000_0012";
  job.kind = MasterKind::unmanaged;
  job.user = "ann";
  job.queue = "research";
  job.scheduler = "CapacityScheduler";
  job.folder = "/user/ann/.ydl/jobs/mnist-0001";
  job.folder_url = "hdfs://ns/user/ann/.ydl/jobs/mnist-0001";
  job.results = "/results";
  job.hadoop = {{"fs.defaultFS", "hdfs://ns"}};
  yarn::NodeReport node;
  node.id = {"node1", 8041};
  node.rack = "/rack1";
  node.label = "gpu";
  node.capability = {.memory_mib = 8192, .vcores = 8, .others = {{"yarn.io/gpu", 2}}};
  node.used = {.memory_mib = 1024, .vcores = 1};
  job.nodes = {node};
  job.staged.files["ydl"] = {.url = "hdfs://ns/ydl", .size = 17, .modified = 1700000000123};
  job.staged.files["code"] = {.url = "hdfs://ns/code.tar",
                              .size = 1024,
                              .modified = 5,
                              .type = yarn::LocalResource::Type::archive,
                              .visibility = yarn::LocalResource::Visibility::everybody};
  job.staged.linked_directory = "code";
  job.staged.links = {{"data-1", "data"}};
  return job;
}

TEST(YarnJob, comes_back_from_its_file_as_it_was) {
  const auto job = example();
  const auto back = yarn_job_from_json(to_json(job));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back), to_json(job));
  EXPECT_EQ(back->kind, MasterKind::unmanaged);
  EXPECT_EQ(back->nodes.at(0).free().memory_mib, 7168);
  EXPECT_EQ(back->nodes.at(0).capability.of("yarn.io/gpu"), 2);
  EXPECT_EQ(back->staged.files.at("code").type, yarn::LocalResource::Type::archive);
  EXPECT_EQ(back->staged.files.at("ydl").modified, 1700000000123);
}

TEST(YarnJob, of_a_newer_version_is_refused_by_name) {
  const auto back = yarn_job_from_json(R"({"version":99,"folder":"/x"})");
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().message, ::testing::HasSubstr("99"));
}

TEST(YarnJob, that_is_damaged_is_an_error) {
  for (const auto* text : {"", "{", "[]", "{}", R"({"version":1})", R"({"version":1,"folder":7})"})
    EXPECT_FALSE(yarn_job_from_json(text)) << text;
}

TEST(YarnJob, without_one_of_its_fields_is_refused_with_the_name_of_it) {
  const auto whole = to_json(example());
  for (const std::string key :
       {"application", "unmanaged", "user", "queue", "scheduler", "folder", "folder_url", "results", "staged", "nodes",
        "hadoop", "host", "capability", "memory_mib", "url", "modified", "public", "linked_directory"}) {
    auto text = whole;
    text.replace(text.find("\"" + key + "\":"), key.size() + 2, "\"other\"");
    const auto back = yarn_job_from_json(text);
    ASSERT_FALSE(back) << key;
    EXPECT_THAT(back.error().message, ::testing::HasSubstr("'" + key + "'"));
  }
}

TEST(YarnJob, is_written_as_before) {
  EXPECT_EQ(to_json(example()),
            R"({"version":1,"application":"application_1700000000000_0012","unmanaged":true,"user":"ann",)"
            R"("queue":"research","scheduler":"CapacityScheduler","folder":"/user/ann/.ydl/jobs/mnist-0001",)"
            R"("folder_url":"hdfs://ns/user/ann/.ydl/jobs/mnist-0001","results":"/results","staged":{"files":{)"
            R"("code":{"url":"hdfs://ns/code.tar","size":1024,"modified":5,"archive":true,"public":true},)"
            R"("ydl":{"url":"hdfs://ns/ydl","size":17,"modified":1700000000123,"archive":false,"public":false}},)"
            R"("linked_directory":"code","links":[{"target":"data-1","name":"data"}]},"nodes":[{"host":"node1",)"
            R"("port":8041,"rack":"/rack1","label":"gpu","capability":{"memory_mib":8192,"vcores":8,"yarn.io/gpu":2},)"
            R"("used":{"memory_mib":1024,"vcores":1}}],"hadoop":{"fs.defaultFS":"hdfs://ns"}})"
            "\n");
}

TEST(YarnJob, keeps_the_logs_of_an_attempt_apart) {
  EXPECT_EQ(remote_logs("/j", {{"worker", 3}, 2}), "/j/logs/worker-3/2");
}

}  // namespace
}  // namespace ydl::backend
