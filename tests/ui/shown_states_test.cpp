// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <set>

#include <QMenu>
#include <QToolButton>

#include "core/profile/library.h"
#include "core/profile/words.h"
#include "resources/resources.h"
#include "tests/ui/widgets/diagram_checks.h"
#include "ui/shown_states.h"
#include "ui/theme.h"
#include "ui/widgets/comparison_card.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/filter_field.h"
#include "ui/widgets/message_path.h"
#include "ui/widgets/plain_table.h"

namespace fencepost::ui {
namespace {

constexpr Kind kinds[] = { Kind::Idempotency, Kind::Inbox, Kind::Outbox, Kind::DeadLetter, Kind::Job, Kind::Lock };

std::set<std::string> everyWord()
{
    std::set<std::string> words;
    for (const auto kind : kinds)
        for (const auto word : profile::stateWordsOf(kind))
            words.emplace(word);
    return words;
}

Counts countsOf(const std::map<std::string, std::int64_t>& states)
{
    Counts counts;
    for (const auto& [state, number] : states) {
        counts.byState[state] = { number, Exactness::Exact };
        counts.total.value += number;
    }
    return counts;
}

Binding tableOf(Kind kind, bool native = false)
{
    Binding binding;
    binding.name = "t";
    binding.profile = native ? "fencepost.t" : "somebody.t";
    binding.kind = kind;
    binding.native = native;
    return binding;
}

TEST(ShownStatesTest, EveryStateThatAProfileCanSayHasALookOfItsOwn)
{
    for (const auto& word : everyWord()) {
        EXPECT_EQ(stateLook(word).word.toStdString(), word);
        EXPECT_EQ(stateLook(word).dotted, word == "UNKNOWN") << word;
    }
    EXPECT_EQ(stateLook("DISPATCHED").role, stateLook("SENT").role);
}

TEST(ShownStatesTest, EveryStateOfTheShippedProfilesIsStackedAndMayBeFiltered)
{
    const auto library = profile::shippedLibrary();
    ASSERT_TRUE(library);
    const auto stacked = stackedStates();
    std::size_t met = 0;
    for (const auto& profile : library->all())
        for (const auto& state : profile.states) {
            EXPECT_EQ(stateLook(state.is).word.toStdString(), state.is) << profile.name;
            EXPECT_NE(std::find(stacked.begin(), stacked.end(), state.is), stacked.end())
                << profile.name << ' ' << state.is << ": its rows would be missing from the charts";
            EXPECT_TRUE(parseFilter("state = " + state.is)) << state.is;
            ++met;
        }
    EXPECT_GT(met, 60U);
}

TEST(ShownStatesTest, ATableIsExpectedToHaveTheWordsOfItsOwn)
{
    const auto has = [](const Binding& binding, const char* word) {
        const auto states = expectedStates(binding);
        return std::find(states.begin(), states.end(), word) != states.end();
    };
    EXPECT_TRUE(has(tableOf(Kind::Outbox), "DISPATCHED"));
    EXPECT_FALSE(has(tableOf(Kind::Outbox), "SENT"));
    EXPECT_TRUE(has(tableOf(Kind::Outbox, true), "SENT"));
    EXPECT_FALSE(has(tableOf(Kind::Outbox, true), "DISPATCHED"));
    EXPECT_TRUE(has(tableOf(Kind::Job), "PENDING"));
    EXPECT_TRUE(has(tableOf(Kind::Job), "DEAD"));
    EXPECT_FALSE(has(tableOf(Kind::Idempotency, true), "PENDING"));
    EXPECT_TRUE(has(tableOf(Kind::Idempotency, true), "HELD"));
}

TEST(ShownStatesTest, TheRowOfAnyTableIsDrawnInTheStateThatItHas)
{
    for (const auto kind : { Kind::Inbox, Kind::Outbox, Kind::DeadLetter, Kind::Job })
        for (const auto word : profile::stateWordsOf(kind)) {
            SCOPED_TRACE(std::string(wordOf(kind)) + ' ' + std::string(word));
            MessageHistory history{ .kind = kind, .row = {}, .native = false };
            history.row.state = word;
            history.row.rawState = word;
            history.row.attempts = 2;
            const auto path = pathOf(history);
            EXPECT_EQ(path.current, word);
            for (const auto& remark : path.remarks)
                EXPECT_FALSE(remark.contains(QStringLiteral("none of this machine"))) << remark.toStdString();
            expectDrawn(path);
        }
    for (const auto word : profile::stateWordsOf(Kind::Idempotency)) {
        SCOPED_TRACE(word);
        const auto path = pathOf({}, { .word = std::string(word), .journalled = false });
        EXPECT_EQ(path.current, word);
        expectDrawn(path);
    }
}

TEST(ShownStatesTest, WhatIsDispatchedTakesThePlaceOfWhatIsSent)
{
    const auto drawn = [](const char* state, bool native) {
        MessageHistory history{ .kind = Kind::Outbox, .row = {}, .native = native };
        history.row.state = state;
        std::set<std::string> nodes;
        const auto diagram = layOut(pathOf(history), 460, measureRoughly);
        for (const auto& node : diagram.nodes)
            nodes.insert(node.state);
        return nodes;
    };
    EXPECT_TRUE(drawn("PENDING", false).contains("DISPATCHED"));
    EXPECT_FALSE(drawn("PENDING", false).contains("SENT"));
    EXPECT_FALSE(drawn("SENT", false).contains("DISPATCHED")) << "two of one place";
    EXPECT_TRUE(drawn("PENDING", true).contains("SENT"));
    EXPECT_FALSE(drawn("PENDING", true).contains("DISPATCHED"));
    EXPECT_FALSE(drawn("DISPATCHED", false).contains("UNKNOWN"));
}

TEST(ShownStatesTest, TheLinesOfAComparisonSumUpToItsTitle)
{
    loadResources();
    const Theme theme(Scheme::Light);
    ComparisonCard card(theme);
    models::Comparison comparison;
    comparison.counts = countsOf({ { "IN_PROGRESS", 1 } });
    comparison.before = countsOf({ { "IN_PROGRESS", 1 }, { "SUCCEEDED", 1 }, { "UNKNOWN", 2 } });
    for (const auto& states : { possibleStates(Kind::Job), std::vector<std::string>() }) {
        card.show(comparison, states, false, models::Zone::utc());
        EXPECT_TRUE(card.sentence().contains(QStringLiteral("3 fewer"))) << card.sentence().toStdString();
        int before = 0;
        for (int row = 0; row < card.table().rowCount(); ++row)
            before += card.table().item(row, 2)->text().toInt();
        EXPECT_EQ(before, 4);
    }
}

TEST(ShownStatesTest, TheBarOffersWhatTheTableCanTell)
{
    loadResources();
    const Theme theme(Scheme::Light);
    FilterBar bar(theme, {});
    const auto chips = [&bar] {
        QStringList words;
        for (const auto* button : bar.findChildren<QToolButton*>())
            if (button->isCheckable() && !button->isHidden())
                words += button->text();
        return words;
    };
    const auto states = [&bar] {
        QStringList words;
        for (const auto* button : bar.findChildren<QToolButton*>())
            if (button->text() == QLatin1String("State"))
                for (const auto* action : button->menu()->actions())
                    words += action->text();
        return words;
    };
    bar.setRows(tableOf(Kind::Idempotency, true));
    EXPECT_EQ(chips(),
        (QStringList{
            QStringLiteral("Stuck"), QStringLiteral("Held"), QStringLiteral("Conflict"), QStringLiteral("State") }));
    EXPECT_TRUE(states().contains(QStringLiteral("HELD")));
    bar.setRows(tableOf(Kind::Job));
    EXPECT_EQ(chips(), (QStringList{ QStringLiteral("Stuck"), QStringLiteral("State") }));
    EXPECT_TRUE(states().contains(QStringLiteral("PENDING")));
    EXPECT_TRUE(states().contains(QStringLiteral("UNKNOWN")));
    EXPECT_FALSE(states().contains(QStringLiteral("HELD")));
    bar.field().setText(QStringLiteral("state = D"));
    EXPECT_EQ(bar.field().offers(), QStringList{ QStringLiteral("DEAD") });
    auto mapped = tableOf(Kind::Idempotency);
    mapped.fields = { "key", "hold" };
    bar.setRows(mapped);
    EXPECT_TRUE(chips().contains(QStringLiteral("Held")));
    EXPECT_FALSE(chips().contains(QStringLiteral("Conflict"))) << "conflicts are never rows of another's table";
}

} // namespace
} // namespace fencepost::ui
