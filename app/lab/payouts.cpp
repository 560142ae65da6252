// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/payouts.h"

#include <nlohmann/json.hpp>

#include <QEventLoop>

namespace fencepost::app {

namespace {

// One broken vendor call says nothing about the next in a lab that breaks them on purpose.
retry::DependencyOptions patient()
{
    retry::DependencyOptions options;
    options.limiter->start = options.limiter->most;
    return options;
}

} // namespace

Vendor vendorOf(EffectClass effect, const Setting<Duration>& timeout)
{
    // The lab's own vendor is near.
    constexpr Duration usual = std::chrono::seconds(2);
    auto vendor = *findVendor(effect == EffectClass::ExternalIdempotent ? "stripe" : "bigcommerce");
    vendor.timeout = timeout.isSaid() ? timeout.value : usual;
    return vendor;
}

Payouts::Payouts(std::string url, http::ClientTelemetry telemetry)
    : m_url(std::move(url))
    , m_keys(m_wall, m_random)
    , m_alarm(m_steady)
    , m_client({ m_steady, m_wall, m_random, m_keys, m_alarm, nullptr, telemetry },
          { .policy = *retry::presetOf("vendor"), .dependency = patient() })
{
}

http::ClientOutcome Payouts::exchange(http::ClientRequest request)
{
    if (!m_traceparent.empty())
        request.headers.emplace_back("traceparent", m_traceparent);
    QEventLoop loop;
    std::optional<http::ClientOutcome> outcome;
    const auto sent = m_client.send(request, [&](const http::ClientOutcome& ended) {
        outcome = ended;
        loop.quit();
    });
    if (!sent) {
        http::ClientOutcome refused;
        refused.decision.verdict = retry::Verdict::Stop;
        refused.transport = inWords(sent.error());
        return refused;
    }
    while (!outcome)
        loop.exec();
    return std::move(*outcome);
}

VendorAnswer Payouts::send(
    const Refund& refund, const CallIdentity& identity, Duration timeout, const FaultsOfRequest& faults)
{
    nlohmann::ordered_json body{ { "amount", refund.amount }, { "currency", refund.currency },
        { "reference", refund.id } };
    http::ClientRequest request{ .operation = "payout", .url = m_url + "/payouts" };
    if (identity.place == KeyPlace::BodyField)
        body[identity.name] = identity.value;
    request.body = body.dump();
    request.headers = { { "Content-Type", "application/json" } };
    if (const auto asked = faults.forVendor(); !asked.empty())
        request.headers.emplace_back("Fencepost-Fault", asked);
    request.key = identity.value;
    request.budget = timeout;
    request.ownsRetries = false;
    const auto outcome = exchange(request);
    if (!outcome.response)
        return { outcome.decision.verdict == retry::Verdict::Unknown ? Sent::Unknown : Sent::NotSent,
            { .errorCode = "DEPENDENCY.timeout" } };
    faults.reach(Point::P7);
    const int status = outcome.response->status;
    const auto answer = nlohmann::json::parse(outcome.response->body, nullptr, false);
    if (status == 201 && answer.is_object() && answer.contains("id"))
        return { Sent::Done, { .ref = answer.value("id", "") } };
    return { status >= 400 && status < 500 ? Sent::Refused : Sent::Unknown, { .errorCode = "PROVIDER.error" } };
}

VendorKnowledge Payouts::ask(const OutboundCall& call)
{
    // It finds a payout by our name for it; what went under a header alone it cannot be asked for.
    const auto* vendor = findVendor(call.id.vendor);
    if (vendor == nullptr || vendor->place != KeyPlace::BodyField)
        return {};
    const auto outcome = exchange(
        { .operation = "payouts", .method = "GET", .url = m_url + "/payouts?external_id=" + toHex(call.id.key) });
    const auto answer =
        outcome.response ? nlohmann::json::parse(outcome.response->body, nullptr, false) : nlohmann::json();
    if (!outcome.response || outcome.response->status != 200 || !answer.is_object() || !answer.contains("payouts"))
        return {};
    const auto& payouts = answer["payouts"];
    if (payouts.empty())
        return { Evidence::NotApplied };
    return { Evidence::Applied, { .ref = payouts[0].value("id", "") } };
}

} // namespace fencepost::app
