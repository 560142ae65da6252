// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include <gtest/gtest.h>

#include "core/shell_word.h"

namespace fencepost {
namespace {

TEST(ShellWord, IsReadByAShellAsWhatItWas)
{
    for (const std::string text :
        { "plain-1.0/x:y=z", "", "two words", "it's", "$(rm -rf /)", "a\\b", "\"q\"", "a\nb" }) {
        auto* shell = ::popen(("printf %s " + shellWord(text)).c_str(), "r");
        ASSERT_NE(shell, nullptr);
        std::string read;
        for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell))
            read += static_cast<char>(c);
        EXPECT_EQ(::pclose(shell), 0) << text;
        EXPECT_EQ(read, text);
    }
    EXPECT_EQ(shellWord("state=DEAD"), "state=DEAD");
}

} // namespace
} // namespace fencepost
