#include "backend/packing/byte_source.hpp"

#include "core/files.hpp"
#include "core/sha256.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

namespace fs = std::filesystem;
using core::Result;

constexpr std::size_t kPiece = std::size_t{1} << 20U;

// A file that must not change until it is read.
class FileBytes final : public ByteSource {
 public:
  FileBytes(fs::path path, FileStamp stamp) : path_(std::move(path)), stamp_(stamp) {}

  Result<std::string_view> next() override {
    if (!file_) {
      file_ = core::UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
      if (!file_) return core::fail(cannot_read(path_, errno));
      if (auto same = check(); !same) return core::fail(same.error());
      buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, stamp_.size)));
    }
    if (done_ == stamp_.size) {
      if (auto same = check(); !same) return core::fail(same.error());
      return std::string_view{};
    }
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), stamp_.size - done_));
    ssize_t size = 0;
    do {
      size = ::read(file_.get(), buffer_.data(), wanted);
    } while (size < 0 && errno == EINTR);
    if (size < 0) return core::fail(cannot_read(path_, errno));
    if (size == 0) return core::fail(changed());
    done_ += static_cast<std::uint64_t>(size);
    return std::string_view(buffer_).substr(0, static_cast<std::size_t>(size));
  }

 private:
  [[nodiscard]] core::Error changed() const {
    return {core::Errc::io,
            fmt::format("{} changed while it was being uploaded: submit again when no program writes to it, or "
                        "name it in .ydlignore",
                        path_.string())};
  }

  [[nodiscard]] Result<> check() const {
    struct stat status{};
    if (::fstat(file_.get(), &status) != 0 || stamp_of(status) != stamp_) return core::fail(changed());
    return {};
  }

  fs::path path_;
  FileStamp stamp_;
  core::UniqueFd file_;
  std::string buffer_;
  std::uint64_t done_ = 0;
};

class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(std::string_view text) : text_(text) {}
  Result<std::string_view> next() override { return std::exchange(text_, {}); }

 private:
  std::string_view text_;
};

class TarBytes final : public ByteSource {
 public:
  explicit TarBytes(const FileTree& tree) : tree_(tree) {}

  Result<std::string_view> next() override {
    if (content_) {
      auto piece = content_->next();
      if (!piece || !piece->empty()) return piece;
      content_.reset();
      if (const auto zeros = tar_padding(entry().tar.size); zeros > 0) {
        ++next_;
        small_.assign(zeros, '\0');
        return std::string_view(small_);
      }
      ++next_;
    }
    if (next_ < tree_.entries.size()) return header();
    small_.assign(ended_ ? 0 : kTarEnd, '\0');
    ended_ = true;
    return std::string_view(small_);
  }

 private:
  [[nodiscard]] const TreeEntry& entry() const { return tree_.entries[next_]; }

  std::string_view header() {
    small_ = tar_header(entry().tar);
    if (entry().tar.size == 0)
      ++next_;
    else if (const auto& text = entry().text)
      content_ = std::make_unique<TextBytes>(*text);
    else
      content_ = file_source(entry().source, entry().stamp);
    return small_;
  }

  const FileTree& tree_;
  std::size_t next_ = 0;  // the entry whose header is next, or whose content is being read
  std::unique_ptr<ByteSource> content_;
  std::string small_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> file_source(fs::path path, FileStamp stamp) {
  return std::make_unique<FileBytes>(std::move(path), stamp);
}

std::unique_ptr<ByteSource> tar_source(const FileTree& tree) {
  return std::make_unique<TarBytes>(tree);
}

Result<std::string> hash_of(ByteSource& source, const std::stop_token& stop) {
  core::Sha256 hash;
  for (;;) {
    if (stop.stop_requested()) return core::fail(core::Errc::cancelled, "reading the job's files was interrupted");
    const auto piece = source.next();
    if (!piece) return core::fail(piece.error());
    if (piece->empty()) return hash.hex();
    hash.add(*piece);
  }
}

}  // namespace ydl::backend
