#include "hdfs/write_queue.hpp"

#include "core/assert.hpp"
#include "hdfs/errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::hdfs {

namespace pb = hadoop::hdfs;

void WriteQueue::push(Packet packet) {
  waiting_.push_back(std::make_shared<const Packet>(std::move(packet)));
}

std::vector<WriteQueue::Shared> WriteQueue::take(std::size_t at_most) {
  std::vector<Shared> taken;
  while (!waiting_.empty() && taken.size() < at_most) {
    const Shared& next = waiting_.front();
    if (next->header().last) {
      if (!in_flight_.empty()) break;
      ending_ = true;
    }
    sent_bytes_ = std::max(sent_bytes_, next->end());
    taken.push_back(next);
    in_flight_.push_back(next);
    waiting_.pop_front();
  }
  return taken;
}

core::Result<> WriteQueue::on_ack(std::int64_t seqno) {
  if (seqno == kHeartbeatSeqno) return {};
  if (in_flight_.empty() || in_flight_.front()->header().seqno != seqno) {
    return core::fail(error(
        Errc::protocol,
        fmt::format("the DataNode acknowledged packet {}, but the next one must be {}", seqno,
                    in_flight_.empty() ? std::string("none") : std::to_string(in_flight_.front()->header().seqno))));
  }
  acked_bytes_ = std::max(acked_bytes_, in_flight_.front()->end());
  last_acked_seqno_ = seqno;
  finished_ = in_flight_.front()->header().last;
  in_flight_.pop_front();
  return {};
}

void WriteQueue::rewind() {
  YDL_ASSERT(!finished_);
  waiting_.insert(waiting_.begin(), in_flight_.begin(), in_flight_.end());
  in_flight_.clear();
}

void WriteQueue::set_finished() {
  YDL_ASSERT(ending_ && in_flight_.empty() && waiting_.size() == 1);
  waiting_.clear();
  finished_ = true;
}

core::Result<AckVerdict> judge(const pb::PipelineAckProto& ack, std::size_t nodes) {
  // Newer DataNodes have the status in the low four bits of the flags. `reply` is for older ones.
  const bool flags = ack.flag_size() > 0;
  const auto count = static_cast<std::size_t>(flags ? ack.flag_size() : ack.reply_size());
  if (count == 0 || count > nodes) {
    return core::fail(error(
        Errc::protocol,
        fmt::format("an acknowledgement has the answers of {} DataNodes, but the pipeline has {}", count, nodes)));
  }
  // Searches from the end of the pipeline: a DataNode that cannot reach the next one reports an error for that one, but
  // works itself.
  for (std::size_t i = count; i-- > 0;) {
    const auto index = static_cast<int>(i);
    const int status = flags ? static_cast<int>(ack.flag(index) & 0xfU) : static_cast<int>(ack.reply(index));
    if (status == pb::OOB_RESTART) return AckVerdict{AckVerdict::Kind::restarting, i};
    if (status != pb::SUCCESS) return AckVerdict{AckVerdict::Kind::bad_node, i};
  }
  return AckVerdict{};
}

}  // namespace ydl::hdfs
