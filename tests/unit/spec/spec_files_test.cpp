// The reader against tests/spec, the folders that tests/cli/test_schema.py holds against the JSON Schema: so that the
// two cannot drift apart.
#include "core/files.hpp"
#include "core/json.hpp"
#include "spec/job_fields.hpp"
#include "spec/parse.hpp"
#include "spec/write.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace ydl::spec {
namespace {

using Files = std::vector<std::filesystem::path>;

Files files_in(const char* folder) {
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(YDL_SPEC_FILES) / folder)) {
    files.push_back(entry.path());
  }
  EXPECT_FALSE(files.empty()) << folder;
  return files;
}

core::Result<JobSpec> parse_file(const std::filesystem::path& path) {
  const auto text = core::read_file(path);
  EXPECT_TRUE(text) << path;
  return parse_job(text.value_or(""), path.filename().string());
}

TEST(SpecFiles, valid_ones_are_read_and_survive_being_written) {
  for (const auto& path : files_in("valid")) {
    const auto job = parse_file(path);
    ASSERT_TRUE(job) << job.error().message;
    EXPECT_EQ(parse_job(to_json(*job), "again"), *job) << path;
  }
}

TEST(SpecFiles, invalid_and_refused_ones_are_refused_with_file_and_line) {
  for (const auto* folder : {"invalid", "refused"}) {
    for (const auto& path : files_in(folder)) {
      const auto job = parse_file(path);
      ASSERT_FALSE(job) << path;
      EXPECT_THAT(job.error().message, testing::MatchesRegex(path.filename().string() + ":[0-9]+: .*"));
      EXPECT_EQ(job.error().code, core::Errc::usage);
    }
  }
}

TEST(SpecFiles, the_schema_has_the_fields_of_the_tables) {
  const auto text =
      core::read_file(std::filesystem::path(YDL_SPEC_FILES) / "../../docs/schema/job-v1.schema.json").value_or("");
  const auto schema = core::parse_json_object(text);
  ASSERT_TRUE(schema);
  std::set<std::string> in_schema;
  for (const auto& [key, value] : schema->at("properties").as_object()) in_schema.emplace(key);
  std::set<std::string> in_table{"version"};
  for (const auto key : keys_of(job_fields())) in_table.emplace(key);
  in_table.erase("directory");  // of saved jobs only
  EXPECT_EQ(in_schema, in_table);
}

}  // namespace
}  // namespace ydl::spec
