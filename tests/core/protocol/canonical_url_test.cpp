// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/protocol/canonical_url.h"

using namespace fencepost;

namespace {

std::string pathOr(std::string_view path)
{
    const auto canonical = canonicalPath(path);
    return canonical ? *canonical : "refused";
}

std::string queryOf(std::string_view query)
{
    return canonicalPairs(decodedPairs(query));
}

} // namespace

TEST(CanonicalPath, HasOneSpelling)
{
    EXPECT_EQ(pathOr("/%7Euser/%c3%a9"), "/~user/%C3%A9");
    EXPECT_EQ(pathOr("/~user/\xc3\xa9"), "/~user/%C3%A9");
    EXPECT_EQ(pathOr("/a%2Fb"), "/a%2Fb");
    EXPECT_EQ(pathOr("/a%2fb c"), "/a%2Fb%20c");
    EXPECT_EQ(pathOr("/refunds/{id}"), "/refunds/%7Bid%7D");
    EXPECT_EQ(pathOr("/a:b@c;v=1,2!$&'()*+"), "/a:b@c;v=1,2!$&'()*+");
    EXPECT_EQ(pathOr(""), "/");
    EXPECT_EQ(pathOr("/a//b/"), "/a//b/");
}

TEST(CanonicalPath, HasNoDotSegments)
{
    EXPECT_EQ(pathOr("/a/b/c/./../../g"), "/a/g");
    EXPECT_EQ(pathOr("/a/%2E%2e/b"), "/b");
    EXPECT_EQ(pathOr("/../../x"), "/x");
    EXPECT_EQ(pathOr("/a/b/.."), "/a/");
    EXPECT_EQ(pathOr("/a/."), "/a/");
    EXPECT_EQ(pathOr("/.."), "/");
    EXPECT_EQ(pathOr("/a/.b/..c/d."), "/a/.b/..c/d.");
}

TEST(CanonicalPath, RefusesWhatIsNoPath)
{
    for (const auto* path : { "refunds", "/a?b", "/a#b", "/a%", "/a%2", "/a%zz" })
        EXPECT_EQ(pathOr(path), "refused") << path;
}

TEST(CanonicalPairs, AreSortedAndKeepDuplicates)
{
    EXPECT_EQ(queryOf("b=2&a=1&b=1&b=1"), "a=1&b=1&b=1&b=2");
    EXPECT_EQ(queryOf("dry=1"), "dry=1");
    EXPECT_EQ(queryOf(""), "");
    EXPECT_EQ(queryOf("&&a&"), "a=");
    EXPECT_EQ(queryOf("a=b=c"), "a=b%3Dc");
}

TEST(CanonicalPairs, HaveOneSpelling)
{
    EXPECT_EQ(queryOf("q=a+b%20c&%6e=%c3%a9"), queryOf("n=\xc3\xa9&q=a%20b+c"));
    EXPECT_NE(queryOf("a=1&b=2"), queryOf("a=1%26b%3D2"));
    EXPECT_EQ(queryOf("a=100%&b=%zz"), "a=100%25&b=%25zz");
}
