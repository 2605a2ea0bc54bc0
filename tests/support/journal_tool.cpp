// A job's journal on HDFS for tests, controlled like hdfs_client: one JSON object per line. The cluster is the one in
// HADOOP_CONF_DIR.
//   open FOLDER; add FIRST COUNT (lines with the numbers from FIRST on); wait COUNT (until so many are durable or the
//   journal is taken); state; is-taken; time-appends COUNT; close
#include "core/json.hpp"
#include "core/user.hpp"
#include "hconf/load.hpp"
#include "hdfs/configured.hpp"
#include "master/job_journal.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

namespace {

using namespace ydl;
namespace json = boost::json;
using Answer = net::Async<json::value>;

std::int64_t number(const json::object& request, std::string_view key) {
  return core::json_int_or(request, key, 0);
}

std::string line(std::int64_t n) {
  return job::encode_event({core::Millis(n), job::NotPlacedYet{{{"worker", 0}, 1}, fmt::format("line {}", n)}});
}

class Tool {
 public:
  Tool(net::asio::any_io_executor executor, hdfs::FileSystem& fs)
      : executor_(std::move(executor)), fs_(fs), news_(executor_) {}

  Answer run(json::object request) {
    const auto step = core::json_string_or(request, "do", "");
    if (step == "open") co_return co_await open(core::json_string_or(request, "folder", ""));
    if (step == "add") {
      const auto first = number(request, "first");
      for (auto n = first; n < first + number(request, "count"); ++n) journal_->add(line(n));
      co_return json::value(true);
    }
    if (step == "wait") co_return co_await wait(static_cast<std::uint64_t>(number(request, "count")));
    if (step == "state") co_return state();
    if (step == "is-taken") {
      const auto taken = co_await journal_->is_taken();
      if (!taken) co_return core::fail(taken.error());
      co_return json::value(*taken);
    }
    if (step == "time-appends") co_return co_await time_appends(number(request, "count"));
    if (step == "close") {
      co_await journal_->close(core::Seconds(60));
      co_return state();
    }
    co_return core::fail(core::Errc::usage, fmt::format("'{}' is not a command of this tool", step));
  }

 private:
  Answer open(std::string folder) {
    journal_ = std::make_shared<master::JobJournal>(
        executor_, fs_,
        master::JobJournal::Options{.folder = std::move(folder),
                                    .listener = {.on_durable = [this](std::uint64_t) { news_.notify(); },
                                                 .on_behind = [this](const std::string& why) { told("behind", why); },
                                                 .on_broken = [this](const std::string& why) { told("broken", why); },
                                                 .on_caught_up = [this] { told("caught up", ""); },
                                                 .on_taken = [this](const std::string& why) { told("taken", why); }}});
    const auto begin = std::chrono::steady_clock::now();
    auto opened = co_await journal_->open();
    if (!opened) co_return core::fail(opened.error());
    json::array events;
    for (const auto& event : opened->events) events.push_back(event.at.count());
    co_return json::object{{"epoch", opened->epoch},
                           {"began", opened->began.time_since_epoch().count()},
                           {"seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()},
                           {"events", std::move(events)}};
  }

  Answer wait(std::uint64_t count) {
    const auto deadline = core::steady_now() + core::Seconds(120);
    while (journal_->durable() < count && !taken_ && core::steady_now() < deadline) {
      co_await news_.wait(deadline - core::steady_now());
    }
    co_return state();
  }

  Answer time_appends(std::int64_t count) {
    std::vector<double> times;
    for (std::int64_t n = 0; n < count; ++n) {
      const auto begin = std::chrono::steady_clock::now();
      const auto before = journal_->durable();
      journal_->add(line(n));
      while (journal_->durable() == before && !taken_) co_await news_.wait(core::Seconds(60));
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::sort(times);
    co_return json::object{{"median_ms", times.at(times.size() / 2)}, {"p99_ms", times.at(times.size() * 99 / 100)}};
  }

  json::value state() const {
    return json::object{{"added", journal_->added()}, {"durable", journal_->durable()}, {"told", told_}};
  }
  void told(std::string_view what, const std::string& why) {
    told_.push_back(json::array{what, why});
    taken_ = taken_ || what == "taken";
    news_.notify();
  }

  net::asio::any_io_executor executor_;
  hdfs::FileSystem& fs_;
  std::shared_ptr<master::JobJournal> journal_;
  net::Signal news_;
  json::array told_;
  bool taken_ = false;
};

core::Result<hdfs::Options> options() {
  const auto search = hconf::find_configuration();
  if (!search.found) return core::fail(core::Errc::usage, "HADOOP_CONF_DIR names no configuration");
  const auto config = hconf::load(*search.found);
  if (!config) return core::fail(config.error());
  const auto service = hconf::default_name_service(*config);
  if (!service) return core::fail(service.error());
  return hdfs::configured(*config, *service, {.user = core::user_name()});
}

json::object answer(const core::Result<json::value>& result) {
  if (result) return {{"ok", *result}};
  const auto& error = result.error();
  return {{"error", fmt::format("{}.{}", error.code.category().name(), error.code.message())},
          {"message", error.message}};
}

}  // namespace

int main() {
  auto configured = options();
  if (!configured) {
    fmt::print(stderr, "{}\n", configured.error().message);
    return 1;
  }
  net::asio::io_context io(1);
  auto busy = net::asio::make_work_guard(io);
  hdfs::FileSystem fs(io.get_executor(), std::move(*configured));
  Tool tool(io.get_executor(), fs);
  std::jthread worker([&io] { io.run(); });
  for (std::string request; std::getline(std::cin, request);) {
    auto result = net::asio::co_spawn(io, tool.run(json::parse(request).as_object()), net::asio::use_future).get();
    fmt::print("{}\n", json::serialize(answer(result)));
    std::fflush(stdout);
  }
  io.stop();
  return 0;
}
