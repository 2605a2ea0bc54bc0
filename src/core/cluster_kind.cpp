#include "core/cluster_kind.hpp"

namespace ydl::core {

std::string title(const Named<ClusterKind>& kind) {
  if (kind == ClusterKind::local) return "this machine";
  return kind == ClusterKind::yarn ? "YARN" : std::string(kind.name());
}

}  // namespace ydl::core
