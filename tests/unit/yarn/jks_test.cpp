#include "yarn/jks.hpp"

#include "core/files.hpp"
#include "support/hex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ydl::testing::from_hex;

constexpr std::string_view kPassword = "changeit";

std::string store(const std::string& name) {
  return core::read_file(std::string(YDL_WIRE_DIR) + "/yarn/key_stores/" + name).value();
}

// A store with these bytes and a correct digest.
std::string sealed(std::string content) {
  return content + jks_digest(content, kPassword);
}
std::string problem(std::string_view bytes, std::string_view password = kPassword) {
  const auto decoded = decode_jks(bytes, password);
  return decoded ? "" : decoded.error().message;
}

std::string certificate_entry(std::string_view length = "00000003", std::string_view type = "00 05 582e353039") {
  return from_hex("00000002 0001 61 0000000000000000") + from_hex(type) + from_hex(length) + "DER";
}
std::string with_entries(std::string_view count, const std::string& entries) {
  return sealed(from_hex("feedfeed 00000002") + from_hex(count) + entries);
}

TEST(Jks, a_store_of_keytool_has_its_key_and_its_certificate) {
  const auto decoded = decode_jks(store("keytool.jks"), kPassword);
  ASSERT_TRUE(decoded) << decoded.error().message;
  ASSERT_THAT(decoded->keys, SizeIs(1));
  EXPECT_EQ(decoded->keys[0].alias, "ydl");
  // PKCS#8 of a P-256 key: SEQUENCE, version 0, id-ecPublicKey, prime256v1.
  EXPECT_THAT(decoded->keys[0].key.substr(2),
              StartsWith(from_hex("020100 3013 06072a8648ce3d0201 06082a8648ce3d030107")));
  EXPECT_THAT(decoded->keys[0].chain, ElementsAre(StartsWith(from_hex("3082"))));
  ASSERT_THAT(decoded->certificates, SizeIs(1));
  EXPECT_EQ(decoded->certificates[0].alias, "trusted");
  EXPECT_THAT(decoded->certificates[0].certificate, HasSubstr("trusted"));
}

TEST(Jks, a_resource_managers_stores_have_a_key_with_two_certificates_and_their_ca) {
  const auto own = decode_jks(store("keystore.jks"), "keypass7");
  ASSERT_TRUE(own) << own.error().message;
  ASSERT_THAT(own->keys, SizeIs(1));
  EXPECT_EQ(own->keys[0].alias, "server");
  ASSERT_THAT(own->keys[0].chain, SizeIs(2));
  EXPECT_THAT(own->keys[0].chain[0], HasSubstr("application_1700000000000_0007"));
  const auto trusted = decode_jks(store("truststore.jks"), "trustpass7");
  ASSERT_TRUE(trusted) << trusted.error().message;
  ASSERT_THAT(trusted->certificates, SizeIs(1));
  EXPECT_EQ(trusted->certificates[0].alias, "client");
  EXPECT_EQ(trusted->certificates[0].certificate, own->keys[0].chain[1]);
}

TEST(Jks, the_error_for_a_wrong_password_names_both_possible_causes) {
  for (const std::string_view password : {"changeiT", "", "changeit ", "keypass7"})
    EXPECT_EQ(problem(store("keytool.jks"), password),
              "this is not a valid Java key store: it was modified, or the password is wrong");
  EXPECT_THAT(problem(store("keytool.jks"), "p\xc3\xa4ssword"), HasSubstr("not ASCII"));
}

TEST(Jks, a_key_with_another_password_than_its_store_is_refused) {
  EXPECT_THAT(problem(store("two_passwords.jks")),
              HasSubstr("it contains a private key with another password than the store's"));
}

TEST(Jks, it_is_refused_when_truncated_even_with_a_correct_digest) {
  const auto whole = store("keytool.jks");
  const auto content = whole.substr(0, whole.size() - 20);
  ASSERT_EQ(sealed(content), whole);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_NE(problem(whole.substr(0, size)), "") << size;
  for (std::size_t size = 0; size < content.size(); ++size)
    EXPECT_NE(problem(sealed(content.substr(0, size))), "") << size;
}

