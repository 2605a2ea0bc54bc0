// A job file: the parser returns for any bytes, and what it accepts passes the rules and survives writing and parsing.
#include "core/assert.hpp"
#include "spec/options.hpp"
#include "spec/parse.hpp"
#include "spec/rules.hpp"
#include "spec/settings.hpp"
#include "spec/words.hpp"
#include "spec/write.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl::spec;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto job = parse_saved_job(text, "fuzz");
  if (job) {
    YDL_ASSERT(check_job(*job).has_value());
    const auto again = parse_saved_job(to_json(*job), "again");
    YDL_ASSERT(again && *again == *job);
  } else {
    YDL_ASSERT(job.error().message.starts_with("fuzz:"));
  }
  (void)parse_settings(text, "fuzz");
  (void)split_words(text);
  (void)parse_role_count(text);
  (void)parse_role_resources(text);
  (void)parse_env_variable(text);
  (void)parse_file_ref(text);
  return 0;
}
