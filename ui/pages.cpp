// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages.h"

#include <algorithm>

#include "ui/dialogs/plan_dialog.h"
#include "ui/pages/alerts_page.h"
#include "ui/pages/audit_page.h"
#include "ui/pages/conflicts_page.h"
#include "ui/pages/connections_page.h"
#include "ui/pages/differences_page.h"
#include "ui/pages/find_page.h"
#include "ui/pages/flows_page.h"
#include "ui/pages/invariants_page.h"
#include "ui/pages/keys_page.h"
#include "ui/pages/message_pages.h"
#include "ui/pages/overview_page.h"
#include "ui/pages/record_dossier.h"
#include "ui/pages/retries_page.h"
#include "ui/pages/runs_page.h"
#include "ui/pages/simulate_page.h"
#include "ui/pages/stuck_page.h"

namespace fencepost::ui {

namespace {

constexpr PageEntry entries[] = {
    { "overview", QT_TRANSLATE_NOOP("Pages", "Overview"), "overview", "G, V", true, makeOverviewPage },
    { "keys", QT_TRANSLATE_NOOP("Pages", "Keys"), "keys", "G, K", true, makeKeysPage },
    { "stuck", QT_TRANSLATE_NOOP("Pages", "Stuck"), "stuck", "G, S", true, makeStuckPage },
    { "inbox", QT_TRANSLATE_NOOP("Pages", "Inbox"), "inbox", "G, I", true, makeInboxPage },
    { "outbox", QT_TRANSLATE_NOOP("Pages", "Outbox"), "outbox", "G, O", true, makeOutboxPage },
    { "dlq", QT_TRANSLATE_NOOP("Pages", "Dead letters"), "letters", "G, D", true, makeDeadLettersPage },
    { "find", QT_TRANSLATE_NOOP("Pages", "Find an id"), "search", "G, W", false, makeFindPage },
    { "flows", QT_TRANSLATE_NOOP("Pages", "Flows"), "flows", "G, F", true, makeFlowsPage },
    { "retries", QT_TRANSLATE_NOOP("Pages", "Retries"), "retries", "G, T", true, makeRetriesPage },
    { "conflicts", QT_TRANSLATE_NOOP("Pages", "Conflicts"), "conflicts", "G, X", true, makeConflictsPage },
    { "invariants", QT_TRANSLATE_NOOP("Pages", "Invariants"), "invariants", "G, N", true, makeInvariantsPage },
    { "alerts", QT_TRANSLATE_NOOP("Pages", "Alerts"), "alerts", "G, L", true, makeAlertsPage },
    { "runs", QT_TRANSLATE_NOOP("Pages", "Replays"), "replay", "G, R", true, makeRunsPage },
    { "simulate", QT_TRANSLATE_NOOP("Pages", "Simulate"), "simulate", "G, M", false, makeSimulatePage },
    { "audit", QT_TRANSLATE_NOOP("Pages", "Audit"), "audit", "G, A", true, makeAuditPage },
    { "differences", QT_TRANSLATE_NOOP("Pages", "Differences"), "differences", "G, E", false, makeDifferencesPage },
    { "connections", QT_TRANSLATE_NOOP("Pages", "Connections"), "connections", "G, C", false, makeConnectionsPage },
};

constexpr Parts windowParts{
    .dossier = makeRecordDossier,
    .plan = makePlanDialog,
    .undo = makeUndoDialog,
    .resume = makeResumeDialog,
    .opened = makeOpenedDialog,
};

} // namespace

std::span<const PageEntry> pages() noexcept
{
    return entries;
}

const PageEntry* findPage(std::string_view id) noexcept
{
    const auto* found =
        std::find_if(std::begin(entries), std::end(entries), [id](const PageEntry& page) { return id == page.id; });
    return found == std::end(entries) ? nullptr : found;
}

const char* pageOf(Kind kind) noexcept
{
    switch (kind) {
    case Kind::Inbox:
        return "inbox";
    case Kind::Outbox:
        return "outbox";
    case Kind::DeadLetter:
        return "dlq";
    case Kind::Idempotency:
    case Kind::Job:
    case Kind::Lock:
        break;
    }
    return "keys";
}

const Parts& parts() noexcept
{
    return windowParts;
}

} // namespace fencepost::ui
