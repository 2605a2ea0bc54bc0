#pragma once

#include "hrpc/method.hpp"

#include <string_view>

// How the stubs' methods are written down; for client_rm*.cpp, app_master.cpp and container_manager.cpp.
namespace ydl::yarn {

// All of them may be repeated: the servers know what they have served by what the request says (an id, a response id),
// not by its caller. What makes a method safe to repeat that does not look so stands beside it.
constexpr hrpc::Method client_method(std::string_view name) {
  return {"org.apache.hadoop.yarn.api.ApplicationClientProtocolPB", name, hrpc::Repeat::idempotent};
}
constexpr hrpc::Method master_method(std::string_view name) {
  return {"org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB", name, hrpc::Repeat::idempotent};
}
constexpr hrpc::Method container_method(std::string_view name) {
  return {"org.apache.hadoop.yarn.api.ContainerManagementProtocolPB", name, hrpc::Repeat::idempotent};
}

}  // namespace ydl::yarn
