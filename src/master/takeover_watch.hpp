#pragma once

#include "backend/yarn/yarn_backend.hpp"
#include "master/job_journal.hpp"
#include "master/master.hpp"
#include "net/asio.hpp"
#include "protocol/hub.hpp"

#include <memory>

namespace ydl::master {

// A master that the ResourceManager does not answer may have been replaced. It ends as soon as HDFS tells so; while it
// hears neither of them for longer than `blind`, its agents are told to look for themselves. Until the job ends.
[[nodiscard]] net::awaitable<void> watch_for_another(Master& master, std::shared_ptr<JobJournal> journal,
                                                     const backend::YarnBackend& backend, protocol::Hub& hub,
                                                     core::Millis blind);

}  // namespace ydl::master
