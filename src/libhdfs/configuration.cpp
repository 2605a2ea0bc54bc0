#include "libhdfs/configuration.hpp"

#include "core/described_json.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "hconf/load.hpp"
#include "hconf/portable.hpp"
#include "hrpc/login.hpp"
#include "yarn/configured.hpp"

#include <fmt/format.h>

namespace ydl::libhdfs {
namespace {

struct Record {
  std::string user;
  std::map<std::string, std::string> hadoop;
};
BOOST_DESCRIBE_STRUCT(Record, (), (user, hadoop))

constexpr int kVersion = 1;
constexpr std::size_t kLargestFile = std::size_t{16} << 20U;

core::Result<Configuration> from_file(const std::string& file) {
  const auto text = core::read_file(file, kLargestFile);
  if (!text) return core::fail(text.error());
  auto record = core::decode_record<Record>(kVersion, *text);
  if (!record) return core::fail(record.error().within(file));
  return Configuration{hconf::from_map(record->hadoop, "the job's configuration"), std::move(record->user), {}};
}

core::Result<Configuration> from_site_files(const core::Getenv& getenv) {
  const auto search = hconf::find_configuration(getenv);
  if (!search.found) {
    return core::fail(
        core::Errc::usage,
        fmt::format("no Hadoop configuration was found in {}; set HADOOP_CONF_DIR to the folder with core-site.xml",
                    core::join(search.looked, ", ")));
  }
  auto config = hconf::load(*search.found, getenv);
  if (!config) return core::fail(config.error());
  auto user = hrpc::login_name(*config, getenv);
  return Configuration{*std::move(config), std::move(user), {}};
}

}  // namespace

std::string encode_configuration(const std::string& user, const std::map<std::string, std::string>& keys) {
  return core::encode_record(kVersion, Record{user, keys});
}

core::Result<Configuration> find_configuration(const core::Getenv& getenv) {
  const auto file = getenv(std::string(kConfigVariable).c_str());
  auto configuration = file && !file->empty() ? from_file(*file) : from_site_files(getenv);
  if (!configuration) return configuration;
  const auto credentials = yarn::process_credentials(getenv);
  if (!credentials) return core::fail(credentials.error());
  configuration->tokens = yarn::tokens_of(*credentials);
  return configuration;
}

}  // namespace ydl::libhdfs
