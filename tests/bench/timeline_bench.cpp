// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <QAbstractScrollArea>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include "resources/resources.h"
#include "tests/bench/figures.h"
#include "tests/bench/frames.h"
#include "ui/theme.h"
#include "ui/widgets/timeline.h"

// timeline_bench [ENTRIES]: scrolls a timeline through its whole length and prints what a frame takes, against a bare
// list of the same height that draws as many texts and nothing else, in one run.

namespace {

using namespace fencepost;
using namespace std::chrono_literals;

std::vector<ui::Mark> marksOfAnIncident(int entries)
{
    const auto base = timeFromMicros(1'780'000'000'000'000);
    const std::array<State, 3> states{ State::InProgress, State::FailedRetryable, State::Succeeded };
    std::vector<ui::Mark> marks;
    Duration at{};
    for (int i = 0; i < entries; ++i) {
        ui::Mark mark;
        mark.kind = i % 50 == 0 ? ui::MarkKind::Operator : i % 7 == 0 ? ui::MarkKind::Refusal : ui::MarkKind::Change;
        // Attempts seconds apart, and now and then hours of nothing.
        at += i % 40 == 0 ? Duration(3h) : Duration(1s) * (1 + i * 7919 % 30);
        mark.at = base + at;
        mark.state = states[static_cast<std::size_t>(i) % states.size()];
        mark.title = "reserve, attempt " + std::to_string(i % 12) + " of payment ch_" + std::to_string(i);
        mark.text = "by 00000000-0000-4000-8000-" + std::to_string(100'000'000'000 + i)
            + ": vendor answered 503, tried again in " + std::to_string(i % 30) + " s";
        mark.seq = i;
        marks.push_back(std::move(mark));
    }
    return marks;
}

// What drawing itself costs: two texts and an instant for each entry in sight.
class BareList final : public QAbstractScrollArea {
public:
    BareList(const ui::Theme& theme, const std::vector<ui::Mark>& marks, double height)
        : m_theme(theme)
        , m_marks(marks)
        , m_step(height / double(marks.size()))
    {
        setFrameShape(QFrame::NoFrame);
        m_height = height;
    }

protected:
    void resizeEvent(QResizeEvent*) override
    {
        verticalScrollBar()->setPageStep(viewport()->height());
        verticalScrollBar()->setSingleStep(24);
        verticalScrollBar()->setRange(0, int(m_height) - viewport()->height());
    }
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(viewport());
        const double top = verticalScrollBar()->value();
        const auto last = std::min(m_marks.size(), std::size_t((top + viewport()->height()) / m_step) + 1);
        for (auto i = std::size_t(top / m_step); i < last; ++i) {
            const double y = double(i) * m_step - top;
            painter.setFont(m_theme.font(ui::Text::Strong));
            painter.drawText(QPointF(48, y), QString::fromStdString(m_marks[i].title));
            painter.setFont(m_theme.font(ui::Text::Caption));
            painter.drawText(QPointF(48, y + 18), QString::fromStdString(m_marks[i].text));
            painter.setFont(m_theme.font(ui::Text::MonoCaption));
            painter.drawText(QPointF(500, y), QString::fromStdString(formatInstant(m_marks[i].at)));
        }
    }

private:
    const ui::Theme& m_theme;
    const std::vector<ui::Mark>& m_marks;
    double m_step = 0;
    double m_height = 0;
};

void wheel(QAbstractScrollArea& area, int notches)
{
    const QPointF at(area.viewport()->rect().center());
    QWheelEvent event(at, area.viewport()->mapToGlobal(at), {}, { 0, notches * -120 }, Qt::NoButton, Qt::NoModifier,
        Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(area.viewport(), &event);
}

double scroll(test::TimedApplication& application, QAbstractScrollArea& area, const std::string& name)
{
    auto* bar = area.verticalScrollBar();
    bar->setValue(0);
    const auto wheeled = test::measureFrames(application, name + ", wheel", 600, [&](int) { wheel(area, 3); });
    const auto dragged = test::measureFrames(application, name + ", bar end to end", 1000,
        [&](int frame) { bar->setValue(int(frame / 999.0 * bar->maximum())); });
    return std::max(wheeled, dragged);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc > 1 && argv[1][0] == '-') {
        std::fprintf(stderr, "usage: timeline_bench [ENTRIES]\n");
        return 2;
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    test::TimedApplication application(argc, argv);
    loadResources();
    ui::Theme theme(ui::Scheme::Light);
    theme.applyTo(application);
    const auto marks = marksOfAnIncident(argc > 1 ? std::atoi(argv[1]) : 100'000);
    ui::Timeline timeline(theme, [](Time at) { return QString::fromStdString(formatInstant(at)); });
    timeline.resize(720, 900);
    timeline.setVisible(true);
    test::print("shown at once", test::measured(1, [&](int) { timeline.setMarks(marks); }));
    const double ours = scroll(application, timeline, "timeline of " + std::to_string(marks.size()));
    const double height = timeline.heightOfAll();
    timeline.hide();
    BareList list(theme, marks, height);
    list.resize(720, 900);
    list.show();
    const double bare = scroll(application, list, "bare list");
    std::printf(
        "p95 of a frame: timeline %.2f ms, bare list %.2f ms, ratio %.2f; bound 18 ms\n", ours, bare, ours / bare);
    return ours < 18 ? 0 : 1;
}
