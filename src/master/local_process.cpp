#include "master/local_process.hpp"

#include "backend/local/local.hpp"
#include "master/api.hpp"
#include "master/local_files.hpp"
#include "master/local_server.hpp"
#include "master/master.hpp"
#include "master/plan.hpp"
#include "master/process_parts.hpp"
#include "protocol/hub.hpp"

namespace ydl::master {
namespace {

namespace asio = net::asio;

int run_local(const ProcessStart& start) {
  const auto& folder = start.folder;
  begin_master_process();
  auto prepared = prepare_job(folder, find_on_path);
  const auto fits = prepared ? check_descriptors_of_agent(prepared->plan) : core::fail(prepared.error());
  if (!fits) {
    report_start("error " + fits.error().message);
    return 1;
  }
  asio::io_context context(1);
  const auto executor = context.get_executor();
  protocol::Hub hub(executor);
  MasterSettings settings;
  settings.make_backend = [&, files = local_files(folder, prepared->job)](backend::Sink sink) {
    backend::LocalOptions local;
    local.files = files;
    local.credentials = folder.master_file();
    local.agent_log = folder.agent_log();
    return std::make_unique<backend::LocalBackend>(executor, hub, std::move(sink), std::move(local));
  };
  Master master(executor, folder, std::move(prepared->job), std::move(prepared->plan), settings);

  LocalServer server(executor, folder, make_api(master, hub));
  if (auto listening = server.listen(); !listening) {
    report_start("error " + listening.error().message);
    return 1;
  }
  report_start("ready");
  return run_to_the_end(context, master, server.server(), start.attachment);
}

}  // namespace

const ProcessKind& local_master() {
  static constexpr ProcessKind kKind{"local", run_local};
  return kKind;
}

}  // namespace ydl::master
