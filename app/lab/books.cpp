// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/books.h"

#include <array>

#include "app/lab/rows.h"
#include "app/lab/statements.h"
#include "core/store/creation.h"

namespace fencepost::app {

namespace {

using store::Statement;

constexpr std::array tables = { &sql::create_lab_settings, &sql::create_payments, &sql::create_refunds,
    &sql::create_refunds_by_charge, &sql::create_ledger, &sql::create_ledger_by_reference, &sql::create_notices,
    &sql::create_vendor_payouts };

Payment readPayment(Statement& row)
{
    return { row.text(0), row.integer(1), row.text(2), row.optionalText(3), *row.time(4) };
}

Refund readRefund(Statement& row)
{
    return { row.text(0), row.text(1), row.integer(2), row.text(3), row.text(4), row.optionalText(5),
        row.optionalText(6), *row.time(7), row.time(8) };
}

// Of a change that must find exactly one row.
Status one(const Result<int>& changed, const char* otherwise)
{
    if (!changed)
        return changed.error();
    return *changed == 1 ? Status() : Status(Error{ Failure::Conflict, otherwise, {} });
}

// What a table says to statements that were not made for it.
bool isOfAnotherLayout(const Error& error)
{
    return error.failure == Failure::Unsupported || error.failure == Failure::Internal
        || error.failure == Failure::Invalid;
}

} // namespace

Books::Books(store::Connection& connection)
    : m_connection(connection)
{
}

Status Books::install()
{
    const auto made = store::creating([&]() -> Status {
        for (const auto* table : tables)
            if (auto status = m_connection.execute(table->of(m_connection.dialect())); !status)
                return status;
        return {};
    });
    m_connection.forgetStatements();
    if (!made && !isOfAnotherLayout(made.error()))
        return made;
    const auto known = check();
    return known ? made : known;
}

// Tables of such names may be somebody else's, and what is made where it is missing lets them be.
Status Books::check()
{
    const auto statusOf = [](const auto& read) { return read ? Status() : Status(read.error()); };
    const std::array<std::pair<const char*, Status>, 5> reads = { {
        { "payments", statusOf(payment(std::string())) },
        { "refunds", statusOf(refund(std::string())) },
        { "ledger", statusOf(ledger(0, 1)) },
        { "payments, refunds or ledger", statusOf(knows({})) },
        { "notices", statusOf(notices(0, 1)) },
    } };
    for (const auto& [table, read] : reads)
        if (!read && isOfAnotherLayout(read.error()))
            return Error{ Failure::Unsupported,
                std::string("The lab needs a database of its own: what is ") + table
                    + " in this one is somebody else's",
                read.error().message + ". " + read.error().detail, read.error().code };
    return {};
}

Result<Bytes> Books::setting(const std::string& name, const Bytes& proposed)
{
    const auto added = change(m_connection, sql::setting_add,
        [&](Statement& statement) { statement.bindText("name", name).bindBytes("value", proposed); });
    if (!added)
        return added.error();
    const auto found = rowOf<Bytes>(
        m_connection, sql::setting_find, [&](Statement& statement) { statement.bindText("name", name); },
        [](Statement& row) { return row.bytes(0); });
    if (!found)
        return found.error();
    return found->value_or(proposed);
}

Result<std::optional<Payment>> Books::payment(const store::NamedSql& sql, const std::string& id)
{
    return rowOf<Payment>(
        m_connection, sql, [&](Statement& statement) { statement.bindText("id", id); }, readPayment);
}

Result<std::optional<Payment>> Books::payment(const std::string& id)
{
    return payment(sql::payment_find, id);
}

Result<std::optional<Payment>> Books::lockPayment(const std::string& id)
{
    return payment(sql::payment_lock, id);
}

Status Books::add(const Payment& payment, const std::string& effectId)
{
    return one(change(m_connection, sql::payment_insert,
                   [&](Statement& statement) {
                       statement.bindText("id", payment.id)
                           .bindInt("amount", payment.amount)
                           .bindText("currency", payment.currency)
                           .bindText("reference", payment.reference)
                           .bindText("effect_id", effectId)
                           .bindTime("now", payment.createdAt);
                   }),
        "The payment was not added");
}

Result<std::optional<Refund>> Books::refund(const store::NamedSql& sql, const char* name, const std::string& value)
{
    return rowOf<Refund>(
        m_connection, sql, [&](Statement& statement) { statement.bindText(name, value); }, readRefund);
}

Result<std::optional<Refund>> Books::refund(const std::string& id)
{
    return refund(sql::refund_find, "id", id);
}

Result<std::optional<Refund>> Books::lockRefund(const std::string& id)
{
    return refund(sql::refund_lock, "id", id);
}

Result<std::optional<Refund>> Books::refundOfEffect(const std::string& effectId)
{
    return refund(sql::refund_of_effect, "effect_id", effectId);
}

Result<std::int64_t> Books::refundedOf(const std::string& chargeId)
{
    const auto sum = rowOf<std::int64_t>(
        m_connection, sql::refunded_of_charge, [&](Statement& statement) { statement.bindText("charge_id", chargeId); },
        [](Statement& row) { return row.integer(0); });
    if (!sum)
        return sum.error();
    return sum->value_or(0);
}

Status Books::add(const Refund& refund, const std::string& effectId)
{
    return one(change(m_connection, sql::refund_insert,
                   [&](Statement& statement) {
                       statement.bindText("id", refund.id)
                           .bindText("charge_id", refund.chargeId)
                           .bindInt("amount", refund.amount)
                           .bindText("currency", refund.currency)
                           .bindText("status", refund.status)
                           .bindText("reference", refund.reference)
                           .bindText("effect_id", effectId)
                           .bindTime("now", refund.createdAt);
                   }),
        "The refund was not added");
}

Status Books::settleRefund(const std::string& id, const std::string& status, const std::optional<std::string>& payoutId)
{
    return one(change(m_connection, sql::refund_settle,
                   [&](Statement& statement) {
                       statement.bindText("id", id).bindText("status", status).bindText("payout_id", payoutId);
                   }),
        "The refund is not pending");
}

Status Books::voidRefund(const std::string& id, Time now)
{
    return one(change(m_connection, sql::refund_void,
                   [&](Statement& statement) { statement.bindText("id", id).bindTime("now", now); }),
        "The refund cannot be voided");
}

Status Books::add(const LedgerEntry& entry, const std::string& effectId)
{
    return one(change(m_connection, sql::ledger_add,
                   [&](Statement& statement) {
                       statement.bindText("kind", entry.kind)
                           .bindText("object_id", entry.objectId)
                           .bindInt("amount", entry.amount)
                           .bindText("currency", entry.currency)
                           .bindText("reference", entry.reference)
                           .bindText("effect_id", effectId)
                           .bindTime("now", entry.at);
                   }),
        "The entry was not added");
}

Result<bool> Books::knows(const std::string& effectId)
{
    const auto found = rowOf<bool>(
        m_connection, sql::effect_rows, [&](Statement& statement) { statement.bindText("effect_id", effectId); },
        [](Statement&) { return true; });
    if (!found)
        return found.error();
    return found->has_value();
}

Status Books::retire(const std::string& effectId)
{
    for (const auto* sql : { &sql::payments_retire, &sql::refunds_retire, &sql::ledger_retire }) {
        const auto changed =
            change(m_connection, *sql, [&](Statement& statement) { statement.bindText("effect_id", effectId); });
        if (!changed)
            return changed.error();
    }
    return {};
}

Result<std::vector<LedgerEntry>> Books::ledger(std::int64_t after, int limit)
{
    return rowsOf<LedgerEntry>(
        m_connection, sql::ledger_page,
        [&](Statement& statement) { statement.bindInt("after", after).bindInt("limit", limit); },
        [](Statement& row) {
            return LedgerEntry{ row.integer(0), row.text(1), row.text(2), row.integer(3), row.text(4),
                row.optionalText(5), *row.time(6) };
        });
}

Result<std::vector<std::pair<std::string, std::string>>> Books::vendorPayouts()
{
    constexpr int most = 10'000;
    return rowsOf<std::pair<std::string, std::string>>(
        m_connection, sql::vendor_payouts_all, [&](Statement& statement) { statement.bindInt("limit", most); },
        [](Statement& row) { return std::pair(row.text(0), row.text(3)); });
}

Status Books::add(const Notice& notice)
{
    return one(change(m_connection, sql::notice_add,
                   [&](Statement& statement) {
                       statement.bindText("consumer", notice.consumer)
                           .bindText("event_id", notice.eventId)
                           .bindText("refund_id", notice.refundId)
                           .bindTime("now", notice.at);
                   }),
        "The notice was not added");
}

Result<std::vector<Notice>> Books::notices(std::int64_t after, int limit)
{
    return rowsOf<Notice>(
        m_connection, sql::notices_page,
        [&](Statement& statement) { statement.bindInt("after", after).bindInt("limit", limit); },
        [](Statement& row) {
            return Notice{ row.integer(0), row.text(1), row.text(2), row.text(3), *row.time(4) };
        });
}

} // namespace fencepost::app
