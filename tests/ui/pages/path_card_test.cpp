// SPDX-License-Identifier: GPL-3.0-or-later
#include <QImage>
#include <QLabel>
#include <QSvgRenderer>
#include <QTabWidget>
#include <QTest>

#include "core/operations/plan.h"
#include "tests/ui/pages/message_fixture.h"
#include "ui/pages/path_card.h"
#include "ui/pages/record_dossier.h"
#include "ui/widgets/drawing_tools.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/state_diagram.h"

namespace fencepost::ui {
namespace {

using testing::eventually;

// The path of one row in its dossier, over tables that the protocol has written.
class PathCardTest : public MessageFixture {
protected:
    void carryOut(const std::string& verb, const std::string& filter)
    {
        PlanRequest request;
        request.verb = verb;
        request.filter = filter;
        request.reason = "mended";
        request.actor = "olga@ops-1";
        request.parameters = { { includeUnknown, "it does no harm" } };
        if (verb == "discard")
            request.parameters.clear();
        const auto plan = makePlan(workers->inspector(), deadLetters(), request, random);
        ASSERT_TRUE(plan) << plan.error().message;
        ASSERT_EQ(plan->items.size(), 1U);
        const auto report = applyPlan(workers->inspector(), *plan, request.actor, {});
        ASSERT_TRUE(report) << report.error().message;
        then.advance(Seconds(5));
    }

    std::vector<std::string> firstOf(const Binding& binding)
    {
        const auto page = workers->inspector().page(binding, {});
        EXPECT_TRUE(page && page->rows.size() == 1);
        return page && !page->rows.empty() ? page->rows[0].identity : std::vector<std::string>();
    }

    std::string pathOf(Kind kind, RecordDossier& dossier)
    {
        const auto binding = bindingOf(kind);
        dossier.resize(520, 760);
        dossier.show();
        const auto identity = firstOf(binding);
        if (identity.empty())
            return {};
        dossier.open(binding, identity);
        EXPECT_TRUE(eventually([&] { return dossier.loaded() && !dossier.isLoading(); }));
        return formatPath(dossier.diagram().path());
    }
    std::string pathOf(Kind kind)
    {
        RecordDossier dossier(*context);
        return pathOf(kind, dossier);
    }

