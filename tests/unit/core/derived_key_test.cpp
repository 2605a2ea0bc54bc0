#include "core/derived_key.hpp"

#include <gtest/gtest.h>

namespace ydl::core {
namespace {

// RFC 5869, test case 3: no salt and no info, the first 32 bytes.
TEST(DeriveKey, is_hkdf_with_sha256) {
  EXPECT_EQ(derive_key(std::string(22, '\x0b'), ""),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d");
}

TEST(DeriveKey, differs_by_key_and_by_purpose) {
  EXPECT_EQ(derive_key("k", "owner"), derive_key("k", "owner"));
  EXPECT_NE(derive_key("k", "owner"), derive_key("k", "agent"));
  EXPECT_NE(derive_key("k", "owner"), derive_key("l", "owner"));
}

}  // namespace
}  // namespace ydl::core
