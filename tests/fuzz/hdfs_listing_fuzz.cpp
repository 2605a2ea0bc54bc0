// The pages of a directory listing of a NameNode, each a delimited GetListingResponseProto.
#include "hdfs/listing.hpp"
#include "hdfs/paths.hpp"
#include "hdfs/proto/client_namenode.pb.h"
#include "hrpc/frame_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::set<std::string> names;
  hdfs::ListingCursor from;
  while (const auto bytes = hrpc::take_delimited(rest)) {
    hadoop::hdfs::GetListingResponseProto answer;
    if (!answer.ParseFromString(std::string(*bytes))) return 0;
    auto listing = hdfs::decode_listing(answer.dirlist(), "/d", from);
    if (!listing) return 0;
    for (const auto& entry : listing->entries) {
      // Names are unique, and each is a child of the directory for every way to resolve paths.
      if (!names.insert(entry.name).second) std::abort();
      const auto path = hdfs::join_path("/d", entry.name);
      if (entry.name.find('\0') != std::string::npos || hdfs::parent_path(path) != "/d") std::abort();
      if (const auto resolved = hdfs::resolve_path(path, "ns", "/user/a"); resolved && *resolved != path) std::abort();
    }
    if (!listing->next) return 0;
    if (listing->entries.empty()) std::abort();  // the client would request pages forever
    from = *std::move(listing->next);
  }
  return 0;
}
