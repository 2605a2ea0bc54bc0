#include "hconf/site_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace ydl::hconf {
namespace {

using ::testing::HasSubstr;

using Files = std::map<std::string, std::string>;

ReadFile reader(Files files) {
  return [files = std::move(files)](const std::filesystem::path& path) -> core::Result<std::string> {
    const auto found = files.find(path.lexically_normal().string());
    if (found == files.end()) return core::fail(core::Errc::not_found, "cannot open " + path.string());
    return found->second;
  };
}

core::Result<std::vector<Property>> parse(const std::string& body, Files files = {}) {
  return parse_site_file("/conf/core-site.xml",
                         "<?xml version=\"1.0\"?>\n<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">" +
                             body + "</configuration>\n",
                         reader(std::move(files)));
}

std::vector<std::string> pairs(const core::Result<std::vector<Property>>& properties) {
  if (!properties) return {"error: " + properties.error().message};
  std::vector<std::string> found;
  for (const auto& property : *properties) found.push_back(property.name + "=" + property.value);
  return found;
}

using Pairs = std::vector<std::string>;

TEST(SiteFile, properties_keep_their_order_and_line_numbers) {
  const auto properties = parse(R"(
  <property><name> a.b </name><value> one two </value></property>
  <property>
    <name>c</name>
    <value>x</value>
    <final>true</final>
    <description>words</description>
  </property>)");
  ASSERT_TRUE(properties) << properties.error().message;
  EXPECT_EQ(*properties, (std::vector<Property>{{"a.b", " one two ", false, "core-site.xml:3"},
                                                {"c", "x", true, "core-site.xml:4"}}));
}

TEST(SiteFile, a_property_may_be_written_with_attributes) {
  EXPECT_EQ(parse(R"(<property name="a" value="1" final="true"/>)")->at(0),
            (Property{"a", "1", true, "core-site.xml:2"}));
}

TEST(SiteFile, a_property_without_a_value_is_ignored) {
  EXPECT_EQ(pairs(parse("<property><name>a</name></property><property><name>b</name><value></value></property>"
                        "<property><value>x</value></property><property><name>c</name><value>1</value></property>")),
            Pairs{"c=1"});
}

TEST(SiteFile, character_data_entities_and_comments) {
  EXPECT_EQ(pairs(parse("<property><name>a</name><value><![CDATA[<x>&]]>&lt;<!-- c -->&#65;</value></property>")),
            Pairs{"a=<x>&<A"});
}

TEST(SiteFile, unknown_elements_are_ignored) {
  EXPECT_EQ(
      pairs(parse("<other><name>no</name></other><property><name>a</name><value>1</value><tag>x</tag></property>")),
      Pairs{"a=1"});
}

TEST(SiteFile, an_included_file_is_inserted_at_the_include) {
  const Files files{
      {"/conf/more/x.xml", "<configuration><property><name>b</name><value>2</value></property></configuration>"}};
  EXPECT_EQ(pairs(parse(R"(<property><name>a</name><value>1</value></property><xi:include href="more/x.xml"/>
                           <property><name>c</name><value>3</value></property>)",
                        files)),
            (Pairs{"a=1", "b=2", "c=3"}));
}

TEST(SiteFile, a_missing_include_without_a_fallback_is_an_error) {
  EXPECT_EQ(pairs(parse(R"(<xi:include href="gone.xml"/>)")),
            Pairs{"error: /conf/core-site.xml:2: cannot open /conf/gone.xml"});
  const std::string body = R"(<xi:include href="x.xml"><xi:fallback>
      <property><name>b</name><value>fallback</value></property></xi:fallback></xi:include>
      <property><name>c</name><value>3</value></property>)";
  EXPECT_EQ(pairs(parse(body)), (Pairs{"b=fallback", "c=3"}));
  EXPECT_EQ(pairs(parse(body, {{"/conf/x.xml", "<configuration/>"}})), Pairs{"c=3"});
}

TEST(SiteFile, a_cycle_of_includes_is_an_error) {
  const Files files{
      {"/conf/core-site.xml",
       R"(<configuration xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="core-site.xml"/></configuration>)"}};
  EXPECT_THAT(pairs(parse(R"(<xi:include href="core-site.xml"/>)", files)).at(0), HasSubstr("include each other"));
}

TEST(SiteFile, an_error_within_an_include_names_that_file) {
  EXPECT_THAT(pairs(parse(R"(<xi:include href="x.xml"/>)", {{"/conf/x.xml", "<configuration>\n<oops"}})).at(0),
              HasSubstr("/conf/x.xml:2: this is not valid XML"));
}

TEST(SiteFile, a_file_of_another_kind_is_refused) {
  for (const auto* text :
       {"", "x", "<configuration>", "<a></b>", "<properties/>", "<configuration/><configuration/>"}) {
    const auto properties = parse_site_file("/x.xml", text, reader({}));
    ASSERT_FALSE(properties) << text;
    EXPECT_EQ(properties.error().code, core::Errc::corrupt);
    EXPECT_THAT(properties.error().message, HasSubstr("/x.xml:"));
  }
}

TEST(SiteFile, entities_that_the_file_defines_are_expanded) {
  const auto properties = parse_site_file("/x.xml",
                                          R"(<!DOCTYPE configuration [<!ENTITY host "nn1">]>
<configuration><property><name>a</name><value>&host;:8020</value></property></configuration>)",
                                          reader({}));
  EXPECT_EQ(pairs(properties), Pairs{"a=nn1:8020"});
}

TEST(SiteFile, the_expansion_of_entities_is_limited) {
  std::string bomb = "<!DOCTYPE configuration [<!ENTITY e0 \"" + std::string(100, 'x') + "\">";
  for (int i = 1; i < 10; ++i) {
    bomb += "<!ENTITY e" + std::to_string(i) + " \"";
    for (int j = 0; j < 10; ++j) bomb += "&e" + std::to_string(i - 1) + ";";
    bomb += "\">";
  }
  bomb += "]><configuration><property><name>a</name><value>&e9;</value></property></configuration>";
  const auto properties = parse_site_file("/x.xml", bomb, reader({}));
  ASSERT_FALSE(properties);
  EXPECT_EQ(properties.error().code, core::Errc::corrupt);
}

TEST(SiteFile, external_entities_are_not_read) {
  const auto properties = parse_site_file("/x.xml",
                                          R"(<!DOCTYPE configuration [<!ENTITY secret SYSTEM "file:///etc/passwd">]>
<configuration><property><name>a</name><value>x&secret;</value></property></configuration>)",
                                          reader({}));
  EXPECT_EQ(pairs(properties), Pairs{"a=x"});
}

}  // namespace
}  // namespace ydl::hconf
