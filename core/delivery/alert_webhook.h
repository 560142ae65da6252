// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "core/delivery/targets.h"
#include "core/forensics/alert.h"

namespace fencepost::delivery {

// Tells a webhook of alerts, in the order in which they came: a CloudEvent of type fencepost.alert.fired or
// fencepost.alert.ceased, and fencepost.watch.lost or fencepost.watch.resumed where nobody could look, signed as every webhook is where there is a secret. Sent at least once, always with the same
// id; what was not taken is sent again when the next one is, or by tend(). Works on the event loop of the thread that
// made it.
class AlertWebhook {
public:
    // What the parts refer to outlives it.
    AlertWebhook(const TargetParts& parts, const TargetOptions& options, std::string url, std::string source);
    ~AlertWebhook();
    AlertWebhook(const AlertWebhook&) = delete;
    AlertWebhook& operator=(const AlertWebhook&) = delete;

    void tell(const AlertChange& change);
    // Whether the rules are looked at: silence means that all is well only as long as somebody looks.
    void tellWhetherWatched(bool watched, Time at);
    // Sends what waits, unless something is on its way.
    void tend();
    [[nodiscard]] std::size_t waiting() const { return m_waiting.size(); }
    [[nodiscard]] bool isSending() const { return m_sending; }
    // Why the last attempt was not taken, without credentials; none: it was, or there was none.
    [[nodiscard]] const std::optional<std::string>& problem() const { return m_problem; }

private:
    void post(std::string type, std::string about, Time at, std::string payload);
    void ended(const DeliveryResult& result);

    Random& m_random;
    std::string m_url;
    std::string m_source;
    std::unique_ptr<Target> m_target;
    std::deque<Parcel> m_waiting;
    std::optional<std::string> m_problem;
    std::int64_t m_told = 0;
    bool m_sending = false;
    bool m_gone = false;
};

} // namespace fencepost::delivery
