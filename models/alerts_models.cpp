// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/alerts_models.h"

#include "models/instant_text.h"
#include "models/visible_text.h"

namespace fencepost::models {

namespace {

QString figureOf(const AlertRule& rule, const std::optional<AlertReading>& reading)
{
    if (!reading)
        return {};
    return (reading->exact ? QString() : QStringLiteral("≥ "))
        + QString::fromStdString(alertValueInWords(*rule.measure, reading->value));
}

QString nowText(const WatchedRule& watched, const Display&)
{
    return watched.rule ? figureOf(*watched.rule, watched.reading) : QString();
}

QString overText(const WatchedRule& watched, const Display& display)
{
    return watched.over ? display.zone.format(*watched.over, Precision::Seconds) : QString();
}

QString readText(const WatchedRule& watched, const Display& display)
{
    return watched.readAt ? display.zone.format(*watched.readAt, Precision::Seconds) : QString();
}

QString whatText(const WatchedRule& watched, const Display&)
{
    if (watched.error)
        return visibleText(watched.error->message);
    return watched.rule ? QString::fromUtf8(watched.rule->measure->title) : QString();
}

constexpr Column<WatchedRule> ruleColumns[] = {
    { .id = "standing",
        .title = "Now is",
        .text = [](const WatchedRule& watched, const Display&) { return standingOf(watched); },
        .width = 14 },
    { .id = "rule",
        .title = "Rule",
        .text = [](const WatchedRule& watched, const Display&) { return visibleLine(watched.kept.text); },
        .monospace = true,
        .width = 28 },
    { .id = "figure", .title = "Figure", .text = nowText, .alignment = Alignment::Right, .width = 12 },
    { .id = "over", .title = "Over since", .text = overText, .instant = Precision::Seconds },
    { .id = "table",
        .title = "Most in",
        .text = [](const WatchedRule& watched,
                    const Display&) { return watched.reading ? visibleText(watched.reading->binding) : QString(); },
        .width = 20 },
    { .id = "what", .title = "What it watches", .text = whatText, .width = 34, .grows = true },
    { .id = "read", .title = "Read at", .text = readText, .instant = Precision::Seconds, .shown = false },
};

constexpr Column<AlertEvent> eventColumns[] = {
    { .id = "at",
        .title = "At",
        .text = [](const AlertEvent& event,
                    const Display& display) { return display.zone.format(event.change.at, Precision::Seconds); },
        .instant = Precision::Seconds,
        .full = [](const AlertEvent& event,
                    const Display& display) { return wholeInstant(event.change.at, display); } },
    { .id = "event",
        .title = "What happened",
        .text =
            [](const AlertEvent& event, const Display&) {
                return (event.change.state.firing ? QStringLiteral("Began") : QStringLiteral("Ended"))
                    + (event.silent ? QStringLiteral(", silent") : QString());
            },
        .width = 16 },
    { .id = "words",
        .title = "Rule and figure",
        .text = [](const AlertEvent& event, const Display&) { return visibleText(alertInWords(event.change)); },
        .width = 40,
        .grows = true },
};

} // namespace

QString standingOf(const WatchedRule& watched)
{
    if (!watched.kept.on)
        return QStringLiteral("Off");
    if (watched.error)
        return watched.rule && watched.error->failure != Failure::Unsupported ? QStringLiteral("Not read")
                                                                              : QStringLiteral("Does not fit");
    if (watched.over)
        return watched.silent ? QStringLiteral("Over, silent") : QStringLiteral("Over");
    if (!watched.reading)
        return QStringLiteral("Not yet read");
    return watched.silent ? QStringLiteral("In bounds, silent") : QStringLiteral("In bounds");
}

AlertRulesModel::AlertRulesModel(const AlertBoard& board, const Clock& clock, QObject* parent)
    : ListModel(
        ruleColumns, [](const WatchedRule& watched) { return Identity{ watched.kept.id.toStdString() }; }, parent)
{
    const auto show = [this, &board, &clock] { setRows(board.rules(), clock.now()); };
    connect(&board, &AlertBoard::changed, this, show);
    show();
}

QVariant AlertRulesModel::mark(const WatchedRule& watched, int role) const
{
    if (role == QuietRole)
        return !watched.kept.on || watched.silent;
    return ListModel::mark(watched, role);
}

AlertEventsModel::AlertEventsModel(const AlertBoard& board, const Clock& clock, QObject* parent)
    : ListModel(
        eventColumns, [](const AlertEvent& event) { return Identity{ std::to_string(event.number) }; }, parent)
{
    const auto show = [this, &board, &clock] {
        setRows({ board.events().begin(), board.events().end() }, clock.now());
    };
    connect(&board, &AlertBoard::changed, this, [this, &board, show] {
        // Most looks bring none.
        if (rowCount() != int(board.events().size())
            || (rowCount() > 0 && rowAt(0).number != board.events().front().number))
            show();
    });
    show();
}

} // namespace fencepost::models
