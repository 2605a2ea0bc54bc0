#pragma once

#include "hdfs/file_system.hpp"
#include "hdfs/proto/client_namenode.pb.h"
#include "hdfs/proto/data_transfer.pb.h"
#include "hdfs/transfer_codec.hpp"
#include "support/process_probe.hpp"
#include "support/rpc_peer.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ydl::test {

// A failure that occurs once, at one step of an imposter.
enum class HdfsFault {
  none,
  namenode_hangs_up,     // the connection closes before a call is executed
  namenode_forgets,      // a call is executed, but its answer is lost
  datanode_hangs_up,     // the first DataNode of the pipeline dies before it stores a packet
  datanode_dies_silent,  // it dies after it has stored a packet, but before it acknowledges it
  datanode_refuses,      // it answers with an error
  mirror_fails,          // it acknowledges, but reports a failure of the second DataNode
};

// An HDFS with one NameNode and some DataNodes in this process. It uses the real protocols over loopback and keeps its
// files in memory. Every call and every packet is a step, and one step can be made to fail.
class HdfsImposter {
 public:
  static constexpr std::size_t kNodes = 4;

  explicit HdfsImposter(const net::asio::any_io_executor& executor)
      : state_(std::make_shared<State>()),
        namenode_(executor, [state = state_](Socket& socket, int) { return serve_calls(state, socket); }) {
    for (std::size_t i = 0; i < kNodes; ++i) {
      datanodes_.push_back(std::make_unique<Imposter>(
          executor, [state = state_, i](Socket& socket, int) { return serve_data(state, i, socket); }));
      state_->ports.push_back(datanodes_.back()->port());
    }
  }

  [[nodiscard]] hdfs::Options options() const {
    hdfs::Options options;
    options.namenode.servers.push_back({"127.0.0.1", namenode_.port()});
    options.namenode.identity.user = "alice";
    options.namenode.connect_timeout = kPatience;
    options.namenode.call_timeout = kPatience;
    options.namenode.retry = {.max_failovers = 3,
                              .max_retries = 3,
                              .backoff_base = core::Millis(1),
                              .backoff_max = core::Millis(2),
                              .same_server_pause = core::Millis(1)};
    options.locate_block_delay = core::Millis(1);
    return options;
  }

  // Steps count from 1. A fault that is not possible at a step (for example a DataNode's fault at a call) waits for the
  // next possible step.
  void fail(HdfsFault fault, int step) {
    state_->fault = fault;
    state_->fault_step = step;
  }
  [[nodiscard]] bool has_failed() const { return state_->fault == HdfsFault::none; }
  [[nodiscard]] int steps() const { return state_->steps; }
  [[nodiscard]] const std::vector<std::string>& calls() const { return state_->calls; }

  // The bytes of all blocks of a completed file; nothing while it is open.
  [[nodiscard]] std::optional<std::string> content(const std::string& path) const {
    const auto found = state_->files.find(path);
    if (found == state_->files.end() || !found->second.complete) return std::nullopt;
    return bytes_of(*state_, found->second);
  }
  // The bytes of an open file that a reader can see.
  [[nodiscard]] std::string stored(const std::string& path) const { return bytes_of(*state_, state_->files.at(path)); }

 private:
  struct Block {
    std::uint64_t id = 0;
    std::uint64_t generation = 1;
    std::string bytes;  // the same in all replicas of the pipeline
  };
  struct File {
    std::uint64_t id = 0;
    std::vector<std::uint64_t> blocks;
    bool complete = false;
  };
  struct State {
    std::vector<std::uint16_t> ports;
    std::set<std::size_t> dead;  // DataNodes
    std::map<std::string, File> files;
    std::map<std::uint64_t, Block> blocks;
    std::map<std::string, std::string> answers;  // answers of executed calls, by client and call id
    std::vector<std::string> calls;
    std::uint64_t last_id = 1000;
    int steps = 0;
    HdfsFault fault = HdfsFault::none;
    int fault_step = 0;
  };
  using StatePtr = std::shared_ptr<State>;

