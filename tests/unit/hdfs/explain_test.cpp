#include "hdfs/explain.hpp"

#include "hdfs/errors.hpp"
#include "hrpc/errors.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

TEST(Explain, adds_the_location_and_the_remedy) {
  const auto error = explain(hrpc::remote_error("org.apache.hadoop.hdfs.server.namenode.SafeModeException",
                                                "Cannot create file /a. Name node is in safe mode.\n\tat Foo.bar"),
                             "creating /a");
  EXPECT_EQ(error.code, hrpc::Errc::safe_mode);
  EXPECT_TRUE(error.message.starts_with("creating /a: ")) << error.message;
  EXPECT_NE(error.message.find("safemode get"), std::string::npos) << error.message;
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
}

TEST(Explain, a_block_without_datanodes_has_a_code_and_a_remedy_of_its_own) {
  const auto error = explain(
      hrpc::remote_error("java.io.IOException", "File /a could only be written to 0 of the 1 minReplication nodes."),
      "writing /a");
  EXPECT_EQ(error.code, Errc::no_datanodes);
  EXPECT_NE(error.message.find("have free space"), std::string::npos) << error.message;
}

TEST(Explain, other_ioexceptions_are_not_changed) {
  const auto error = explain(hrpc::remote_error("java.io.IOException", "something else"), "writing /a");
  EXPECT_EQ(error.code, hrpc::Errc::remote);
  EXPECT_EQ(error.message.find("disks"), std::string::npos);
}

}  // namespace
}  // namespace ydl::hdfs
