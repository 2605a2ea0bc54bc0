#include "hconf/services.hpp"

#include "hconf/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace ydl::hconf {
namespace {

using ::testing::HasSubstr;

Config with(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  Config config([](const char*) { return std::nullopt; });
  std::vector<Property> properties;
  for (const auto& [name, value] : pairs) properties.push_back({name, value, false, "x-site.xml:1"});
  config.add(properties);
  return config;
}

template <class T>
std::string error_of(const core::Result<T>& result) {
  return result ? "" : result.error().message;
}

TEST(NameService, a_host_with_and_without_a_port) {
  const auto plain = name_service(with({}), "nn1.example.org");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->servers, std::vector<HostPort>({{"nn1.example.org", 8020}}));
  EXPECT_FALSE(plain->is_logical);
  EXPECT_EQ(plain->token_service, "");
  EXPECT_EQ(name_service(with({}), "nn1:9000")->name, "nn1:9000");
  EXPECT_EQ(name_service(with({}), "[::1]:9000")->servers[0], (HostPort{"::1", 9000}));
}

TEST(NameService, the_members_of_a_name_service_keep_their_order) {
  const auto config = with({{"fs.defaultFS", "hdfs://mycluster"},
                            {"dfs.nameservices", "other, mycluster"},
                            {"dfs.ha.namenodes.mycluster", "nn2, nn1"},
                            {"dfs.namenode.rpc-address.mycluster.nn1", "host1:8020"},
                            {"dfs.namenode.rpc-address.mycluster.nn2", "host2"}});
  const auto service = default_name_service(config);
  ASSERT_TRUE(service) << error_of(service);
  EXPECT_TRUE(service->is_logical);
  EXPECT_EQ(service->servers, std::vector<HostPort>({{"host2", 8020}, {"host1", 8020}}));
  EXPECT_EQ(service->token_service, "ha-hdfs:mycluster");
}

TEST(NameService, a_name_service_without_ha_has_one_server) {
  const auto service =
      name_service(with({{"dfs.nameservices", "ns"}, {"dfs.namenode.rpc-address.ns", "host1:9000"}}), "ns");
  ASSERT_TRUE(service) << error_of(service);
  EXPECT_EQ(service->servers, std::vector<HostPort>({{"host1", 9000}}));
}

TEST(NameService, a_missing_address_is_named) {
  EXPECT_EQ(error_of(name_service(with({{"dfs.nameservices", "ns"}, {"dfs.ha.namenodes.ns", "a"}}), "ns")),
            "dfs.namenode.rpc-address.ns.a is not set, but x-site.xml:1 needs it: add it to Hadoop's configuration");
  EXPECT_EQ(error_of(name_service(with({{"dfs.nameservices", "ns"}}), "ns")),
            "dfs.namenode.rpc-address.ns is not set, but the name service ns needs it (or dfs.ha.namenodes.ns): add it "
            "to Hadoop's configuration");
}

TEST(NameService, a_default_that_is_not_hdfs_is_an_error_with_a_remedy) {
  EXPECT_THAT(error_of(default_name_service(with({}))), HasSubstr("fs.defaultFS is 'file:///' (the defaults)"));
  EXPECT_THAT(error_of(default_name_service(with({{"fs.defaultFS", "viewfs://x/"}}))), HasSubstr("not an hdfs://"));
  EXPECT_THAT(error_of(default_name_service(with({{"fs.defaultFS", "hdfs:///"}}))),
              HasSubstr("fs.defaultFS is 'hdfs:///'"));
}

TEST(NameService, a_malformed_address_names_file_and_key) {
  EXPECT_EQ(error_of(name_service(with({{"dfs.nameservices", "ns"}, {"dfs.namenode.rpc-address.ns", "a:b:c"}}), "ns")),
            "x-site.xml:1: dfs.namenode.rpc-address.ns: 'a:b:c' is not an address of the form HOST:PORT");
}

TEST(HostPort, invalid_addresses_are_refused) {
  for (const auto* text : {"", ":80", "h:", "h:0", "h:65536", "h:x", "[::1", "[::1]x", "a b", "a/b"}) {
    EXPECT_FALSE(parse_host_port(text, 1)) << text;
  }
  EXPECT_EQ(to_string(HostPort{"::1", 80}), "[::1]:80");
}

