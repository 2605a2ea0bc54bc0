#include "yarn/client_token.hpp"

#include "core/base64.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

// Created by Hadoop's own classes with this key: attempt 1 of application_1700000000000_0007, alice@EXAMPLE.ORG.
constexpr std::string_view kKey = "12345678";
constexpr std::string_view kIdentifier = "Cg0KCQgHEIDQlf+8MRABEhFhbGljZUBFWEFNUExFLk9SRw==";
constexpr std::string_view kPassword = "fYKdlv5lvx97vjyatf3xS7nsnuo=";

std::string genuine() {
  return bearer_of({.identifier = core::from_base64(kIdentifier).value(),
                    .password = core::from_base64(kPassword).value(),
                    .kind = "YARN_CLIENT_TOKEN",
                    .service = ""});
}

TEST(ClientToken, a_token_of_hadoop_is_recognised_with_the_key_of_its_attempt) {
  EXPECT_EQ(genuine(), fmt::format("yarn.{}.{}", kIdentifier, kPassword));
  EXPECT_EQ(check_bearer(genuine(), kKey), (TokenOfClient{{{1'700'000'000'000, 7}, 1}, "alice@EXAMPLE.ORG"}));
}

TEST(ClientToken, any_other_token_is_refused) {
  EXPECT_FALSE(check_bearer(genuine(), "")) << "a master without a key";
  EXPECT_FALSE(check_bearer(genuine(), "12345679")) << "a token of another attempt";
  const auto of_bob = core::to_base64(core::from_base64(kIdentifier).value().replace(17, 5, "bobby"));
  EXPECT_FALSE(check_bearer(fmt::format("yarn.{}.{}", of_bob, kPassword), kKey)) << "another name";
  for (const auto& text :
       {std::string(), std::string("yarn."), std::string("yarn.."), std::string("yarn.*.*"), genuine() + ".",
        genuine() + ".x", "Yarn" + genuine().substr(4), fmt::format("yarn.{}", kIdentifier),
        fmt::format("yarn.{}.", kIdentifier), fmt::format("{}.{}", kIdentifier, kPassword)})
    EXPECT_FALSE(check_bearer(text, kKey)) << text;
}

}  // namespace
}  // namespace ydl::yarn