  static std::string bytes_of(const State& state, const File& file) {
    std::string bytes;
    for (const auto id : file.blocks) bytes += state.blocks.at(id).bytes;
    return bytes;
  }

  // The fault of this step, if it is possible here.
  static HdfsFault next_step(State& state, std::initializer_list<HdfsFault> possible) {
    ++state.steps;
    if (state.steps < state.fault_step) return HdfsFault::none;
    for (const auto fault : possible) {
      if (fault != state.fault) continue;
      state.fault = HdfsFault::none;
      return fault;
    }
    return HdfsFault::none;
  }

  // ---- NameNode
  static net::awaitable<void> serve_calls(StatePtr state, Socket& socket) {
    RpcPeer peer(socket);
    while (auto call = co_await peer.next_call()) {
      const auto fault = next_step(*state, {HdfsFault::namenode_hangs_up, HdfsFault::namenode_forgets});
      if (fault == HdfsFault::namenode_hangs_up) co_return;
      // A repeated call gets its first answer again, like from the NameNode's retry cache.
      auto& answer = state->answers[fmt::format("{} {}", call->client_id, std::to_underlying(call->id))];
      if (answer.empty()) {
        state->calls.push_back(call->method);
        answer = reply(call->id, carry_out(*state, call->method, call->request));
      }
      if (fault == HdfsFault::namenode_forgets) co_return;
      co_await write(socket, answer);
    }
  }

  static std::string carry_out(State& state, const std::string& method, const std::string& request) {
    namespace pb = hadoop::hdfs;
    if (method == "getServerDefaults") return server_defaults();
    if (method == "create") return create(state, parse<pb::CreateRequestProto>(request));
    if (method == "addBlock") return add_block(state, parse<pb::AddBlockRequestProto>(request));
    if (method == "complete") return complete(state, parse<pb::CompleteRequestProto>(request));
    if (method == "updateBlockForPipeline") {
      const auto update = parse<pb::UpdateBlockForPipelineRequestProto>(request);
      pb::UpdateBlockForPipelineResponseProto answer;
      *answer.mutable_block() = located(state, update.block().blockid(), {});
      answer.mutable_block()->mutable_b()->set_generationstamp(update.block().generationstamp() + 1);
      return answer.SerializeAsString();
    }
    if (method == "updatePipeline") {
      const auto update = parse<pb::UpdatePipelineRequestProto>(request);
      state.blocks.at(update.newblock().blockid()).generation = update.newblock().generationstamp();
      return pb::UpdatePipelineResponseProto().SerializeAsString();
    }
    if (method == "getAdditionalDatanode") {
      const auto more = parse<pb::GetAdditionalDatanodeRequestProto>(request);
      pb::GetAdditionalDatanodeResponseProto answer;
      std::set<std::string> avoid;
      for (const auto& node : more.excludes()) avoid.insert(node.id().datanodeuuid());
      *answer.mutable_block() = located(state, more.blk().blockid(), avoid);
      return answer.SerializeAsString();
    }
    if (method == "abandonBlock") {
      const auto abandoned = parse<pb::AbandonBlockRequestProto>(request);
      std::erase(state.files.at(abandoned.src()).blocks, abandoned.b().blockid());
      return pb::AbandonBlockResponseProto().SerializeAsString();
    }
    if (method == "fsync") return pb::FsyncResponseProto().SerializeAsString();
    if (method == "renewLease") return pb::RenewLeaseResponseProto().SerializeAsString();
    throw std::runtime_error("the imposter does not know " + method);
  }

  template <class Message>
  static Message parse(const std::string& bytes) {
    Message message;
    if (!message.ParseFromString(bytes)) throw std::runtime_error("a request cannot be read");
    return message;
  }

  static std::string server_defaults() {
    hadoop::hdfs::GetServerDefaultsResponseProto answer;
    auto& defaults = *answer.mutable_serverdefaults();
    defaults.set_blocksize(std::uint64_t{256} << 10U);
    defaults.set_bytesperchecksum(512);
    defaults.set_writepacketsize(65536);
    defaults.set_replication(3);
    defaults.set_filebuffersize(4096);
    return answer.SerializeAsString();
  }

