// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/base64.h"

namespace fencepost {
namespace {

TEST(Base64Test, SpellsOctetsAsTheStandardDoes)
{
    // RFC 4648 §10, and octets that are no text.
    for (const auto& [octets, text] : { std::pair<Bytes, std::string>{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" },
             { "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
             { std::string("\0\xff\x10", 3), "AP8Q" } }) {
        EXPECT_EQ(toBase64(octets), text);
        EXPECT_EQ(fromBase64(text), octets) << text;
    }
}

TEST(Base64Test, TakesEachInItsOneSpellingOnly)
{
    for (const auto* text : { "Zg", "Zg=", "Zh==", "Z===", "====", "Zm9v\n", " Zm9", "Zm-v", "Zm9vZg==Zm9v" })
        EXPECT_EQ(fromBase64(text), std::nullopt) << text;
}

} // namespace
} // namespace fencepost
