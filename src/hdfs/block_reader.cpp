#include "hdfs/block_reader.hpp"

namespace ydl::hdfs {
namespace {

// DataNodes send packets of 64 KiB. Three and a half of them per read still fit into the processor's L2 cache.
constexpr std::size_t kReadSize = std::size_t{240} << 10U;

}  // namespace

net::Async<BlockReader> BlockReader::open(Datanodes& datanodes, Datanodes::Node node, BlockRange range) {
  const auto token = range.token;
  BlockReadFsm fsm(std::move(range));
  const std::string request = fsm.start();
  const core::Millis timeout = datanodes.options().socket_timeout;
  if (auto idle = datanodes.take_idle(node)) {
    if (co_await idle->write(request, timeout))
      co_return BlockReader(datanodes, node, std::move(*idle), std::move(fsm));
  }
  auto stream = co_await datanodes.connect(node, token);
  if (!stream) co_return core::fail(stream.error());
  stream->set_read_size(kReadSize);
  if (auto sent = co_await stream->write(request, timeout); !sent) co_return core::fail(sent.error());
  co_return BlockReader(datanodes, std::move(node), std::move(*stream), std::move(fsm));
}

net::Async<std::span<const char>> BlockReader::next() {
  if (finished_) co_return std::span<const char>{};
  stream_.consume(std::exchange(used_, 0));
  for (;;) {
    const auto action = fsm_.resume(stream_.input());
    if (!action) co_return core::fail(core::Error(action.error()).within("DataNode " + stream_.peer()));
    if (action->kind == BlockReadFsm::ActionKind::deliver) {
      used_ = action->consumed;
      co_return action->data;
    }
    stream_.consume(action->consumed);
    if (action->kind == BlockReadFsm::ActionKind::finish) break;
    const auto filled = co_await stream_.fill(action->need, datanodes_->options().socket_timeout);
    if (!filled) co_return core::fail(filled.error());
  }
  finished_ = true;
  // All data was received, so an error while sending the status is ignored; the connection is just not reused.
  if (co_await stream_.write(fsm_.finish(), datanodes_->options().socket_timeout)) {
    datanodes_->keep(node_, std::move(stream_));
  }
  co_return std::span<const char>{};
}

}  // namespace ydl::hdfs
