// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

// For test programs of code without Qt.
int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
