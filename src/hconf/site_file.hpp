#pragma once

#include "core/result.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::hconf {

// One <property> of a *-site.xml file.
struct Property {
  std::string name;
  std::string value;
  bool is_final = false;
  std::string source;  // "core-site.xml:12", for messages

  bool operator==(const Property&) const = default;
};

using ReadFile = std::function<core::Result<std::string>(const std::filesystem::path&)>;

// The properties of a file in order. Included files (XInclude, relative to the including file) are inserted where the
// include is. As in Hadoop's Java code, a property with an empty or missing value is ignored, and so are unknown
// elements. Pure except for `read`, which reads included files. Errors: corrupt (with file and line), and the error of
// `read` for an include without a fallback.
[[nodiscard]] core::Result<std::vector<Property>> parse_site_file(const std::filesystem::path& file,
                                                                  std::string_view text, const ReadFile& read);

}  // namespace ydl::hconf