    Delivery delivery(const std::string& id)
    {
        Delivery one;
        one.id = { "ledger", "/lab", id };
        one.destination = "http://127.0.0.1:9/ledger";
        one.payload = "{}";
        one.payloadHash = sha256("{}");
        return one;
    }
    Owner handle(const Delivery& one)
    {
        const Owner handler{ uuid4(random) };
        const auto received = inbox->receive(one, { handler, Seconds(30), 5 });
        EXPECT_TRUE(received && received->reception == Reception::Process);
        then.advance(Seconds(5));
        return handler;
    }
};

TEST_F(PathCardTest, AnEventThatIsSentAtTheSecondAttempt)
{
    const auto seq = add("evt_1");
    connectSession();
    EXPECT_EQ(pathOf(Kind::Outbox), "ABSENT > PENDING");
    then.advance(Seconds(5));
    fail(seq, "503", "busy", true);
    EXPECT_EQ(pathOf(Kind::Outbox), "ABSENT > PENDING > SENDING > PENDING");
    then.advance(Seconds(5));
    const auto relay = claim(seq);
    EXPECT_EQ(pathOf(Kind::Outbox), "ABSENT > PENDING > SENDING > PENDING > SENDING");
    ASSERT_TRUE(outbox->sent({ seq }, relay));
    RecordDossier dossier(*context);
    EXPECT_EQ(pathOf(Kind::Outbox, dossier), "ABSENT > PENDING > SENDING > PENDING > SENDING > SENT");
    EXPECT_EQ(dossier.diagram().path().steps.back().attempt, 2);
    EXPECT_TRUE(dossier.diagram().path().steps.back().at);
}

TEST_F(PathCardTest, ARedrivenLetterThatDiedAgainAndItsEvent)
{
    const auto seq = add("evt_1");
    connectSession();
    fail(seq, "422", "no such account");
    then.advance(Seconds(5));
    EXPECT_EQ(pathOf(Kind::DeadLetter), "ABSENT > DEAD");
    carryOut("replay", "state = DEAD");
    EXPECT_EQ(pathOf(Kind::DeadLetter), "ABSENT > DEAD > REDRIVEN");
    EXPECT_EQ(pathOf(Kind::Outbox), "ABSENT > PENDING > SENDING > DEAD > PENDING");
    fail(seq, "422", "no such account");
    then.advance(Seconds(5));

    RecordDossier dossier(*context);
    ASSERT_EQ(pathOf(Kind::DeadLetter, dossier), "ABSENT > DEAD > REDRIVEN > DEAD");
    const auto& steps = dossier.diagram().path().steps;
    EXPECT_EQ(steps[1].event, "replay");
    EXPECT_EQ(steps[1].actor, "olga@ops-1");
    EXPECT_EQ(steps[1].since, Duration(Seconds(5)));
    EXPECT_EQ(steps[2].attempt, 1);
    EXPECT_FALSE(steps[2].owner.empty());
    EXPECT_TRUE(dossier.path().remarks().isEmpty()) << dossier.path().remarks().toStdString();
    for (const auto& edge : dossier.diagram().diagram().edges)
        EXPECT_NE(edge.kind, EdgeKind::Illegal);

    // What is walked to is in sight, however large it is.
    for (int part = 0; part < dossier.partCount(); ++part)
        if (dossier.partName(part) == QStringLiteral("State"))
            dossier.showPart(part);
    auto& diagram = dossier.diagram();
    diagram.setFocus();
    diagram.setZoom(3);
    ASSERT_TRUE(eventually([&] { return diagram.width() > dossier.width(); }));
    for (const auto key : { Qt::Key_Home, Qt::Key_Right, Qt::Key_End }) {
        QTest::keyClick(&diagram, key);
        EXPECT_TRUE(diagram.visibleRegion().contains(diagram.placeOf(*diagram.currentStep()).toPoint()))
            << *diagram.currentStep();
    }
    const auto shown = [&] { return dossier.partName(dossier.tabs().currentIndex()); };
    Q_EMIT dossier.diagram().stepActivated(1);
    EXPECT_EQ(shown(), QStringLiteral("Audit")) << "an operator did it";
    Q_EMIT dossier.diagram().stepActivated(2);
    EXPECT_EQ(shown(), QStringLiteral("Attempts"));

    carryOut("discard", "state = DEAD");
    EXPECT_EQ(pathOf(Kind::DeadLetter), "ABSENT > DEAD > REDRIVEN > DEAD > DISCARDED");
    RecordDossier event(*context);
    EXPECT_EQ(pathOf(Kind::Outbox, event), "ABSENT > PENDING > SENDING > DEAD > PENDING > SENDING > DEAD > DISCARDED");
    EXPECT_TRUE(event.diagram().path().steps.back().at) << "the row tells when it was discarded";
    EXPECT_TRUE(event.path().remarks().contains(QStringLiteral("Its dead letter tells when")));
}

TEST_F(PathCardTest, AnInboxTellsItsFailuresAndTheHandlerThatWasLost)
{
    const auto one = delivery("evt_1");
    ASSERT_TRUE(inbox->accept(one));
    connectSession();
    EXPECT_EQ(pathOf(Kind::Inbox), "ABSENT > RECEIVED");
    const auto first = handle(one);
    ASSERT_TRUE(inbox->fail(one, first, { "handler", "no template", true, {} }, 5));
    EXPECT_EQ(pathOf(Kind::Inbox), "ABSENT > RECEIVED > PROCESSING > FAILED");
    handle(one);
    then.advance(Seconds(60));
    RecordDossier lost(*context);
    EXPECT_EQ(pathOf(Kind::Inbox, lost), "ABSENT > RECEIVED > PROCESSING > FAILED > PROCESSING");
    EXPECT_TRUE(lost.diagram().path().stuck);
    const auto third = handle(one);
    ASSERT_TRUE(inbox->settle(one.id, third, "ok", {}));
    RecordDossier dossier(*context);
    EXPECT_EQ(pathOf(Kind::Inbox, dossier),
        "ABSENT > RECEIVED > PROCESSING > FAILED > PROCESSING > PROCESSING > PROCESSING > PROCESSED");
    EXPECT_FALSE(dossier.diagram().path().stuck);
    EXPECT_EQ(dossier.diagram().path().steps.back().owner, third.uuid);
    EXPECT_TRUE(dossier.path().remarks().contains(QStringLiteral("not when it began")));
}

TEST_F(PathCardTest, AnotherPayloadIsALetterOfItsOwnAndLeavesTheRow)
{
    auto one = delivery("evt_1");
    const auto handler = handle(one);
    ASSERT_TRUE(inbox->settle(one.id, handler, "ok", {}));
    one.payloadHash = sha256("{ }");
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(inbox->accept(one)->reception, Reception::Conflict);
        then.advance(Seconds(60));
    }
    connectSession();
    EXPECT_EQ(pathOf(Kind::Inbox), "ABSENT > RECEIVED > PROCESSING > PROCESSED");
    RecordDossier dossier(*context);
    EXPECT_EQ(pathOf(Kind::DeadLetter, dossier), "ABSENT > DEAD > DEAD");
    EXPECT_EQ(dossier.diagram().path().steps.back().times, 2);
    EXPECT_EQ(dossier.diagram().path().steps.back().since, Duration(Seconds(120)));
}

TEST_F(PathCardTest, AListThatSomebodyBrokeIsSaidToBeUnreadable)
{
    fail(add("evt_1"), "422", "no such account");
    ASSERT_TRUE(connection->execute("UPDATE outbox_messages SET attempts = 'none'"));
    connectSession();
    RecordDossier dossier(*context);
    EXPECT_EQ(pathOf(Kind::Outbox, dossier), "ABSENT > PENDING > SENDING > DEAD");
    EXPECT_TRUE(dossier.path().remarks().contains(QStringLiteral("cannot be read")));
    for (int part = 0; part < dossier.partCount(); ++part)
        if (dossier.partName(part) == QStringLiteral("State"))
            dossier.showPart(part);
    const auto labels = dossier.path().findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(),
        [&](const QLabel* label) { return label->isVisible() && label->text() == dossier.path().remarks(); }));
}