  static std::string create(State& state, const hadoop::hdfs::CreateRequestProto& request) {
    auto& file = state.files[request.src()];
    file = {.id = ++state.last_id, .blocks = {}};
    hadoop::hdfs::CreateResponseProto answer;
    auto& status = *answer.mutable_fs();
    status.set_filetype(hadoop::hdfs::HdfsFileStatusProto::IS_FILE);
    status.set_path(request.src());
    status.set_length(0);
    status.mutable_permission()->set_perm(0644);
    status.set_owner("alice");
    status.set_group("users");
    status.set_modification_time(0);
    status.set_access_time(0);
    status.set_block_replication(request.replication());
    status.set_blocksize(request.blocksize());
    status.set_fileid(file.id);
    return answer.SerializeAsString();
  }

  static std::string add_block(State& state, const hadoop::hdfs::AddBlockRequestProto& request) {
    const auto id = ++state.last_id;
    state.blocks[id] = {.id = id, .bytes = {}};
    state.files.at(request.src()).blocks.push_back(id);
    std::set<std::string> avoid;
    for (const auto& node : request.excludenodes()) avoid.insert(node.id().datanodeuuid());
    hadoop::hdfs::AddBlockResponseProto answer;
    *answer.mutable_block() = located(state, id, avoid);
    return answer.SerializeAsString();
  }

  static std::string complete(State& state, const hadoop::hdfs::CompleteRequestProto& request) {
    auto& file = state.files.at(request.src());
    // A replica may have more bytes than were acknowledged; the writer's length counts.
    if (request.has_last()) state.blocks.at(request.last().blockid()).bytes.resize(request.last().numbytes());
    file.complete = true;
    hadoop::hdfs::CompleteResponseProto answer;
    answer.set_result(true);
    return answer.SerializeAsString();
  }

  static hadoop::hdfs::LocatedBlockProto located(const State& state, std::uint64_t id,
                                                 const std::set<std::string>& avoid) {
    hadoop::hdfs::LocatedBlockProto located;
    const auto& block = state.blocks.at(id);
    located.mutable_b()->set_poolid("BP-1");
    located.mutable_b()->set_blockid(id);
    located.mutable_b()->set_generationstamp(block.generation);
    located.mutable_b()->set_numbytes(0);
    located.set_offset(0);
    located.set_corrupt(false);
    for (auto* const field : {located.mutable_blocktoken()}) {
      field->set_identifier("");
      field->set_password("");
      field->set_kind("");
      field->set_service("");
    }
    for (std::size_t i = 0; i < kNodes && located.locs_size() < 3; ++i) {
      const auto uuid = fmt::format("dn{}", i);
      if (state.dead.contains(i) || avoid.contains(uuid)) continue;
      auto& node = *located.add_locs()->mutable_id();
      node.set_ipaddr("127.0.0.1");
      node.set_hostname(uuid);
      node.set_datanodeuuid(uuid);
      node.set_xferport(state.ports[i]);
      node.set_infoport(0);
      node.set_ipcport(0);
      located.add_storagetypes(hadoop::hdfs::DISK);
      located.add_storageids("storage-" + uuid);
    }
    return located;
  }

  // ---- DataNodes
  class Input {
   public:
    explicit Input(Socket& socket) : socket_(&socket) {}

    // At least `size` bytes; nothing if the client has closed the connection.
    net::awaitable<bool> have(std::size_t size) {
      while (bytes_.size() < size) {
        std::array<char, 65536> buffer{};
        const auto [error, count] = co_await socket_->async_read_some(net::asio::buffer(buffer), net::tuple);
        if (error) co_return false;
        bytes_.append(buffer.data(), count);
      }
      co_return true;
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    void consume(std::size_t size) { bytes_.erase(0, size); }

   private:
    Socket* socket_;
    std::string bytes_;
  };

