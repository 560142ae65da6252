// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/store/schema.h"

namespace fencepost::test {

// Makes a database of the present version what the programs of an older one left.
inline void goBackTo(store::Connection& connection, int version)
{
    struct Step {
        int to;
        std::vector<std::string> undone;
    };
    const std::vector<Step> steps = {
        { 8, { "DROP INDEX outbox_messages_sent_in_order", "DROP INDEX idempotency_records_failed" } },
        { 7, { "DROP INDEX outbox_messages_destination", "DROP INDEX outbox_messages_discarded" } },
        { 6,
            { "DROP INDEX dead_letters_replayed", "DROP INDEX operation_runs_start",
                "ALTER TABLE operation_runs DROP COLUMN settings", "ALTER TABLE operation_runs DROP COLUMN total",
                "ALTER TABLE operation_runs DROP COLUMN because", "ALTER TABLE operation_runs DROP COLUMN runner",
                "ALTER TABLE operation_runs DROP COLUMN beat_at" } },
        { 5,
            { "DROP TABLE outbox_destinations", "DROP INDEX dead_letters_alike",
                "CREATE INDEX dead_letters_group ON dead_letters (fingerprint, state, dead_at)" } },
        { 4,
            { "DROP TABLE dead_letters", "DROP TABLE outbox_messages", "DROP TABLE inbox_heads",
                "DROP INDEX inbox_messages_effect", "DROP INDEX inbox_messages_event",
                "DROP INDEX inbox_messages_correlation", "DROP INDEX inbox_messages_settled",
                "ALTER TABLE inbox_messages DROP COLUMN effect_key", "ALTER TABLE inbox_messages DROP COLUMN attempts",
                "ALTER TABLE inbox_messages DROP COLUMN subject" } },
        { 3,
            { "DROP INDEX idempotency_records_key", "ALTER TABLE idempotency_records DROP COLUMN request_headers",
                "DROP INDEX outbound_calls_open" } },
        { 2,
            { "DROP TABLE outbound_calls", "DROP INDEX effects_by_expiry",
                "ALTER TABLE effects DROP COLUMN expires_at" } },
        { 1, { "DROP INDEX idempotency_records_held" } },
    };
    for (const auto& step : steps)
        for (const auto& sql : step.undone) {
            if (step.to < version)
                break;
            ASSERT_TRUE(connection.execute(sql)) << sql;
        }
    ASSERT_TRUE(connection.execute("DELETE FROM fencepost_schema WHERE version > " + std::to_string(version)));
    EXPECT_EQ(store::schemaStatus(connection)->version, version);
}

} // namespace fencepost::test
