#include "client/cluster_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace ydl::client {
namespace {

using ::testing::HasSubstr;
using Texts = std::map<std::string, std::string>;

constexpr const char* kYarnSite =
    "<configuration><property><name>yarn.resourcemanager.hostname</name><value>rm1</value></property></configuration>";

// A user's environment and the files of a machine.
struct Machine {
  Texts env;
  Texts files;

  [[nodiscard]] core::Result<ClusterChoice> choose(const ClusterRequest& request = {}) const {
    const auto getenv = [this](const char* name) -> std::optional<std::string> {
      const auto found = env.find(name);
      return found == env.end() ? std::nullopt : std::optional(found->second);
    };
    const auto read_file = [this](const std::filesystem::path& path) -> core::Result<std::string> {
      const auto found = files.find(path.string());
      if (found == files.end()) return core::fail(core::system_error(ENOENT, path.string()));
      return found->second;
    };
    return choose_cluster(request, getenv, read_file);
  }
  [[nodiscard]] std::string sentence() const { return choose()->sentence; }
};

TEST(ChooseCluster, without_hadoop_a_job_runs_here_and_says_where_it_looked) {
  EXPECT_EQ(Machine{}.choose()->cluster, core::ClusterKind::local);
  EXPECT_EQ(Machine{}.sentence(),
            "runs on this machine: no Hadoop configuration in HADOOP_CONF_DIR (not set), /etc/hadoop/conf");
  EXPECT_EQ((Machine{{{"HADOOP_CONF_DIR", "/c"}, {"HADOOP_HOME", "/h"}}, {}}.sentence()),
            "runs on this machine: no Hadoop configuration in HADOOP_CONF_DIR=/c, /h/etc/hadoop, /etc/hadoop/conf");
}

TEST(ChooseCluster, a_configured_cluster_is_used_and_named) {
  const auto found = [](Texts env, const std::string& folder) {
    return *Machine{std::move(env), {{folder + "/yarn-site.xml", kYarnSite}}}.choose();
  };
  const auto where = found({{"HADOOP_CONF_DIR", "/c"}}, "/c");
  EXPECT_EQ(where.cluster, core::ClusterKind::yarn);
  EXPECT_EQ(where.sentence, "runs on YARN, ResourceManager rm1:8032 (from /c)");
  ASSERT_TRUE(where.hadoop);
  EXPECT_EQ(where.hadoop->get_trimmed("yarn.resourcemanager.hostname"), "rm1");
  EXPECT_THAT(found({{"HADOOP_HOME", "/h"}}, "/h/etc/hadoop").sentence, HasSubstr("(from /h/etc/hadoop)"));
  EXPECT_THAT(found({}, "/etc/hadoop/conf").sentence, HasSubstr("(from /etc/hadoop/conf)"));
}

TEST(ChooseCluster, the_users_own_configuration_comes_first) {
  const Machine machine{{{"HADOOP_CONF_DIR", "/c"}},
                        {{"/c/yarn-site.xml", kYarnSite}, {"/etc/hadoop/conf/yarn-site.xml", kYarnSite}}};
  EXPECT_THAT(machine.sentence(), HasSubstr("(from /c)"));
}

TEST(ChooseCluster, a_configuration_without_a_resource_manager_does_not_count) {
  const Machine machine{{{"HADOOP_CONF_DIR", "/c"}}, {{"/c/yarn-site.xml", "<configuration/>"}}};
  EXPECT_THAT(machine.sentence(), HasSubstr("no Hadoop configuration in HADOOP_CONF_DIR=/c"));
}

TEST(ChooseCluster, a_configuration_that_cannot_be_read_is_an_error_and_no_local_run) {
  const Machine machine{{{"HADOOP_CONF_DIR", "/c"}}, {{"/c/yarn-site.xml", "<configuration"}}};
  const auto chosen = machine.choose();
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().message, HasSubstr("/c/yarn-site.xml"));
}

TEST(ChooseCluster, an_empty_variable_is_not_a_folder) {
  const Machine machine{{{"HADOOP_CONF_DIR", ""}}, {{"/yarn-site.xml", kYarnSite}}};
  EXPECT_THAT(machine.sentence(), HasSubstr("no Hadoop configuration"));
}

