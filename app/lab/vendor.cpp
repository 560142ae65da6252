// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/vendor.h"

#include <chrono>

#include <nlohmann/json.hpp>

#include "app/lab/json_response.h"
#include "app/lab/own_connection.h"
#include "app/lab/routes.h"
#include "app/lab/rows.h"
#include "app/lab/statements.h"
#include "core/retry/deadline.h"
#include "core/service/problem.h"
#include "core/store/in_transaction.h"

namespace fencepost::app {

namespace {

using nlohmann::ordered_json;
using store::Statement;

constexpr int vendorWorkers = 4;

struct Payout {
    std::string id;
    std::int64_t amount = 0;
    std::string currency;
    std::string reference;
};

ordered_json jsonOf(const Payout& payout)
{
    ordered_json body;
    body["id"] = payout.id;
    body["amount"] = payout.amount;
    body["currency"] = payout.currency;
    body["reference"] = payout.reference;
    return body;
}

Payout readPayout(Statement& row)
{
    return { row.text(0), row.integer(1), row.text(2), row.text(3) };
}

class VendorWorker final : public RequestWorker {
public:
    VendorWorker(OwnConnection connection, bool recognisesKeys, Faults& faults)
        : m_connection(std::move(connection))
        , m_recognisesKeys(recognisesKeys)
        , m_faults(faults)
    {
    }

    Reply answer(const Incoming& incoming) override
    {
        const auto& request = incoming.request;
        if (pathOf(request) != "/payouts")
            return { problemResponse({ .code = "VALIDATION.not_found", .status = 404 }) };
        const bool pays = request.method == "POST";
        auto answered = pays ? pay(request) : list(request);
        // Its connection may have been lost since the request before, and a look may be had twice.
        if (!answered && !pays)
            answered = list(request);
        if (!answered)
            return { problemResponse({ .code = "DEPENDENCY.unavailable", .detail = inWords(answered.error()) }) };
        return { *answered };
    }

private:
    Result<HttpResponse> pay(const HttpRequest& request)
    {
        std::vector<FaultSpec> asked;
        if (const auto line = lineOf(request.headers, "fencepost-fault"))
            if (auto specs = parseFaults(*line))
                asked = std::move(*specs);
        const FaultsOfRequest faults(m_faults, std::move(asked));
        const auto begin = std::chrono::steady_clock::now();
        faults.reach(Point::P6Unsent);
        // Whoever asked does not wait any more, and may have been told by now that nothing was paid.
        if (const auto line = lineOf(request.headers, "x-request-timeout"))
            if (const auto patience = retry::parseRequestTimeout(*line);
                patience && std::chrono::steady_clock::now() - begin >= *patience)
                return problemResponse({ .code = "DEPENDENCY.timeout", .detail = "Nothing was paid." });
        const auto connection = m_connection.get();
        if (!connection)
            return connection.error();
        auto paid = store::inTransaction(**connection, [&] { return carryOut(**connection, request); });
        faults.reach(Point::P6);
        return paid;
    }

    Result<HttpResponse> carryOut(store::Connection& connection, const HttpRequest& request)
    {
        const auto body = ordered_json::parse(request.body, nullptr, false);
        if (!body.is_object())
            return problemResponse({ .code = "VALIDATION.request", .status = 400 });
        std::optional<std::string> key;
        if (m_recognisesKeys)
            key = lineOf(request.headers, "idempotency-key");
        if (key) {
            const auto found = rowOf<Payout>(
                connection, sql::vendor_payout_find,
                [&](Statement& statement) { statement.bindText("idempotency_key", key); }, readPayout);
            if (!found)
                return found.error();
            if (*found)
                return jsonResponse(201, jsonOf(**found));
        }
        auto id = uuid4(m_random);
        std::erase(id, '-');
        const Payout payout{ "po_" + id.substr(0, 24), body.value("amount", std::int64_t{ 0 }),
            body.value("currency", ""), body.value("external_id", body.value("reference", "")) };
        const auto added = change(connection, sql::vendor_payout_add, [&](Statement& statement) {
            statement.bindText("id", payout.id)
                .bindText("idempotency_key", key)
                .bindText("reference", payout.reference)
                .bindInt("amount", payout.amount)
                .bindText("currency", payout.currency)
                .bindTime("now", m_clock.now());
        });
        if (!added)
            return added.error();
        return jsonResponse(201, jsonOf(payout));
    }

    Result<HttpResponse> list(const HttpRequest& request)
    {
        constexpr std::string_view name = "external_id=";
        constexpr int most = 10'000;
        const auto connection = m_connection.get();
        if (!connection)
            return connection.error();
        const auto query = queryOf(request);
        const auto found = query.starts_with(name)
            ? rowsOf<Payout>(
                **connection, sql::vendor_payouts_of,
                [&](Statement& statement) {
                    statement.bindText("reference", decodedSegment(query.substr(name.size())));
                },
                readPayout)
            : rowsOf<Payout>(
                **connection, sql::vendor_payouts_all, [&](Statement& statement) { statement.bindInt("limit", most); },
                readPayout);
        if (!found)
            return found.error();
        ordered_json body;
        body["payouts"] = ordered_json::array();
        for (const auto& payout : *found)
            body["payouts"].push_back(jsonOf(payout));
        return jsonResponse(200, body);
    }

    OwnConnection m_connection;
    bool m_recognisesKeys;
    Faults& m_faults;
    SystemClock m_clock;
    SystemRandom m_random;
};

} // namespace

Result<std::unique_ptr<HttpServer>> startVendor(const VendorOptions& options, Faults& faults)
{
    HttpServerOptions server;
    server.workers = vendorWorkers;
    return HttpServer::start(server,
        { [](const HttpRequest&) { return std::optional<HttpResponse>(); },
            [options, &faults]() -> Result<std::unique_ptr<RequestWorker>> {
                OwnConnection connection(options.target, options.openOptions);
                if (const auto opened = connection.get(); !opened)
                    return opened.error();
                return std::unique_ptr<RequestWorker>(
                    std::make_unique<VendorWorker>(std::move(connection), options.recognisesKeys, faults));
            } });
}

} // namespace fencepost::app
