#pragma once

#include "backend/yarn/yarn_backend.hpp"
#include "master/job_journal.hpp"
#include "master/master.hpp"
#include "net/asio.hpp"
#include "protocol/hub.hpp"

#include <memory>

namespace ydl::master {

// If the ResourceManager does not answer, this master may have been replaced. It ends as soon as HDFS shows a later
// master. If neither answers for longer than `blind`, the agents are told to look for a master themselves. Runs until
// the job ends.
[[nodiscard]] net::awaitable<void> watch_for_another(Master& master, std::shared_ptr<JobJournal> journal,
                                                     const backend::YarnBackend& backend, protocol::Hub& hub,
                                                     core::Millis blind);

}  // namespace ydl::master
