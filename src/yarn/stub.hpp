#pragma once

#include "hrpc/method.hpp"

#include <string_view>

// How the stubs' methods are written down; for client_rm*.cpp, app_master.cpp and container_manager.cpp.
namespace ydl::yarn {

// The ResourceManager knows an answer it has given by what the request says (an id, a response id), not by its caller:
// methods that Hadoop calls "at most once" may be repeated all the same.
constexpr hrpc::Method client_method(std::string_view name, hrpc::Repeat repeat = hrpc::Repeat::idempotent) {
  return {"org.apache.hadoop.yarn.api.ApplicationClientProtocolPB", name, repeat};
}
constexpr hrpc::Method master_method(std::string_view name, hrpc::Repeat repeat = hrpc::Repeat::idempotent) {
  return {"org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB", name, repeat};
}
constexpr hrpc::Method container_method(std::string_view name) {
  return {"org.apache.hadoop.yarn.api.ContainerManagementProtocolPB", name, hrpc::Repeat::idempotent};
}

}  // namespace ydl::yarn
