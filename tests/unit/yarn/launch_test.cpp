#include "core/files.hpp"
#include "yarn/image_runtime.hpp"
#include "yarn/launch_context.hpp"
#include "yarn/launch_quoting.hpp"
#include "yarn/proto/applications.pb.h"
#include "yarn/proto/records.pb.h"
#include "yarn/submission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

namespace pb = hadoop::yarn;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// tests/process/launch_script_test.cpp tests the quoting with a real shell.
TEST(LaunchQuoting, values_are_escaped_once_and_hidden_from_the_node_manager) {
  EXPECT_EQ(quote_environment_value("plain").value(), "plain");
  EXPECT_EQ(quote_environment_value(R"(a"b$c`d\e)").value(), R"(a\"b\$c\`d\\e)");
  EXPECT_EQ(quote_environment_value("{{PWD}}").value(), R"({""{PWD}""})");
  EXPECT_EQ(quote_environment_value("<LOG_DIR>").value(), R"(<""LOG_DIR>)");
}

TEST(LaunchQuoting, words_of_a_command_are_escaped_for_two_shells) {
  const std::vector<std::string> words{"echo", "it's $HOME", "{{X}}"};
  EXPECT_EQ(quote_command(words).value(), R"('echo' 'it'\\''s \$HOME' '{''{X}''}')");
}

TEST(LaunchQuoting, bytes_that_cannot_be_passed_are_refused_with_a_remedy) {
  for (const std::string& bytes : {std::string("\xff"), std::string("a\0b", 3), std::string("\xc3")}) {
    const auto quoted = quote_environment_value(bytes);
    ASSERT_FALSE(quoted);
    EXPECT_THAT(quoted.error().message, HasSubstr("base64"));
    const std::vector<std::string> words{bytes};
    EXPECT_FALSE(quote_command(words));
  }
}

TEST(Launch, a_command_writes_to_the_containers_log_folder) {
  const auto context = launch_context({.command = {"/bin/true"}}).value();
  EXPECT_THAT(context.command(), ElementsAre("exec '/bin/true' 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr"));
  EXPECT_FALSE(context.has_tokens());
}

TEST(Launch, the_configuration_for_renewing_tokens_is_sent_if_there_is_one) {
  EXPECT_FALSE(launch_context({.command = {"/bin/true"}}).value().has_tokens_conf());
  const auto context = launch_context({.command = {"/bin/true"}, .renewal_configuration = "bytes"}).value();
  EXPECT_EQ(context.tokens_conf(), "bytes");
  EXPECT_EQ(pb::ContainerLaunchContextProto::kTokensConfFieldNumber, 8);
}

TEST(Launch, variables_are_quoted_unless_the_node_manager_should_expand_them) {
  const auto context =
      launch_context({.environment = {{"A", "$x"}}, .expanded_environment = {{"B", "{{PWD}}/lib"}}}).value();
  std::map<std::string, std::string> variables;
  for (const auto& entry : context.environment()) variables[entry.key()] = entry.value();
  EXPECT_THAT(variables, UnorderedElementsAre(Pair("A", R"(\$x)"), Pair("B", "{{PWD}}/lib")));
}

TEST(Launch, an_invalid_variable_name_is_an_error) {
  for (const auto* name : {"", "1A", "A-B", "A B", "A=B", "A\nB"}) {
    EXPECT_FALSE(launch_context({.environment = {{name, "x"}}})) << name;
  }
}

TEST(Launch, a_variable_that_cannot_be_passed_is_named) {
  const auto context = launch_context({.environment = {{"GREETING", "\xff"}}});
  ASSERT_FALSE(context);
  EXPECT_THAT(context.error().message, HasSubstr("GREETING"));
}

TEST(Launch, urls_are_parsed_like_in_hadoop) {
  const auto url_of = [](std::string url) {
    return launch_context({.files = {{"x", {.url = std::move(url)}}}}).value().localresources(0).value().resource();
  };
  const auto logical = url_of("hdfs://ns/a/b c");
  EXPECT_EQ(logical.scheme(), "hdfs");
  EXPECT_EQ(logical.host(), "ns");
  EXPECT_EQ(logical.port(), -1);
  EXPECT_EQ(logical.file(), "/a/b c");
  EXPECT_EQ(url_of("hdfs://nn:8020/a").port(), 8020);
  EXPECT_EQ(url_of("hdfs://[::1]:8020/a").host(), "[::1]");
  EXPECT_EQ(url_of("hdfs://[::1]/a").port(), -1);
  EXPECT_EQ(url_of("s3a://key@bucket/a").userinfo(), "key");
  EXPECT_FALSE(url_of("file:///a").has_host());
}

TEST(Launch, files_with_invalid_urls_or_outside_the_directory_are_refused) {
  for (const auto* url : {"", "/a", "hdfs:/a", "://x/a", "hdfs://nn", "hdfs://nn:x/a", "hdfs://nn:99999/a"}) {
    EXPECT_FALSE(launch_context({.files = {{"x", {.url = url}}}})) << url;
  }
  for (const auto* name : {"", "/etc/passwd", "../x", "a/../../x", "a//b"}) {
    EXPECT_FALSE(launch_context({.files = {{name, {.url = "hdfs://ns/a"}}}})) << name;
  }
  EXPECT_TRUE(launch_context({.files = {{"lib/x.so", {.url = "hdfs://ns/a"}}}}));
}

TEST(Launch, files_have_time_size_type_and_visibility) {
  const auto context = launch_context({.files = {{"env",
                                                  {.url = "hdfs://ns/cache/env.tar.gz",
                                                   .size = 7,
                                                   .modified = 1700000000123,
                                                   .type = LocalResource::Type::archive,
                                                   .visibility = LocalResource::Visibility::everybody}}}})
                           .value();
  const auto& file = context.localresources(0).value();
  EXPECT_EQ(file.timestamp(), 1700000000123);
  EXPECT_EQ(file.size(), 7);
  EXPECT_EQ(file.type(), pb::ARCHIVE);
  EXPECT_EQ(file.visibility(), pb::PUBLIC);
}

TEST(Launch, credentials_are_sent_in_the_format_that_every_node_manager_reads) {
  Launch launch;
  launch.credentials.secrets["ydl"] = "s3cr3t";
  const auto context = launch_context(launch).value();
  EXPECT_EQ(context.tokens().substr(0, 5), std::string("HDTS\0", 5));
  EXPECT_EQ(decode_credentials(context.tokens()).value(), launch.credentials);
}

TEST(ImageRuntime, has_variables_for_image_mounts_network_and_start) {
  const auto variables = runtime_variables({.image = "library/python:3.11",
                                            .mounts = {{"/data", "/data"}, {"/scratch", "/tmp/x", false}},
                                            .network = "host",
                                            .start = ImageRuntime::Start::entry_point})
                             .value();
  EXPECT_THAT(variables,
              UnorderedElementsAre(Pair("YARN_CONTAINER_RUNTIME_TYPE", "docker"),
                                   Pair("YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "library/python:3.11"),
                                   Pair("YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", "/data:/data:ro,/scratch:/tmp/x:rw"),
                                   Pair("YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK", "host"),
                                   Pair("YARN_CONTAINER_RUNTIME_DOCKER_RUN_OVERRIDE_DISABLE", "true")));
}

// There is no shell to interpret quotes, and no links to the files.
TEST(Launch, an_entry_point_gets_plain_words_and_mounted_files) {
  Launch launch{.command = {"/ydl/ydl", "__agent", "--id", "x"}, .environment = {{"A", "b c"}}};
  launch.files = {{"ydl", {.url = "hdfs://ns/ydl"}}};
  launch.image = {.image = "python:3",
                  .mounts = {{.source = "/data", .target = "/data"}},
                  .start = ImageRuntime::Start::entry_point};
  launch.expanded_environment = {{"LOGS", "<LOG_DIR>"}};
  const auto context = launch_context(launch).value();
  EXPECT_THAT(context.command(), ElementsAre("/ydl/ydl", "__agent", "--id", "x"));
  std::map<std::string, std::string> variables;
  for (const auto& entry : context.environment()) variables[entry.key()] = entry.value();
  EXPECT_EQ(variables["A"], "b c");
  EXPECT_EQ(variables["LOGS"], "<LOG_DIR>");
  EXPECT_EQ(variables["YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS"], "/data:/data:ro,ydl:/ydl/ydl:ro");
  EXPECT_EQ(variables["YARN_CONTAINER_RUNTIME_DOCKER_RUN_OVERRIDE_DISABLE"], "true");
}

TEST(Launch, values_that_cannot_be_passed_to_an_entry_point_are_refused) {
  for (const auto* word : {"a,b", "a\nb", "$HOME", "a\"b", "{{PWD}}", "<LOG_DIR>", "\xff"}) {
    Launch launch{.command = {word}};
    EXPECT_TRUE(launch_context(launch) || std::string_view(word) == "\xff") << word;
    launch.image = {.image = "python:3", .start = ImageRuntime::Start::entry_point};
    EXPECT_FALSE(launch_context(launch)) << word;
    launch.command = {"true"};
    launch.environment = {{"A", word}};
    EXPECT_FALSE(launch_context(launch)) << word;
  }
}

TEST(Launch, a_script_in_an_image_works_as_without_an_image) {
  Launch launch{.command = {"./ydl"}};
  launch.files = {{"ydl", {.url = "hdfs://ns/ydl"}}};
  launch.image = {.image = "python:3"};
  const auto context = launch_context(launch).value();
  EXPECT_THAT(context.command(), ElementsAre(HasSubstr("exec './ydl' 1>")));
  for (const auto& entry : context.environment()) EXPECT_NE(entry.key(), "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS");
}

TEST(ImageRuntime, values_that_cannot_be_encoded_are_refused) {
  for (const auto* image : {"", "a b", "a\"b", "a$b", "a\nb"})
    EXPECT_FALSE(runtime_variables({.image = image})) << image;
  for (const auto& mount :
       {ImageRuntime::Mount{"/a,b", "/a"}, ImageRuntime::Mount{"/a", "/b:c"}, ImageRuntime::Mount{"/a", "relative"},
        ImageRuntime::Mount{"", "/a"}, ImageRuntime::Mount{"/a$b", "/a"}}) {
    EXPECT_FALSE(runtime_variables({.image = "x", .mounts = {mount}})) << mount.source;
  }
}

TEST(Submission, requests_the_master_with_its_own_label) {
  const auto context = submission_context({.id = {1, 2},
                                           .name = "job",
                                           .master_resource = {.memory_mib = 256, .vcores = 1},
                                           .master_label = "cpu",
                                           .keep_containers = true,
                                           .failures_validity = core::Millis(10'000),
                                           .lifetime = core::Seconds(3600)})
                           .value();
  ASSERT_EQ(context.am_container_resource_request_size(), 1);
  const auto& request = context.am_container_resource_request(0);
  EXPECT_EQ(request.resource_name(), "*");
  EXPECT_EQ(request.node_label_expression(), "cpu");
  EXPECT_EQ(request.capability().memory(), 256);
  EXPECT_FALSE(context.has_node_label_expression());
  EXPECT_EQ(context.application_timeouts(0).timeout(), 3600);
  EXPECT_EQ(context.attempt_failures_validity_interval(), 10'000);
  EXPECT_TRUE(context.keep_containers_across_application_attempts());
}

TEST(Submission, values_that_the_resource_manager_would_refuse_or_truncate_are_refused) {
  EXPECT_FALSE(submission_context({.name = "x", .type = "a type of 21 letters."}));
  EXPECT_FALSE(submission_context({.name = "x", .tags = std::vector<std::string>(11, "t")}));
  for (const auto* tag : {"", "Upper", "two words", "comma,", "\xc3\xa9"}) {
    EXPECT_FALSE(submission_context({.name = "x", .tags = {tag}})) << tag;
  }
  EXPECT_FALSE(submission_context({.name = "x", .tags = {std::string(101, 't')}}));
  EXPECT_TRUE(submission_context({.name = "x", .tags = {std::string(100, 't')}}));
}

}  // namespace
}  // namespace ydl::yarn
