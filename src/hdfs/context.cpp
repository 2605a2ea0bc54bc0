#include "hdfs/context.hpp"

#include "core/log.hpp"
#include "core/strings.hpp"
#include "net/spawn.hpp"

namespace ydl::hdfs {

Context::Context(net::asio::any_io_executor executor_, Options options_)
    : executor(std::move(executor_)),
      options(std::move(options_)),
      client_name("ydl_" + core::random_hex(8)),
      namenode(executor, options.namenode),
      datanodes(namenode, options.transfer),
      last_writer_gone_(executor) {}

net::Async<ServerDefaults> Context::server_defaults() {
  if (!defaults_) {
    auto asked = co_await namenode.server_defaults();
    if (!asked) co_return core::fail(asked.error());
    defaults_ = *asked;
  }
  co_return *defaults_;
}

// A renewal that fails is tried again after the next interval: the NameNode waits 20 minutes before it gives the file
// to somebody else, and the writers are told by their own calls.
net::awaitable<void> Context::renew_leases(std::shared_ptr<Context> self) {
  while (self->writers_ > 0) {
    if (co_await self->last_writer_gone_.wait(self->options.lease_interval)) continue;
    const auto renewed = co_await self->namenode.renew_lease(self->client_name);
    if (!renewed) core::log("hdfs: the lease of {} was not renewed: {}", self->client_name, renewed.error().message);
  }
  self->renewing_ = false;
}

WriterLease::WriterLease(std::shared_ptr<Context> context) : context_(std::move(context)) {
  ++context_->writers_;
  // A task whose last writer has just gone may not have noticed yet: it goes on with this one.
  if (!context_->renewing_) {
    context_->renewing_ = true;
    net::spawn(context_->executor, "renewing leases", Context::renew_leases(context_));
  }
}

WriterLease::~WriterLease() {
  if (context_ != nullptr && --context_->writers_ == 0) context_->last_writer_gone_.notify();
}

}  // namespace ydl::hdfs
