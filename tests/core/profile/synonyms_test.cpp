// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/profile/dictionary.h"
#include "core/profile/synonyms.h"
#include "tests/core/profile/table_of.h"

namespace fencepost::profile {
namespace {

using test::tableOf;

// "column=Meaning" of what is used, in the order of the table.
std::string meaningsOf(const TableGuess& guess)
{
    std::string text;
    for (const auto& column : guess.columns)
        if (column.best.meaning != Meaning::None)
            text += (text.empty() ? "" : " ") + column.column + '=' + entryOf(column.best.meaning).title;
    return text;
}

struct Layout {
    const char* what;
    const char* table;
    const char* columns;
    Kind kind;
    const char* meanings;
};

// The first five are those of the seeds; the others are hand-made as people make them.
const Layout layouts[] = {
    { "seed playbook", "idempotency_keys",
        "key TEXT!, payload_hash TEXT, status TEXT, result_ref TEXT, http_code INTEGER, created_at TIMESTAMPTZ, "
        "expires_at TIMESTAMPTZ",
        Kind::Idempotency,
        "key=Key payload_hash=Hash of the request status=State result_ref=Reference to the result "
        "http_code=Response code created_at=Created expires_at=Expires" },
    { "seed playbook inbox", "inbox_events",
        "event_id TEXT!, source TEXT, payload_hash TEXT, received_at TIMESTAMPTZ, processed_at TIMESTAMPTZ, "
        "result TEXT",
        Kind::Inbox,
        "event_id=Key source=Scope or tenant payload_hash=Hash of the request received_at=Created "
        "processed_at=Finished or sent result=Reference to the result" },
    { "seed atlas", "idempotency_records",
        "scope TEXT!, operation_type TEXT!, idempotency_key TEXT!, request_hash BYTEA, status TEXT, "
        "owner_execution_id UUID, response_code INTEGER, response_ref_type TEXT, response_ref_id TEXT, started_at "
        "TIMESTAMPTZ, updated_at TIMESTAMPTZ, expires_at TIMESTAMPTZ",
        Kind::Idempotency,
        "scope=Scope or tenant operation_type=Operation or type idempotency_key=Key request_hash=Hash of the request "
        "status=State owner_execution_id=Owner response_code=Response code response_ref_type=Reference to the result "
        "response_ref_id=Reference to the result started_at=Started updated_at=Updated expires_at=Expires" },
    { "seed platform", "idempotency_keys",
        "key TEXT!, scope TEXT, request_hash TEXT, response JSONB, expires_at TIMESTAMPTZ, created_at TIMESTAMPTZ",
        Kind::Idempotency,
        "key=Key scope=Scope or tenant request_hash=Hash of the request response=Stored response expires_at=Expires "
        "created_at=Created" },
    { "seed skill", "idempotency",
        "idempotency_key TEXT!, request_hash TEXT, response TEXT, status TEXT, ttl TIMESTAMPTZ", Kind::Idempotency,
        "idempotency_key=Key request_hash=Hash of the request response=Stored response status=State ttl=Expires" },
    { "null response", "api_idempotency",
        "id BIGINT!, tenant_id BIGINT, request_key TEXT, body_hash TEXT, response_body TEXT, response_status INTEGER, "
        "created_at TIMESTAMP",
        Kind::Idempotency,
        "tenant_id=Scope or tenant request_key=Key body_hash=Hash of the request response_body=Stored response "
        "response_status=Response code created_at=Created" },
    { "camel case", "IdempotentRequests",
        "RequestId UUID!, MerchantId TEXT, RequestFingerprint TEXT, ResponseJson JSONB, ExpiresAt TIMESTAMPTZ",
        Kind::Idempotency,
        "RequestId=Key MerchantId=Scope or tenant RequestFingerprint=Hash of the request ResponseJson=Stored response "
        "ExpiresAt=Expires" },
    { "case lost", "txno_outbox",
        "id TEXT!, invocation TEXT, nextattempttime TIMESTAMP, attempts INTEGER, uniquerequestid TEXT, processed "
        "BOOLEAN, "
        "lastattempttime TIMESTAMP, topic TEXT",
        Kind::Outbox,
        "invocation=Payload nextattempttime=Next attempt attempts=Attempts uniquerequestid=Key processed=State "
        "lastattempttime=Updated topic=Queue or destination" },
    { "outbox by instant", "outbox_events",
        "id BIGINT!, aggregate_type TEXT, aggregate_id TEXT, event_type TEXT, payload JSONB, created_at TIMESTAMPTZ, "
        "published_at TIMESTAMPTZ",
        Kind::Outbox,
        "id=Key aggregate_type=Queue or destination aggregate_id=Ordering key event_type=Operation or type "
        "payload=Payload created_at=Created published_at=Finished or sent" },
    { "outbox by flag", "outbox", "event_id TEXT!, topic TEXT, payload TEXT, published BOOLEAN, created_at TIMESTAMP",
        Kind::Outbox, "event_id=Key topic=Queue or destination payload=Payload published=State created_at=Created" },
    { "inbox of consumers", "processed_messages", "message_id UUID!, consumer TEXT!, processed_at TIMESTAMPTZ",
        Kind::Inbox, "message_id=Key consumer=Scope or tenant processed_at=Finished or sent" },
    { "dead letters", "dead_letter_queue",
        "id BIGINT!, original_message_id TEXT, source_queue TEXT, body BYTEA, error_message TEXT, retry_count INTEGER, "
        "failed_at TIMESTAMPTZ, status TEXT, resolved_at TIMESTAMPTZ",
        Kind::DeadLetter,
        "id=Key original_message_id=Correlation or origin source_queue=Queue or destination body=Payload "
        "error_message=Error retry_count=Attempts failed_at=Updated status=State resolved_at=Finished or sent" },
    { "dead letters by their deaths", "dead_letters",
        "event_id TEXT!, destination TEXT, payload BYTEA, state TEXT, attempts INTEGER, died_at TIMESTAMPTZ, "
        "replayed_at TIMESTAMPTZ",
        Kind::DeadLetter,
        "event_id=Key destination=Queue or destination payload=Payload state=State attempts=Attempts died_at=Created "
        "replayed_at=Finished or sent" },
    { "inbox of the playbook's file", "inbox",
        "event_id TEXT!, source TEXT, first_seen TIMESTAMPTZ, processed BOOLEAN, result TEXT", Kind::Inbox,
        "event_id=Key source=Scope or tenant first_seen=Created processed=State result=Reference to the result" },
    { "jobs", "background_jobs",
        "id BIGINT!, job_name TEXT, args JSONB, state TEXT, attempts INTEGER, max_attempts INTEGER, run_at "
        "TIMESTAMPTZ, "
        "locked_by TEXT, locked_at TIMESTAMPTZ, last_error TEXT",
        Kind::Job,
        "id=Key job_name=Operation or type args=Payload state=State attempts=Attempts max_attempts=Most attempts "
        "run_at=Next attempt locked_by=Owner locked_at=Started last_error=Error" },
    { "lease", "idempotency_requests",
        "idempotency_key TEXT!, user_id BIGINT!, request_method TEXT, request_path TEXT, request_digest TEXT, "
        "state TEXT, lease_token UUID, lease_until TIMESTAMPTZ, attempt_count INTEGER, inserted_at TIMESTAMPTZ",
        Kind::Idempotency,
        "idempotency_key=Key user_id=Scope or tenant request_method=Operation or type request_path=Operation or type "
        "request_digest=Hash of the request state=State lease_token=Owner lease_until=Lease until "
        "attempt_count=Attempts inserted_at=Created" },
    { "locks", "shedlock", "name TEXT!, lock_until TIMESTAMP, locked_at TIMESTAMP, locked_by TEXT", Kind::Lock,
        "name=Key lock_until=Lease until locked_at=Started locked_by=Owner" },
    { "brandur", "request_keys",
        "id BIGINT!, idempotency_key TEXT, last_run_at TIMESTAMPTZ, locked_at TIMESTAMPTZ, request_params JSONB, "
        "response_code INTEGER, response_body JSONB, recovery_point TEXT, user_id BIGINT",
        Kind::Idempotency,
        "idempotency_key=Key last_run_at=Updated locked_at=Started request_params=Payload response_code=Response code "
        "response_body=Stored response recovery_point=State user_id=Scope or tenant" },
    { "prefixed", "refund_idempotency",
        "refund_request_id TEXT!, refund_status TEXT, refund_attempts INTEGER, refund_error_message TEXT",
        Kind::Idempotency,
        "refund_request_id=Key refund_status=State refund_attempts=Attempts refund_error_message=Error" },
};

TEST(SynonymsTest, KnowsTheColumnsOfSeedsAndOfHandMadeTables)
{
    for (const auto& layout : layouts) {
        SCOPED_TRACE(layout.what);
        const auto guess = guessOf(tableOf("postgresql", layout.table, layout.columns), {});
        EXPECT_EQ(wordOf(guess.kind), wordOf(layout.kind));
        EXPECT_GT(guess.score, 0);
        EXPECT_EQ(meaningsOf(guess), layout.meanings);
    }
}

TEST(SynonymsTest, GivesAReasonAndALowScoreForWhatOnlyMayBe)
{
    const auto guess = guessOf(tableOf("postgresql", "notes", "id BIGINT!, title TEXT, reason TEXT"), {});
    EXPECT_EQ(guess.score, 0);
    EXPECT_EQ(guess.find("title")->best.meaning, Meaning::None);
    const auto& reason = guess.find("reason")->best;
    EXPECT_EQ(reason.meaning, Meaning::Error);
    EXPECT_LT(reason.score, 70);
    EXPECT_EQ(reason.reason, "named \"reason\", and the type \"TEXT\" fits");
    EXPECT_GT(guessOf(tableOf("postgresql", "t", "idempotency_key TEXT!"), {}).find("idempotency_key")->best.score, 90);
}

TEST(SynonymsTest, AnIntegerStatusOfHttpCodesIsTheResponsesCode)
{
    const auto table = tableOf("sqlite", "idempotency_keys", "key TEXT!, status INTEGER!, response TEXT");
    const auto codes = guessOf(table, { { "status", { { "200", "409", "503" }, false, true } } });
    EXPECT_EQ(codes.find("status")->best.meaning, Meaning::ResponseCode);
    EXPECT_GT(codes.find("status")->best.score, 90);
    EXPECT_NE(codes.find("status")->warning.find("holds codes of HTTP"), std::string::npos);

    const auto states = guessOf(table, { { "status", { { "0", "1", "2" }, false, true } } });
    EXPECT_EQ(states.find("status")->best.meaning, Meaning::State);
    EXPECT_EQ(states.find("status")->warning, "");

    const auto nothing = guessOf(table, {});
    EXPECT_LT(nothing.find("status")->best.score, 50);
    EXPECT_NE(nothing.find("status")->warning.find("no values to tell by"), std::string::npos);
    EXPECT_EQ(nothing.find("status")->guesses.size(), 2U);
}

TEST(SynonymsTest, ANameThatSaysCodeIsNoTrap)
{
    const auto table = tableOf("sqlite", "idempotency_keys", "key TEXT!, http_status INTEGER");
    const auto guess = guessOf(table, { { "http_status", { { "201" }, false, true } } });
    EXPECT_EQ(guess.find("http_status")->best.meaning, Meaning::ResponseCode);
    EXPECT_EQ(guess.find("http_status")->warning, "");
}

TEST(SynonymsTest, HttpCodesAreWholeNumbersFrom100To599)
{
    EXPECT_TRUE(areHttpCodes({ { "100", "599" }, true, true }));
    EXPECT_FALSE(areHttpCodes({ {}, true, true }));
    EXPECT_FALSE(areHttpCodes({ { "200", "600" }, false, true }));
    EXPECT_FALSE(areHttpCodes({ { "99" }, false, true }));
    EXPECT_FALSE(areHttpCodes({ { "200 OK" }, false, true }));
}

TEST(SynonymsTest, NumbersThatAreNoInstantsAreNoTime)
{
    const auto table = tableOf("sqlite", "idempotency", "idempotency_key TEXT!, ttl INTEGER");
    EXPECT_EQ(guessOf(table, { { "ttl", { { "3600" }, false, true } } }).find("ttl")->best.meaning, Meaning::None);
    EXPECT_EQ(
        guessOf(table, { { "ttl", { { "1780000000" }, false, true } } }).find("ttl")->best.meaning, Meaning::Expires);
}

TEST(SynonymsTest, WordsOfValuesMeanWhatTheKindOfRowKnows)
{
    EXPECT_EQ(stateOf(Kind::Idempotency, "pending"), "IN_PROGRESS");
    EXPECT_EQ(stateOf(Kind::Job, "pending"), "PENDING");
    EXPECT_EQ(stateOf(Kind::Outbox, "PENDING"), "PENDING");
    EXPECT_EQ(stateOf(Kind::Inbox, "pending"), "RECEIVED");
    EXPECT_EQ(stateOf(Kind::Idempotency, "INPROGRESS"), "IN_PROGRESS");
    EXPECT_EQ(stateOf(Kind::Idempotency, "complete"), "SUCCEEDED");
    EXPECT_EQ(stateOf(Kind::Outbox, "Published"), "DISPATCHED");
    EXPECT_EQ(stateOf(Kind::Job, "cancelled"), "FAILED_FINAL");
    EXPECT_EQ(stateOf(Kind::DeadLetter, "ignored"), "DISCARDED");
    EXPECT_EQ(stateOf(Kind::Idempotency, "ride_created"), std::nullopt);
    EXPECT_EQ(stateOf(Kind::Idempotency, ""), std::nullopt);
}

TEST(SynonymsTest, NamesAreReadInEverySpelling)
{
    EXPECT_EQ(snakeCase("ReceiveCount"), "receive_count");
    EXPECT_EQ(snakeCase("HTTPCode"), "http_code");
    EXPECT_EQ(snakeCase("RECEIVE_COUNT"), "receive_count");
    EXPECT_EQ(snakeCase("receive-count"), "receive_count");
    EXPECT_EQ(snakeCase(" _x; DROP--"), "x_drop");
    EXPECT_EQ(snakeCase(""), "");
}

TEST(SynonymsTest, AThousandColumnsHaveOneKey)
{
    std::string columns = "key TEXT!";
    for (int i = 0; i < 999; ++i)
        columns += ", request_id_" + std::to_string(i) + " TEXT, k" + std::to_string(i) + "_key TEXT";
    const auto guess = guessOf(tableOf("postgresql", "wide", columns), {});
    std::size_t keys = 0;
    for (const auto& column : guess.columns)
        keys += column.best.meaning == Meaning::Key ? 1 : 0;
    EXPECT_EQ(keys, 1U);
    EXPECT_EQ(guess.find("key")->best.meaning, Meaning::Key);
}

} // namespace
} // namespace fencepost::profile
