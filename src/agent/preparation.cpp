#include "agent/preparation.hpp"

#include "agent/files/node_glibc.hpp"
#include "core/log.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {

bool Preparation::needs_hdfs() const {
  return !request_.inputs.empty() || !request_.remote_results.empty() || !request_.remote_logs.empty() ||
         !request_.remote_saves.empty();
}

bool Preparation::takes_long() const {
  return needs_hdfs() || request_.image || request_.gpus > 0 || request_.packed;
}

core::Result<void> Preparation::check() const {
  if (needs_hdfs() && context_.surroundings.hdfs == nullptr) {
    return core::fail(core::Errc::not_found,
                      "the task needs HDFS for its inputs or results, and its agent has no configuration of HDFS");
  }
  return image_.check();
}

net::Async<> Preparation::follow(const EarlierAttempt& earlier) {
  if (!context_.surroundings.renews_directories) co_return core::Result<>{};
  restoring_.follow(earlier.number, earlier.departure->results);
  const auto put_aside = std::make_shared<core::Result<>>();
  const auto put = [put_aside, request = request_, number = earlier.number](const std::stop_token& /*stop*/) {
    *put_aside = put_earlier_aside(request, number);
  };
  if (auto ran = co_await context_.machine.preparer().run(put); !ran) co_return ran;
  co_return *put_aside;
}

net::Async<> Preparation::fetch() {
  auto fetched = co_await image_.fetch();
  if (fetched && request_.packed) fetched = co_await unpack();
  if (fetched && needs_hdfs()) fetched = co_await fetch_from_hdfs();
  if (fetched && !copying_.cancelled && request_.gpus > 0) fetched = co_await resources_.take_gpus(request_.gpus);
  co_return fetched;
}

// Many links are made outside the event loop, because a submission directory may have thousands of entries and the job
// hundreds of tasks. Few links are made at once, so that all tasks of a small job are reported in one call.
net::Async<> Preparation::finish(std::shared_ptr<DirectoryListings> listings) {
  restoring_.find_here();
  if (is_made_quickly(request_)) {
    if (auto made = prepare_workspace(request_, *listings); !made) co_return made;
    co_return resources_.take_ports_and_limits(request_, context_.surroundings.job);
  }
  const auto made = std::make_shared<core::Result<>>();
  const auto make = [made, request = request_, listings = std::move(listings)](const std::stop_token& /*stop*/) {
    *made = prepare_workspace(request, *listings);
  };
  if (auto ran = co_await context_.machine.preparer().run(make); !ran) co_return ran;
  if (!*made || copying_.cancelled) co_return *made;
  co_return resources_.take_ports_and_limits(request_, context_.surroundings.job);
}

// If the NameNode is unavailable for a while, another host would have the same problem, so this host waits.
net::Async<> Preparation::fetch_from_hdfs() {
  copying_.on_wait = [report = context_.report, attempt = request_.attempt,
                      said = false](const core::Error& error) mutable {
    if (std::exchange(said, true)) return;
    report(protocol::Note{
        attempt, fmt::format("its files cannot be downloaded from HDFS right now ({}); trying again", error.message)});
  };
  auto fetched = co_await fetch_inputs();
  if (fetched) fetched = co_await restoring_.fetch();
  copying_.on_wait = nullptr;
  co_return fetched;
}

// The folders are linked into the working directory, as NodeManagers would have linked them.
net::Async<> Preparation::unpack() {
  if (const auto problem = check_glibc(request_.packed->folders, node_glibc("/")); !problem.error.empty()) {
    co_return core::fail(core::Errc::refused, problem.error);
  } else if (!problem.note.empty()) {
    context_.report(protocol::Note{request_.attempt, problem.note});
  }
  const auto container = std::filesystem::path(request_.working_directory).parent_path();
  const auto options = node_environments_here(core::process_getenv, container);
  for (const auto& packed : request_.packed->folders) {
    const auto unpacked = std::make_shared<core::Result<UnpackedFolder>>();
    const auto work = [unpacked, packed, options](const std::stop_token& stop) {
      *unpacked = unpack_on_node(packed, options, stop);
    };
    if (auto ran = co_await context_.machine.preparer().run(work); !ran) co_return ran;
    if (!*unpacked) co_return core::fail(unpacked->error().within("the Python environment cannot be unpacked"));
    core::log("the Python environment {} is in {}{}", packed.name, (*unpacked)->path.string(),
              (*unpacked)->was_there ? ", unpacked before" : "");
    environment_locks_.push_back(std::move((*unpacked)->lock));
    request_.links.push_back({(*unpacked)->path.string(), packed.name});
  }
  co_return core::Result<>{};
}

// Inputs are downloaded beside the working directory and linked into it, because real files in the working directory
// count as results of the task.
net::Async<> Preparation::fetch_inputs() {
  auto& file_systems = *context_.surroundings.file_systems;
  std::vector<protocol::Link> links;
  for (const auto& input : request_.inputs) {
    const auto source = file_systems.locate(input.path);
    if (!source) co_return core::fail(source.error().within("the input"));
    const auto target = inputs_directory(request_) / input.name;
    const auto download = [&] {
      return download_tree(*source->fs, source->path, target, Names::as_they_are, copying_);
    };
    auto downloaded = co_await persist(download, copying_);
    if (!downloaded) co_return core::fail(downloaded.error().within(fmt::format("the input {}", input.path)));
    links.push_back({target.string(), input.name});
  }
  request_.links.insert(request_.links.begin(), links.begin(), links.end());
  co_return core::Result<>{};
}

}  // namespace ydl::agent
