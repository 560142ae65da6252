// SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include "core/ids.h"
#include "core/messaging/failure_group.h"

using namespace fencepost;

TEST(FailureGroup, LeavesOutWhatDiffersFromOneFailureToTheNext)
{
    struct Case {
        const char* error;
        const char* pattern;
    };
    for (const auto& [error, pattern] : {
             Case{ "", "" },
             Case{ "  \n ", "" },
             Case{ "connection refused", "connection refused" },
             Case{ "Order 4711 not found", "Order <n> not found" },
             Case{ "charge ch_5d3f0a of tenant-17 failed", "charge ch_<id> of tenant-<id> failed" },
             Case{ "event cf8d6f71-2678-4709-9c79-b64c52dfe551 again", "event <id> again" },
             Case{ "event deadbeef-2678-4709-9c79-b64c52dfe551 again", "event <id> again" },
             Case{ "event 12345678-2678-4709-9c79-a64c52dfe551 again", "event <id> again" },
             Case{ "key 01JD3Z5M8QXW8B8K6V2T3R4Y5N", "key <id>" },
             Case{ "after 30 s, at 2026-11-20T10:00:00.123Z", "after <n> s, at <n>" },
             Case{ "2026-11-20T10:00:00+01:00 dial 10.0.0.7:5432: timeout", "<n> dial <n>: timeout" },
             Case{ "amount 1,250.00 EUR exceeds 1,000", "amount <n> EUR exceeds <n>" },
             Case{ "line one\r\n\tline\ttwo", "line one line two" },
             Case{ "balance is -12", "balance is -<n>" },
             Case{ "Zahlung für Kunde 12 ungültig", "Zahlung für Kunde <n> ungültig" },
             Case{ "took 250ms", "took <n>" },
             Case{ "dial tcp [2001:db8::7]:443: refused", "dial tcp [<n>]:<n>: refused" },
             Case{ "no route to fe80::1ff:fe23:4567:890a: gone", "no route to <n>: gone" },
             Case{ "dial ::ffff:192.0.2.128, then ::1", "dial <n>, then <n>" },
             Case{ "cafe::Latte threw std::bad_alloc :: again", "cafe::Latte threw std::bad_alloc :: again" },
             Case{ "did not answer within 1.5s", "did not answer within <n>" },
             Case{ "did not answer within 1m30s.", "did not answer within <n>." },
             Case{ "body of 64MiB, 20seats", "body of <n>, <id>" },
             Case{ "id 5d-9b1deb4d", "id <id>" },
             Case{ "id 12d34f", "id <id>" },
             Case{ "order #12/34.", "order #<n>." },
             Case{ "No such customer: cus_HGMgNKTYSAyNHJ", "No such customer: cus_<id>" },
             Case{ "session WMwe-7fKqLmNoPqRsTuVwX expired", "session <id> expired" },
             Case{ "orderId_17 of req_live_Ab9", "orderId_<id> of req_live_<id>" },
             Case{ "java.lang.NullPointerException in get_UserName", "java.lang.NullPointerException in get_UserName" },
             Case{ "ECONNREFUSED by HTTPServerConnection: CONNECTION_LOST_BY_PEER",
                 "ECONNREFUSED by HTTPServerConnection: CONNECTION_LOST_BY_PEER" },
         })
        EXPECT_EQ(patternOf(error), pattern) << error;
}

TEST(FailureGroup, IsStableAndBounded)
{
    EXPECT_EQ(patternOf(std::string(100'000, 'x')).size(), 1'000U);
    EXPECT_EQ(patternOf(std::string(50'000'000, '7')), "<n>");
    const auto group = groupOf("503", "order 1 failed");
    EXPECT_EQ(group, groupOf("503", "order 22 failed"));
    EXPECT_EQ(group.fingerprint.size(), 16U);
    EXPECT_NE(group.fingerprint, groupOf("429", "order 1 failed").fingerprint) << "another code, another cause";
    EXPECT_NE(group.fingerprint, groupOf("503", "refund 1 failed").fingerprint);
    // A pattern of a pattern is the same.
    for (const auto* error : { "charge ch_5d3f0a of 17", "event cf8d6f71-2678-4709-9c79-b64c52dfe551" })
        EXPECT_EQ(patternOf(patternOf(error)), patternOf(error));
}

// What vendors make ids of has a digit mostly, and not always.
TEST(FailureGroup, TakesIdsWithoutADigitForIds)
{
    SeededRandom random(5);
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::set<std::string> patterns;
    for (int i = 0; i < 2'000; ++i) {
        std::string id;
        for (int at = 0; at < 14; ++at)
            id += letters[random.below(letters.size())];
        patterns.insert(patternOf("No such customer: cus_" + id));
    }
    // Before: one in twelve was a group of its own.
    EXPECT_LE(patterns.size(), 2'000U / 100);
}

// console.md, row 9: 50,000 errors that were made from 30 templates.
TEST(FailureGroup, FindsTheTemplatesAgain)
{
    SeededRandom random(11);
    std::set<std::string> fingerprints;
    for (int i = 0; i < 50'000; ++i) {
        const auto number = [&] { return std::to_string(random.below(1'000'000)); };
        const auto which = i % 30;
        // A letter more for each template: their words differ, as those of programs do.
        const std::string name(1 + static_cast<std::size_t>(which), static_cast<char>('a' + which % 26));
        const auto error = name + " of order_" + number() + ": " + uuid4(random) + " was refused by 10.1."
            + std::to_string(random.below(256)) + ".7 after " + number() + " ms";
        fingerprints.insert(groupOf(which % 2 == 0 ? "503" : "409", error).fingerprint);
    }
    EXPECT_EQ(fingerprints.size(), 30U);
}
