#include "cli/args/linked.hpp"

#include "core/version.hpp"

#include <expat.h>
#include <google/protobuf/stubs/common.h>
#include <openssl/crypto.h>

#include <CLI/Version.hpp>
#include <ares.h>
#include <boost/version.hpp>
#include <fmt/format.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace ydl::cli {
namespace {

// 107901 is 1.79.1.
std::string boost_version() {
  return fmt::format("{}.{}.{}", BOOST_VERSION / 100'000, BOOST_VERSION / 100 % 1'000, BOOST_VERSION % 100);
}

// 90100 is 9.1.0.
std::string fmt_version() {
  return fmt::format("{}.{}.{}", FMT_VERSION / 10'000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

std::string expat_version() {
  const auto version = XML_ExpatVersionInfo();
  return fmt::format("{}.{}.{}", version.major, version.minor, version.micro);
}

}  // namespace

std::vector<LinkedLibrary> linked_libraries() {
  return {
      {"Boost", boost_version(), "BSL-1.0"},
      {"c-ares", ::ares_version(nullptr), "MIT"},
      {"CLI11", CLI11_VERSION, "BSD-3-Clause"},
      {"Expat", expat_version(), "MIT"},
      {"fmt", fmt_version(), "MIT"},
      {"glibc", ::gnu_get_libc_version(), "LGPL-2.1-or-later"},
      {"libstdc++", fmt::format("{}", _GLIBCXX_RELEASE), "GPL-3.0-or-later WITH GCC-exception-3.1"},
      {"MIT krb5", YDL_KRB5_VERSION, "MIT"},
      {"OpenSSL", ::OpenSSL_version(OPENSSL_VERSION_STRING), "Apache-2.0"},
      {"Protocol Buffers", google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION), "BSD-3-Clause"},
      {"yaml-cpp", YDL_YAML_CPP_VERSION, "MIT"},
  };
}

std::string version_text() {
  auto text = fmt::format("ydl {}\ncompiled with clang {}\n\n", core::kVersion, __clang_version__);
  for (const auto& library : linked_libraries())
    text += fmt::format("{:<17} {:<8} {}\n", library.name, library.version, library.licence);
  return text;
}

}  // namespace ydl::cli
