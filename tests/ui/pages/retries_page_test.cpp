// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QTest>

#include "tests/ui/console_fixture.h"
#include "ui/pages/retries_page.h"
#include "ui/widgets/bar_plot.h"
#include "ui/widgets/chart_card.h"

namespace fencepost::ui {
namespace {

using testing::eventually;

class RetriesPageTest : public ConsoleFixture {
protected:
    // One that fails twice with the delays of nobody's policy, and three that need one attempt.
    void makeRetries()
    {
        for (int i = 0; i < 3; ++i)
            finalize(reserve("once" + std::to_string(i)));
        for (int i = 0; i < 2; ++i) {
            const auto record = reserve("often");
            ASSERT_TRUE(workers->store().fail({ record.id, record.owner, record.fence }, { .retryable = true }));
            then.advance(Seconds(7));
        }
        finalize(reserve("often"));
    }

    void open(RetriesPage& page)
    {
        page.resize(1200, 900);
        static_cast<QWidget&>(page).show();
        page.activate();
        page.setLive(false);
        ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.answer(); }));
    }

    std::string click(RetriesPage& page, RetriesPage::Card card, int first, int last)
    {
        auto& plot = page.plot(card);
        navigation.opened.clear();
        QTest::mousePress(&plot, Qt::LeftButton, {}, plot.placeOf(first).center().toPoint());
        QTest::mouseMove(&plot, plot.placeOf(last).center().toPoint());
        QTest::mouseRelease(&plot, Qt::LeftButton, {}, plot.placeOf(last).center().toPoint());
        return navigation.openedFilter.toStdString();
    }

    std::int64_t matching(const std::string& filter)
    {
        const auto parsed = parseFilter(filter);
        EXPECT_TRUE(parsed) << filter << ": " << parsed.error().message;
        const auto bindings = workers->inspector().bindings();
        for (const auto& binding : *bindings)
            if (binding.kind == Kind::Idempotency) {
                const auto counts = workers->inspector().counts(binding, *parsed, Seconds(10));
                EXPECT_TRUE(counts);
                return counts->total.value;
            }
        return -1;
    }
};

TEST_F(RetriesPageTest, EveryBarOpensTheRowsThatItCounts)
{
    makeRetries();
    connectSession();
    RetriesPage page(*context);
    open(page);
    EXPECT_TRUE(eventually([&] {
        return page.summary()
            == QStringLiteral("1 of 4 rows were tried again · 2 retries for 4 first attempts: 50 % · nothing was tried "
                              "in the 2d before");
    })) << page.summary().toStdString();
    const auto& attempts = page.plot(RetriesPage::Attempts).plot();
    ASSERT_EQ(attempts.bars.size(), 3U);
    EXPECT_EQ(matching(click(page, RetriesPage::Attempts, 0, 0)), 3);
    EXPECT_EQ(navigation.opened, "keys");
    EXPECT_EQ(matching(click(page, RetriesPage::Attempts, 2, 2)), 1);
    EXPECT_EQ(matching(click(page, RetriesPage::Attempts, 0, 2)), 4) << "several are brushed";
    EXPECT_EQ(matching(click(page, RetriesPage::SuccessAfter, 0, 0)), 3);
    const auto& rates = page.plot(RetriesPage::Amplification).plot();
    EXPECT_EQ(matching(click(page, RetriesPage::Amplification, 0, static_cast<int>(rates.bars.size()) - 1)), 4);

    // Every bar of every card: as many rows as it says, and where it counts attempts, as many as made them.
    for (const auto card : { RetriesPage::Attempts, RetriesPage::Delays, RetriesPage::TimeToSuccess,
             RetriesPage::SuccessAfter, RetriesPage::Arrivals }) {
        const auto& bars = page.plot(card).plot().bars;
        EXPECT_FALSE(bars.empty()) << card;
        for (std::size_t i = 0; i < bars.size(); ++i) {
            double said = 0;
            for (const auto& [role, part] : bars[i].parts)
                said += part;
            if (said == 0)
                continue;
            const auto found = matching(bars[i].filter.toStdString());
            if (card == RetriesPage::Arrivals) {
                EXPECT_GT(found, 0) << bars[i].filter.toStdString();
                EXPECT_LE(double(found), said) << bars[i].filter.toStdString();
            } else {
                EXPECT_EQ(double(found), said) << card << ": " << bars[i].filter.toStdString();
            }
        }
    }
    for (std::size_t i = 0; i < rates.bars.size(); ++i) {
        const auto& rate = page.answer()->rates[i];
        if (rate.first + rate.again == 0) {
            EXPECT_TRUE(rates.bars[i].filter.isEmpty());
            continue;
        }
        const auto found = matching(rates.bars[i].filter.toStdString());
        EXPECT_GE(found, rate.first) << "each first attempt is of another record";
        EXPECT_LE(found, rate.first + rate.again);
    }
    const auto& spans = page.plot(RetriesPage::TimeToSuccess).plot();
    EXPECT_EQ(matching(click(page, RetriesPage::TimeToSuccess, 0, static_cast<int>(spans.bars.size()) - 1)), 4);

    auto& plot = page.plot(RetriesPage::Attempts);
    plot.setFocus();
    navigation.opened.clear();
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Return);
    EXPECT_EQ(navigation.opened, "keys");
}

TEST_F(RetriesPageTest, DelaysStandAgainstTheChosenPolicy)
{
    makeRetries();
    connectSession();
    RetriesPage page(*context);
    open(page);
    ASSERT_EQ(page.delays().count(), 2);
    // Nobody chose, and there is no policy file.
    EXPECT_EQ(page.promises().currentText(), QStringLiteral("Policy playbook, presumed"));
    EXPECT_TRUE(page.plot(RetriesPage::Delays).plot().band);
    EXPECT_EQ(page.answer()->delays[0].late, 1) << "7 s is far beyond what the playbook waits";
    const auto choose = [&](const char* name) {
        const int item = page.promises().findData(QString::fromLatin1(name));
        ASSERT_GE(item, 0);
        page.promises().setCurrentIndex(item);
        Q_EMIT page.promises().activated(item);
    };
    choose("");
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && !page.plot(RetriesPage::Delays).plot().band; }));
    choose("vendor");
    ASSERT_TRUE(eventually([&] { return !page.isLoading() && page.plot(RetriesPage::Delays).plot().band; }));
    EXPECT_EQ(page.promises().currentText(), QStringLiteral("Policy vendor"));
    page.reload();
    ASSERT_TRUE(eventually([&] { return !page.isLoading(); }));
    EXPECT_EQ(page.promises().currentText(), QStringLiteral("Policy vendor")) << "what was chosen stays";
}

TEST_F(RetriesPageTest, AnEmptyTableSaysWhyThereIsNothing)
{
    connectSession();
    RetriesPage page(*context);
    open(page);
    for (const auto card : { RetriesPage::Attempts, RetriesPage::Delays, RetriesPage::TimeToSuccess })
        EXPECT_FALSE(page.plot(card).isVisible());
    for (const char* table : { "inbox_messages", "outbox_messages" }) {
        page.show(QString::fromUtf8(table), {});
        EXPECT_TRUE(eventually([&] { return !page.isLoading(); }));
        EXPECT_TRUE(page.answer());
    }
}

} // namespace
} // namespace fencepost::ui
