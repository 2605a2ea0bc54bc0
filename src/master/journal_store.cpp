#include "master/journal_store.hpp"

#include "master/master.hpp"

#include <utility>

namespace ydl::master {
namespace {

constexpr core::Millis kOpens = std::chrono::minutes(8);  // by default YARN gives a new master 10 minutes to register

}  // namespace

JobJournal::Listener JournalStore::listener() {
  const auto with_master = [weak = weak_from_this()](auto&& act) {
    if (const auto here = weak.lock(); here != nullptr && here->master_ != nullptr) act(*here->master_);
  };
  JobJournal::Listener listener;
  listener.on_durable = [with_master](std::uint64_t count) {
    with_master([count](Master& master) { master.events_written(count); });
  };
  listener.on_behind = [with_master](const std::string& why) {
    with_master([&why](Master& master) { master.store_is_away(why); });
  };
  listener.on_broken = [with_master](const std::string& why) {
    with_master([&why](Master& master) { master.store_is_broken(why); });
  };
  listener.on_caught_up = [with_master] { with_master([](Master& master) { master.store_caught_up(); }); };
  listener.on_taken = [with_master](const std::string& why) {
    with_master([&why](Master& master) { master.leave(why); });
  };
  return listener;
}

core::Result<JournalStore::Opened> JournalStore::after_failure(core::Error error) {
  if (error.code != core::Errc::corrupt && error.code != core::Errc::refused)
    return core::fail(std::move(error).within("the job's journal"));
  Opened opened{.store = nullptr, .content = {.epoch = 1, .began = core::wall_now(), .events = {}}};
  opened.unusable =
      std::move(error).within("the job's master was lost, and a new one cannot read the journal in the job's folder");
  return opened;
}

net::Async<JournalStore::Opened> JournalStore::open(net::asio::any_io_executor executor,
                                                    std::shared_ptr<hdfs::FileSystem> fs, std::string folder) {
  const auto store = std::make_shared<JournalStore>();
  store->journal_ = std::make_shared<JobJournal>(
      executor, *fs,
      JobJournal::Options{.folder = std::move(folder), .listener = store->listener(), .open_within = kOpens});
  auto content = co_await store->journal_->open();
  if (!content) co_return after_failure(std::move(content).error());
  co_return Opened{.store = store, .content = *std::move(content)};
}

}  // namespace ydl::master
