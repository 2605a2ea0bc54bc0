#include "hdfs/errors.hpp"

#include "core/error_category.hpp"

#include <array>

namespace ydl::hdfs {
namespace {

constexpr auto kTexts = std::to_array<core::ErrorText>({
    {Errc::access_token, "block token refused"},
    {Errc::encryption_key, "encryption key unknown"},
    {Errc::checksum_mismatch, "checksum mismatch"},
    {Errc::datanode_refused, "refused by the DataNode"},
    {Errc::datanode_lost, "connection to the DataNode lost"},
    {Errc::datanode_silent, "no answer from the DataNode"},
    {Errc::protocol, "violation of the data-transfer protocol"},
    {Errc::no_replica, "no replica can be read"},
    {Errc::pipeline, "no DataNode left to write to"},
    {Errc::no_datanodes, "no DataNode for a block"},
    {Errc::unsupported, "not supported"},
    {Errc::closed, "file closed"},
});

}  // namespace

const std::error_category& error_category() noexcept {
  static const core::TableCategory category("hdfs", kTexts);
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

}  // namespace ydl::hdfs
