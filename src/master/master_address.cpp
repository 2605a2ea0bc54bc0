#include "master/master_address.hpp"

#include "backend/yarn/remote_files.hpp"
#include "core/files.hpp"
#include "core/log.hpp"
#include "master/master.hpp"
#include "net/endpoint_file.hpp"

namespace ydl::master {
namespace {

constexpr core::Millis kLookEvery = core::Seconds(5);
constexpr int kLooks = 24;

}  // namespace

net::awaitable<void> MasterAddress::publish(const Master& master) const {
  const auto content = core::read_file(master.folder().master_file());
  if (!content) co_return;
  const auto written = co_await backend::write_remote_file(*fs_, file_, *content, 0600);
  if (!written) core::log("clients cannot find this master: {}", written.error().message);
}

net::awaitable<void> MasterAddress::keep_published(const Master& master) const {
  co_await publish(master);
  const auto content = core::read_file(master.folder().master_file());
  for (int i = 0; content && i < kLooks; ++i) {
    co_await net::pause(kLookEvery);
    if (master.finished() || master.has_left()) co_return;
    const auto shown = co_await backend::read_remote_file(*fs_, file_);
    if (shown && *shown == *content) continue;
    const auto other = shown ? net::endpoint_from_json(*shown, {}) : core::fail(shown.error());
    if (master.finished() || (other && other->epoch > epoch_)) co_return;
    (void)co_await backend::write_remote_file(*fs_, file_, *content, 0600);
  }
}

net::awaitable<void> MasterAddress::remove() const {
  (void)co_await fs_->remove(file_, hdfs::Recursive::no);
}

}  // namespace ydl::master
