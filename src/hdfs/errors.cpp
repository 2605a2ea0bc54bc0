#include "hdfs/errors.hpp"

#include <fmt/format.h>

namespace ydl::hdfs {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "hdfs"; }
  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::access_token:
        return "block token refused";
      case Errc::encryption_key:
        return "encryption key unknown";
      case Errc::checksum_mismatch:
        return "checksum mismatch";
      case Errc::datanode_refused:
        return "refused by the DataNode";
      case Errc::datanode_lost:
        return "connection to the DataNode lost";
      case Errc::datanode_silent:
        return "no answer from the DataNode";
      case Errc::protocol:
        return "not the data-transfer protocol";
      case Errc::no_replica:
        return "no replica can be read";
      case Errc::pipeline:
        return "no DataNode left to write to";
      case Errc::no_datanodes:
        return "no DataNode for a block";
      case Errc::unsupported:
        return "not supported";
      case Errc::closed:
        return "file closed";
    }
    return fmt::format("error {}", value);
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

}  // namespace ydl::hdfs
