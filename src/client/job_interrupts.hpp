#pragma once

#include "client/follow.hpp"
#include "client/followed_job.hpp"
#include "core/clock.hpp"
#include "core/files.hpp"
#include "ui/question.hpp"

#include <optional>
#include <vector>

#include <boost/asio/signal_set.hpp>

namespace ydl::client {

// What Ctrl-C and other signals mean for a job that is followed: the question to the user, the stop of the job, or
// leaving it. Signals are handled here from the constructor on.
class JobInterrupts {
 public:
  struct Options {
    Part part = Part::owner;
    core::UniqueFd lifeline;  // as FollowOptions has it
  };

  // `job`: outlives this.
  JobInterrupts(net::asio::io_context& context, FollowedJob& job, Options options);

  // Until the job is left: job.is_left and job.exit_code are set then.
  [[nodiscard]] net::awaitable<void> watch();
  // Sends the stop again where a new master has answered: one that was lost after it had accepted the stop may not have
  // stored it.
  [[nodiscard]] net::awaitable<void> repeat_stop();

  // The job has ended or was left, and what is left is to show the rest of its logs. From now on a signal ends this
  // process at once, even while it waits for a slow terminal, with a sentence that names the command that shows the
  // rest.
  void end();

  // Whether a question is on the screen.
  [[nodiscard]] bool is_asking() const { return is_asking_; }
  [[nodiscard]] bool is_stopping() const { return is_stopping_; }

 private:
  [[nodiscard]] net::awaitable<ui::Answer> ask();
  // False: neither the master nor the ResourceManager received the request.
  [[nodiscard]] net::awaitable<bool> stop_job(std::optional<core::Millis> grace);
  void give_up_stopping();
  // False: the master has ended already.
  bool leave();
  void leave_watched_job();

  net::asio::io_context& context_;
  FollowedJob& job_;
  Options options_;
  std::vector<int> handled_signals_ = handled_signals();  // before the set changes what is ignored
  net::asio::signal_set signals_;
  bool is_asking_ = false;
  bool is_stopping_ = false;
  std::optional<core::Millis> grace_;  // of the last stop
};

}  // namespace ydl::client
