#include "hdfs/pipeline.hpp"

#include "hdfs/errors.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

namespace pb = hadoop::hdfs;

pb::LocatedBlockProto block_on(std::initializer_list<int> hosts) {
  pb::LocatedBlockProto block;
  for (const int host : hosts) {
    auto& id = *block.add_locs()->mutable_id();
    id.set_ipaddr("127.0.0." + std::to_string(host));
    id.set_datanodeuuid("uuid-" + std::to_string(host));
    id.set_xferport(9866);
    block.add_storageids("DS-" + std::to_string(host));
    block.add_storagetypes(host == 2 ? pb::SSD : pb::DISK);
  }
  return block;
}

TEST(Pipeline, the_first_node_gets_the_others_as_targets) {
  const Pipeline pipeline(block_on({1, 2, 3}));
  pb::OpWriteBlockProto op;
  pipeline.fill(op);
  EXPECT_EQ(op.pipelinesize(), 3U);
  EXPECT_EQ(op.storageid(), "DS-1");
  ASSERT_EQ(op.targets_size(), 2);
  EXPECT_EQ(op.targets(0).id().datanodeuuid(), "uuid-2");
  EXPECT_EQ(op.targetstoragetypes(0), pb::SSD);
  EXPECT_EQ(op.targetstorageids(1), "DS-3");
  EXPECT_EQ(op.targetpinnings_size(), 2);
}

TEST(Pipeline, a_bad_link_is_found_by_its_address) {
  const Pipeline pipeline(block_on({1, 2, 3}));
  EXPECT_EQ(pipeline.index_of("127.0.0.3:9866"), 2U);
  EXPECT_EQ(pipeline.index_of(""), 0U);
  EXPECT_EQ(pipeline.index_of("10.0.0.1:9866"), 0U);
}

TEST(Pipeline, failed_nodes_are_removed_until_none_is_left) {
  Pipeline pipeline(block_on({1, 2, 3}));
  EXPECT_TRUE(pipeline.drop(1));
  EXPECT_EQ(pipeline.names(), "127.0.0.1:9866, 127.0.0.3:9866");
  EXPECT_EQ(pipeline.storage_ids(), (std::vector<std::string>{"DS-1", "DS-3"}));
  EXPECT_TRUE(pipeline.drop(0));
  const auto none = pipeline.drop(0);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::pipeline);
  EXPECT_EQ(none.error().message,
            "all DataNodes of the pipeline failed: 127.0.0.2:9866, 127.0.0.1:9866, 127.0.0.3:9866");
}

TEST(Pipeline, a_new_node_is_found_at_any_position) {
  Pipeline pipeline(block_on({1, 2, 3}));
  EXPECT_TRUE(pipeline.drop(1));
  const auto added = pipeline.extend(block_on({1, 4, 3}));
  ASSERT_TRUE(added);
  EXPECT_EQ(*added, 1U);
  EXPECT_EQ(pipeline.size(), 3U);
  pipeline.refuse(*added);
  EXPECT_EQ(pipeline.names(), "127.0.0.1:9866, 127.0.0.3:9866");
  EXPECT_EQ(pipeline.failed().size(), 2U);
  EXPECT_FALSE(pipeline.extend(block_on({1, 3})));
}

TEST(Replacement, follows_hadoops_default_policy) {
  const ReplaceOptions normal;
  EXPECT_FALSE(should_replace(normal, {.wanted = 3, .left = 2}));
  EXPECT_TRUE(should_replace(normal, {.wanted = 3, .left = 2, .visible = true}));
  EXPECT_TRUE(should_replace(normal, {.wanted = 3, .left = 1}));
  EXPECT_FALSE(should_replace(normal, {.wanted = 2, .left = 1, .visible = true}));
  EXPECT_FALSE(should_replace(normal, {.wanted = 3, .left = 3, .visible = true}));
  EXPECT_TRUE(should_replace(normal, {.wanted = 5, .left = 2}));
  EXPECT_FALSE(should_replace(normal, {.wanted = 5, .left = 3}));
  EXPECT_FALSE(should_replace({.enabled = false}, {.wanted = 3, .left = 1}));
  EXPECT_FALSE(should_replace({.policy = ReplaceOptions::Policy::never}, {.wanted = 3, .left = 1}));
  EXPECT_TRUE(should_replace({.policy = ReplaceOptions::Policy::always}, {.wanted = 2, .left = 1}));
}

TEST(RecoveryBudget, the_sixth_repair_without_progress_is_an_error) {
  RecoveryBudget budget;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(budget.charge(7));
  EXPECT_TRUE(budget.charge(8));  // a packet got through in between
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(budget.charge(8));
  const auto over = budget.charge(8);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Errc::pipeline);
}

}  // namespace
}  // namespace ydl::hdfs
