#include "client/env/default_env.hpp"

#include <gtest/gtest.h>

namespace ydl::client {
namespace {

spec::JobSpec mxnet_job(std::vector<std::string> command) {
  spec::JobSpec job;
  job.framework = "mxnet";
  job.command = std::move(command);
  for (const auto* name : {"worker", "server"}) job.roles.emplace_back().name = name;
  return job;
}

TEST(DefaultEnv, is_uploaded_with_a_script_of_mxnet) {
  EXPECT_TRUE(default_env_of(mxnet_job({"train.py", "--lr", "1"})));
  EXPECT_TRUE(default_env_of(mxnet_job({"python", "train.py"})));
}

TEST(DefaultEnv, stays_at_home_where_the_job_names_a_python) {
  auto job = mxnet_job({"train.py"});
  job.python = "python3";
  EXPECT_FALSE(default_env_of(job));
  job.python.reset();
  job.python_env = "requirements.txt";
  EXPECT_FALSE(default_env_of(job));
  job.python_env.reset();
  job.image.emplace();
  EXPECT_FALSE(default_env_of(job));
}

TEST(DefaultEnv, stays_at_home_where_no_python_runs) {
  EXPECT_FALSE(default_env_of(mxnet_job({"./train_native"})));
}

TEST(DefaultEnv, is_looked_for_in_every_role) {
  auto job = mxnet_job({"./train_native"});
  job.roles.back().command = {"python", "serve.py"};
  EXPECT_TRUE(default_env_of(job));
}

TEST(DefaultEnv, is_mxnets_alone) {
  auto job = mxnet_job({"train.py"});
  job.framework = "pytorch";
  EXPECT_FALSE(default_env_of(job));
}

}  // namespace
}  // namespace ydl::client
