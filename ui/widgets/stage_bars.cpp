// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/stage_bars.h"

#include <algorithm>

#include <QPainter>

#include "ui/theme.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int stageHeight = 24;
constexpr int stageLabelWidth = 64;
constexpr int stageBarHeight = 10;

// What may become of a row, in the order of the bar.
struct Part {
    std::int64_t StageReport::*count;
    const char* word;
    Role role;
};

constexpr Part parts[] = {
    { &StageReport::succeeded, QT_TRANSLATE_NOOP("StageBars", "succeeded"), Role::Succeeded },
    { &StageReport::deadAgain, QT_TRANSLATE_NOOP("StageBars", "died again"), Role::FailedFinal },
    { &StageReport::failed, QT_TRANSLATE_NOOP("StageBars", "failed"), Role::Danger },
    { &StageReport::pending, QT_TRANSLATE_NOOP("StageBars", "pending"), Role::InProgress },
    { &StageReport::skipped, QT_TRANSLATE_NOOP("StageBars", "skipped"), Role::Expired },
};

} // namespace

StageBars::StageBars(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Outcomes of each stage"));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void StageBars::setProgress(const ReplayProgress& progress)
{
    const bool grew = m_stages.size() != progress.stages.size();
    m_stages = progress.stages;
    m_current = progress.stage;
    m_phase = progress.phase;
    QStringList spoken;
    for (std::size_t stage = 0; stage < m_stages.size(); ++stage)
        spoken += tr("Stage %1: %2").arg(stage + 1).arg(wordsOf(stage));
    setAccessibleDescription(spoken.join(QStringLiteral("\n")));
    if (grew)
        updateGeometry();
    update();
}

QString StageBars::wordsOf(std::size_t stage) const
{
    const auto& report = m_stages[stage];
    QStringList words{ counted(report.rows, tr("row"), tr("rows")) };
    std::int64_t told = 0;
    for (const auto& part : parts) {
        told += report.*part.count;
        if (report.*part.count > 0)
            words += QStringLiteral("%1 %2").arg(numberText(report.*part.count), tr(part.word));
    }
    if (report.failing > 0)
        words += tr("%1 of the pending failing").arg(numberText(report.failing));
    // Without a ramp nobody asks what became of them.
    if (report.changed > 0 && told < report.done())
        words += tr("%1 put back").arg(numberText(report.changed));
    if (report.done() == 0)
        words += isOver(m_phase)          ? tr("not begun")
            : stage != m_current          ? tr("not yet")
            : m_phase == RunPhase::Paused ? tr("waits for the run to go on")
                                          : tr("its turn now");
    return words.join(QStringLiteral(" · "));
}

QSize StageBars::sizeHint() const
{
    return { 480, static_cast<int>(m_stages.size()) * stageHeight };
}

QSize StageBars::minimumSizeHint() const
{
    return { 240, sizeHint().height() };
}

void StageBars::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t stage = 0; stage < m_stages.size(); ++stage)
        paintStage(painter, QRect(0, static_cast<int>(stage) * stageHeight, width(), stageHeight), stage);
}

void StageBars::paintStage(QPainter& painter, const QRect& place, std::size_t stage) const
{
    const auto& report = m_stages[stage];
    const bool reached = stage <= m_current;
    painter.setFont(m_theme.font(stage == m_current ? Text::Strong : Text::Body));
    painter.setPen(m_theme.color(reached ? Role::Text : Role::Muted));
    painter.drawText(QRect(place.left(), place.top(), stageLabelWidth, stageHeight), Qt::AlignVCenter,
        tr("Stage %1").arg(stage + 1));

    const QRectF track(
        place.left() + stageLabelWidth, place.center().y() - stageBarHeight / 2.0, place.width() * 0.4, stageBarHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(Role::Border));
    painter.drawRoundedRect(track, 3, 3);
    qreal left = track.left();
    const auto fill = [&](std::int64_t rows, Role role) {
        const qreal length =
            track.width() * static_cast<qreal>(rows) / static_cast<qreal>(std::max<std::int64_t>(1, report.rows));
        painter.setBrush(m_theme.color(role));
        painter.drawRect(QRectF(left, track.top(), length, track.height()));
        left += length;
    };
    std::int64_t told = 0;
    for (const auto& part : parts) {
        fill(report.*part.count, part.role);
        told += report.*part.count;
    }
    fill(std::max<std::int64_t>(0, report.done() - told), Role::Accent);

    const QRect words(static_cast<int>(track.right()) + space::medium, place.top(),
        place.right() - static_cast<int>(track.right()) - space::medium, stageHeight);
    painter.setFont(m_theme.font(Text::Caption));
    painter.setPen(m_theme.color(reached ? Role::Text : Role::Muted));
    painter.drawText(
        words, Qt::AlignVCenter, painter.fontMetrics().elidedText(wordsOf(stage), Qt::ElideRight, words.width()));
}

} // namespace fencepost::ui
