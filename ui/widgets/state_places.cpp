// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_places.h"

#include <algorithm>
#include <array>

#include "core/forensics/row_machine.h"

namespace fencepost::ui {

namespace {

// What needs a person is left, what needs time is right.
constexpr std::array keyPlaces = {
    StatePlace{ "ABSENT", 0, 24 },
    StatePlace{ "IN_PROGRESS", 0, 108 },
    StatePlace{ "HELD", -1, 212 },
    StatePlace{ "FAILED_RETRYABLE", 1, 212 },
    StatePlace{ "SUCCEEDED", -0.57, 316 },
    StatePlace{ "FAILED_FINAL", 0.57, 316 },
    StatePlace{ "EXPIRED", 0, 412 },
    StatePlace{ "UNKNOWN", -1, 66, Whose::Nobodys },
    StatePlace{ "PENDING", 1, 66, Whose::Nobodys },
    StatePlace{ "DEAD", 1, 412, Whose::Nobodys },
};
constexpr std::array keyBends = {
    StateBend{ "IN_PROGRESS", "ABSENT", 22 },
    StateBend{ "ABSENT", "IN_PROGRESS", 0 },
    StateBend{ "EXPIRED", "IN_PROGRESS", 0 },
    StateBend{ "IN_PROGRESS", "EXPIRED", 26 },
    StateBend{ "EXPIRED", "ABSENT", -250 },
    StateBend{ "SUCCEEDED", "ABSENT", 190 },
    StateBend{ "FAILED_FINAL", "ABSENT", -190 },
    StateBend{ "FAILED_RETRYABLE", "ABSENT", -60 },
    StateBend{ "HELD", "FAILED_RETRYABLE", -24 },
    StateBend{ "FAILED_RETRYABLE", "HELD", -24 },
};

constexpr std::array jobPlaces = {
    StatePlace{ "ABSENT", 0, 24 },
    StatePlace{ "PENDING", 0, 92 },
    StatePlace{ "IN_PROGRESS", 0, 184 },
    StatePlace{ "DEAD", -1, 304 },
    StatePlace{ "FAILED_RETRYABLE", 1, 304 },
    StatePlace{ "SUCCEEDED", 0, 398 },
    StatePlace{ "FAILED_FINAL", -1, 398, Whose::Nobodys },
    StatePlace{ "EXPIRED", 1, 398, Whose::Nobodys },
    StatePlace{ "HELD", 1, 138, Whose::Nobodys },
    StatePlace{ "UNKNOWN", -1, 138, Whose::Nobodys },
};
constexpr std::array jobBends = {
    StateBend{ "DEAD", "PENDING", 60 },
    StateBend{ "IN_PROGRESS", "FAILED_RETRYABLE", 24 },
    StateBend{ "FAILED_RETRYABLE", "IN_PROGRESS", 24 },
    StateBend{ "FAILED_RETRYABLE", "DEAD", -36 },
};

constexpr std::array inboxPlaces = {
    StatePlace{ "ABSENT", 0, 24 },
    StatePlace{ "RECEIVED", 0, 92 },
    StatePlace{ "PROCESSING", 0, 184 },
    StatePlace{ "DEAD", -1, 304 },
    StatePlace{ "FAILED", 1, 304 },
    StatePlace{ "PROCESSED", 0, 398 },
    StatePlace{ "UNKNOWN", 0, 486, Whose::Nobodys },
};
constexpr std::array inboxBends = {
    StateBend{ "DEAD", "RECEIVED", 60 },
    StateBend{ "PROCESSING", "FAILED", 90 },
    StateBend{ "FAILED", "PROCESSING", 90 },
    StateBend{ "FAILED", "DEAD", -36 },
    StateBend{ "RECEIVED", "PROCESSED", -110 },
};

constexpr std::array outboxPlaces = {
    StatePlace{ "ABSENT", 0, 24 },
    StatePlace{ "PENDING", 0, 92 },
    StatePlace{ "SENDING", 0, 222 },
    StatePlace{ "DEAD", -1, 318 },
    StatePlace{ "SENT", 1, 318, Whose::Ours },
    StatePlace{ "DISPATCHED", 1, 318, Whose::Others },
    StatePlace{ "FAILED", 1, 222, Whose::Nobodys },
    StatePlace{ "DISCARDED", -1, 398, Whose::Ours },
    StatePlace{ "UNKNOWN", 1, 398, Whose::Nobodys },
};
constexpr std::array outboxBends = {
    StateBend{ "PENDING", "SENDING", 34 },
    StateBend{ "SENDING", "PENDING", 34 },
    StateBend{ "DEAD", "PENDING", 60 },
    StateBend{ "SENT", "PENDING", -60 },
    StateBend{ "DISCARDED", "PENDING", 110 },
};

constexpr std::array letterPlaces = {
    StatePlace{ "ABSENT", 0, 24 },
    StatePlace{ "DEAD", 0, 140 },
    StatePlace{ "REDRIVEN", -1, 290 },
    StatePlace{ "DISCARDED", 1, 290 },
    StatePlace{ "UNKNOWN", 0, 390, Whose::Nobodys },
};
constexpr std::array letterBends = {
    StateBend{ "DEAD", "REDRIVEN", 26 },
    StateBend{ "REDRIVEN", "DEAD", 26 },
    StateBend{ "DEAD", "DISCARDED", 26 },
    StateBend{ "DISCARDED", "DEAD", 26 },
};

} // namespace

StatePlan planOf(Kind kind) noexcept
{
    switch (kind) {
    case Kind::Inbox:
        return { inboxPlaces, inboxBends };
    case Kind::Outbox:
        return { outboxPlaces, outboxBends };
    case Kind::DeadLetter:
        return { letterPlaces, letterBends };
    case Kind::Job:
        return { jobPlaces, jobBends };
    case Kind::Idempotency:
    case Kind::Lock:
        break;
    }
    return { keyPlaces, keyBends };
}

bool isDrawn(Kind kind, std::string_view from, std::string_view to, std::string_view current) noexcept
{
    const auto edges = rowEdges(kind);
    if (!edges.empty())
        return std::any_of(edges.begin(), edges.end(),
            [&](const RowEdge& edge) { return edge.from == from && edge.to == to && !edge.seldom; });
    if (from == to || from == "UNKNOWN" || to == "UNKNOWN" || !isLegal(kind, from, to))
        return false;
    // What leads back to the beginning, or out of expiry, is drawn where it is next.
    return from == current || (from != "EXPIRED" && to != "ABSENT");
}

} // namespace fencepost::ui
