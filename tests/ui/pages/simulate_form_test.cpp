// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSlider>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QWheelEvent>

#include "tests/ui/console_fixture.h"
#include "ui/pages/simulate_page.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/knob_form.h"
#include "ui/widgets/list_form.h"

namespace fencepost::ui {
namespace {

using simulation::FaultKind;
using testing::eventually;

constexpr auto twoWorlds = R"({"scenario": 1, "name": "pair", "title": "A pair", "seed": 3,
  "load": {"rate": 100, "requests": 60, "duration": "10s"},
  "variants": [{"name": "one", "set": {}}, {"name": "two", "set": {"service.nodes": 3}}]})";

class SimulateFormTest : public ConsoleFixture {
protected:
    void SetUp() override
    {
        ConsoleFixture::SetUp();
        context.emplace(PageContext{ nullptr, zone, range, theme, navigation, {}, {}, nullptr });
        page.emplace(*context);
        page->resize(1400, 900);
        static_cast<QWidget&>(*page).show();
        const auto path = folder.filePath(QStringLiteral("pair.json"));
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(twoWorlds);
        file.close();
        ASSERT_TRUE(page->openFile(path));
        form = page->findChild<KnobForm*>();
        banner = page->findChild<ErrorBanner*>();
        ASSERT_TRUE(form && banner);
    }
    void TearDown() override
    {
        page.reset();
        ConsoleFixture::TearDown();
    }

    void run()
    {
        const auto before = page->report();
        page->runWorlds();
        ASSERT_TRUE(eventually([&] { return !page->isLoading() && page->report() != before; }));
    }
    static void type(const ListForm& list, const char* path, const char* value)
    {
        auto* field = list.field(QLatin1String(path));
        ASSERT_TRUE(field) << path;
        field->setText(QLatin1String(value));
        Q_EMIT field->editingFinished();
    }
    static void turnWheel(QWidget& over)
    {
        const QPointF at = over.rect().center();
        QWheelEvent wheel(
            at, over.mapToGlobal(at), {}, { 0, -240 }, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&over, &wheel);
    }
    template <typename Widget> Widget* named(const char* name) const
    {
        return page->findChild<Widget*>(QLatin1String(name));
    }

    QTemporaryDir folder;
    std::optional<SimulatePage> page;
    KnobForm* form = nullptr;
    ErrorBanner* banner = nullptr;
};

// What is shown is what is run, or nothing is.
TEST_F(SimulateFormTest, RunsNothingWhileAFieldHasNoValue)
{
    auto* field = form->field(QStringLiteral("load.rate"));
    field->setText(QStringLiteral("abc")); // and no Return
    page->runWorlds();
    EXPECT_FALSE(page->isLoading());
    EXPECT_TRUE(field->property("invalid").toBool());
    EXPECT_TRUE(banner->sentence().contains(QStringLiteral("abc"))) << banner->sentence().toStdString();
    const auto problem = form->problem();
    EXPECT_TRUE(problem.contains(QStringLiteral("\"abc\" is not a number a second"))) << problem.toStdString();
    const auto lines = form->findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const QLabel* line) {
        return line->isVisible() && line->text() == problem;
    })) << "a line below the field says why";
    field->setText(QStringLiteral("100")); // what it was
    Q_EMIT field->editingFinished();
    EXPECT_FALSE(field->property("invalid").toBool());
    EXPECT_TRUE(form->problem().isEmpty());
    field->setText(QStringLiteral("50"));
    run();
    EXPECT_EQ(page->report()->worlds[0].scenario.load.rate, 50'000) << "what was typed is run";
}

TEST_F(SimulateFormTest, RunsNothingWithoutASeed)
{
    auto* seed = named<QLineEdit>("seed");
    ASSERT_TRUE(seed);
    seed->setText(QStringLiteral("first"));
    EXPECT_TRUE(seed->property("invalid").toBool());
    page->runWorlds();
    EXPECT_FALSE(page->isLoading());
    EXPECT_TRUE(banner->sentence().contains(QStringLiteral("first"))) << banner->sentence().toStdString();
    seed->setText(QStringLiteral("7"));
    EXPECT_FALSE(seed->property("invalid").toBool());
    run();
    EXPECT_EQ(page->report()->scenario.seed, 7U);
}

TEST_F(SimulateFormTest, LeavesTheWheelToTheForm)
{
    named<QPushButton>("run")->setFocus();
    const auto before = page->command();
    for (auto* slider : form->findChildren<QSlider*>())
        turnWheel(*slider);
    for (auto* words : form->findChildren<QComboBox*>())
        turnWheel(*words);
    EXPECT_EQ(page->command(), before);
    const auto* chosen = QApplication::focusWidget();
    EXPECT_FALSE(chosen && form->isAncestorOf(chosen)) << "nor does the wheel choose a field";
    auto* slider = form->slider(QStringLiteral("load.rate"));
    const int place = slider->value();
    slider->setFocus();
    ASSERT_TRUE(eventually([&] { return slider->hasFocus(); }));
    turnWheel(*slider);
    EXPECT_NE(slider->value(), place) << "what was chosen is turned";
}

