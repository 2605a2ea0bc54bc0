#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ydl::backend {

// What a program or library of Linux needs from its host.
struct ElfFile {
  std::uint16_t machine = 0;  // EM_X86_64, …
  bool is_64_bit = true;
  std::vector<std::string> needed;    // libraries, by name
  std::vector<std::string> run_path;  // DT_RPATH and DT_RUNPATH: folders, which may start with $ORIGIN
  std::string glibc;                  // the oldest sufficient version: "2.17"; empty: any
};

// Reads headers only. Nothing if the file is not ELF of this byte order, cannot be read, or is damaged.
[[nodiscard]] std::optional<ElfFile> read_elf(const std::filesystem::path& path);

// The newer one of two versions of glibc; an empty one is the oldest.
[[nodiscard]] const std::string& newer_glibc(const std::string& a, const std::string& b);

}  // namespace ydl::backend
