#include "agent/files/save_manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

SaveManifest example() {
  return {{{"worker", 0}, 2},
          core::WallTime(core::Millis(1'700'000'000'123)),
          19,
          {{"run/model%3A1.pt", "2-18-model%3A1.pt", 5, 0644, 1'700'000'000'123'456'789, "abc"}}};
}

std::string with_file(const std::string& path, const std::string& stored) {
  auto manifest = example();
  manifest.files[0].path = path;
  manifest.files[0].stored = stored;
  return manifest.to_json();
}

TEST(SaveManifest, comes_back_as_it_was_written) {
  const auto read = SaveManifest::from_json(example().to_json());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, example());
}

TEST(SaveManifest, that_is_cut_or_of_another_version_is_refused) {
  const auto text = example().to_json();
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_FALSE(SaveManifest::from_json(std::string_view(text).substr(0, length))) << length;
  EXPECT_FALSE(SaveManifest::from_json(R"({"version":2,"task":"worker:0","attempt":1})"));
}

TEST(SaveManifest, never_leads_out_of_its_folders) {
  for (const auto* path : {"", "/etc/passwd", "../x", "a/../../x", "a//b", ".", "a/%2E%2E/b", "a%2Fb", "a%00b", "a%"})
    EXPECT_FALSE(SaveManifest::from_json(with_file(path, "1-1-x"))) << path;
  for (const auto* stored : {"", "x", "../x", "1-1-", "1-1-a/b", "0-1-x", "1-0-x", "1--x", "a-1-x", "manifest.json"})
    EXPECT_FALSE(SaveManifest::from_json(with_file("x", stored))) << stored;
  auto manifest = example();
  manifest.files.push_back(manifest.files[0]);
  EXPECT_FALSE(SaveManifest::from_json(manifest.to_json())) << "one path twice";
}

TEST(SaveManifest, names_of_saved_files_hold_attempt_number_and_the_end_of_the_name) {
  EXPECT_EQ(stored_save_name(2, 17, "run/a:b.pt"), "2-17-a%3Ab.pt");
  EXPECT_EQ(number_of_save("2-17-a-b"), (SaveNumber{2, 17}));
  const auto stored = stored_save_name(1, 1, "x" + std::string(50, 'a') + std::string(60, 'b'));
  EXPECT_EQ(stored, "1-1-" + std::string(40, 'a') + std::string(60, 'b'));
  std::string umlauts;
  for (int i = 0; i < 101; ++i) umlauts += "ä";
  EXPECT_EQ(stored_save_name(1, 1, umlauts + "x").substr(4, 2), "ä") << "no character is cut";
  EXPECT_EQ(original_path("run/a%3Ab"), "run/a:b");
}

}  // namespace
}  // namespace ydl::agent
