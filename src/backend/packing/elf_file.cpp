#include "backend/packing/elf_file.hpp"

#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace ydl::backend {
namespace {

// A file has far fewer of each; more are damage.
constexpr std::size_t kMostEntries = 4096;
constexpr std::size_t kLongestString = 4096;
constexpr std::string_view kGlibc = "GLIBC_";

std::pair<int, int> numbers_of(std::string_view version) {
  const auto dot = version.find('.');
  if (dot == version.npos) return {0, 0};
  return {core::parse_int<int>(version.substr(0, dot)).value_or(0),
          core::parse_int<int>(version.substr(dot + 1)).value_or(0)};
}

class File {
 public:
  explicit File(const std::filesystem::path& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

  template <class T>
    requires std::is_trivially_copyable_v<T>
  [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    T value;
    if (!fd_ || offset > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    if (::pread(fd_.get(), &value, sizeof value, static_cast<off_t>(offset)) != static_cast<ssize_t>(sizeof value))
      return std::nullopt;
    return value;
  }

  [[nodiscard]] std::string text_at(std::uint64_t offset) const {
    std::string text(kLongestString, '\0');
    if (!fd_ || offset > static_cast<std::uint64_t>(INT64_MAX)) return {};
    const auto size = ::pread(fd_.get(), text.data(), text.size(), static_cast<off_t>(offset));
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    const auto end = text.find('\0');
    return end == std::string::npos ? std::string() : text.substr(0, end);
  }

 private:
  core::UniqueFd fd_;
};

struct Types64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Dynamic = Elf64_Dyn;
};
struct Types32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Dynamic = Elf32_Dyn;
};

// The structures for needed versions are the same in both classes.
template <class Types>
class Reader {
 public:
  explicit Reader(const File& file) : file_(file) {}

  std::optional<ElfFile> read() {
    const auto header = file_.at<typename Types::Header>(0);
    if (!header) return std::nullopt;
    found_.machine = header->e_machine;
    found_.is_64_bit = std::is_same_v<Types, Types64>;
    std::optional<typename Types::Segment> dynamic;
    for (std::size_t i = 0; i < std::min<std::size_t>(header->e_phnum, kMostEntries); ++i) {
      const auto segment = file_.at<typename Types::Segment>(header->e_phoff + i * sizeof(typename Types::Segment));
      if (!segment) return std::nullopt;
      if (segment->p_type == PT_LOAD) loaded_.push_back(*segment);
      if (segment->p_type == PT_DYNAMIC) dynamic = *segment;
    }
    if (dynamic) read_dynamic(dynamic->p_offset);
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const auto& segment : loaded_) {
      if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
        return segment.p_offset + (address - segment.p_vaddr);
    }
    return std::nullopt;
  }

  void read_dynamic(std::uint64_t offset) {
    std::vector<std::uint64_t> needed;
    std::vector<std::uint64_t> paths;
    std::optional<std::uint64_t> strings;
    std::optional<std::uint64_t> versions;
    for (std::size_t i = 0; i < kMostEntries; ++i) {
      const auto entry = file_.at<typename Types::Dynamic>(offset + i * sizeof(typename Types::Dynamic));
      if (!entry || entry->d_tag == DT_NULL) break;
      const std::uint64_t value = entry->d_un.d_val;
      if (entry->d_tag == DT_NEEDED) needed.push_back(value);
      if (entry->d_tag == DT_RPATH || entry->d_tag == DT_RUNPATH) paths.push_back(value);
      if (entry->d_tag == DT_STRTAB) strings = offset_of(value);
      if (entry->d_tag == DT_VERNEED) versions = offset_of(value);
    }
    if (!strings) return;
    for (const auto at : needed) found_.needed.push_back(file_.text_at(*strings + at));
    for (const auto at : paths) {
      const auto text = file_.text_at(*strings + at);
      for (const auto folder : core::split(text, ':')) found_.run_path.emplace_back(folder);
    }
    std::erase(found_.needed, "");
    std::erase(found_.run_path, "");
    if (versions) read_versions(*versions, *strings);
  }

  void read_versions(std::uint64_t at, std::uint64_t strings) {
    for (std::size_t i = 0; i < kMostEntries; ++i) {
      const auto library = file_.at<Elf64_Verneed>(at);
      if (!library) return;
      auto version_at = at + library->vn_aux;
      for (std::size_t k = 0; k < library->vn_cnt && k < kMostEntries; ++k) {
        const auto version = file_.at<Elf64_Vernaux>(version_at);
        if (!version) return;
        const auto name = file_.text_at(strings + version->vna_name);
        if (name.starts_with(kGlibc)) found_.glibc = newer_glibc(found_.glibc, name.substr(kGlibc.size()));
        if (version->vna_next == 0) break;
        version_at += version->vna_next;
      }
      if (library->vn_next == 0) return;
      at += library->vn_next;
    }
  }

  const File& file_;
  ElfFile found_;
  std::vector<typename Types::Segment> loaded_;
};

}  // namespace

const std::string& newer_glibc(const std::string& a, const std::string& b) {
  return numbers_of(a) < numbers_of(b) ? b : a;
}

std::optional<ElfFile> read_elf(const std::filesystem::path& path) {
  constexpr auto kData = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  const File file(path);
  const auto ident = file.at<std::array<unsigned char, EI_NIDENT>>(0);
  if (!ident || std::memcmp(ident->data(), ELFMAG, SELFMAG) != 0 || (*ident)[EI_DATA] != kData) return std::nullopt;
  if ((*ident)[EI_CLASS] == ELFCLASS64) return Reader<Types64>(file).read();
  if ((*ident)[EI_CLASS] == ELFCLASS32) return Reader<Types32>(file).read();
  return std::nullopt;
}

}  // namespace ydl::backend