  static net::awaitable<void> serve_data(StatePtr state, std::size_t node, Socket& socket) {
    if (state->dead.contains(node)) co_return;
    Input input(socket);
    constexpr std::size_t kOpHead = 3;
    if (!co_await input.have(kOpHead)) co_return;
    const auto op = static_cast<hdfs::Op>(input.bytes()[2]);
    input.consume(kOpHead);
    std::optional<hdfs::Extent> extent;
    while (!extent) {
      auto found = hdfs::find_delimited(input.bytes());
      if (!found) throw std::runtime_error(found.error().message);
      extent = *found;
      if (!extent && !co_await input.have(input.bytes().size() + 1)) co_return;
    }
    const auto message = input.bytes().substr(extent->at, extent->size);
    input.consume(extent->at + extent->size);
    const auto fault =
        next_step(*state, {HdfsFault::datanode_hangs_up, HdfsFault::datanode_refuses, HdfsFault::datanode_dies_silent});
    if (fault == HdfsFault::datanode_hangs_up || fault == HdfsFault::datanode_dies_silent) {
      state->dead.insert(node);
      co_return;
    }
    hadoop::hdfs::BlockOpResponseProto answer;
    answer.set_status(fault == HdfsFault::none ? hadoop::hdfs::SUCCESS : hadoop::hdfs::ERROR);
    if (fault != HdfsFault::none) state->dead.insert(node);
    co_await write(socket, hdfs::encode_delimited(answer));
    if (fault != HdfsFault::none || op != hdfs::Op::write_block) co_return;
    const auto request = parse<hadoop::hdfs::OpWriteBlockProto>(message);
    co_await take_packets(std::move(state), node, socket, std::move(input), request);
  }

  static net::awaitable<void> take_packets(StatePtr state, std::size_t node, Socket& socket, Input input,
                                           hadoop::hdfs::OpWriteBlockProto request) {
    auto& block = state->blocks.at(request.header().baseheader().block().blockid());
    for (;;) {
      std::optional<hdfs::PacketOutline> outline;
      while (!outline) {
        auto decoded = hdfs::decode_packet_head(input.bytes());
        if (!decoded) throw std::runtime_error(decoded.error().message);
        outline = *decoded;
        if (!outline && !co_await input.have(input.bytes().size() + 1)) co_return;
      }
      if (!co_await input.have(outline->size())) co_return;
      const auto data = input.bytes().substr(outline->head_size + outline->sum_bytes, outline->header.data_size);
      input.consume(outline->size());
      const auto fault = next_step(*state, {HdfsFault::datanode_hangs_up, HdfsFault::datanode_dies_silent,
                                            HdfsFault::datanode_refuses, HdfsFault::mirror_fails});
      if (fault != HdfsFault::none && fault != HdfsFault::mirror_fails) state->dead.insert(node);
      if (fault == HdfsFault::datanode_hangs_up) co_return;
      if (outline->header.data_size > 0) {
        block.bytes.resize(static_cast<std::size_t>(outline->header.offset));
        block.bytes += data;
      }
      if (fault == HdfsFault::datanode_dies_silent) co_return;
      co_await write(socket, hdfs::encode_delimited(acknowledgement(*state, request, outline->header.seqno, fault)));
      if (outline->header.last) co_return;
    }
  }

  static hadoop::hdfs::PipelineAckProto acknowledgement(State& state, const hadoop::hdfs::OpWriteBlockProto& request,
                                                        std::int64_t seqno, HdfsFault fault) {
    hadoop::hdfs::PipelineAckProto ack;
    ack.set_seqno(seqno);
    ack.add_reply(fault == HdfsFault::datanode_refuses ? hadoop::hdfs::ERROR : hadoop::hdfs::SUCCESS);
    for (int i = 0; i < request.targets_size(); ++i) {
      const bool fails = fault == HdfsFault::mirror_fails && i == 0;
      ack.add_reply(fails ? hadoop::hdfs::ERROR : hadoop::hdfs::SUCCESS);
      if (fails) {
        const auto found = std::ranges::find(state.ports, request.targets(i).id().xferport());
        state.dead.insert(static_cast<std::size_t>(found - state.ports.begin()));
      }
    }
    return ack;
  }

  StatePtr state_;
  Imposter namenode_;
  std::vector<std::unique_ptr<Imposter>> datanodes_;
};

}  // namespace ydl::test
