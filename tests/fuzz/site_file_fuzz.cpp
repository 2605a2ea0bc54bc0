#include "hconf/config.hpp"
#include "hconf/services.hpp"
#include "hconf/site_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

// A site file, which may include itself, and all conversions of its values.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::hconf;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ReadFile read = [&](const std::filesystem::path& path) -> ydl::core::Result<std::string> {
    if (path.filename() != "self.xml") return ydl::core::fail(ydl::core::Errc::not_found, "not there");
    return text;
  };
  const auto properties = parse_site_file("/conf/self.xml", text, read);
  if (!properties) return 0;
  Config config([](const char*) { return std::nullopt; });
  config.add(*properties);
  for (const auto& property : *properties) {
    (void)config.get(property.name);
    (void)config.get_int(property.name);
    (void)config.get_bytes(property.name);
    (void)config.get_time(property.name, ydl::core::Millis(1000));
  }
  (void)default_name_service(config);
  (void)resource_managers(config);
  return 0;
}
