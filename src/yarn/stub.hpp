#pragma once

#include "hrpc/method.hpp"

#include <string_view>

// Helpers to define the methods in client_rm*.cpp, app_master.cpp and container_manager.cpp.
namespace ydl::yarn {

// All of these methods may be repeated: the servers recognise a repetition by the content of the request (an id, a
// response id). If this is not obvious, a comment at the method gives the reason.
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
