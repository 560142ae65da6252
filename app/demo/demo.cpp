// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/demo.h"

#include <QFile>

#include "app/demo/deliveries.h"
#include "app/demo/demo_file.h"
#include "app/demo/messages.h"
#include "app/demo/operators.h"
#include "app/demo/replays.h"
#include "app/demo/story.h"
#include "core/profile/library.h"
#include "core/store/schema.h"
#include "core/store/stores.h"
#include "resources/resources.h"

namespace fencepost::app {

namespace {

// Everything the history needs while it is made, opened together and closed together.
Status live(const std::string& path, const DemoOptions& wanted, DemoReport& report)
{
    const auto policy = demoPolicy();
    if (!policy)
        return policy.error();
    const auto profiles = profile::shippedLibrary();
    if (!profiles)
        return profiles.error();

    const store::Target target{ .dialect = store::Dialect::Sqlite, .path = path, .applicationName = "fencepost demo" };
    const store::OpenOptions options{ .access = store::Access::ReadWrite, .create = true };
    const auto connection = store::Connection::open(target, options);
    if (!connection)
        return connection.error();
    if (const auto status = store::initSchema(**connection, false, report.begin); !status)
        return status;

    ManualClock clock(report.begin);
    SeededRandom random(wanted.seed);
    const auto backend = store::open({ .target = target,
        .options = options,
        .clock = &clock,
        .profiles = &*profiles,
        .random = &random,
        .identity = "demo" });
    if (!backend)
        return backend.error();

    Agenda agenda(clock);
    store::Inbox inbox(**connection, { .clock = &clock, .bind = true });
    store::Outbox outbox(**connection, { .clock = &clock, .bind = true });
    // Their own, so that the history of the keys stays the one of its seed.
    SeededRandom ofMessages(wanted.seed + 1);
    Service service((*backend)->store(), agenda, *policy, random, forecast, report.end);
    Operators operators(**backend, service, agenda, random, *policy);
    writeStory(service, agenda, random, report.end);
    operators.writeShifts(report.end);
    writeDeliveries(inbox, agenda, random, report.end);
    Service refunds((*backend)->store(), agenda, *policy, ofMessages, forecast, report.end);
    const auto relayPass = writeMessages(refunds, outbox, inbox, agenda, ofMessages, report.end);
    writeReplays(**backend, agenda, clock, ofMessages, report.end, relayPass);
    if (const auto status = agenda.runUntil(wanted.until.value_or(report.end)); !status)
        return status;
    report.storeCalls = service.storeCalls() + refunds.storeCalls() + operators.storeCalls();
    return {};
}

} // namespace

Result<DemoReport> makeDemo(const DemoOptions& options)
{
    if (const auto status = mayReplace(options.path); !status)
        return status.error();
    auto workplace = Workplace::make();
    if (!workplace)
        return workplace.error();

    DemoReport report;
    report.end = options.end.value_or(SystemClock().now());
    report.begin = report.end - demoSpan;
    if (const auto status = live(workplace->path(), options, report); !status)
        return status.error();
    if (const auto status = workplace->moveTo(options.path); !status)
        return status.error();
    return report;
}

Result<std::string> demoPolicyText()
{
    loadResources();
    QFile file(QStringLiteral(":/fencepost.policy.json"));
    if (!file.open(QIODevice::ReadOnly))
        return Error{ Failure::Internal, "the demo's policy is not part of this program", {} };
    return file.readAll().toStdString();
}

Result<Policy> demoPolicy()
{
    const auto text = demoPolicyText();
    if (!text)
        return text.error();
    return parsePolicy(*text);
}

} // namespace fencepost::app
