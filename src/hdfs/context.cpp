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

// A failed renewal is repeated after the next interval. This is early enough: the NameNode ends a lease only after 20
// minutes without renewal, and a writer gets an error from its own calls if the lease was lost.
net::awaitable<void> Context::renew_leases(std::shared_ptr<Context> self) {
  while (self->writers_ > 0) {
    if (co_await self->last_writer_gone_.wait(self->options.lease_interval)) continue;
    const auto renewed = co_await self->namenode.renew_lease(self->client_name);
    if (!renewed) core::log("hdfs: cannot renew the lease of {}: {}", self->client_name, renewed.error().message);
  }
  self->renewing_ = false;
}

WriterLease::WriterLease(std::shared_ptr<Context> context) : context_(std::move(context)) {
  ++context_->writers_;
  // The renewing coroutine may still be running although its last writer is gone. It then continues for this writer.
  if (!context_->renewing_) {
    context_->renewing_ = true;
    net::spawn(context_->executor, "renewing leases", Context::renew_leases(context_));
  }
}

WriterLease::~WriterLease() {
  if (context_ != nullptr && --context_->writers_ == 0) context_->last_writer_gone_.notify();
}

}  // namespace ydl::hdfs