TEST(ResourceManagers, one_is_found_by_its_host_name) {
  const auto config = with({{"yarn.resourcemanager.hostname", "rm.example.org"}});
  const auto managers = resource_managers(config);
  ASSERT_TRUE(managers) << error_of(managers);
  ASSERT_EQ(managers->size(), 1U);
  EXPECT_EQ(managers->at(0).client, (HostPort{"rm.example.org", 8032}));
  EXPECT_EQ(managers->at(0).scheduler, (HostPort{"rm.example.org", 8030}));
  EXPECT_EQ(managers->at(0).web, (HostPort{"rm.example.org", 8088}));
  EXPECT_TRUE(names_resource_manager(config));
  EXPECT_FALSE(names_resource_manager(with({})));
}

TEST(ResourceManagers, several_are_found_by_their_ids) {
  const auto managers = resource_managers(with({{"yarn.resourcemanager.ha.enabled", "true"},
                                                {"yarn.resourcemanager.ha.rm-ids", "rm1,rm2"},
                                                {"yarn.http.policy", "HTTPS_ONLY"},
                                                {"yarn.resourcemanager.hostname.rm1", "h1"},
                                                {"yarn.resourcemanager.hostname.rm2", "h2"},
                                                {"yarn.resourcemanager.address.rm2", "h2:18032"}}));
  ASSERT_TRUE(managers) << error_of(managers);
  ASSERT_EQ(managers->size(), 2U);
  EXPECT_EQ(managers->at(0).client, (HostPort{"h1", 8032}));
  EXPECT_EQ(managers->at(1).client, (HostPort{"h2", 18032}));
  EXPECT_EQ(managers->at(1).scheduler, (HostPort{"h2", 8030}));
  EXPECT_EQ(managers->at(1).web, (HostPort{"h2", 8090}));
  EXPECT_TRUE(managers->at(1).has_https);
}

TEST(ResourceManagers, a_missing_key_is_named) {
  EXPECT_THAT(error_of(resource_managers(with({{"yarn.resourcemanager.ha.enabled", "true"}}))),
              HasSubstr("yarn.resourcemanager.ha.rm-ids is not set"));
  EXPECT_THAT(error_of(resource_managers(
                  with({{"yarn.resourcemanager.ha.enabled", "true"}, {"yarn.resourcemanager.ha.rm-ids", "rm1"}}))),
              HasSubstr("yarn.resourcemanager.address.rm1 is not set, but yarn.resourcemanager.ha.rm-ids names rm1, "
                        "which needs it (or yarn.resourcemanager.hostname.rm1)"));
}

using Files = std::map<std::string, std::string>;
ReadFile reader(Files files) {
  return [files = std::move(files)](const std::filesystem::path& path) -> core::Result<std::string> {
    const auto found = files.find(path.string());
    if (found == files.end()) return core::fail(core::Errc::not_found, "cannot open " + path.string());
    if (found->second == "forbidden") return core::fail(core::Errc::io, "cannot open " + path.string() + ": forbidden");
    return found->second;
  };
}
core::Getenv environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}
constexpr const char* kOne = "<configuration><property><name>a</name><value>1</value></property></configuration>";
constexpr const char* kTwo = "<configuration><property><name>a</name><value>2</value></property></configuration>";

TEST(Load, the_first_folder_with_site_files_is_used) {
  const auto read = reader({{"/home/etc/hadoop/core-site.xml", kOne}, {"/etc/hadoop/conf/yarn-site.xml", kOne}});
  EXPECT_EQ(find_configuration(environment({{"HADOOP_HOME", "/home"}}), read).found, "/home/etc/hadoop");
  EXPECT_EQ(find_configuration(environment({}), read).found, "/etc/hadoop/conf");
  const auto search = find_configuration(environment({{"HADOOP_CONF_DIR", "/x"}}), reader({}));
  EXPECT_EQ(search.found, std::nullopt);
  EXPECT_EQ(search.looked, (std::vector<std::string>{"HADOOP_CONF_DIR=/x", "/etc/hadoop/conf"}));
}

TEST(Load, later_files_override_earlier_ones) {
  const auto config = load("/c", environment({}), reader({{"/c/core-site.xml", kOne}, {"/c/yarn-site.xml", kTwo}}));
  ASSERT_TRUE(config) << error_of(config);
  EXPECT_EQ(config->get("a"), "2");
  EXPECT_EQ(config->source_of("a"), "yarn-site.xml:1");
}

TEST(Load, a_file_that_cannot_be_read_is_an_error_and_a_missing_one_is_not) {
  EXPECT_THAT(error_of(load("/c", environment({}), reader({{"/c/core-site.xml", "forbidden"}}))),
              HasSubstr("forbidden"));
  EXPECT_THAT(error_of(load("/c", environment({}), reader({}))), HasSubstr("/c contains neither core-site.xml"));
}

}  // namespace
}  // namespace ydl::hconf
