#pragma once

#include "backend/local/local.hpp"
#include "conformance/stage.hpp"
#include "http/server.hpp"
#include "protocol/hub.hpp"
#include "support/temp_dir.hpp"

#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ydl::backend::test {

// This machine: the built ydl as the agent, the master's own routes for it on a real server.
class LocalStage final : public Stage {
 public:
  LocalStage(ydl::test::Loop& loop, Sink sink, std::string executable = YDL_BINARY);
  ~LocalStage() override;

  Backend& backend() override { return *backend_; }
  std::vector<std::string> command(Does what) override;
  std::size_t running() override;
  std::string complaints() override;

  [[nodiscard]] LocalFiles files() const;

  // The agent's process, or 0.
  [[nodiscard]] static pid_t agent_pid();

 private:
  ydl::test::TempDir dir_;
  const std::string secret_;
  protocol::Hub hub_;
  http::Server server_;
  std::unique_ptr<LocalBackend> backend_;
};

}  // namespace ydl::backend::test