TEST(Jks, any_modified_byte_is_an_error) {
  const auto whole = store("keytool.jks");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_NE(problem(changed), "") << at;
  }
}

TEST(Jks, wrong_lengths_and_counts_are_refused) {
  EXPECT_EQ(problem(with_entries("00000001", certificate_entry())), "");
  EXPECT_EQ(problem(with_entries("00000000", "")), "");
  for (const std::string_view length : {"00000004", "7fffffff", "ffffffff", "fffffff0"})
    EXPECT_THAT(problem(with_entries("00000001", certificate_entry(length))), HasSubstr("is truncated")) << length;
  EXPECT_THAT(problem(with_entries("00000001", certificate_entry("00000002"))), HasSubstr("after its last entry"));
  EXPECT_THAT(problem(with_entries("00000000", certificate_entry())), HasSubstr("after its last entry"));
  for (const std::string_view count : {"00000002", "80000000", "ffffffff"})
    EXPECT_THAT(problem(with_entries(count, certificate_entry())), HasSubstr("is truncated")) << count;
  const auto key = from_hex("00000001 0001 61 0000000000000000");
  EXPECT_THAT(problem(with_entries("00000001", key + from_hex("ffffffff"))), HasSubstr("is truncated"));
  EXPECT_THAT(problem(with_entries("00000001", key + from_hex("00000000 ffffffff"))), HasSubstr("is truncated"));
}

TEST(Jks, unsupported_kinds_are_refused_by_name) {
  EXPECT_THAT(problem(with_entries("00000001", certificate_entry("00000003", "0003 504750"))), HasSubstr("not X.509"));
  EXPECT_THAT(problem(with_entries("00000001", from_hex("00000003 0001 61 0000000000000000"))),
              HasSubstr("unknown kind 3"));  // a secret key of JCEKS
  EXPECT_THAT(problem(sealed(from_hex("feedfeed 00000001 00000000"))), HasSubstr("version 1 is not supported"));
  EXPECT_THAT(problem(sealed(from_hex("cececece 00000002 00000000"))), HasSubstr("does not start with FEEDFEED"));
  EXPECT_THAT(problem(sealed(from_hex("feedfeed 0000"))), HasSubstr("is truncated"));
}

TEST(Jks, a_private_key_in_another_format_is_refused) {
  const auto entry = [](std::string_view info) {
    const auto bytes = from_hex(info);
    return with_entries("00000001", from_hex("00000001 0001 61 0000000000000000 000000") +
                                        std::string(1, static_cast<char>(bytes.size())) + bytes + from_hex("00000000"));
  };
  EXPECT_THAT(problem(entry("")), HasSubstr("private key that cannot be decoded"));
  EXPECT_THAT(problem(entry("30820000")), HasSubstr("private key that cannot be decoded"));
  EXPECT_THAT(problem(entry("3084ffffffff")), HasSubstr("private key that cannot be decoded"));
  EXPECT_THAT(problem(entry("3011 300d 06092a864886f70d010503 0500 0400")),
              HasSubstr("with the unsupported algorithm 1.2.840.113549.1.5.3"));
  EXPECT_THAT(problem(entry("3012 300e 060a2b060104012a02110101 0500 0400")),
              HasSubstr("it contains a truncated private key"));
  EXPECT_THAT(problem(entry("3012 300e 060a2b060104012a02110101 0500 0400 00")),
              HasSubstr("private key that cannot be decoded"));
}

TEST(Jks, a_store_of_more_than_a_megabyte_is_refused_before_hashing) {
  EXPECT_THAT(problem(with_entries("00000001", std::string(kMaxKeyStore, 'x'))),
              HasSubstr("at most 1048576 are allowed"));
}

}  // namespace
}  // namespace ydl::yarn
