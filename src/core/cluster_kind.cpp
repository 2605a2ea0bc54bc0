#include "core/cluster_kind.hpp"

namespace ydl::core {

std::string title(const Named<ClusterKind>& kind) {
  if (!kind.value()) return std::string(kind.name());
  return std::string(kClusterTitles.at(static_cast<std::size_t>(*kind.value())));
}

}  // namespace ydl::core