TEST_F(PathCardTest, AFileNamesTheRowWithoutItsSecretsAndARefusalIsABanner)
{
    fail(add("refund-4111111111111111"), "422", "no such account");
    connectSession();
    RecordDossier dossier(*context);
    ASSERT_EQ(pathOf(Kind::DeadLetter, dossier), "ABSENT > DEAD");
    EXPECT_TRUE(dossier.path().title().startsWith(QStringLiteral("dead_letters · ")));
    EXPECT_TRUE(dossier.path().title().endsWith(QStringLiteral(": DEAD")));
    EXPECT_FALSE(dossier.path().title().contains(QStringLiteral("4111111111111111")));

    const auto svg = database.folder() + QStringLiteral("/state.svg");
    dossier.path().tools().save(svg);
    EXPECT_TRUE(QSvgRenderer(svg).isValid());
    EXPECT_EQ(navigation.lines, QStringList{ QStringLiteral("The diagram is in %1").arg(svg) });
    const auto png = database.folder() + QStringLiteral("/state.png");
    dossier.path().tools().save(png);
    EXPECT_EQ(QImage(png).text(QStringLiteral("Title")), dossier.path().title());

    auto* banner = dossier.findChild<ErrorBanner*>();
    ASSERT_NE(banner, nullptr);
    EXPECT_FALSE(banner->isVisible());
    dossier.path().tools().save(QStringLiteral("/proc/state.png"));
    EXPECT_TRUE(banner->isVisible());
    EXPECT_TRUE(banner->sentence().contains(QStringLiteral("Could not save the diagram")))
        << banner->sentence().toStdString();
}

} // namespace
} // namespace fencepost::ui
