// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/store/database.h"

namespace fencepost::app {

struct Payment {
    std::string id;
    std::int64_t amount = 0; // of the currency's smallest unit
    std::string currency;
    std::optional<std::string> reference; // the caller's own
    Time createdAt;
};

struct Refund {
    std::string id;
    std::string chargeId;
    std::int64_t amount = 0;
    std::string currency;
    std::string status; // pending, succeeded, failed, voided
    std::optional<std::string> reference;
    std::optional<std::string> payoutId; // the vendor's
    Time createdAt;
    std::optional<Time> voidedAt;
};

struct LedgerEntry {
    std::int64_t seq = 0;
    std::string kind; // payment, refund, void
    std::string objectId;
    std::int64_t amount = 0; // what the merchant has more by it
    std::string currency;
    std::optional<std::string> reference;
    Time at;
};

// That somebody was told of a refund: what the mailer does with an event.
struct Notice {
    std::int64_t seq = 0;
    std::string consumer; // in whose name
    std::string eventId;
    std::string refundId;
    Time at;
};

// The business tables of the lab, as far as SQL is needed for them. Used by one thread; who wants several changes to be
// one has a transaction open.
class Books {
public:
    explicit Books(store::Connection& connection);

    // Makes the tables where they are missing. Unsupported: one of them is somebody else's.
    Status install();
    // A value that is made once for the database: `proposed`, unless somebody was earlier.
    Result<Bytes> setting(const std::string& name, const Bytes& proposed);

    Result<std::optional<Payment>> payment(const std::string& id);
    // The same, and nobody else refunds it until the transaction ends.
    Result<std::optional<Payment>> lockPayment(const std::string& id);
    Status add(const Payment& payment, const std::string& effectId);

    Result<std::optional<Refund>> refund(const std::string& id);
    Result<std::optional<Refund>> lockRefund(const std::string& id);
    Result<std::optional<Refund>> refundOfEffect(const std::string& effectId);
    Result<std::int64_t> refundedOf(const std::string& chargeId); // with what is pending
    Status add(const Refund& refund, const std::string& effectId);
    Status settleRefund(const std::string& id, const std::string& status, const std::optional<std::string>& payoutId);
    Status voidRefund(const std::string& id, Time now);

    Status add(const LedgerEntry& entry, const std::string& effectId);
    Result<std::vector<LedgerEntry>> ledger(std::int64_t after, int limit);

    // Whether rows bear that effect's name.
    Result<bool> knows(const std::string& effectId);
    // The rows of an effect whose retention is over give its name up to those that come now.
    Status retire(const std::string& effectId);

    // What the vendor has paid out, by its own books: id and reference.
    Result<std::vector<std::pair<std::string, std::string>>> vendorPayouts();

    Status add(const Notice& notice);
    Result<std::vector<Notice>> notices(std::int64_t after, int limit);

private:
    Status check();
    Result<std::optional<Payment>> payment(const store::NamedSql& sql, const std::string& id);
    Result<std::optional<Refund>> refund(const store::NamedSql& sql, const char* name, const std::string& value);

    store::Connection& m_connection;
};

} // namespace fencepost::app
