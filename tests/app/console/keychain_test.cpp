// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QUuid>

#include "app/console/keychain.h"
#include "models/deliver.h"
#include "tests/support/wait.h"

namespace fencepost::app {
namespace {

// Run twice: on a bus with a secret service (FENCEPOST_TEST_KEYRING is set), and with neither.
const bool withService = qEnvironmentVariableIsSet("FENCEPOST_TEST_KEYRING");

template <typename Answer> std::optional<Answer> answerOf(const QFuture<Answer>& future)
{
    if (!testing::eventually([&future] { return future.isFinished(); }))
        return std::nullopt;
    return future.result();
}

TEST(KeychainTest, ProbeTellsAWorkingServiceFromNone)
{
    SystemKeychain keychain(std::chrono::seconds(3));
    keychain.probe();
    ASSERT_TRUE(testing::eventually([&keychain] { return keychain.health() != SystemKeychain::Health::Unknown; }));
    EXPECT_EQ(keychain.health(), withService ? SystemKeychain::Health::Usable : SystemKeychain::Health::Missing);
}

TEST(KeychainTest, KeepsReadsAndForgetsAPassword)
{
    SystemKeychain keychain(std::chrono::seconds(3));
    const QString name = QUuid::createUuid().toString(QUuid::WithoutBraces);
    const auto written = answerOf(keychain.write(name, QStringLiteral("pässwörd \"1\"")));
    ASSERT_TRUE(written);
    if (!withService) {
        ASSERT_FALSE(*written);
        EXPECT_EQ(written->error().failure, Failure::Unavailable);
        EXPECT_EQ(written->error().detail.find("pässwörd"), std::string::npos);
        return;
    }
    ASSERT_TRUE(*written) << written->error().detail;
    const auto found = answerOf(keychain.read(name));
    ASSERT_TRUE(found && *found);
    EXPECT_EQ(**found, QStringLiteral("pässwörd \"1\""));
    ASSERT_TRUE(answerOf(keychain.remove(name)).value());
    const auto gone = answerOf(keychain.read(name));
    ASSERT_TRUE(gone && *gone);
    EXPECT_FALSE((**gone).has_value());
    EXPECT_TRUE(answerOf(keychain.remove(name)).value());
}

TEST(KeychainTest, ItsOwnTimeLimitEndsTheWait)
{
    SystemKeychain keychain(std::chrono::microseconds(1));
    const auto answer = answerOf(keychain.read(QStringLiteral("anything")));
    ASSERT_TRUE(answer);
    EXPECT_FALSE(*answer);
    EXPECT_EQ(answer->error().failure, Failure::Unavailable);
}

} // namespace
} // namespace fencepost::app