TEST(ChooseCluster, local_means_local_whatever_is_configured) {
  const Machine machine{{}, {{"/etc/hadoop/conf/yarn-site.xml", kYarnSite}}};
  EXPECT_EQ(machine.choose({.cluster = core::ClusterKind::local, .cluster_only = {}})->cluster,
            core::ClusterKind::local);
  EXPECT_EQ(machine.choose({.cluster = core::ClusterKind::local, .cluster_only = {}})->sentence,
            "runs on this machine: --cluster local");
}

TEST(ChooseCluster, a_resource_manager_named_on_the_command_line_will_do) {
  const auto where = Machine{}.choose({.resource_manager = "192.168.1.1", .cluster_only = {"-hip"}});
  ASSERT_TRUE(where);
  EXPECT_EQ(
      where->sentence,
      "runs on YARN, ResourceManager 192.168.1.1:8032 (from -hip), HDFS hdfs://192.168.1.1:8020 (a guess; name it "
      "with --default-fs hdfs://HOST:PORT)");
  EXPECT_EQ(where->hadoop->get_trimmed("fs.defaultFS"), "hdfs://192.168.1.1:8020");
  EXPECT_EQ(where->guessed_fs, "hdfs://192.168.1.1:8020");
}

TEST(ChooseCluster, an_error_of_a_file_system_that_was_guessed_names_the_guess) {
  const auto choice = *Machine{}.choose({.resource_manager = "rm1", .cluster_only = {"-hip"}});
  const core::Error refused{make_error_code(core::Errc::unavailable), "rm1:8020: Connection refused"};
  EXPECT_EQ(with_guess(refused, choice).message,
            "rm1:8020: Connection refused; hdfs://rm1:8020 is a guess from -hip, name the right one with --default-fs "
            "hdfs://HOST:PORT");
  const core::Error other{make_error_code(core::Errc::unavailable), "rm1:8032: Connection refused"};
  EXPECT_EQ(with_guess(other, choice).message, other.message) << "the ResourceManager was not guessed";
}

TEST(ChooseCluster, a_file_system_that_is_named_is_not_guessed) {
  const auto where =
      Machine{}.choose({.resource_manager = "rm1", .default_fs = "hdfs://nn1:9000", .cluster_only = {"-hip"}});
  ASSERT_TRUE(where);
  EXPECT_EQ(where->sentence, "runs on YARN, ResourceManager rm1:8032 (from -hip)");
  EXPECT_EQ(where->hadoop->get_trimmed("fs.defaultFS"), "hdfs://nn1:9000");
  EXPECT_EQ(where->guessed_fs, "");
  const Machine configured{{{"HADOOP_CONF_DIR", "/c"}}, {{"/c/yarn-site.xml", kYarnSite}}};
  EXPECT_EQ(
      configured.choose({.default_fs = "hdfs://nn1:9000", .cluster_only = {}})->hadoop->get_trimmed("fs.defaultFS"),
      "hdfs://nn1:9000");
}

TEST(ChooseCluster, a_cluster_that_is_wanted_and_not_configured_is_an_error_that_says_where_it_looked) {
  const auto chosen = Machine{}.choose({.cluster = core::ClusterKind::yarn, .cluster_only = {}});
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, core::Errc::usage);
  EXPECT_THAT(chosen.error().message, HasSubstr("HADOOP_CONF_DIR (not set), /etc/hadoop/conf"));
}

TEST(ChooseCluster, clusters_that_this_version_cannot_use_are_refused) {
  const auto chosen = Machine{}.choose({.cluster = core::Named<core::ClusterKind>::parse("ssh"), .cluster_only = {}});
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, core::Errc::usage);
  EXPECT_THAT(chosen.error().message, HasSubstr("--cluster ssh"));
}

TEST(ChooseCluster, options_for_clusters_are_never_dropped_silently) {
  const auto chosen = Machine{}.choose({.cluster = core::ClusterKind::local, .cluster_only = {"-hip"}});
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, core::Errc::usage);
  EXPECT_EQ(chosen.error().message,
            "-hip only makes sense on a cluster, and the job would run on this machine (--cluster local); remove it");
  EXPECT_THAT((Machine{}.choose({.cluster_only = {"--am", "--queue"}}).error().message),
              HasSubstr("--am, --queue only make sense on a cluster"));
}

}  // namespace
}  // namespace ydl::client
