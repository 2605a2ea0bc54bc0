#include "cli/where.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace ydl::cli {
namespace {

using ::testing::HasSubstr;
using Texts = std::map<std::string, std::string>;

constexpr const char* kYarnSite = "<name>yarn.resourcemanager.hostname</name><value>rm1</value>";

// A user's environment and the files of a machine.
struct Machine {
  Texts env;
  Texts files;

  [[nodiscard]] core::Result<Where> choose(const std::string& wanted = "auto",
                                           const std::vector<std::string>& cluster_only = {}) const {
    const auto getenv = [this](const char* name) -> std::optional<std::string> {
      const auto found = env.find(name);
      return found == env.end() ? std::nullopt : std::optional(found->second);
    };
    const auto read_file = [this](const std::string& path) -> core::Result<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return core::fail(core::Errc::not_found, path);
      return found->second;
    };
    return choose_cluster(wanted, cluster_only, getenv, read_file);
  }
  [[nodiscard]] std::string sentence() const { return choose()->sentence; }
};

TEST(ChooseCluster, without_hadoop_a_job_runs_here_and_says_where_it_looked) {
  EXPECT_EQ(Machine{}.choose()->cluster, "local");
  EXPECT_EQ(Machine{}.sentence(),
            "runs on this machine: no Hadoop configuration in HADOOP_CONF_DIR (not set), /etc/hadoop/conf");
  EXPECT_EQ((Machine{{{"HADOOP_CONF_DIR", "/c"}, {"HADOOP_HOME", "/h"}}, {}}.sentence()),
            "runs on this machine: no Hadoop configuration in HADOOP_CONF_DIR=/c, /h/etc/hadoop, /etc/hadoop/conf");
}

TEST(ChooseCluster, a_configured_cluster_is_named) {
  const auto found = [](Texts env, const std::string& folder) {
    return Machine{std::move(env), {{folder + "/yarn-site.xml", kYarnSite}}}.sentence();
  };
  EXPECT_THAT(found({{"HADOOP_CONF_DIR", "/c"}}, "/c"), HasSubstr("/c names a YARN cluster"));
  EXPECT_THAT(found({{"HADOOP_HOME", "/h"}}, "/h/etc/hadoop"), HasSubstr("/h/etc/hadoop names a YARN cluster"));
  EXPECT_THAT(found({}, "/etc/hadoop/conf"), HasSubstr("/etc/hadoop/conf names a YARN cluster"));
}

TEST(ChooseCluster, the_users_own_configuration_comes_first) {
  const Machine machine{{{"HADOOP_CONF_DIR", "/c"}},
                        {{"/c/yarn-site.xml", kYarnSite}, {"/etc/hadoop/conf/yarn-site.xml", kYarnSite}}};
  EXPECT_THAT(machine.sentence(), HasSubstr("/c names a YARN cluster"));
}

TEST(ChooseCluster, a_configuration_without_a_resource_manager_does_not_count) {
  const Machine machine{{{"HADOOP_CONF_DIR", "/c"}}, {{"/c/yarn-site.xml", "<configuration/>"}}};
  EXPECT_THAT(machine.sentence(), HasSubstr("no Hadoop configuration in HADOOP_CONF_DIR=/c"));
}

TEST(ChooseCluster, an_empty_variable_is_no_folder) {
  const Machine machine{{{"HADOOP_CONF_DIR", ""}}, {{"/yarn-site.xml", kYarnSite}}};
  EXPECT_THAT(machine.sentence(), HasSubstr("no Hadoop configuration"));
}

TEST(ChooseCluster, local_means_local_whatever_is_configured) {
  const Machine machine{{}, {{"/etc/hadoop/conf/yarn-site.xml", kYarnSite}}};
  EXPECT_EQ(machine.choose("local")->cluster, "local");
  EXPECT_EQ(machine.choose("local")->sentence, "runs on this machine: --cluster local");
}

TEST(ChooseCluster, clusters_that_this_version_cannot_use_are_refused) {
  for (const auto* wanted : {"yarn", "ssh"}) {
    const auto chosen = Machine{}.choose(wanted);
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.error().code, core::Errc::usage);
    EXPECT_THAT(chosen.error().message, HasSubstr(std::string("--cluster ") + wanted));
  }
}

TEST(ChooseCluster, options_for_clusters_are_never_dropped_without_a_word) {
  for (const auto* wanted : {"auto", "local"}) {
    const auto chosen = Machine{}.choose(wanted, {"-hip"});
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.error().code, core::Errc::usage);
    EXPECT_EQ(chosen.error().message,
              "-hip only makes sense on a cluster, and the job would run on this machine: leave it out");
  }
  EXPECT_EQ(Machine{}.choose("auto", {"-hip", "--queue"}).error().message,
            "-hip, --queue only make sense on a cluster, and the job would run on this machine: leave them out");
}

}  // namespace
}  // namespace ydl::cli
