#include "net/worker.hpp"

#include "net/thread_wake.hpp"

#include <condition_variable>
#include <csignal>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace ydl::net {
namespace {

struct Job {
  Worker::Work work;
  bool began = false;         // the coroutine reads it only after `wake`
  std::exception_ptr thrown;  // as above
  ThreadWake wake;
};

}  // namespace

struct Worker::State {
  std::mutex mutex;
  std::condition_variable_any news;
  std::deque<std::shared_ptr<Job>> jobs;
  bool closed = false;
  std::jthread thread;

  // The next job, or null after the worker was closed.
  std::shared_ptr<Job> next(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    if (!news.wait(lock, stop, [this] { return !jobs.empty(); }) || stop.stop_requested()) return nullptr;
    auto job = std::move(jobs.front());
    jobs.pop_front();
    return job;
  }

  void work(const std::stop_token& stop) {
    while (const auto job = next(stop)) {
      job->began = true;
      try {
        std::exchange(job->work, nullptr)(stop);
      } catch (...) {
        job->thrown = std::current_exception();
      }
      job->wake.finish();
    }
  }

  // Blocks signals in the new thread: they must be delivered to the thread of the loop.
  void start() {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread = std::jthread([this](const std::stop_token& stop) { work(stop); });
    } catch (...) {
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
};

Worker::Worker() : state_(std::make_unique<State>()) {}

Worker::~Worker() {
  close();
}

Async<> Worker::run(Work work) {
  const auto job = std::make_shared<Job>();
  job->work = std::move(work);
  {
    const std::scoped_lock lock(state_->mutex);
    if (state_->closed) co_return core::fail(core::Errc::cancelled, "the worker thread has ended");
    if (!state_->thread.joinable()) {
      try {
        state_->start();
      } catch (const std::system_error& error) {
        co_return core::fail(
            core::Errc::no_capacity,
            fmt::format("cannot start a thread: {}; raise the limit of processes (ulimit -u)", error.what()));
      }
    }
    state_->jobs.push_back(job);
  }
  state_->news.notify_one();
  while (!co_await job->wake.wait(core::Seconds(3600))) {
  }
  if (job->thrown) std::rethrow_exception(job->thrown);
  if (!job->began) co_return core::fail(core::Errc::cancelled, "the worker thread ended before this work started");
  co_return core::Result<>{};
}

void Worker::close() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->closed = true;
  }
  if (state_->thread.joinable()) {
    state_->thread.request_stop();
    state_->thread.join();
  }
  for (const auto& job : std::exchange(state_->jobs, {})) job->wake.finish();
}

}  // namespace ydl::net
