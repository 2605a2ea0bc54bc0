// The bytes of a DataNode for a part of a block: for any bytes and any division of them, the reader returns, stays
// inside its input, and delivers no more than was requested.
#include "core/assert.hpp"
#include "hdfs/block_read_fsm.hpp"
#include "hdfs/transfer_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::hdfs;
  if (size < 3) return 0;
  const std::uint64_t offset = data[0];
  const std::uint64_t length = 1U + data[1];
  const std::size_t step = 1U + data[2];
  std::string_view stream(reinterpret_cast<const char*>(data) + 3, size - 3);

  BlockReadFsm fsm({.block = {}, .token = {}, .offset = offset, .length = length, .client_name = {}});
  std::string buffer;
  std::uint64_t delivered = 0;
  for (;;) {
    const auto action = fsm.resume(buffer);
    if (!action) return 0;
    delivered += action->data.size();
    YDL_ASSERT(delivered <= length && fsm.position() == offset + delivered);
    YDL_ASSERT(action->consumed <= buffer.size());
    buffer.erase(0, action->consumed);
    if (action->kind == BlockReadFsm::ActionKind::finish) return 0;
    if (action->kind == BlockReadFsm::ActionKind::deliver) continue;
    YDL_ASSERT(action->need > buffer.size());
    YDL_ASSERT(action->need <= kPacketLimit + kPacketPrefixSize);  // the driver's limit for its buffer
    if (stream.empty()) return 0;
    buffer += stream.substr(0, step);
    stream.remove_prefix(std::min(step, stream.size()));
  }
}
