#include "client/yarn/remote_job.hpp"

#include <gtest/gtest.h>

namespace ydl::client {
namespace {

TEST(RemoteJob, the_tag_of_a_job_is_its_id) {
  EXPECT_EQ(job_id_of({"ydl", "train-03fa"}), "train-03fa");
  EXPECT_EQ(job_id_of({"nightly", "train-03fa", "ydl"}), "train-03fa");
}

TEST(RemoteJob, a_tag_that_is_not_an_id_never_becomes_a_folder) {
  EXPECT_EQ(job_id_of({"ydl", "../../etc"}), std::nullopt);
  EXPECT_EQ(job_id_of({"ydl", "/tmp/x-03fa"}), std::nullopt);
  EXPECT_EQ(job_id_of({"ydl", ".."}), std::nullopt);
  EXPECT_EQ(job_id_of({"ydl", ""}), std::nullopt);
  EXPECT_EQ(job_id_of({"ydl"}), std::nullopt);
  EXPECT_EQ(job_id_of({"train-03fa"}), std::nullopt) << "another program's application";
}

}  // namespace
}  // namespace ydl::client
