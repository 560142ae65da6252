// SPDX-License-Identifier: Apache-2.0
#include "core/profile/dictionary.h"

#include <algorithm>
#include <array>

namespace fencepost::profile {

namespace {

using M = Meaning;
using enum Weight;

constexpr auto others = kinds::any & ~kinds::idempotency;

constexpr std::array dictionary = {
    Synonym{ "idempotency_key", M::Key },
    Synonym{ "key", M::Key },
    Synonym{ "idempotent_key", M::Key },
    Synonym{ "idempotent_request_key", M::Key },
    Synonym{ "request_key", M::Key },
    Synonym{ "client_key", M::Key },
    Synonym{ "operation_key", M::Key },
    Synonym{ "dedupe_key", M::Key },
    Synonym{ "lock_key", M::Key },
    Synonym{ "request_id", M::Key },
    Synonym{ "unique_request_id", M::Key },
    Synonym{ "message_id", M::Key },
    Synonym{ "event_id", M::Key },
    Synonym{ "workflow_uuid", M::Key },
    Synonym{ "uuid", M::Key },
    Synonym{ "name", M::Key, kinds::lock },
    Synonym{ "id", M::Key, kinds::any, Weak },

    Synonym{ "scope", M::Scope },
    Synonym{ "namespace", M::Scope },
    Synonym{ "tenant_id", M::Scope },
    Synonym{ "tenant", M::Scope },
    Synonym{ "merchant_id", M::Scope },
    Synonym{ "company_id", M::Scope },
    Synonym{ "workspace_id", M::Scope },
    Synonym{ "account_id", M::Scope },
    Synonym{ "user_id", M::Scope },
    Synonym{ "api_key_id", M::Scope },
    Synonym{ "project_id", M::Scope },
    Synonym{ "client", M::Scope },
    Synonym{ "client_id", M::Scope },
    Synonym{ "consumer", M::Scope },
    Synonym{ "consumer_id", M::Scope },
    Synonym{ "consumer_name", M::Scope },
    Synonym{ "source", M::Scope },
    Synonym{ "source_name", M::Scope },
    Synonym{ "context_key", M::Scope },
    Synonym{ "owner_id", M::Scope, kinds::any, Weak },

    Synonym{ "operation", M::Operation },
    Synonym{ "operation_type", M::Operation },
    Synonym{ "operation_scope", M::Operation },
    Synonym{ "route", M::Operation },
    Synonym{ "endpoint", M::Operation },
    Synonym{ "endpoint_path", M::Operation },
    Synonym{ "method", M::Operation },
    Synonym{ "path", M::Operation },
    Synonym{ "request_method", M::Operation },
    Synonym{ "request_path", M::Operation },
    Synonym{ "handler", M::Operation },
    Synonym{ "handler_id", M::Operation },
    Synonym{ "listener_id", M::Operation },
    Synonym{ "event_type", M::Operation },
    Synonym{ "message_type", M::Operation },
    Synonym{ "job_name", M::Operation },
    Synonym{ "task_name", M::Operation },
    Synonym{ "worker", M::Operation },
    Synonym{ "kind", M::Operation },
    Synonym{ "type", M::Operation },

    Synonym{ "queue", M::Queue },
    Synonym{ "queue_name", M::Queue },
    Synonym{ "queue_id", M::Queue },
    Synonym{ "source_queue", M::Queue },
    Synonym{ "topic", M::Queue },
    Synonym{ "destination", M::Queue },
    Synonym{ "exchange", M::Queue, kinds::any, Weak },
    Synonym{ "routing_key", M::Queue },
    Synonym{ "aggregate_type", M::Queue, kinds::outbox },
    Synonym{ "ordering_key", M::OrderKey },
    Synonym{ "partition_key", M::OrderKey },
    Synonym{ "aggregate_id", M::OrderKey },
    Synonym{ "sequence_identifier", M::OrderKey },

    Synonym{ "request_hash", M::RequestHash },
    Synonym{ "payload_hash", M::RequestHash },
    Synonym{ "request_fingerprint", M::RequestHash },
    Synonym{ "fingerprint", M::RequestHash },
    Synonym{ "request_digest", M::RequestHash },
    Synonym{ "payload_digest", M::RequestHash },
    Synonym{ "body_hash", M::RequestHash },
    Synonym{ "content_hash", M::RequestHash },
    Synonym{ "request_checksum", M::RequestHash },
    Synonym{ "validation", M::RequestHash, kinds::idempotency, Weak },

    Synonym{ "status", M::State },
    Synonym{ "state", M::State },
    Synonym{ "status_name", M::State },
    Synonym{ "recovery_point", M::State },
    Synonym{ "recover_to", M::State },
    Synonym{ "processed", M::State },
    Synonym{ "is_processed", M::State },
    Synonym{ "acked", M::State },
    Synonym{ "published", M::State },
    Synonym{ "is_published", M::State },
    Synonym{ "dispatched", M::State },
    Synonym{ "sent", M::State },
    Synonym{ "completed", M::State },
    Synonym{ "delivered", M::State },
    Synonym{ "done", M::State },
    Synonym{ "replayable", M::State, kinds::letters },

    Synonym{ "response", M::Response },
    Synonym{ "response_body", M::Response },
    Synonym{ "response_json", M::Response },
    Synonym{ "response_payload", M::Response },
    Synonym{ "result_payload", M::Response },
    Synonym{ "result", M::Response, kinds::any & ~kinds::inbox },
    Synonym{ "body", M::Response, kinds::idempotency },
    Synonym{ "data", M::Response, kinds::idempotency },
    Synonym{ "result_ref", M::ResultRef },
    Synonym{ "result_id", M::ResultRef },
    Synonym{ "response_ref", M::ResultRef },
    Synonym{ "response_ref_type", M::ResultRef },
    Synonym{ "response_ref_id", M::ResultRef },
    Synonym{ "result", M::ResultRef, kinds::inbox },
    Synonym{ "result", M::ResultRef, kinds::any, Weak },
    Synonym{ "response_code", M::ResponseCode },
    Synonym{ "response_status", M::ResponseCode },
    Synonym{ "response_status_code", M::ResponseCode },
    Synonym{ "http_code", M::ResponseCode },
    Synonym{ "http_status", M::ResponseCode },
    Synonym{ "status_code", M::ResponseCode },

    Synonym{ "payload", M::Payload },
    Synonym{ "body", M::Payload, others },
    Synonym{ "data", M::Payload, others },
    Synonym{ "content", M::Payload },
    Synonym{ "message", M::Payload, kinds::any, Weak },
    Synonym{ "event", M::Payload, kinds::messages, Weak },
    Synonym{ "args", M::Payload },
    Synonym{ "job_args", M::Payload },
    Synonym{ "params", M::Payload },
    Synonym{ "headers", M::Payload },
    Synonym{ "properties", M::Payload },
    Synonym{ "metadata", M::Payload },
    Synonym{ "request_body", M::Payload },
    Synonym{ "request_params", M::Payload },
    Synonym{ "request_payload", M::Payload },
    Synonym{ "serialized_event", M::Payload },
    Synonym{ "serialized_job", M::Payload },
    Synonym{ "invocation", M::Payload },

    Synonym{ "owner_execution_id", M::Owner },
    Synonym{ "owner", M::Owner },
    Synonym{ "owner_id", M::Owner },
    Synonym{ "locked_by", M::Owner },
    Synonym{ "claimed_by", M::Owner },
    Synonym{ "lock_id", M::Owner },
    Synonym{ "lock_instance_id", M::Owner },
    Synonym{ "lease_token", M::Owner },
    Synonym{ "claim_token", M::Owner },
    Synonym{ "picked_by", M::Owner },
    Synonym{ "worker_id", M::Owner },
    Synonym{ "attempted_by", M::Owner },
    Synonym{ "executor_id", M::Owner },
    Synonym{ "version", M::Version },
    Synonym{ "row_version", M::Version },
    Synonym{ "lock_version", M::Version },

    Synonym{ "locked_until", M::LeaseUntil },
    Synonym{ "lock_until", M::LeaseUntil },
    Synonym{ "lock_expires_on", M::LeaseUntil },
    Synonym{ "lock_expires_at", M::LeaseUntil },
    Synonym{ "lease_until", M::LeaseUntil },
    Synonym{ "lease_expires_at", M::LeaseUntil },
    Synonym{ "visible_at", M::LeaseUntil },
    Synonym{ "locked_at", M::Started },
    Synonym{ "started_at", M::Started },
    Synonym{ "reserved_at", M::Started },
    Synonym{ "claimed_at", M::Started },
    Synonym{ "attempted_at", M::Started },
    Synonym{ "processing_at", M::Started },
    Synonym{ "processing_started", M::Started },
    Synonym{ "updated_at", M::Updated },
    Synonym{ "modified_at", M::Updated },
    Synonym{ "last_run_at", M::Updated },
    Synonym{ "last_attempt_at", M::Updated },
    Synonym{ "last_attempt_time", M::Updated },
    Synonym{ "last_touched", M::Updated },
    Synonym{ "failed_at", M::Updated, kinds::any, Weak },
    Synonym{ "created_at", M::Created },
    Synonym{ "created", M::Created },
    Synonym{ "created_on", M::Created },
    Synonym{ "inserted_at", M::Created },
    Synonym{ "received_at", M::Created },
    Synonym{ "received", M::Created },
    Synonym{ "added", M::Created },
    Synonym{ "enqueued_at", M::Created },
    Synonym{ "publication_date", M::Created },
    Synonym{ "occurred_at", M::Created },
    Synonym{ "occurred_on", M::Created },
    Synonym{ "first_seen", M::Created, kinds::messages },
    Synonym{ "first_seen_at", M::Created, kinds::messages },
    Synonym{ "dead_at", M::Created, kinds::letters },
    Synonym{ "died_at", M::Created, kinds::letters },
    Synonym{ "dead_lettered_at", M::Created, kinds::letters },
    Synonym{ "timestamp", M::Created, kinds::any, Weak },
    Synonym{ "published_at", M::Finished },
    Synonym{ "dispatched_at", M::Finished },
    Synonym{ "dispatched", M::Finished },
    Synonym{ "processed_at", M::Finished },
    Synonym{ "processed_on", M::Finished },
    Synonym{ "delivered_at", M::Finished },
    Synonym{ "delivered", M::Finished },
    Synonym{ "consumed", M::Finished },
    Synonym{ "consumed_at", M::Finished },
    Synonym{ "sent_at", M::Finished },
    Synonym{ "exported_at", M::Finished },
    Synonym{ "completed_at", M::Finished },
    Synonym{ "completion_date", M::Finished },
    Synonym{ "finished_at", M::Finished },
    Synonym{ "finalized_at", M::Finished },
    Synonym{ "handled_at", M::Finished },
    Synonym{ "acked_at", M::Finished },
    Synonym{ "resolved_at", M::Finished },
    Synonym{ "settled_at", M::Finished },
    Synonym{ "redriven_at", M::Finished, kinds::letters },
    Synonym{ "replayed_at", M::Finished, kinds::letters },
    Synonym{ "next_attempt_at", M::NextAttempt },
    Synonym{ "next_attempt_time", M::NextAttempt },
    Synonym{ "next_retry_at", M::NextAttempt },
    Synonym{ "available_at", M::NextAttempt },
    Synonym{ "run_at", M::NextAttempt },
    Synonym{ "scheduled_at", M::NextAttempt },
    Synonym{ "start_after", M::NextAttempt },
    Synonym{ "enqueue_time", M::NextAttempt },
    Synonym{ "expires_at", M::Expires },
    Synonym{ "expires_on", M::Expires },
    Synonym{ "expires", M::Expires },
    Synonym{ "expiration_time", M::Expires },
    Synonym{ "expiry", M::Expires },
    Synonym{ "keep_until", M::Expires },
    Synonym{ "valid_until", M::Expires },
    Synonym{ "ttl", M::Expires, kinds::any, Weak },

    Synonym{ "attempts", M::Attempts },
    Synonym{ "attempt", M::Attempts },
    Synonym{ "attempt_count", M::Attempts },
    Synonym{ "retry_count", M::Attempts },
    Synonym{ "retries", M::Attempts },
    Synonym{ "receive_count", M::Attempts },
    Synonym{ "delivery_count", M::Attempts },
    Synonym{ "errors_count", M::Attempts },
    Synonym{ "failure_count", M::Attempts },
    Synonym{ "recovery_attempts", M::Attempts },
    Synonym{ "max_attempts", M::MaxAttempts },
    Synonym{ "max_retries", M::MaxAttempts },

    Synonym{ "error", M::Error },
    Synonym{ "last_error", M::Error },
    Synonym{ "error_message", M::Error },
    Synonym{ "error_log", M::Error },
    Synonym{ "exception", M::Error },
    Synonym{ "exception_message", M::Error },
    Synonym{ "failure_reason", M::Error },
    Synonym{ "cause_message", M::Error },
    Synonym{ "reason", M::Error, kinds::any, Weak },
    Synonym{ "output", M::Error, kinds::any, Weak },
    Synonym{ "correlation_id", M::CorrelationId },
    Synonym{ "trace_id", M::CorrelationId },
    Synonym{ "original_message_id", M::CorrelationId },
    Synonym{ "original_event_id", M::CorrelationId },
    Synonym{ "job_id", M::CorrelationId, kinds::letters },
};

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

bool isLower(char c)
{
    return c >= 'a' && c <= 'z';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

} // namespace

std::span<const Synonym> synonyms() noexcept
{
    return dictionary;
}

unsigned maskOf(Kind kind) noexcept
{
    switch (kind) {
    case Kind::Idempotency:
        return kinds::idempotency;
    case Kind::Inbox:
        return kinds::inbox;
    case Kind::Outbox:
        return kinds::outbox;
    case Kind::DeadLetter:
        return kinds::letters;
    case Kind::Job:
        return kinds::job;
    case Kind::Lock:
        return kinds::lock;
    }
    return kinds::any;
}

std::string snakeCase(std::string_view name)
{
    std::string text;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (!isUpper(c) && !isLower(c) && !isDigit(c)) {
            if (!text.empty() && text.back() != '_')
                text += '_';
            continue;
        }
        // A capital begins a word behind a small letter, and behind capitals where a small one follows: "HTTPCode".
        const bool begins = isUpper(c) && i > 0
            && (isLower(name[i - 1]) || isDigit(name[i - 1])
                || (isUpper(name[i - 1]) && i + 1 < name.size() && isLower(name[i + 1])));
        if (begins && !text.empty() && text.back() != '_')
            text += '_';
        text += isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    while (!text.empty() && text.back() == '_')
        text.pop_back();
    return text;
}

std::string withoutUnderscores(std::string_view snake)
{
    std::string text(snake);
    std::erase(text, '_');
    return text;
}

} // namespace fencepost::profile
