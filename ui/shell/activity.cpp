// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/activity.h"

#include <QPlainTextEdit>
#include <QScrollArea>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/clock.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

Activity::Activity(const Theme& theme, const ZoneSetting& zone, QWidget* parent)
    : QWidget(parent)
    , m_zone(zone)
    , m_tabs(new QTabWidget(this))
    , m_none(new EmptyState(theme, this))
    , m_scroll(new QScrollArea(this))
    , m_log(new QPlainTextEdit(this))
{
    setObjectName(QStringLiteral("bottomDock"));
    setAttribute(Qt::WA_StyledBackground);
    m_log->setReadOnly(true);
    m_log->setMaximumBlockCount(10'000);
    m_log->setFont(theme.font(Text::Mono));
    m_log->setFrameShape(QFrame::NoFrame);
    m_log->setAccessibleName(tr("Log"));
    m_log->setPlaceholderText(tr("What this window does is written here."));

    auto* runs = new QWidget(this);
    runs->setProperty("part", QStringLiteral("transparent"));
    m_runs = new QVBoxLayout(runs);
    m_runs->setContentsMargins(space::medium, space::small, space::medium, space::small);
    m_runs->addWidget(m_none);
    m_runs->addStretch();
    m_none->show(Emptiness::NoRows, tr("No operation is running"),
        tr("Plans that you confirm are carried out here, with pause and stop."));
    m_scroll->setWidgetResizable(true);
    m_scroll->setWidget(runs);

    auto* close = new QToolButton(this);
    close->setIcon(theme.icon("close", Role::Muted));
    close->setAccessibleName(tr("Hide running operations and log"));
    close->setToolTip(tr("Hide"));
    m_tabs->addTab(m_scroll, tr("Operations"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->setCornerWidget(close);
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setAccessibleName(tr("Operations and log"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::small, 0, space::small, 0);
    layout->addWidget(m_tabs);
    connect(close, &QToolButton::clicked, this, &Activity::closed);
}

void Activity::addRun(QWidget* run)
{
    m_none->hide();
    fit();
    m_runs->insertWidget(0, run);
    m_shown.prepend(run);
    run->show();
    m_tabs->setCurrentIndex(0);
    connect(run, &QObject::destroyed, this, [this](const QObject* gone) {
        m_shown.removeIf([gone](const QPointer<QWidget>& each) { return each.isNull() || each == gone; });
        m_none->setVisible(m_shown.isEmpty());
        fit();
    });
}

// What says that nothing runs is never cut; runs have a scroll bar.
void Activity::fit()
{
    m_scroll->setMinimumHeight(m_shown.isEmpty() ? m_scroll->widget()->sizeHint().height() : 0);
}

void Activity::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    fit();
}

void Activity::endRuns()
{
    const auto ending = m_shown;
    for (const auto& run : ending)
        delete run.data();
}

void Activity::log(const QString& line)
{
    m_log->appendPlainText(
        m_zone.value().format(SystemClock().now(), models::Precision::Seconds) + QStringLiteral("  ") + line);
}

QString Activity::logText() const
{
    return m_log->toPlainText();
}

} // namespace fencepost::ui