TEST_F(SimulateFormTest, ShowsEachWordAsAWhole)
{
    form->setFilter(QStringLiteral("service.")); // opens its group
    int seen = 0;
    for (const auto* words : form->findChildren<QComboBox*>()) {
        if (!words->isVisible() || !words->accessibleName().startsWith(QStringLiteral("service.")))
            continue;
        EXPECT_GE(words->width(), words->sizeHint().width()) << words->accessibleName().toStdString();
        ++seen;
    }
    EXPECT_GT(seen, 3);
}

TEST_F(SimulateFormTest, BuildsFaults)
{
    auto& faults = form->faults();
    EXPECT_EQ(faults.entries(), 0);
    auto* adder = named<QToolButton>("add-faults");
    ASSERT_TRUE(adder);
    const auto kinds = adder->menu()->actions();
    ASSERT_EQ(std::size_t(kinds.size()), simulation::faultKinds().size());
    for (const auto kind : { FaultKind::Outage, FaultKind::Brownout, FaultKind::Partition })
        kinds[int(kind)]->trigger();
    EXPECT_EQ(faults.entries(), 3);
    EXPECT_TRUE(faults.isVisibleTo(form)) << "what there is is not folded away";
    type(faults, "faults[0].from", "3s");
    type(faults, "faults[0].for", "4s");
    type(faults, "faults[0].share", "50%");
    type(faults, "faults[1].factor", "7");
    EXPECT_FALSE(faults.field(QStringLiteral("faults[0].factor"))) << "an outage has none";
    auto* kind = faults.kind(2);
    ASSERT_TRUE(kind);
    kind->setCurrentIndex(int(FaultKind::NodeCrash));
    Q_EMIT kind->activated(kind->currentIndex());
    EXPECT_TRUE(faults.field(QStringLiteral("faults[2].node")));
    named<QToolButton>("remove-faults-2")->click();
    EXPECT_EQ(faults.entries(), 2);
    EXPECT_EQ(shownList("faults", page->knobs().scenario()),
        "outage from=3s for=4s share=50%; brownout from=2s for=2s factor=7");
    run();
    const auto& report = *page->report();
    EXPECT_EQ(report.worlds[0].scenario.faults.size(), 2U);
    EXPECT_TRUE(report.worlds[1].scenario.faults.empty());
    EXPECT_EQ(withVariant(report.scenario, report.scenario.variants[0])->faults.size(), 2U);
    page->variants().setCurrentIndex(1);
    EXPECT_EQ(faults.entries(), 0);
    page->variants().setCurrentIndex(0);
    EXPECT_EQ(faults.entries(), 2);
    EXPECT_EQ(faults.field(QStringLiteral("faults[0].from"))->text(), QStringLiteral("3s"));
    const auto lines = page->command().split(QLatin1Char('\n'));
    EXPECT_TRUE(
        lines[0].contains(QStringLiteral("'faults=outage from=3s for=4s share=50%; brownout from=2s for=2s factor=7'")))
        << lines[0].toStdString();
    EXPECT_FALSE(lines[1].contains(QStringLiteral("faults"))) << lines[1].toStdString();
}

TEST_F(SimulateFormTest, BuildsPhases)
{
    named<QToolButton>("add-phases")->click();
    type(form->phases(), "phases[0].until", "5s");
    type(form->phases(), "phases[0].rate", "500");
    EXPECT_EQ(shownList("phases", page->knobs().scenario()), "from=2s until=5s rate=500");
    type(form->phases(), "phases[0].until", "1s");
    EXPECT_TRUE(form->problem().contains(QStringLiteral("phases[0].until: it ends before it begins")))
        << form->problem().toStdString();
    type(form->phases(), "phases[0].until", "3s");
    named<QToolButton>("remove-phases-0")->click();
    EXPECT_EQ(form->phases().entries(), 0);
}

TEST_F(SimulateFormTest, RefusesWhatIsNoFault)
{
    auto& faults = form->faults();
    page->knobs().addFault(FaultKind::Outage);
    type(faults, "faults[0].for", "soon");
    EXPECT_TRUE(faults.field(QStringLiteral("faults[0].for"))->property("invalid").toBool());
    EXPECT_TRUE(form->problem().contains(QStringLiteral("soon"))) << form->problem().toStdString();
    type(faults, "faults[0].from", "2s");
    EXPECT_EQ(faults.field(QStringLiteral("faults[0].for"))->text(), QStringLiteral("soon")) << "still to be mended";
    page->runWorlds();
    EXPECT_FALSE(page->isLoading());
    type(faults, "faults[0].for", "0s");
    EXPECT_TRUE(form->problem().contains(QStringLiteral("for how long"))) << form->problem().toStdString();
    type(faults, "faults[0].for", "4s");
    EXPECT_TRUE(form->problem().isEmpty()) << form->problem().toStdString();
}

TEST_F(SimulateFormTest, FindsItsLists)
{
    form->setFilter(QStringLiteral("partition"));
    EXPECT_TRUE(form->faults().isVisibleTo(form));
    EXPECT_FALSE(form->phases().isVisibleTo(form));
    form->setFilter(QStringLiteral("look_up"));
    EXPECT_FALSE(form->faults().isVisibleTo(form));
}

} // namespace
} // namespace fencepost::ui
