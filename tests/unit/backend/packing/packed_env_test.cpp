#include "backend/packing/elf_file.hpp"
#include "backend/packing/native_libraries.hpp"
#include "backend/packing/packed_folder.hpp"
#include "backend/packing/python_env.hpp"
#include "core/files.hpp"
#include "support/temp_dir.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::backend {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  ASSERT_TRUE(core::write_file_atomically(path, text));
}

std::vector<std::string> names(const FileTree& tree) {
  std::vector<std::string> names;
  for (const auto& entry : tree.entries) names.push_back(entry.tar.name);
  return names;
}

TEST(EnvironmentTree, a_virtual_environment_takes_its_interpreter_along) {
  const test::TempDir dir;
  const auto base = dir.path() / "usr";
  write(base / "bin/python3.11", "elf");
  write(base / "lib/libpython3.11.so.1.0", "");
  write(base / "lib/python3.11/os.py", "");
  write(base / "lib/python3.11/test/test_os.py", "");
  write(base / "lib/python3.11/dist-packages/not_ours.py", "");
  const auto venv = dir.path() / "venv";
  write(venv / "lib/python3.11/site-packages/numpy/__init__.py", "");
  write(venv / "bin/tool", "#!" + (venv / "bin/python3").string() + "\nimport numpy\n");
  write(venv / "bin/other", "#!/usr/bin/python3\n");
  const PythonEnv environment{.folder = venv,
                              .base = BasePython{.executable = base / "bin/python3.11",
                                                 .library = base / "lib/python3.11",
                                                 .library_name = "lib/python3.11",
                                                 .packages = {venv / "lib/python3.11/site-packages"},
                                                 .shared_code = base / "lib/libpython3.11.so.1.0"}};
  const auto made = environment_tree(environment);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(
      names(made->tree),
      ElementsAre("bin/python", "bin/python-itself", "bin/python3", "bin/tool", "lib/python3.11/dist-packages",
                  "lib/python3.11/os.py", "lib/python3.11/site-packages",
                  "lib/python3.11/site-packages/_ydl_environment.py", "lib/python3.11/site-packages/numpy",
                  "lib/python3.11/site-packages/numpy/__init__.py", "lib/python3.11/site-packages/ydl_environment.pth",
                  "lib/ydl-libraries/libpython3.11.so.1.0"));
  EXPECT_THAT(made->tree.entries[3].text.value_or(""), HasSubstr("import numpy")) << "a script gets a new first line";
}

TEST(Elf, this_program_is_read) {
  const auto elf = read_elf("/proc/self/exe");
  ASSERT_TRUE(elf);
  EXPECT_TRUE(elf->is_64_bit);
  EXPECT_NE(elf->machine, 0);
  EXPECT_THAT(elf->needed, Contains("libc.so.6"));
  EXPECT_THAT(elf->glibc, HasSubstr("2."));
}

TEST(Elf, a_file_that_is_cut_anywhere_is_not_an_error) {
  const test::TempDir dir;
  const auto whole = core::read_file("/bin/sh", 8 << 20U).value();
  for (std::size_t size = 0; size < whole.size(); size += size < 2000 ? 37 : 9973) {
    write(dir.path() / "cut", std::string_view(whole).substr(0, size));
    (void)read_elf(dir.path() / "cut");
  }
  EXPECT_FALSE(read_elf(dir.path() / "missing"));
  EXPECT_FALSE(read_elf(dir.path()));
}

TEST(Elf, versions_are_compared_as_numbers) {
  EXPECT_EQ(newer_glibc("2.9", "2.17"), "2.17");
  EXPECT_EQ(newer_glibc("", "2.2.5"), "2.2.5");
  EXPECT_EQ(newer_glibc("2.36", "2.17"), "2.36");
}

TEST(NativeNeeds, what_belongs_to_the_host_is_not_taken) {
  for (const auto* name : {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0", "libcuda.so.1"})
    EXPECT_TRUE(belongs_to_host(name)) << name;
  for (const auto* name :
       {"libcrypto.so.3", "libcrypt.so.1", "libgomp.so.1", "libnsl.so.2", "libmpi.so.40", "libz.so.1"})
    EXPECT_FALSE(belongs_to_host(name)) << name;
}

TEST(NativeNeeds, libraries_are_followed_and_those_of_a_package_are_not_taken) {
  const test::TempDir dir;
  const auto tree_of = [&](const std::string& name) {
    FileTree tree;
    tree.entries.push_back({{name, TarEntry::Kind::file, 0755, 1, {}}, "/proc/self/exe", {}});
    return tree;
  };
  const auto any = [](const std::string&) { return true; };
  const auto needs = native_needs(tree_of("bin/program"), {any, loader_folders()});
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(needs.libraries, [&](const NativeLibrary& one) { return one.name == name; });
  };
  EXPECT_FALSE(has("libc.so.6"));
  EXPECT_TRUE(needs.packages_glibc.empty());
  EXPECT_FALSE(needs.glibc.empty());
  const auto none = [](const std::string&) { return false; };
  EXPECT_FALSE(native_needs(tree_of("lib/x.so"), {none, loader_folders()}).packages_glibc.empty());
}

TEST(Pack, an_archive_is_found_again_by_its_key_as_long_as_it_is_whole) {
  const test::TempDir dir;
  write(dir.path() / "tree/a.py", "print()");
  TreeReader reader([](const fs::path&) { return true; }, 1 << 20U);
  ASSERT_TRUE(reader.add(dir.path() / "tree", ""));
  const TreeToPack content{std::move(reader).take(), "2.36", "2.17"};
  EXPECT_FALSE(find_packed(dir.path(), "key"));
  const auto packed = pack(dir.path(), "key", content, {});
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_EQ(packed->facts.glibc, "2.36");
  EXPECT_EQ(packed->facts.unpacked, 7U);
  EXPECT_EQ(packed->facts.files, 1U);
  const auto found = find_packed(dir.path(), "key");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->facts.sha256, packed->facts.sha256);
  EXPECT_EQ(found->stamp, packed->stamp);
  fs::resize_file(packed->path, 1);
  EXPECT_FALSE(find_packed(dir.path(), "key"));
}

TEST(Pack, an_interrupted_one_leaves_nothing) {
  const test::TempDir dir;
  std::stop_source stop;
  stop.request_stop();
  const auto packed = pack(dir.path(), "key", {}, stop.get_token());
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code, core::Errc::cancelled);
  EXPECT_TRUE(fs::is_empty(dir.path() / "packed"));
}

}  // namespace
}  // namespace ydl::backend
